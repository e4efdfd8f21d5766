"""Derivatives by complex numbers, by finite differences and by contours.

Wirtinger derivatives are read off real differences, or off a circle round the point;
no formula of the paper is used.

Source: the definitions behind Zucchet & Orvieto (2024), Eq. 116-121.
"""

import itertools
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
from jaxtyping import Complex, Float
from mpmath import mpc, mpf

DIGITS = 40
STEP = mpf(10) ** -10  # step; the error of differences is its square


def mixed_difference(function: Callable[[list[Any]], Any], p: int, q: int) -> Any:
    """Central ``d^2 f / dp dq`` of a function of shifts, at no shift; ``p = q`` too."""
    total = mpf(0)
    for sign_p, sign_q in itertools.product((1, -1), repeat=2):
        shift = [mpf(0)] * 4
        shift[p] += sign_p * STEP
        shift[q] += sign_q * STEP
        total += sign_p * sign_q * function(shift)
    return total / (4 * STEP**2)


def wirtinger(real: Float[np.ndarray, "2 2"]) -> Complex[np.ndarray, "2 2"]:
    """Second Wirtinger derivatives from those by (re, im): rows lambda_i, conj_i."""
    plus = np.array([[1, -1j], [1, 1j]]) / 2  # d/dlambda and d/dconj by re and im
    return plus @ real @ plus.T


def wirtinger_second(
    function: Callable[..., Any], first: Any, second: Any
) -> Complex[np.ndarray, "2 2"]:
    """Second Wirtinger derivatives of a real function of two complex numbers.

    Rows ``lambda_i, conj_i``; columns ``lambda_j, conj_j``; by finite differences.
    """

    def shifted(shift: list[Any]) -> Any:
        return function(
            mpc(first) + mpc(shift[0], shift[1]), mpc(second) + mpc(shift[2], shift[3])
        )

    with mpmath.workdps(DIGITS):
        real = [
            [float(mixed_difference(shifted, p, q)) for q in (2, 3)] for p in (0, 1)
        ]
    return wirtinger(np.array(real))


def contour(function: Callable[..., Any], at: complex, order: int) -> complex:
    """First Wirtinger derivative as a Fourier coefficient on a small circle.

    ``f(z + e u) = f + e (f_z u + f_conj / u) + ...`` with ``|u| = 1``: ``order`` 1 gives
    ``f_z``, -1 gives ``f_conj``, without a real derivative.
    """
    with mpmath.workdps(DIGITS):
        turns = [mpmath.expjpi(mpf(k) / 4) for k in range(8)]
        values = [function(mpc(at) + STEP * turn) * turn ** (-order) for turn in turns]
        return complex(sum(values) / (8 * STEP))
