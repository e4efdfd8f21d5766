"""Conditions that several statements of Zucchet & Orvieto (2024) share."""

import cmath
from collections.abc import Callable, Sequence
from typing import Any

from sigprop.theory.conditions import is_stable

LAGS = 30  # range of lags in which symmetry and growth of a sequence are tested
EXCITED = (
    "the input's spectrum is positive at the angles of the eigenvalues that approach the "
    "circle, as that of white noise is"
)
UPWARDS = (
    "the largest eigenvalue of the Hessian is also the largest in modulus, as where the "
    "loss is convex, or at an optimum"
)


def has_power(rho: float, phase: float) -> bool:
    """True if an input of autocovariance ``rho^|lag|`` has power at a phase.

    If ``|rho| < 1``, its spectrum ``(1 - rho^2)/|1 - rho exp(-i phase)|^2`` is positive
    everywhere.  If ``|rho| = 1``, the input is a wave at the phase of ``rho``.
    """
    wave = cmath.isclose(cmath.rect(1, phase), rho, abs_tol=1e-9)
    return bool(abs(rho) < 1 or wave)


def no_larger_downwards(eigenvalues: Sequence[float], **_: object) -> bool:
    """True if the largest eigenvalue of a Hessian is also the largest in modulus."""
    return max(eigenvalues) >= -min(eigenvalues)


def is_exponential(gap: float, input: Any, **_: object) -> bool:
    """True if the eigenvalue is stable and the input has the autocovariance ``rho^|lag|``."""
    named = input.name in ("white", "constant", "exponential")
    return is_stable(gap) and named and abs(input.rho) <= 1


def is_bounded(u: Callable[[int], complex]) -> bool:
    """True unless a sequence more than doubles after its first lags, on either side."""
    sizes = [max(abs(u(lag)), abs(u(-lag))) for lag in range(2 * LAGS)]
    return max(sizes[LAGS:]) <= 2 * max(sizes[:LAGS])


def is_even(u: Callable[[int], complex]) -> bool:
    """True if a sequence is an even function of the lag."""
    return all(cmath.isclose(u(lag), u(-lag), abs_tol=1e-12) for lag in range(LAGS))
