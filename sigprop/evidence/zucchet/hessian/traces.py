"""What judges traces of the Hessian, Eq. 144-147 of Zucchet & Orvieto (2024)."""

from typing import Any

import numpy as np
from sympy import I

from sigprop.evidence.kit import quadratic
from sigprop.evidence.zucchet.hessian.loss import alone, hessian_entry, problem
from sigprop.evidence.zucchet.hessian.power_spectrum import spectrum
from sigprop.evidence.zucchet.hessian.sensitivities import (
    LENGTH,
    PAIR_ROUTES,
    covariance,
    gauss_newton,
    sensitivity,
)
from sigprop.evidence.zucchet.hessian.units import PAIRS, SINGLES, TWO_UNITS, single
from sigprop.judge.basis import Basis, Evidence
from theory import hessian as H


def doubled(at: dict[str, Any]) -> dict[str, Any]:
    """Two units with the diagonal entries ``A_ii, B_ii, A_jj, B_jj`` of each."""
    units = dict(zip("ij", map(single, alone(**at)), strict=True))
    return {
        **at,
        **{f"{n}_{k}{k}": units[k][f"{n}_ij"] for k in "ij" for n in "AB"},
        **{f"S_{k}{k}": units[k]["S_ibarj"] for k in "ij"},
    }


def cartesian_trace(**point: Any) -> float:
    """Trace of the Hessian by (re, im) of both units, by differences."""
    of = problem("cartesian", **point)
    return sum(hessian_entry(of, p, p) for p in range(4))


def cartesian_trace_of_sensitivities(**point: Any) -> float:
    """Trace of the Hessian by (re, im) of both units, from explicit sensitivities."""
    blocks = (gauss_newton("cartesian", **unit) for unit in alone(**point))
    return float(sum(np.trace(hessian) for hessian in blocks))


def moment_of_sensitivity(
    lambda_i: complex, b_i: complex, slope: complex, **point: Any
) -> float:
    """``E|dh/dtheta|^2`` of one unit where ``dlambda/dtheta`` is ``slope``."""
    return quadratic(b_i * slope * sensitivity(lambda_i), covariance(LENGTH, **point))


def moment_by_spectrum(
    lambda_i: complex, b_i: complex, slope: complex, **point: Any
) -> float:
    """``E|dh/dtheta|^2`` of one unit at ``dlambda/dtheta = slope``, from the spectrum."""
    z, density = spectrum(1024, **point)
    transfer = b_i * slope * z / (1 - lambda_i * z) ** 2
    return float(np.mean(density * abs(transfer) ** 2))


def pair_is_symmetric() -> bool:
    """``S`` is symmetric, weight by weight, and has no complex coefficient."""
    weights = H.lemma_2()
    swapped = weights.map(
        lambda x: x.subs({H.alpha: H.beta, H.beta: H.alpha}, simultaneous=True)
    )
    return weights.equals(swapped) and not weights.as_sum().has(I)


TRACE = Evidence(
    tuple(doubled(point) for point in PAIRS),
    {"reference": cartesian_trace, "sensitivities": cartesian_trace_of_sensitivities},
)

EVIDENCE: dict[str, Basis] = {
    "zucchet:144": TRACE,
    "zucchet:145": TRACE,
    "zucchet:146": TRACE,
    "zucchet:text:hessian-real-pair": Evidence(
        tuple(
            {
                "lambda_i": point["lambda_i"],
                "lambda_j": complex(point["lambda_i"]).conjugate(),
                "rho": point["rho"],
            }
            for point in TWO_UNITS
        ),
        PAIR_ROUTES,
        form=lambda lambda_i, lambda_j, rho: (
            H.similarity(lambda_i, lambda_j, rho=rho).real
        ),
        proof=pair_is_symmetric,
    ),
    "zucchet:147": Evidence(
        (
            *({**point, "slope": 0.6 + 0.8j} for point in SINGLES),
            *({**point, "slope": 1j * complex(point["lambda_i"])} for point in SINGLES),
        ),
        {"reference": moment_of_sensitivity, "quadrature": moment_by_spectrum},
    ),
}
