"""Evidence for traces of the Hessian, Eq. 144-147 of Zucchet & Orvieto (2024)."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Complex
from sympy import I

from sigprop.evidence.kit import each, powers, quadratic
from sigprop.evidence.zucchet.hessian.loss import alone, hessian_entry, problem
from sigprop.evidence.zucchet.hessian.sensitivities import (
    LENGTH,
    PAIR_ROUTES,
    covariance,
    gauss_newton,
    sensitivity,
)
from sigprop.evidence.zucchet.hessian.units import PAIRS, SINGLES, TWO_UNITS, single
from sigprop.judge.basis import Basis, Evidence
from sigprop.theory import hessian as H

Weights = Callable[[complex, complex], Complex[np.ndarray, " ages"]]


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


def moment_of(weights: Weights, lambda_i: complex, b_i: complex, **point: Any) -> float:
    """``E|sum w_n x_{-n}|^2`` of one unit, with ``w`` from its eigenvalue and b."""
    return quadratic(weights(complex(lambda_i), b_i), covariance(LENGTH, **point))


def by_lambda(lam: complex, b: complex) -> Complex[np.ndarray, " ages"]:
    """``dh/dlambda`` by age."""
    return b * sensitivity(lam)


def by_angle(lam: complex, b: complex) -> Complex[np.ndarray, " ages"]:
    """``dh/dtheta`` of ``lambda = nu exp(i theta)`` by age."""
    return 1j * lam * by_lambda(lam, b)


def by_b(lam: complex, b: complex) -> Complex[np.ndarray, " ages"]:
    """``dh/db`` by age."""
    return powers(lam, LENGTH)


def without_modulus(lambda_i: complex, b_i: complex, **point: Any) -> complex:
    """``E[(dh/dlambda)^2]``."""
    weights = by_lambda(lambda_i, b_i)
    return complex(weights @ covariance(LENGTH, **point) @ weights)


def of_own_conjugate(
    pair: Callable[..., complex], lambda_i: complex, b_i: complex, **point: Any
) -> complex:
    """``|b|^2 S(lambda, conj(lambda))`` of one unit, with ``S`` from ``pair``."""
    return abs(b_i) ** 2 * pair(
        **{**point, "lambda_i": lambda_i, "lambda_j": complex(lambda_i).conjugate()}
    )


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
        mutants={
            "of an eigenvalue with itself": lambda lambda_i, rho, **_: H.similarity(
                lambda_i, lambda_i, rho=rho
            )
        },
    ),
    # The right side is measured; what is printed names the left side, here of theta = b.
    "zucchet:147": Evidence(
        SINGLES,
        each(of_own_conjugate, PAIR_ROUTES),
        form=partial(moment_of, by_lambda),
        mutants={
            "by the angle": partial(moment_of, by_angle),
            "by b": partial(moment_of, by_b),
            "without the modulus": without_modulus,
        },
    ),
}
