"""Plans made before a run: margins, sample sizes, mutation scores.

Free of JAX, so that ``sigprop show`` answers at once.
"""

from collections.abc import Callable
from typing import NamedTuple

from sympy import Expr

from sigprop.judge.mutants import Score, score_exact, score_law, score_ratio
from sigprop.judge.verdict import (
    GAUSSIAN_VARIANCE,
    Plan,
    distance_plan,
    plan,
    require_enough,
)
from sigprop.numerics.evaluate import precise
from theory.claims import Claim
from theory.points import PairPoint, Point

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
    """One quantity at one point: what a simulation is asked for."""

    quantity: str
    point: Point


def relative_variance(reading: Reading, truth: Callable[[Reading], complex]) -> float:
    """``Var(s)/E[s]^2`` of one sample, before any is drawn.

    Two for a positive quadratic form of real Gaussians, a bound reached by real ones;
    ``1 + E[x^2] E[y^2] / E[xy]^2`` for a product of two jointly Gaussian variables.
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


def margin_of(claim: Claim, tier: str) -> float:
    """Margin at which a tier judges a claim."""
    return HEADLINE_MARGIN if tier == "headline" and claim.headline else claim.margin


def is_check(claim: Claim) -> bool:
    """True where a claim has its own check, evidence or nothing in place of a grid."""
    return not claim.quantity or claim.quantity.startswith(("sigprop.", "evidence"))


def simulated(claim: Claim) -> bool:
    """True where a claim's quantity is simulated on a grid."""
    return claim.quantity in SIMULATED


def make_plans(
    claim: Claim,
    truths: dict[Point, complex],
    tier: str,
    samples: int | None = None,
) -> dict[Point, Plan]:
    """Fix the sample size of every grid point, before anything is drawn.

    Raises:
        ValueError: If ``samples`` are given and too few to decide at a point.
    """
    if not simulated(claim):
        return {}
    margin = margin_of(claim, tier)
    form = claim.derive().result if claim.derive else None

    def truth(reading: Reading) -> complex:
        if reading.point in truths:
            return truths[reading.point]
        assert form is not None
        return precise(form, [reading.point])[0]

    found = {}
    for point in claim.grid:
        variance = relative_variance(Reading(claim.quantity, point), truth)
        if samples is None:
            found[point] = plan(margin, variance=variance)
        else:
            found[point] = require_enough(samples, margin, variance)
    return found


def score(claim: Claim, form: Expr, plans: dict[Point, Plan]) -> Score:
    """Score a claim's own plan against the slips of its derived form."""
    if claim.quantity == "ring_law":
        return score_law(form, claim.grid, distance_plan(claim.margin))
    if plans:
        return score_ratio(form, claim.grid, tuple(plans[p] for p in claim.grid))
    return score_exact(form, claim.grid)
