"""Rows on newer layers at points that nobody chose: between the points of their evidence.

Their routes draw nothing, so that another seed of the judge would change nothing.
"""

import math
from typing import Any

import numpy as np
import pytest

from sigprop.judge.basis import AtPoint, Evidence
from sigprop.judge.evidence import measure
from sigprop.theory.claims import home
from tests.rows import changed, row, rows
from tests.seeds import fresh_seeds

PARTS = {
    "delta_learning",
    "delta_rules",
    "delta_steps",
    "finite_width",
    "forget_gates",
    "gradient_scales",
    "layers_of_today",
    "mimo",
    "oscillators",
    "slstm",
    "state_spaces",
    "tapers",
    "transitions",
}
SLOW = {"sigprop:ginibre-real": 3, "sigprop:typical-gate": 20}  # points a minute allows
MANY = 60


def on_newer_layers() -> list[str]:
    """Ids of our rows of the parts above that are judged at points."""
    return [
        claim_id
        for claim_id, each in rows().items()
        if claim_id.startswith("sigprop:")
        and home(claim_id).rpartition(".")[2] in PARTS
        and isinstance(each.basis, Evidence)
        and each.claim.condition is None  # most points between do not meet it
    ]


def between(one: Any, other: Any, share: float) -> Any:
    """A value between two: by logarithms of positive numbers, which keep to a domain
    such as ``a b < 4``; a whole number between whole ones."""
    if isinstance(one, str | bool):
        return one
    if isinstance(one, tuple):
        return tuple(between(a, b, share) for a, b in zip(one, other, strict=True))
    if complex in map(type, (one, other)) or min(one, other) <= 0:
        value = one + (other - one) * share
    else:
        value = math.exp((1 - share) * math.log(one) + share * math.log(other))
    return round(value) if isinstance(one, int) and isinstance(other, int) else value


def fresh_point(points: tuple[AtPoint, ...], random: np.random.Generator) -> AtPoint:
    """A point on the line between two of a row, with one share for all of its values."""
    one, other = (points[index] for index in random.integers(len(points), size=2))
    share = random.uniform()
    return {name: between(one[name], other[name], share) for name in one}


def wrong(claim_id: str, seed: int, count: int, form: Any = None) -> list[str]:
    """Points, routes and values at which the true form is not confirmed."""
    basis, random = row(claim_id).basis, np.random.default_rng(seed)
    assert isinstance(basis, Evidence)
    alone = {"proof": None, "form": basis.form if form is None else form}
    at = tuple(fresh_point(basis.points, random) for _ in range(count))
    tried = changed(row(claim_id), {**alone, "points": at})
    found = measure(tried.claim, tried.basis).results
    return [
        f"seed {seed}: {result.point}, {result.route}: {result.value}"
        for result in found
        if result.form == "derived"
        and result.route in basis.routes
        and result.verdict != "confirmed"
    ]


@pytest.mark.parametrize("claim_id", on_newer_layers())
@pytest.mark.sampled(24)
def test_a_row_is_true_between_its_points(claim_id):
    (seed,) = fresh_seeds(1, claim_id)
    assert not wrong(claim_id, seed, 2)


@pytest.mark.slow
@pytest.mark.parametrize("claim_id", on_newer_layers())
def test_a_row_is_true_at_sixty_points_between_its_own(claim_id):
    (seed,) = fresh_seeds(1, claim_id)
    assert not wrong(claim_id, seed, SLOW.get(claim_id, MANY))


@pytest.mark.parametrize(
    "claim_id",
    [
        claim_id
        for claim_id in on_newer_layers()
        if row(claim_id).basis.mutants and row(claim_id).basis.relation == "="
    ],
)
@pytest.mark.sampled(8)
def test_a_mutant_is_refuted_between_the_points(claim_id):
    (seed,) = fresh_seeds(1, claim_id)
    for name, mutant in row(claim_id).basis.mutants.items():
        assert wrong(claim_id, seed, 8, mutant), name


def test_a_fresh_point_is_between_two_with_one_share():
    points = ({"a": 1.0, "n": 2, "b": -1.0}, {"a": 4.0, "n": 8, "b": 3.0})
    random = np.random.default_rng(*fresh_seeds(1))
    for _ in range(50):
        point = fresh_point(points, random)
        share = math.log(point["a"], 4.0)
        assert -1e-9 <= share <= 1 + 1e-9
        assert point["b"] == pytest.approx(4 * share - 1)
        assert point["n"] == round(2 * 4**share)


def test_there_are_rows_to_judge():
    assert len(on_newer_layers()) >= 93
    assert set(SLOW) <= set(on_newer_layers())
