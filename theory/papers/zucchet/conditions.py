"""Conditions that several statements of Zucchet & Orvieto (2024) share."""

import cmath
from collections.abc import Sequence


def has_power(rho: float, phase: float) -> bool:
    """True where an input of autocovariance ``rho^|lag|`` has power at a phase.

    Its spectrum ``(1 - rho^2)/|1 - rho exp(-i phase)|^2`` is positive everywhere if
    ``|rho| < 1``; if ``|rho| = 1``, the input is a wave at the phase of ``rho``.
    """
    wave = cmath.isclose(cmath.rect(1, phase), rho, abs_tol=1e-9)
    return bool(abs(rho) < 1 or wave)


def no_larger_downwards(eigenvalues: Sequence[float], **_: object) -> bool:
    """True where the largest eigenvalue of a Hessian is also the largest in modulus."""
    return max(eigenvalues) >= -min(eigenvalues)
