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
    own = dict(zip("ij", map(single, alone(**at)), strict=True))
    return {
        **at,
        **{f"{n}_{k}{k}": own[k][f"{n}_ij"] for k in "ij" for n in "AB"},
        **{f"S_{k}{k}": own[k]["S_ibarj"] for k in "ij"},
    }


def cartesian_trace(**at: Any) -> float:
    """Trace of the Hessian by (re, im) of both units, by differences."""
    of = problem("cartesian", **at)
    return sum(hessian_entry(of, p, p) for p in range(4))


def cartesian_trace_of_sensitivities(**at: Any) -> float:
    """Trace of the Hessian by (re, im) of both units, from explicit sensitivities."""
    found = (gauss_newton("cartesian", **one) for one in alone(**at))
    return float(sum(np.trace(own) for own in found))


def moment_of_sensitivity(
    lambda_i: complex, b_i: complex, slope: complex, **at: Any
) -> float:
    """``E|dh/dtheta|^2`` of one unit where ``dlambda/dtheta`` is ``slope``."""
    return quadratic(b_i * slope * sensitivity(lambda_i), covariance(LENGTH, **at))


def moment_by_spectrum(
    lambda_i: complex, b_i: complex, slope: complex, **at: Any
) -> float:
    """``E|dh/dtheta|^2`` of one unit at ``dlambda/dtheta = slope``, from the spectrum."""
    z, density = spectrum(1024, **at)
    transfer = b_i * slope * z / (1 - lambda_i * z) ** 2
    return float(np.mean(density * abs(transfer) ** 2))


def pair_is_symmetric() -> bool:
    """``S`` is symmetric, weight by weight, and has no complex coefficient."""
    weights = H.lemma_2()
    turned = weights.map(
        lambda x: x.subs({H.alpha: H.beta, H.beta: H.alpha}, simultaneous=True)
    )
    return weights.equals(turned) and not weights.as_sum().has(I)


TRACE = Evidence(
    tuple(doubled(at) for at in PAIRS),
    {"reference": cartesian_trace, "sensitivities": cartesian_trace_of_sensitivities},
)

EVIDENCE: dict[str, Basis] = {
    "zucchet:144": TRACE,
    "zucchet:145": TRACE,
    "zucchet:146": TRACE,
    "zucchet:text:hessian-real-pair": Evidence(
        tuple(
            {
                "lambda_i": at["lambda_i"],
                "lambda_j": complex(at["lambda_i"]).conjugate(),
                "rho": at["rho"],
            }
            for at in TWO_UNITS
        ),
        PAIR_ROUTES,
        form=lambda lambda_i, lambda_j, rho: (
            H.similarity(lambda_i, lambda_j, rho=rho).real
        ),
        proof=pair_is_symmetric,
    ),
    "zucchet:147": Evidence(
        (
            *({**at, "slope": 0.6 + 0.8j} for at in SINGLES),
            *({**at, "slope": 1j * complex(at["lambda_i"])} for at in SINGLES),
        ),
        {"reference": moment_of_sensitivity, "quadrature": moment_by_spectrum},
    ),
}
