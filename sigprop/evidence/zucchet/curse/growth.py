"""Growth of the moments of one diagonal neuron as ``|lam|`` tends to one.

Notation: ``gap``  ``1 - |lam|``;  ``phase``  of ``lam``;  ``quantity``  ``state`` for
``h``, ``sensitivity`` for ``dh/dlam``.

Source: Zucchet & Orvieto (2024), Sections 2.2 and 3.1.
"""

from collections.abc import Callable

import numpy as np

from sigprop.evidence.kit import exponent, moment
from sigprop.evidence.zucchet.curse.responses import power_response

GAPS = (3e-3, 3e-4)


def growth(value: Callable[[float], float]) -> float:
    """The exponent ``p`` of ``value ~ gap^-p`` between two gaps."""
    return -exponent(value, *GAPS)


def growth_by_sum(phase: float, rho: float, quantity: str) -> float:
    """Exponent of the moment's growth towards the edge at a phase of the eigenvalue."""

    def of_gap(gap: float) -> float:
        lam = (1 - gap) * np.exp(1j * phase)
        return moment(power_response(lam, quantity, int(40 / gap)), rho)

    return growth(of_gap)


def growth_by_states(phase: float, rho: float, quantity: str) -> float:
    """Exponent of the moment's growth towards the edge, from steady states.

    From covariances for ``|rho| < 1``, from the response to ``rho^t`` for ``|rho| = 1``.
    """
    moment_at = _under_wave if abs(rho) == 1 else stationary_covariance
    return growth(lambda gap: moment_at(gap, phase, rho, quantity))


def _under_wave(gap: float, phase: float, rho: float, quantity: str) -> float:
    """The steady response to ``x_t = rho^t``: the solution of two linear equations."""
    lam = (1 - gap) * np.exp(1j * phase)
    state, sensitivity = np.linalg.solve(
        np.array([[rho - lam, 0], [-1, rho - lam]]), np.array([rho, 0])
    )
    return abs({"state": state, "sensitivity": sensitivity}[quantity]) ** 2


def stationary_covariance(gap: float, phase: float, rho: float, quantity: str) -> float:
    """Diagonal entry of the covariance ``V = M V M* + Q`` of ``(x, h, dh/dlam)``.

    Eliminated by hand from the top: the system is triangular.
    """
    lam = (1 - gap) * np.exp(1j * phase)
    square = (1 - gap) ** 2
    weight = {"state": 0, "sensitivity": 1}[quantity]
    # x' = rho x + e;  h' = lam h + x';  s' = lam s + h
    xh = 1 / (1 - rho * np.conj(lam))
    hh = (1 + 2 * np.real(lam * rho * np.conj(xh))) / (1 - square)
    if not weight:
        return float(np.real(hh))
    xs = rho * xh / (1 - rho * np.conj(lam))
    hs = (lam * hh + np.conj(lam) * rho * xs + rho * xh) / (1 - lam * np.conj(lam))
    return float(np.real((hh + 2 * np.real(lam * np.conj(hs))) / (1 - square)))


GROWTHS = {"reference": growth_by_sum, "closed_form": growth_by_states}
