"""Moments of a filtered real input, from its autocovariance and its spectral lines.

Eq. 45 and 54-56 have right sides that take ``R`` as a function of the lag.  The input
is a sum of random waves, and the filter is applied to each wave.

Notation: ``R``  autocovariance of a spectrum of lines;  ``lags``  from one on.

Source: Zucchet & Orvieto (2024), Appendix B.2.
"""

import functools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Complex
from sympy import expand, symbols

from sigprop.evidence.kit import across, contour, power_derivatives, powers
from sigprop.evidence.zucchet.proofs.responses import LONG, kernels, line_moment
from sigprop.evidence.zucchet.proofs.sequences import (
    AGES,
    EIGENVALUES,
    REAL_PAIR,
    REAL_SPECTRUM,
    Spectrum,
)
from sigprop.judge.basis import Evidence
from sigprop.theory.autocorrelation import same_form
from sigprop.theory.claims import find

LAGS = np.arange(1, AGES)
PLACES = across(lam=EIGENVALUES, R=(REAL_SPECTRUM, REAL_PAIR))
OF_STATE, OF_SENSITIVITY = 0, 1


def moment_of_lines(quantity: int, lam: complex, R: Spectrum) -> float:
    """Second moment with the powers written out."""
    weights = (powers, power_derivatives)[quantity](complex(lam), LONG)
    return line_moment(weights, R)


def moment_by_scan(quantity: int, lam: complex, R: Spectrum) -> float:
    """Second moment with the responses of the package's scan."""
    return line_moment(kernels(complex(lam), LONG)[quantity], R)


@functools.cache
def _after(R: Spectrum) -> Complex[np.ndarray, " lags"]:
    return np.array([R(lag) for lag in range(1, AGES)])


@functools.cache
def _table(
    R: Spectrum, lag: Callable[[Any, Any], Any]
) -> Complex[np.ndarray, "ages ages"]:
    return np.array([[R(int(lag(n, m))) for m in range(AGES)] for n in range(AGES)])


def bracket(
    alpha: complex, beta: complex, R: Spectrum, at_zero: float = 1.0
) -> complex:
    """``(R(0) + sum (alpha^lag + beta^lag) R(lag)) / (1 - alpha beta)``."""
    both = np.power(alpha, LAGS) + np.power(beta, LAGS)
    return complex((at_zero * R(0) + both @ _after(R)) / (1 - alpha * beta))


def eq_45(lam: complex, R: Spectrum) -> complex:
    """Eq. 45, right side."""
    return bracket(complex(lam), complex(lam).conjugate(), R)


def eq_54(
    lam: complex,
    R: Spectrum,
    lag: Callable[[Any, Any], Any] = np.subtract,
    turn: Any = np.conj,
) -> complex:
    """Eq. 54, right side.

    Args:
        lam: Eigenvalue.
        R: Autocovariance.
        lag: Lag of two ages, which is their difference except for a mutant.
        turn: The conjugate, or another function for a mutant.
    """
    w = power_derivatives(complex(lam), AGES)
    return complex(w @ _table(R, lag) @ turn(w))


def wave_by_lag() -> bool:
    """The energy of a filtered wave sums pairs at the lag ``m - n``, for any filter.

    Any stationary process is a mixture of such waves ``z^t`` with ``|z| = 1``.
    """
    z, weights, bars = symbols("z"), symbols("w_0:5"), symbols("v_0:5")
    ages = range(5)
    state = sum(weights[n] * z**-n for n in ages)
    conjugate = sum(bars[m] * z**m for m in ages)
    pairs = sum(weights[n] * bars[m] * z ** (m - n) for n in ages for m in ages)
    return expand(state * conjugate - pairs) == 0


def eq_55(
    lam: complex, R: Spectrum, at_zero: float = 1.0, twice: bool = False
) -> complex:
    """Eq. 55, right side, with derivatives as means over two circles.

    Args:
        lam: Eigenvalue.
        R: Autocovariance.
        at_zero: Weight of lag zero; not one for a mutant.
        twice: True for a mutant with both derivatives by ``alpha``.
    """
    alpha, radius = complex(lam), 0.1
    beta = alpha.conjugate()

    def derivative(x: complex) -> complex:
        if twice:
            return contour(lambda z: bracket(z, beta, R, at_zero), x, radius)
        return contour(lambda z: bracket(x, z, R, at_zero), beta, radius)

    return complex(contour(derivative, alpha, radius))


def eq_56(
    lam: complex, R: Spectrum, power: int = 3, outer: int = 2, shift: int = 1
) -> complex:
    """Eq. 56, right side.

    Args:
        lam: Eigenvalue.
        R: Autocovariance.
        power: Power of ``1 - alpha beta`` below the first term; not three for a mutant.
        outer: Power below the other terms; not two for a mutant.
        shift: Decrease of the power of a differentiated lag; not one for a mutant.
    """
    alpha = complex(lam)
    beta = alpha.conjugate()
    gap, after = 1 - alpha * beta, _after(R)
    both = np.power(alpha, LAGS) + np.power(beta, LAGS)
    first = (1 + alpha * beta) / gap**power * (R(0) + both @ after)
    rest = sum(z * (LAGS * z ** (LAGS - shift)) @ after for z in (alpha, beta))
    return complex(first + rest / gap**outer)


def as_derived(claim_id: str) -> bool:
    """Return True if a row's printed expression is its derived one, for an even ``R``."""
    claim = find(claim_id)
    assert claim.derive is not None
    assert claim.printed is not None
    return same_form(claim.printed(), claim.derive().result)


def by_lines(
    quantity: int,
    form: Callable[..., complex],
    proof: Callable[[], bool],
    **mutants: Any,
) -> Evidence:
    """Evidence for a right side."""
    return Evidence(
        PLACES,
        {
            "reference": partial(moment_of_lines, quantity),
            "impulse": partial(moment_by_scan, quantity),
        },
        form=form,
        printed=form,  # its expression has a sum over all lags
        proof=proof,
        mutants={name.replace("_", " "): mutant for name, mutant in mutants.items()},
    )


STATE = by_lines(
    OF_STATE,
    eq_45,
    partial(as_derived, "zucchet:45"),
    lags_of_one_sign=lambda lam, R: bracket(complex(lam), 0.0, R) / (1 - abs(lam) ** 2),
    lags_without_conjugate=lambda lam, R: bracket(complex(lam), complex(lam), R),
    lag_zero_twice=lambda lam, R: bracket(
        complex(lam), complex(lam).conjugate(), R, at_zero=2.0
    ),
)
DOUBLE_SUM = by_lines(
    OF_SENSITIVITY,
    eq_54,
    wave_by_lag,
    the_sum_of_ages=partial(eq_54, lag=np.add),
    no_conjugate=partial(eq_54, turn=np.asarray),
    a_lag_more=partial(eq_54, lag=lambda n, m: n - m + 1),
)
DERIVATIVE = by_lines(
    OF_SENSITIVITY,
    eq_55,
    partial(as_derived, "zucchet:55"),
    lag_zero_twice=partial(eq_55, at_zero=2.0),
    both_by_alpha=partial(eq_55, twice=True),
    no_derivative=eq_45,
)
PRODUCT = by_lines(
    OF_SENSITIVITY,
    eq_56,
    partial(as_derived, "zucchet:56"),
    a_square_for_the_cube=partial(eq_56, power=2),
    a_cube_for_the_square=partial(eq_56, outer=3),
    the_power_not_lowered=partial(eq_56, shift=0),
)
