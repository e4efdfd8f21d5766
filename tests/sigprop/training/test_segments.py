"""The validation is looked at where it is time, and at the end of every training."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from sigprop.training import segments
from sigprop.training.loop import Optimiser
from sigprop.training.segments import Diverged, Fit
from sigprop.training.supervised import KIND
from tests.sigprop.training.test_supervised import RECIPE


class Run(SimpleNamespace):
    """As far as a segment looks at it."""


def looked(monkeypatch, total, segment, evaluate, diverges_at=-1):
    """Steps at which the validation is looked at, and the batches that were asked for."""
    recipe = dataclasses.replace(
        RECIPE, optimiser=Optimiser(total), segment=segment, evaluate=evaluate
    )

    def take_steps(kind, recipe, run, state, batches):
        (steps,) = batches
        first = int(run.step)
        assert list(steps) == [*range(first, first + segment)]
        diverged = diverges_at if first <= diverges_at < first + segment else -1
        after = Run(step=first + segment, diverged=diverged)
        return after, state + 1, steps * 1.0, steps * 2.0

    monkeypatch.setattr(segments, "take_steps", take_steps)
    steps, last = [], {}

    def look(now, last):
        steps.append(int(now.run.step))
        assert now.state == now.run.step // segment  # the averages after it
        return now, {"step": now.run.step}

    def batches(steps):
        return (np.array(steps, float),)

    now = Fit(Run(step=0), 0, None)
    for number in range(recipe.segments):
        now, records = segments._segment(KIND, recipe, batches, look, last, now)
        own = np.arange(number * segment, (number + 1) * segment)
        np.testing.assert_array_equal(records["loss"], own)
        np.testing.assert_array_equal(records["gradient_norm"], 2 * own)
        assert last["loss"] == own.mean()
        assert ("step" in records) == (bool(steps) and steps[-1] == own[-1] + 1)
    return steps


@pytest.mark.parametrize(
    ("total", "segment", "evaluate", "wanted"),
    [
        (60, 5, 2, [10, 20, 30, 40, 50, 60]),
        (60, 5, 5, [25, 50, 60]),  # twelve segments, of which the last two are left
        (60, 5, 7, [35, 60]),
        (60, 5, 12, [60]),
        (60, 5, 50, [60]),
        (35, 5, 3, [15, 30, 35]),
        (5, 5, 1, [5]),
    ],
)
def test_the_last_segment_is_looked_at_though_looks_do_not_divide_them(
    monkeypatch, total, segment, evaluate, wanted
):
    assert looked(monkeypatch, total, segment, evaluate) == wanted


def test_a_segment_that_diverged_names_its_step(monkeypatch):
    with pytest.raises(Diverged, match="at step 13") as refused:
        looked(monkeypatch, 60, 5, 2, diverges_at=13)
    assert refused.value.step == 13
