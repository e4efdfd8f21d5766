"""What judges mixed derivatives, Eq. 135-137 of Zucchet & Orvieto (2024)."""

from typing import Any

from mpmath import mpc

from sigprop.evidence.zucchet.hessian.differences import contour
from sigprop.evidence.zucchet.hessian.loss import complex_block, whole_complex
from sigprop.evidence.zucchet.hessian.power_spectrum import whole_complex_by_spectrum
from sigprop.evidence.zucchet.hessian.samples import sample_loss
from sigprop.evidence.zucchet.hessian.units import OFF_OPTIMALITY, PAIRS
from sigprop.judge.basis import Basis, Evidence
from theory import hessian as H


def sample_conjugate_gradient(**point: Any) -> complex:
    """``dL_t/dconj(lambda_i)`` of one sequence, by a contour round ``lambda_i``."""
    second = mpc(point["lambda_j"])
    loss = sample_loss(**point)
    return contour(lambda z: loss(z, second), complex(point["lambda_i"]), -1)


MIXED = Evidence(PAIRS, {"reference": lambda **point: complex_block(**point)[0, 1]})

EVIDENCE: dict[str, Basis] = {
    "zucchet:135": Evidence(OFF_OPTIMALITY, {"reference": sample_conjugate_gradient}),
    "zucchet:136": MIXED,
    "zucchet:137": MIXED,
    "zucchet:text:hessian-all-components": Evidence(
        PAIRS[:2],
        {"reference": whole_complex, "quadrature": whole_complex_by_spectrum},
        form=lambda **point: H.whole_complex(point),
    ),
}
