"""Every row is judged within its paper's hypotheses, and each of these can be violated."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from sigprop.judge.basis import Grid, points_of
from sigprop.numerics.points import CONSTANT, WHITE, EigenPoint, Input, exponential
from sigprop.theory.claims import anywhere, find
from tests.rows import changed, row, rows

ASSUMED = {
    claim_id: entry
    for claim_id, entry in rows().items()
    if entry.claim.assumes.holds is not anywhere
}
INPUTS = (WHITE, CONSTANT, exponential(0.5), Input("mixed", a=1.0, b=1.0, rho=0.5))


@pytest.mark.parametrize("entry", ASSUMED.values(), ids=ASSUMED)
def test_every_point_is_within_what_the_paper_assumes(entry):
    points = points_of(entry.basis)
    assert points
    for at in points:
        assert entry.claim.assumes.holds(**at)


@pytest.mark.parametrize("entry", ASSUMED.values(), ids=ASSUMED)
def test_some_point_would_violate_what_the_paper_assumes(entry):
    spoiled_points = (
        at for point in points_of(entry.basis) for at in spoiled(dict(point))
    )
    assert not all(entry.claim.assumes.holds(**at) for at in spoiled_points)


def spoiled(at: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A point with one of its values replaced by another of its kind."""
    squares = [value**2 for value in at.values() if isinstance(value, float)]
    for name, value in at.items():
        for other in others(value, squares):
            yield at | {name: other}


def others(value: Any, squares: list[float]) -> list[Any]:
    """Other values of the same kind, most of them extreme."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float | complex):
        return [0.0, 1.0, -1.0, 10 * value, -value, 1 + value, *squares, 1j * value]
    if isinstance(value, Input):
        return list(INPUTS)
    if isinstance(value, tuple) and all(isinstance(item, tuple) for item in value):
        return [tuple((*item[:-1], float("inf")) for item in value)]
    if isinstance(value, tuple):
        return [tuple(-item for item in value)]
    if isinstance(value, Callable):
        return [lambda lag: 2.0**lag]
    return [SimpleNamespace(eigenvalues=(0.5, 0.5))]


def test_a_point_outside_the_hypotheses_is_no_evidence():
    entry = row("zucchet:43")
    outside = (*points_of(entry.basis), {**points_of(entry.basis)[0], "lam": 1.2})
    message = "need points of zucchet:43 within its hypotheses (|lambda| < 1, inputs of"
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        changed(entry, {"points": outside})


def test_a_grid_outside_the_hypotheses_is_no_evidence_either():
    entry = row("zucchet:60")
    assert isinstance(entry.basis, Grid)
    correlated = [
        replace(at, input=exponential(0.5))
        for at in entry.basis.points
        if isinstance(at, EigenPoint)
    ]
    with pytest.raises(ValueError, match=r"^need points of zucchet:60 within"):
        changed(entry, {"points": tuple(correlated)})


def test_lemma_1_is_judged_on_bounded_even_sequences_alone():
    holds = find("zucchet:38").assumes.holds
    inside = {"alpha": 0.5, "beta": -0.4}
    assert holds(u=lambda lag: 0.9 ** abs(lag), **inside)
    assert not holds(u=lambda lag: 1.2 ** abs(lag), **inside)
    assert not holds(u=lambda lag: 0.9**lag if lag > 0 else 1.0, **inside)
    assert not holds(u=lambda lag: 1.0, alpha=1.4, beta=0.4j)


def test_words_alone_are_what_no_point_can_violate():
    assumes = find("zucchet:119").assumes
    assert assumes.text == "the loss is real and twice differentiable"
    assert assumes.holds(lam=1e9)
