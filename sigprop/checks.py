"""Claims that are no moment on a grid: bounds, limits, laws, definitions.

Each check takes the claim and the run's seed and returns route results; those of form
``printed`` judge the statement without its condition and are expected to refute it.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sympy import I, Rational, Symbol, exp, limit, oo, pi, simplify

from sigprop import ginibre, inputs
from sigprop.evaluate import values
from sigprop.quantities import QUANTITIES
from sigprop.results import RouteResult
from sigprop.statuses import drawn_result
from sigprop.verdict import judge, plan
from theory.claims import Claim
from theory.papers.zucchet_forms import bound_74, eq_45
from theory.points import EigenPoint, exponential
from theory.symbols import lam, lam_bar, rho

Check = Callable[[Claim, int], tuple[RouteResult, ...]]


def _decided(route: str, point: str, value: Any, right: Any, form: str = "derived"):
    word = "confirmed" if bool(right) else "refuted"
    value = float(value)
    return RouteResult(route, point, value, value, value, word, form)


def divergence(claim: Claim, seed: int) -> tuple[RouteResult, ...]:
    """Limits of the sensitivity at the edge: by SymPy, and seen through the scan.

    The impulse route's value is the growth of the moment from gap 1e-2 to gap 1e-3.
    """
    assert claim.derive is not None
    moment = claim.derive().result
    radius = Symbol("s", positive=True)
    cases = (
        (Rational(1, 2), Rational(1, 2), True, "derived"),
        (Rational(-1, 2), Rational(0), True, "derived"),
        (Rational(0), Rational(1), True, "derived"),
        (Rational(1), Rational(0), True, "derived"),
        (Rational(-1), Rational(1), True, "derived"),
        (Rational(-1), Rational(0), True, "printed"),
    )
    found = []
    for decay, turn, diverges, form in cases:
        direction = exp(I * pi * turn)
        at: dict[Any, Any] = {
            rho: decay,
            lam: radius * direction,
            lam_bar: radius / direction,
        }
        edge = limit(
            simplify(moment.subs(list(at.items()), simultaneous=True)), radius, 1, "-"
        )
        theta = float(pi * turn)
        impulse = QUANTITIES["sensitivity"].impulse
        near = [
            impulse(EigenPoint(gap, theta, exponential(float(decay)), 1), False).real
            for gap in (1e-2, 1e-3)
        ]
        # The slowest divergence is of the third power: a thousandfold each decade.
        grows = near[1] > 100 * near[0]
        point = f"rho={decay}, lambda -> exp({turn} i pi)"
        found.append(
            _decided("symbolic", point, math.nan, (abs(edge) == oo) == diverges, form)
        )
        found.append(
            _decided("impulse", point, near[1] / near[0], grows == diverges, form)
        )
    return tuple(found)


def covariance_bound(claim: Claim, seed: int) -> tuple[RouteResult, ...]:
    """Eq. 45 under a bound ``U >= |R|``, with and without the modulus of lambda.

    The input has ``R = (-rho)**|Delta|`` and the bound is ``U = rho**|Delta|``.
    """
    found = []
    for decay in (0.5, 0.9):
        for gap, theta in ((0.1, 0.0), (0.1, math.pi), (0.3, 2.0)):
            truth = EigenPoint(gap, theta, exponential(-decay), 256)
            bounded = EigenPoint(gap, theta, exponential(decay), 256)
            moment = values([eq_45()], [truth])[0, 0].real
            kernel = complex(truth.eigenvalue()) ** np.arange(600)
            lags = np.subtract.outer(np.arange(600), np.arange(600))
            direct = (kernel @ np.power(-decay, abs(lags)) @ kernel.conj()).real
            for form, expr in (("derived", bound_74()), ("printed", eq_45())):
                bound = values([expr], [bounded])[0, 0].real
                point = f"R=(-{decay})^|D|, U={decay}^|D|, gap={gap}, theta={theta:.3g}"
                for route, value in (("closed_form", moment), ("reference", direct)):
                    ratio = value / bound
                    found.append(
                        _decided(route, point, ratio, ratio <= 1 + 1e-12, form)
                    )
    return tuple(found)


def empirical_autocovariance(claim: Claim, seed: int) -> tuple[RouteResult, ...]:
    """The estimator equals its defining sum, and its divisor counts the summands."""
    generator = np.random.default_rng([seed, 75])
    data = generator.standard_normal((3, 17))
    measured = inputs.Empirical(data).autocovariance(np.arange(17))
    found = []
    for lag in (0, 1, 5, 16):
        top = 16  # the paper's T: samples are numbered 0 ... T
        sums = [
            math.fsum(x[t] * x[t + lag] for t in range(top - lag + 1)) / (top - lag + 1)
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


def circular_law(claim: Claim, seed: int) -> tuple[RouteResult, ...]:
    """Sampled matrices against the exact law at finite N, and that law's limit.

    Counts of eigenvalues are no Gaussian forms: their variance comes from a pilot with
    its own key, inflated by half, and fixes the number of matrices before the run.
    """

    def fractions(tag: int, count: int):
        generator = np.random.default_rng([seed, 31, tag])
        radii = ginibre.sample_radii(generator, count, CIRCLE_SIZE)
        return (radii[None] <= CIRCLE_RADII[:, None, None]).mean(axis=2)

    exact = ginibre.radial_law(CIRCLE_RADII, CIRCLE_SIZE)
    pilot = fractions(0, CIRCLE_PILOT).var(axis=1, ddof=1) / exact**2
    sized = plan(claim.margin, variance=float(INFLATION * pilot.max()))
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
        float(np.max(np.abs(ginibre.radial_law(CIRCLE_RADII, size) - CIRCLE_RADII**2)))
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
