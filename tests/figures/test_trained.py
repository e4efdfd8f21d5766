"""Figures of trainings show what is stored: means, errors, theory and what diverged."""

import numpy as np
import pytest
import xarray as xr

from sigprop.figures import lru_1, rotrnn_3

RNG = np.random.default_rng(4)
LOOKS, SEGMENTS, LAYERS, RUNGS, SEEDS = 4, 8, 3, 5, 3


def trainings(models, recurrences=LAYERS):
    """A gathered sweep of random numbers, the last look at step 40."""
    cells = [(model, seed) for model in models for seed in range(SEEDS)]
    count = len(cells)
    measured = RNG.uniform(1, 9, (count, LOOKS, recurrences))
    return xr.Dataset(
        {
            "test_accuracy": ("cell", RNG.uniform(0.2, 1, count)),
            "loss": (("cell", "segment"), RNG.uniform(0, 2, (count, SEGMENTS))),
            "validation_accuracy": (
                ("cell", "look"),
                RNG.uniform(0, 1, (count, LOOKS)),
            ),
            "state_power": (
                ("cell", "look", "layer"),
                RNG.uniform(1, 9, (count, LOOKS, LAYERS)),
            ),
            "measured": (("cell", "look", "recurrence"), measured),
            "predicted": (
                ("cell", "look", "recurrence", "rung"),
                measured[..., None] * RNG.uniform(0.5, 2, RUNGS),
            ),
            "step": (
                ("cell", "look"),
                np.tile(np.arange(1, LOOKS + 1) * 10.0, (count, 1)),
            ),
            "depth": ("cell", np.full(count, LAYERS)),
            "length": ("cell", np.full(count, 64)),
            "examples": ("cell", np.full(count, 100)),
        },
        {
            "model": ("cell", [model for model, _ in cells]),
            "seed": ("cell", [seed for _, seed in cells]),
            "task": ("cell", ["digits"] * count),
        },
    )


@pytest.fixture
def shown():
    """Make a figure of a data set; return its axes."""

    def show(module, data, panel=None):
        return module.draw(
            dict.fromkeys(module.ENTRY.studies.values(), data), panel
        ).axes

    return show


def test_every_rung_has_its_mean_and_its_losses(shown):
    data = trainings(("tanh", "gamma"))
    data["test_accuracy"][[0, 3]] = np.nan
    (axes,) = shown(lru_1, data, "a")
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        lru_1.NAMES["tanh"],
        lru_1.NAMES["gamma"],
    ]
    crosses = [line for line in axes.lines if line.get_marker() == "x"]
    assert [len(cross.get_xdata()) for cross in crosses] == [1, 1]
    sound = 100 * data["test_accuracy"].values.reshape(2, SEEDS)[:, 1:]
    marks = [line.get_xdata() for line in axes.lines if line.get_marker() == "|"]
    np.testing.assert_allclose(np.nansum(marks, axis=1), sound.mean(1))
    bars = [line.get_xdata() for line in axes.lines if line.get_marker() == "None"]
    ends = [bar for bar in bars if np.isfinite(bar).all()]
    np.testing.assert_allclose(np.ptp(ends, axis=1), np.ptp(sound, axis=1))


def test_lines_are_the_stationary_theory_of_layers_of_one_way(shown):
    one_way, two_way = trainings(("lru", "rotrnn")), trainings(("blur",), 2 * LAYERS)
    padded = one_way.pad(recurrence=(0, LAYERS))
    data = xr.concat([padded, two_way], "cell")
    firsts = one_way["predicted"].values[[0, SEEDS], :, :, rotrnn_3.RUNG]
    for panel, expected in zip("ab", np.sqrt(firsts).transpose(0, 2, 1), strict=True):
        (axes,) = shown(rotrnn_3, data, panel)
        lines = [line.get_ydata() for line in axes.lines if line.get_marker() == "None"]
        np.testing.assert_allclose(lines, expected)
    assert rotrnn_3.ENTRY.chosen() == ("a", "b", "c")
