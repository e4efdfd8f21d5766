"""Claims that are no moment on a grid: bounds, limits, laws, definitions.

Each check takes the claim and the run's seed and returns route results; those of form
``printed`` judge the statement without its condition and are expected to refute it.
"""

import functools
import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sympy import I, Integer, Rational, Symbol, exp, limit, oo, pi, simplify

from sigprop import inputs
from sigprop.judge.mutants import Score
from sigprop.judge.results import RouteResult
from sigprop.judge.routes import QUANTITIES
from sigprop.judge.statuses import drawn_result
from sigprop.judge.verdict import judge, plan
from sigprop.neuron import ginibre
from sigprop.numerics.evaluate import values
from theory.claims import Claim
from theory.papers.zucchet.forms import bound_74, eq_45
from theory.points import EigenPoint, exponential
from theory.symbols import lam, lam_bar, rho

Check = Callable[[Claim, int], tuple[RouteResult, ...]]


def _decided(
    route: str,
    point: str,
    value: Any,
    right: Any,
    form: str = "derived",
    inside: bool = True,
) -> RouteResult:
    word = "confirmed" if bool(right) else "refuted"
    value = float(value)
    return RouteResult(route, point, value, value, value, word, form, inside=inside)


def _diverges(decay: Any, turn: Any) -> bool:
    """True where the sensitivity diverges as ``lam`` tends to ``exp(i pi turn)``."""
    return decay != -1 or turn == 1


def divergence(
    claim: Claim, seed: int, says: Callable[..., bool] = _diverges
) -> tuple[RouteResult, ...]:
    """Limits of the sensitivity at the edge: by SymPy, and seen through the scan.

    The impulse route's value is the growth of the moment from gap 1e-2 to gap 1e-3.
    """
    assert claim.derive is not None
    assert claim.condition is not None
    found = []
    for edge in _edges(claim.derive().result, QUANTITIES["sensitivity"].impulse):
        point = f"rho={edge.decay}, lambda -> exp({edge.turn} i pi)"
        said = [("derived", says(edge.decay, edge.turn))]
        inside = claim.condition.holds(rho=edge.decay, turn=edge.turn)
        if not inside:
            said.append(("printed", True))
        for form, word in said:
            infinite = edge.limit == word
            found.append(_decided("symbolic", point, math.nan, infinite, form, inside))
            # The slowest divergence is of the third power: a thousandfold each decade.
            grows = (edge.growth > 100) == word
            found.append(_decided("impulse", point, edge.growth, grows, form, inside))
    return tuple(found)


class _Edge(NamedTuple):
    """Where the sensitivity was taken to the edge, and what became of it."""

    decay: Any
    turn: Any
    limit: bool  # whether it is infinite
    growth: float  # from gap 1e-2 to gap 1e-3


@functools.cache
def _edges(moment: Any, impulse: Callable[..., complex]) -> tuple[_Edge, ...]:
    half, one, zero = Rational(1, 2), Integer(1), Integer(0)
    radius = Symbol("s", positive=True)
    found = []
    for decay, turn in (
        *((half, half), (-half, zero), (zero, one)),
        *((one, zero), (-one, one), (-one, zero)),
    ):
        direction = exp(I * pi * turn)
        at: list[Any] = [
            (rho, decay),
            (lam, radius * direction),
            (lam_bar, radius / direction),
        ]
        edge = limit(simplify(moment.subs(at, simultaneous=True)), radius, 1, "-")
        far, near = (
            impulse(
                EigenPoint(gap, float(pi * turn), exponential(float(decay)), 1), False
            ).real
            for gap in (1e-2, 1e-3)
        )
        found.append(_Edge(decay, turn, abs(edge) == oo, near / far))
    return tuple(found)


def covariance_bound(
    claim: Claim, seed: int, scale: float = 1.0
) -> tuple[RouteResult, ...]:
    """Eq. 45 under a bound ``U >= |R|``, with and without the modulus of lambda.

    The input has ``R = (-rho)**|Delta|`` and the bound is ``U = rho**|Delta|``.
    """
    assert claim.condition is not None
    found = []
    for decay in (0.5, 0.9):
        for gap, theta in ((0.1, 0.0), (0.1, math.pi), (0.3, 2.0)):
            truth = EigenPoint(gap, theta, exponential(-decay), 256)
            bounded = EigenPoint(gap, theta, exponential(decay), 256)
            moment = values([eq_45()], [truth])[0, 0].real
            kernel = complex(truth.eigenvalue()) ** np.arange(600)
            lags = np.subtract.outer(np.arange(600), np.arange(600))
            direct = (kernel @ np.power(-decay, abs(lags)) @ kernel.conj()).real
            for form, expr in (("derived", scale * bound_74()), ("printed", eq_45())):
                bound = values([expr], [bounded])[0, 0].real
                point = f"R=(-{decay})^|D|, U={decay}^|D|, gap={gap}, theta={theta:.3g}"
                for route, value in (("closed_form", moment), ("reference", direct)):
                    ratio = value / bound
                    right = value <= bound * (1 + 1e-12)
                    met = form == "derived" or claim.condition.holds(theta=theta)
                    found.append(_decided(route, point, ratio, right, form, met))
    return tuple(found)


def empirical_autocovariance(
    claim: Claim, seed: int, missing: int = 0
) -> tuple[RouteResult, ...]:
    """The estimator equals its defining sum, and its divisor counts the summands."""
    generator = np.random.default_rng([seed, 75])
    data = generator.standard_normal((3, 17))
    measured = inputs.Empirical(data).autocovariance(np.arange(17))
    found = []
    for lag in (0, 1, 5, 15):
        top = 16  # the paper's T: samples are numbered 0 ... T
        divisor = top - lag + 1 - missing
        sums = [
            math.fsum(x[t] * x[t + lag] for t in range(top - lag + 1)) / divisor
            for x in data
        ]
        ratio = float(measured[lag] / (math.fsum(sums) / len(sums)))
        right = abs(ratio - 1) < 1e-10
        found.append(_decided("reference", f"lag={lag}, T={top}", ratio, right))
    ones = inputs.Empirical(np.ones((2, 9))).autocovariance(np.arange(9))
    worst = float(np.max(np.abs(ones - 1)))
    found.append(_decided("closed_form", "series of ones", 1 + worst, worst < 1e-12))
    return tuple(found)


CIRCLE_RADII = np.array([0.5, 0.75, 0.9, 1.0])
CIRCLE_SIZE, CIRCLE_PILOT, INFLATION = 64, 300, 1.5


@functools.cache
def _circle_fractions(
    sample: Callable[..., np.ndarray], seed: int, tag: int, count: int
) -> np.ndarray:
    """Fractions of eigenvalues within each radius, a row a radius."""
    generator = np.random.default_rng([seed, 31, tag])
    radii = sample(generator, count, CIRCLE_SIZE)
    return (radii[None] <= CIRCLE_RADII[:, None, None]).mean(axis=2)


def circular_law(
    claim: Claim, seed: int, law: Callable[..., Any] | None = None
) -> tuple[RouteResult, ...]:
    """Sampled matrices against the exact law at finite N, and that law's limit.

    Counts of eigenvalues are no Gaussian forms: their variance comes from a pilot with
    its own key, inflated by half, and fixes the number of matrices before the run.
    """
    law = law or ginibre.radial_law
    exact = law(CIRCLE_RADII, CIRCLE_SIZE)
    fractions = partial(_circle_fractions, ginibre.sample_radii, seed)
    pilot = fractions(0, CIRCLE_PILOT)
    variance = (pilot.var(axis=1, ddof=1) / pilot.mean(axis=1) ** 2).max()
    sized = plan(claim.margin, variance=float(INFLATION * variance))
    found = []
    for radius, expected, sample in zip(
        CIRCLE_RADII, exact, fractions(1, sized.n), strict=True
    ):
        verdict = judge(
            float(sample.mean()),
            float(expected),
            sized,
            float(sample.std(ddof=1) / math.sqrt(sized.n)),
        )
        point = f"N={CIRCLE_SIZE}, |z| <= {radius}"
        found.append(drawn_result(point, verdict))
    sizes = (16, 64, 256, 1024, 4096)
    gaps = [
        float(np.max(np.abs(law(CIRCLE_RADII, size) - CIRCLE_RADII**2)))
        for size in sizes
    ]
    steps = zip(sizes, sizes[1:], gaps, gaps[1:], strict=False)
    for small, large, before, after in steps:
        # A distance of order 1/sqrt(N) halves at every fourfold size.
        point = (
            f"distance to the disc, N={small} to {large}: {before:.3g} to {after:.3g}"
        )
        right = 0.45 < after / before < 0.55
        found.append(_decided("reference", point, 2 * after / before, right))
    return tuple(found)


SLIPS: dict[str, dict[str, Check]] = {
    "divergence": {
        "never": partial(divergence, says=lambda decay, turn: False),
        "always": partial(divergence, says=lambda decay, turn: True),
        "for rho > 0": partial(divergence, says=lambda decay, turn: decay > 0),
        "for rho < 1": partial(divergence, says=lambda decay, turn: decay < 1),
        "on the real axis": partial(
            divergence, says=lambda decay, turn: turn in (0, 1)
        ),
    },
    "covariance_bound": {
        f"times {scale}": partial(covariance_bound, scale=scale)
        for scale in (0.95, 0.5, -1.0)
    },
    "empirical_autocovariance": {
        "one sample fewer": partial(empirical_autocovariance, missing=1),
        "one sample more": partial(empirical_autocovariance, missing=-1),
    },
    "circular_law": {
        "uniform in the radius": partial(circular_law, law=lambda r, size: r),
        "a third power": partial(circular_law, law=lambda r, size: r**3),
        "5 % more": partial(
            circular_law, law=lambda r, size: 1.05 * ginibre.radial_law(r, size)
        ),
        "5 % less": partial(
            circular_law, law=lambda r, size: 0.95 * ginibre.radial_law(r, size)
        ),
    },
}


def score(claim: Claim) -> Score:
    """Mutation score of a check: slips made in what it checks, and which survive."""
    slips = SLIPS[claim.quantity.rpartition(".")[2]]
    survivors = [
        name
        for name, check in slips.items()
        if all(r.verdict == "confirmed" for r in check(claim, 0) if r.form == "derived")
    ]
    return Score(len(slips), tuple(survivors))
