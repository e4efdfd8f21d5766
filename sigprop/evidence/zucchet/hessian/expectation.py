"""What judges the expected complex Hessian, Eq. 129-134 of Zucchet & Orvieto (2024)."""

from typing import Any

import numpy as np

from sigprop.evidence.kit import each
from sigprop.evidence.zucchet.hessian.loss import complex_block
from sigprop.evidence.zucchet.hessian.sensitivities import (
    PAIR_ROUTES,
    of_pair,
    pair_sum,
)
from sigprop.evidence.zucchet.hessian.units import EIGENVALUES, PAIRS
from sigprop.judge.basis import Basis, Evidence
from theory import hessian as H


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


UNMIXED = Evidence(PAIRS, {"reference": lambda **point: complex_block(**point)[0, 0]})
COVARIANCE = Evidence(
    PAIRS,
    {
        "reference": covariance_of_sensitivities,
        "closed_form": lambda b_i, b_j, S_ij, **_: b_i * b_j * S_ij,
    },
    form=lambda b_i, b_j, **point: b_i * b_j * pair_sum(**point),
    proof=H.pair_is_the_double_sum,
)

EVIDENCE: dict[str, Basis] = {
    "zucchet:129": UNMIXED,
    "zucchet:130": COVARIANCE,
    "zucchet:131": COVARIANCE,
    "zucchet:132": COVARIANCE,
    "zucchet:133": UNMIXED,
    "zucchet:134": Evidence(EIGENVALUES, each(of_pair, PAIR_ROUTES)),
}
