"""What judges our own statements on the experiments of Zucchet & Orvieto (2024)."""

from sympy import factor

from sigprop.evidence.kit import across, each, points
from sigprop.evidence.zucchet.experiments.constant_gates import STATE, moment
from sigprop.evidence.zucchet.experiments.gates import rate_of_excess
from sigprop.evidence.zucchet.experiments.teacher_student import mean_time
from sigprop.judge.basis import Basis, Evidence
from theory import gated, teacher

EVIDENCE: dict[str, Basis] = {
    "sigprop:teacher-time": Evidence(
        points("nu0", 0.99, 0.5),
        {"reference": mean_time},
        proof=teacher.mean_time_is_printed,
    ),
    "sigprop:gate-order": Evidence(
        points("size", 0.02, 0.05, 0.1),
        {"reference": rate_of_excess},
        form=2.0,
        tolerance=1e-4,
        hand={"one": 1.0, "three": 3.0, "four": 4.0},
        alone="quadrature over every input of the layer, at two sizes",
    ),
    "sigprop:gate-white": Evidence(
        across(lam=(0.2, 0.5, 0.85), a=(1.0,), b=(0.0,), rho=(0.0,)),
        each(moment, STATE),
        proof=lambda: factor(gated.state().zero - gated.white_share()) == 0,
    ),
}
