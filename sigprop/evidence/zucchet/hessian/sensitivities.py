"""The Hessian at optimality as sums over explicit sensitivities, times the autocovariance.

A state filters the input by ``lambda**n``, its sensitivity to the eigenvalue by
``n lambda**(n-1)``; the sums know neither ``S`` nor ``A`` and ``B``.

Source: the model of Zucchet & Orvieto (2024), Eq. 113-114.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.zucchet.hessian.loss import STEPS, block, problem, slopes
from sigprop.judge.basis import Routine


def autocovariance(
    a: float, b: float, rho: float, size: int
) -> Float[np.ndarray, "size size"]:
    """The matrix ``R(n - m)``."""
    lags = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    return a * np.eye(size) + b * np.power(float(rho), lags)


def sensitivity(lam: complex, size: int) -> Complex[np.ndarray, " size"]:
    """``n lambda**(n-1)`` for ages up to ``size``."""
    ages = np.arange(size)
    return ages * complex(lam) ** np.maximum(ages - 1, 0)


def pair_sum(
    lambda_i: complex,
    lambda_j: complex,
    a: float = 0.0,
    b: float = 1.0,
    rho: float = 0.0,
    **_: Any,
) -> complex:
    """``sum n m lambda_i**(n-1) lambda_j**(m-1) R(n-m)``, term by term."""
    size = 4 * STEPS
    first, second = sensitivity(lambda_i, size), sensitivity(lambda_j, size)
    return complex(first @ autocovariance(a, b, rho, size) @ second)


def of_pair(function: Callable[..., complex]) -> Callable[..., complex]:
    """A function of two eigenvalues in the letters of the lemmas, alpha and beta."""
    return lambda alpha, beta, **at: function(alpha, beta, **at)


def gauss_newton(chart: str, **at: Any) -> Float[np.ndarray, "2 2"]:
    """Gauss-Newton block of unit i's parameters (rows) and j's, by sensitivities.

    The covariance of the output's explicit sensitivities to them.
    """
    of = problem(chart, **at)
    filters = [
        np.array(
            [
                (gain * slope * sensitivity(lam, 4 * STEPS)).real
                for slope in slopes(chart, lam)
            ]
        )
        for lam, gain in zip(of.eigenvalues, of.gains, strict=True)
    ]
    covariance = autocovariance(of.a, of.b, of.rho, 4 * STEPS)
    return filters[0] @ covariance @ filters[-1].T


def routes(
    chart: str, of: Callable[[Any], Any] = lambda found: found
) -> dict[str, Routine]:
    """Two routes to what is taken of units i's and j's block: differences, and sums."""
    return {
        "reference": lambda **at: of(block(chart, **at)),
        "sensitivities": lambda **at: of(gauss_newton(chart, **at)),
    }
