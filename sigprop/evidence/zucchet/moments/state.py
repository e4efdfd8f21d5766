"""What judges the state, Appendix B.2.1 and B.2.4 of Zucchet & Orvieto (2024)."""

import math
from functools import partial

import numpy as np

from sigprop.judge import grids
from sigprop.judge.basis import Basis, Check, Grid, by_slips
from sigprop.judge.results import RouteResult, decided
from sigprop.numerics.evaluate import values
from sigprop.numerics.points import EigenPoint, exponential
from theory.claims import Claim
from theory.papers.zucchet.forms import bound_74, eq_45


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
                    found.append(decided(route, point, ratio, right, form, met))
    return tuple(found)


def empirical_autocovariance(
    claim: Claim, seed: int, missing: int = 0
) -> tuple[RouteResult, ...]:
    """The estimator equals its defining sum, and its divisor counts the summands."""
    from sigprop import inputs

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
        found.append(decided("reference", f"lag={lag}, T={top}", ratio, right))
    ones = inputs.Empirical(np.ones((2, 9))).autocovariance(np.arange(9))
    worst = float(np.max(np.abs(ones - 1)))
    found.append(decided("closed_form", "series of ones", 1 + worst, worst < 1e-12))
    return tuple(found)


EVIDENCE: dict[str, Basis] = {
    "zucchet:42": Grid("state_kernel", grids.AGES),
    "zucchet:45": Grid("state", grids.COMPLEX_ANY, headline=True),
    "zucchet:47": Grid("state", grids.COMPLEX_EXPONENTIAL),
    "zucchet:48": Grid("state", grids.COMPLEX_EXPONENTIAL, headline=True),
    "zucchet:text:white-state": Grid("state", grids.COMPLEX_WHITE),
    "zucchet:text:constant-state": Grid("state", grids.COMPLEX_CONSTANT),
    "zucchet:74": Check(
        covariance_bound,
        by_slips(
            {
                f"times {scale}": partial(covariance_bound, scale=scale)
                for scale in (0.95, 0.5, -1.0)
            }
        ),
        ("closed_form", "reference"),
    ),
    "zucchet:75": Check(
        empirical_autocovariance,
        by_slips(
            {
                "one sample fewer": partial(empirical_autocovariance, missing=1),
                "one sample more": partial(empirical_autocovariance, missing=-1),
            }
        ),
        ("reference", "closed_form"),
    ),
}
