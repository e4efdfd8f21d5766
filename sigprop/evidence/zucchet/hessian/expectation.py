"""Evidence for the expected complex Hessian, Eq. 129-134 of Zucchet & Orvieto (2024)."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Complex

from sigprop.evidence.kit import double_sum, each, faded, powers
from sigprop.evidence.zucchet.hessian.loss import complex_block
from sigprop.evidence.zucchet.hessian.power_spectrum import pair_quadrature
from sigprop.evidence.zucchet.hessian.sensitivities import (
    LENGTH,
    PAIR_ROUTES,
    of_pair,
    pair_sum,
    sensitivity,
)
from sigprop.evidence.zucchet.hessian.units import EIGENVALUES, PAIRS, by_hand
from sigprop.judge.basis import Basis, Evidence, Example, Routine
from sigprop.theory import hessian as H
from sigprop.theory.papers.zucchet.hessian.expectation import eq_134


def covariance_of_sensitivities(
    lambda_i: complex, lambda_j: complex, conjugated: bool = False, **point: Any
) -> complex:
    """Stationary ``E[s_i s_j]`` of the joint recurrence, by doubling its horizon.

    The vector ``(h_i, s_i, h_j, s_j, u)`` with ``u`` the AR(1) part of the input is a
    linear system ``z' = F z + G w``; its second moment solves ``X = F X F^T + G G^T``.
    ``conjugated`` takes unit j's conjugate.
    """
    rho, a, b = point.get("rho", 0.0), point.get("a", 0.0), point.get("b", 1.0)
    gains = np.array([point.get("b_i", 1.0), point.get("b_j", 1.0)], complex)
    if conjugated:
        gains[1], lambda_j = np.conj(gains[1]), np.conj(lambda_j)
    F = np.zeros((5, 5), complex)
    for k, (lam, gain) in enumerate(zip((lambda_i, lambda_j), gains, strict=True)):
        F[2 * k, 2 * k] = F[2 * k + 1, 2 * k + 1] = lam
        F[2 * k + 1, 2 * k] = 1
        F[2 * k, 4] = gain * rho
    F[4, 4] = rho
    noise = np.zeros((5, 2), complex)  # of the AR(1) part, and white
    noise[[0, 2], 0] = gains * np.sqrt(b * (1 - rho**2))
    noise[4, 0] = np.sqrt(b * (1 - rho**2))
    noise[[0, 2], 1] = gains * np.sqrt(a)
    moment, power = noise @ noise.T, F
    for _ in range(14):
        moment, power = moment + power @ moment @ power.T, power @ power
    return complex(moment[1, 3])


Weights = Callable[[complex], Complex[np.ndarray, " ages"]]


def one_lambda_more(lam: complex) -> Complex[np.ndarray, " ages"]:
    """Mutant of the weights by age: ``n lambda**n``."""
    return lam * sensitivity(lam)


def plain_powers(lam: complex) -> Complex[np.ndarray, " ages"]:
    """Mutant of the weights by age: ``lambda**n``, those of the state."""
    return powers(complex(lam), LENGTH)


def as_filters(
    lambda_i: complex,
    lambda_j: complex,
    b_i: complex,
    b_j: complex,
    weights: Weights = sensitivity,
    **point: Any,
) -> complex:
    """``E[sum w_n b_i x_{-n} w_m b_j x_{-m}]`` from the noise that generates the input.

    The input is white noise plus an autoregression, each a filter of separate noise.
    """
    rho, a, b = point.get("rho", 0.0), point.get("a", 0.0), point.get("b", 1.0)
    first, second = b_i * weights(lambda_i), b_j * weights(lambda_j)
    remembered = faded(first, rho) @ faded(second, rho)
    return complex(a * first @ second + b * (1 - rho**2) * remembered)


def gains_in_front(
    b_i: complex, b_j: complex, lambda_j: complex, **point: Any
) -> complex:
    """``b_i b_j E[sum n lambda_i**(n-1) x_{-n} m lambda_j**(m-1) x_{-m}]``, as spectra."""
    return b_i * b_j * pair_quadrature(lambda_j=lambda_j, **point)


def over_lags(
    b_i: complex,
    b_j: complex,
    lambda_i: complex,
    lambda_j: complex,
    weights: Weights = sensitivity,
    **point: Any,
) -> complex:
    """``b_i b_j sum w_n w_m R(n-m)``, the correlated part in one pass."""
    rho, a, b = point.get("rho", 0.0), point.get("a", 0.0), point.get("b", 1.0)
    first, second = weights(lambda_i), weights(lambda_j)
    white = a * first @ second
    return b_i * b_j * (white + b * double_sum(first, second.conj(), rho))


def over_sums_of_ages(lambda_i: complex, lambda_j: complex, **point: Any) -> complex:
    """Mutant of ``over_lags``: ``R(n + m)`` in place of ``R(n - m)``."""
    fade = point.get("rho", 0.0) ** np.arange(LENGTH)
    product = (sensitivity(lambda_i) @ fade) * (sensitivity(lambda_j) @ fade)
    return point["b_i"] * point["b_j"] * point.get("b", 1.0) * product


def covariance(form: Callable[..., complex], mutants: dict[str, Routine]) -> Evidence:
    """Evidence of one form of the covariance of two sensitivities."""

    def second_conjugated(lambda_j: complex, **point: Any) -> complex:
        return form(lambda_j=complex(lambda_j).conjugate(), **point)

    def gain_conjugated(b_j: complex, **point: Any) -> complex:
        return form(b_j=complex(b_j).conjugate(), **point)

    return Evidence(
        PAIRS,
        {
            "reference": covariance_of_sensitivities,
            "closed_form": lambda b_i, b_j, S_ij, **_: b_i * b_j * S_ij,
        },
        form=form,
        proof=H.pair_is_the_double_sum,
        mutants={
            "the second sensitivity conjugated": second_conjugated,
            "the second gain conjugated": gain_conjugated,
            **mutants,
        },
    )


def one_unit(of: str, lam: complex, column: int = 0) -> Example:
    """An entry of the complex Hessian of one unit under white input."""
    return Example(
        f"{of} of one unit (b = c = 1, white input)",
        {"lam": lam},
        lambda lam: H.similarity(lam, complex(lam).conjugate() if column else lam).real,
        lambda lam: complex_block(**by_hand(lam))[0, column].real,
    )


UNMIXED = Evidence(
    PAIRS,
    {"reference": lambda **point: complex_block(**point)[0, 0]},
    example=one_unit("d^2L/dlambda^2", 0.5),
)

EVIDENCE: dict[str, Basis] = {
    "zucchet:129": UNMIXED,
    "zucchet:130": covariance(
        as_filters,
        {
            "lambda^n for lambda^(n-1)": partial(as_filters, weights=one_lambda_more),
            "the states for their slopes": partial(as_filters, weights=plain_powers),
        },
    ),
    "zucchet:131": covariance(
        gains_in_front,
        {
            "the first gain twice": lambda b_i, b_j, **point: gains_in_front(
                b_i, b_i, **point
            ),
            "the gains' squared moduli": lambda b_i, b_j, **point: gains_in_front(
                abs(b_i), abs(b_j), **point
            ),
        },
    ),
    "zucchet:132": covariance(
        over_lags,
        {
            "R(n + m)": over_sums_of_ages,
            "lambda^n for lambda^(n-1)": partial(over_lags, weights=one_lambda_more),
            "n and m left out": partial(over_lags, weights=plain_powers),
        },
    ),
    "zucchet:133": UNMIXED,
    "zucchet:134": Evidence(
        EIGENVALUES,
        each(of_pair, PAIR_ROUTES),
        example=Example(
            "S(lambda_i, lambda_j)",
            {"lambda_i": 0.5, "lambda_j": -0.5, "rho": 0.5},
            lambda lambda_i, lambda_j, rho: complex(
                eq_134().subs({H.alpha: lambda_i, H.beta: lambda_j, H.rho: rho})
            ),
            lambda **at: pair_sum(**at).real,
        ),
    ),
}
