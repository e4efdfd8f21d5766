"""Plans that are made before a run: margins, sample sizes, mutation scores.

This module does not import JAX, so that ``sigprop show`` answers at once.
"""

from collections.abc import Callable
from typing import NamedTuple

from sympy import Expr

from sigprop.judge.basis import Grid
from sigprop.judge.mutants import Score, score_distribution, score_exact, score_ratio
from sigprop.judge.verdict import (
    GAUSSIAN_VARIANCE,
    Plan,
    distance_plan,
    plan,
    require_enough,
)
from sigprop.numerics.evaluate import precise
from sigprop.numerics.points import PairPoint, Point

HEADLINE_MARGIN = 0.01
TIERS = ("quick", "headline")
SIMULATED = frozenset(
    {
        "state",
        "normalised_state",
        "sensitivity",
        "state_pair",
        "sensitivity_pair",
        "backward",
        "ring_gain",
        "thin_ring",
    }
)


class Reading(NamedTuple):
    """One quantity at one point, which a simulation measures."""

    quantity: str
    point: Point


def relative_variance(reading: Reading, truth: Callable[[Reading], complex]) -> float:
    """Return the relative variance ``Var(s)/E[s]^2`` of one sample.

    For a positive quadratic form of Gaussians it is at most two.  For a product of two
    jointly Gaussian variables it is ``1 + E[x^2] E[y^2] / E[xy]^2``.
    """
    if not isinstance(reading.point, PairPoint):
        return GAUSSIAN_VARIANCE
    base = reading.quantity
    squares = [
        truth(Reading(base, PairPoint(x, x, reading.point.input, reading.point.steps)))
        for x in (reading.point.alpha, reading.point.beta)
    ]
    product = truth(reading).real
    return 1 + squares[0].real * squares[1].real / product**2


def margin_of(grid: Grid, tier: str) -> float:
    """Return the margin at which a tier judges a grid."""
    return HEADLINE_MARGIN if tier == "headline" and grid.headline else grid.margin


def simulated(grid: Grid) -> bool:
    """True if the quantity of a grid is simulated."""
    return grid.quantity in SIMULATED


def make_plans(
    grid: Grid,
    form: Expr,
    truths: dict[Point, complex],
    tier: str,
    samples: int | None = None,
) -> dict[Point, Plan]:
    """Fix the sample size of every grid point before the simulation.

    Args:
        grid: Grid to judge.
        form: Derived form.
        truths: Known values of the derived form, by point.
        tier: One of ``TIERS``.
        samples: Number of trajectories per point, instead of the planned number.

    Raises:
        ValueError: If ``samples`` is too small to decide at a point.
    """
    if not simulated(grid):
        return {}
    margin = margin_of(grid, tier)

    def truth(reading: Reading) -> complex:
        if reading.point in truths:
            return truths[reading.point]
        return precise(form, [reading.point])[0]

    plans = {}
    for point in grid.points:
        variance = relative_variance(Reading(grid.quantity, point), truth)
        if samples is None:
            plans[point] = plan(margin, variance=variance)
        else:
            plans[point] = require_enough(samples, margin, variance)
    return plans


def score(grid: Grid, form: Expr, plans: dict[Point, Plan]) -> Score:
    """Return the mutation score of the plans of a grid."""
    if grid.quantity == "ring_law":
        return score_distribution(form, grid.points, distance_plan(grid.margin))
    if plans:
        return score_ratio(form, grid.points, tuple(plans[p] for p in grid.points))
    return score_exact(form, grid.points)
