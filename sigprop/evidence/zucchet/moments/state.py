"""Evidence for the state, Appendix B.2.1 and B.2.4 of Zucchet & Orvieto (2024)."""

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sympy import Sum

from sigprop.evidence.kit import moment
from sigprop.evidence.zucchet.moments import lines
from sigprop.judge import grids
from sigprop.judge.basis import Basis, Check, Grid, by_mutants
from sigprop.judge.results import RouteResult, decided
from sigprop.numerics.evaluate import values
from sigprop.numerics.points import EigenPoint, exponential
from sigprop.theory.claims import Claim
from sigprop.theory.papers.zucchet.forms import (
    bound_74,
    eq_45,
    eq_57_corrected,
    sensitivity_bound_74,
)

PLACES = ((0.1, 0.0), (0.1, math.pi), (0.3, 2.0))  # gap and phase
SHADES: dict[str, Callable[..., Any]] = {
    "alternating": lambda ages, theta: (-1.0) ** ages,
    "turned": lambda ages, theta: np.exp(-1j * theta * ages),  # attains the bound
    "on and off": lambda ages, theta: 1.0 * (ages % 3 > 0),
    "chirp": lambda ages, theta: np.exp(0.1j * ages**2),
}
"""Factors of size one at most on each input, the latter two of no stationary process."""


def covariance_bound(
    claim: Claim,
    seed: int,
    scale: float = 1.0,
    modulus: bool = True,
    lags: float = 1.0,
) -> tuple[RouteResult, ...]:
    """Moments of state and sensitivity, and their bounds with ``U`` instead of ``R``.

    Inputs have ``R = U = decay**|Delta|``, and each is multiplied by a factor.

    Args:
        claim: The row.
        seed: Not used.
        scale: Factor of the bound; not one for a mutant.
        modulus: False for a mutant with the eigenvalue instead of its modulus.
        lags: Weight of the sums over lags; not one for a mutant.
    """
    # Imports JAX, only for this check.
    from sigprop.evidence.zucchet.curse.responses import RESPONSES

    bounds = {
        "state": bound_74() if modulus else eq_45(),
        "sensitivity": sensitivity_bound_74() if modulus else eq_57_corrected(),
    }

    def counted_by_lags(*terms: Any) -> Any:
        total: Any = Sum(*terms)
        return lags * total

    results = []
    for decay, (gap, theta) in itertools.product((0.5, 0.9), PLACES):
        point_of_bound = EigenPoint(gap, theta, exponential(decay), 256)
        lam = complex(point_of_bound.eigenvalue())
        for (quantity, form), shade in itertools.product(bounds.items(), SHADES):
            counted: Any = form.replace(Sum, counted_by_lags)
            bound = scale * values([counted], [point_of_bound])[0, 0].real
            point = f"{quantity}, {shade}, U={decay}^|D|, gap={gap}, theta={theta:.3g}"
            for route, respond in RESPONSES.items():
                w = respond(lam, quantity)
                value = moment(w * SHADES[shade](np.arange(len(w)), theta), decay)
                right = value <= bound * (1 + 1e-12)
                results.append(decided(route, point, value / bound, right))
    return tuple(results)


def empirical_autocovariance(
    claim: Claim, seed: int, missing: int = 0
) -> tuple[RouteResult, ...]:
    """The estimator equals its defining sum, and its divisor is the number of terms."""
    from sigprop import inputs

    generator = np.random.default_rng([seed, 75])
    data = generator.standard_normal((3, 17))
    measured = inputs.Empirical(data).autocovariance(np.arange(17))
    results = []
    for lag in (0, 1, 5, 15):
        top = 16  # the paper's T: samples are numbered 0 ... T
        divisor = top - lag + 1 - missing
        sums = [
            math.fsum(x[t] * x[t + lag] for t in range(top - lag + 1)) / divisor
            for x in data
        ]
        ratio = float(measured[lag] / (math.fsum(sums) / len(sums)))
        right = abs(ratio - 1) < 1e-10
        results.append(decided("reference", f"lag={lag}, T={top}", ratio, right))
    ones = inputs.Empirical(np.ones((2, 9))).autocovariance(np.arange(9))
    worst = float(np.max(np.abs(ones - 1)))
    results.append(decided("closed_form", "series of ones", 1 + worst, worst < 1e-12))
    return tuple(results)


EVIDENCE: dict[str, Basis] = {
    "zucchet:42": Grid("state_kernel", grids.AGES),
    "zucchet:45": lines.STATE,
    "zucchet:47": Grid("state", grids.COMPLEX_EXPONENTIAL),
    "zucchet:48": Grid("state", grids.COMPLEX_EXPONENTIAL, headline=True),
    "zucchet:text:white-state": Grid("state", grids.COMPLEX_WHITE),
    "zucchet:text:constant-state": Grid("state", grids.COMPLEX_CONSTANT),
    "zucchet:74": Check(
        covariance_bound,
        by_mutants(
            {
                "U alone, no modulus": partial(covariance_bound, modulus=False),
                "lags of one sign": partial(covariance_bound, lags=0.5),
                "the lag zero alone": partial(covariance_bound, lags=0.0),
            }
        ),
        ("reference", "impulse"),
    ),
    "zucchet:75": Check(
        empirical_autocovariance,
        by_mutants(
            {
                "one sample fewer": partial(empirical_autocovariance, missing=1),
                "one sample more": partial(empirical_autocovariance, missing=-1),
            }
        ),
        ("reference", "closed_form"),
    ),
}
