"""The Hessian at optimality as sums over sensitivities times the autocovariance.

A state filters the input by ``lambda**n``, and its sensitivity to the eigenvalue
filters by ``n lambda**(n-1)``.  The sums use neither ``S`` nor ``A`` and ``B``.

Source: the model of Zucchet & Orvieto (2024), Eq. 113-114.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.kit import autocovariance, power_derivatives
from sigprop.evidence.zucchet.hessian.loss import STEPS, block, derivatives, problem
from sigprop.evidence.zucchet.hessian.power_spectrum import pair_quadrature
from sigprop.judge.basis import Routine

LENGTH = 4 * STEPS  # number of ages


def covariance(
    size: int, rho: float = 0.0, a: float = 0.0, b: float = 1.0, **_: Any
) -> Float[np.ndarray, "size size"]:
    """The matrix ``R(n - m)`` of a point's input."""
    return autocovariance(size, rho, a, b)


def sensitivity(lam: complex) -> Complex[np.ndarray, " ages"]:
    """``n lambda**(n-1)`` by age."""
    return power_derivatives(complex(lam), LENGTH)


def pair_sum(lambda_i: complex, lambda_j: complex, **point: Any) -> complex:
    """``sum n m lambda_i**(n-1) lambda_j**(m-1) R(n-m)``, term by term."""
    return complex(
        sensitivity(lambda_i) @ covariance(LENGTH, **point) @ sensitivity(lambda_j)
    )


def of_pair(
    function: Callable[..., complex], alpha: complex, beta: complex, **point: Any
) -> complex:
    """A function of two eigenvalues from a form in the letters of the lemmas."""
    return function(alpha, beta, **point)


PAIR_ROUTES = {"reference": pair_sum, "quadrature": pair_quadrature}


def gauss_newton(parametrisation: str, **point: Any) -> Float[np.ndarray, "2 2"]:
    """Gauss-Newton block of the parameters of units i (rows) and j, by sensitivities.

    It is the covariance of the output's explicit sensitivities to the parameters.
    """
    of = problem(parametrisation, **point)
    filters = [
        np.array(
            [
                (gain * derivative * sensitivity(lam)).real
                for derivative in derivatives(parametrisation, lam)
            ]
        )
        for lam, gain in zip(of.eigenvalues, of.gains, strict=True)
    ]
    return filters[0] @ autocovariance(LENGTH, of.rho, of.a, of.b) @ filters[-1].T


def routes(
    parametrisation: str, of: Callable[[Any], Any] = lambda matrix: matrix
) -> dict[str, Routine]:
    """Two routes to a function of the block of units i and j: differences, and sums."""
    return {
        "reference": lambda **point: of(block(parametrisation, **point)),
        "sensitivities": lambda **point: of(gauss_newton(parametrisation, **point)),
    }
