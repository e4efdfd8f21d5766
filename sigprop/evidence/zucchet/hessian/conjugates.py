"""Evidence for mixed derivatives, Eq. 135-137 of Zucchet & Orvieto (2024)."""

from typing import Any

from mpmath import mpc

from sigprop.evidence.zucchet.hessian.differences import contour
from sigprop.evidence.zucchet.hessian.expectation import one_unit
from sigprop.evidence.zucchet.hessian.loss import complex_block, full_complex
from sigprop.evidence.zucchet.hessian.power_spectrum import full_complex_by_spectrum
from sigprop.evidence.zucchet.hessian.samples import sample_loss, three_ones
from sigprop.evidence.zucchet.hessian.units import OFF_OPTIMALITY, PAIRS
from sigprop.judge.basis import Basis, Evidence
from sigprop.theory import hessian as H


def sample_conjugate_gradient(**point: Any) -> complex:
    """``dL_t/dconj(lambda_i)`` of one sequence, by a contour round ``lambda_i``."""
    second = mpc(point["lambda_j"])
    loss = sample_loss(**point)
    return contour(lambda z: loss(z, second), complex(point["lambda_i"]), -1)


def one_conjugate_lost(**point: Any) -> list[list[complex]]:
    """All sixteen entries; rows of conjugates lack their conjugation bars."""
    rows = H.whole_complex(point)
    for unit in (0, 2):
        same_i, mixed_i, same_j, mixed_j = rows[unit]
        rows[unit + 1] = [mixed_i, same_i, mixed_j, same_j]
    return rows


def hermitian(**point: Any) -> list[list[complex]]:
    """All sixteen entries, the lower left ones as the adjoint of the upper right ones."""
    rows = H.whole_complex(point)
    for p in (2, 3):
        for q in (0, 1):
            rows[p][q] = rows[q][p].conjugate()
    return rows


MIXED = Evidence(
    PAIRS,
    {"reference": lambda **point: complex_block(**point)[0, 1]},
    example=one_unit("d^2L/dlambda dconj(lambda)", 0.5 + 0.4j, 1),
)

EVIDENCE: dict[str, Basis] = {
    "zucchet:135": Evidence(
        OFF_OPTIMALITY,
        {"reference": sample_conjugate_gradient},
        example=three_ones(
            "dL_t/dconj(lambda)",
            -1.0,
            lambda e_y, s_i, **_: e_y * (1j * s_i).conjugate(),
            sample_conjugate_gradient,
            c=1j,
        ),
    ),
    "zucchet:136": MIXED,
    "zucchet:137": MIXED,
    "zucchet:text:hessian-all-components": Evidence(
        PAIRS[:2],
        {"reference": full_complex, "quadrature": full_complex_by_spectrum},
        form=lambda **point: H.whole_complex(point),
        mutants={
            "the conjugates' rows without their line": one_conjugate_lost,
            "Hermitian for symmetric": hermitian,
        },
    ),
}
