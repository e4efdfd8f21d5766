"""What judges the captions of Figures 6 and 7 of Zucchet & Orvieto (2024)."""

import math
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import across, also, energy, points, powers
from sigprop.evidence.zucchet.landscape.curvature import (
    BENDS,
    bend,
    energies,
    partial,
    rate,
)
from sigprop.evidence.zucchet.landscape.descent import final_distance, final_turn
from sigprop.evidence.zucchet.landscape.difficulty import ANGLES, RUN
from sigprop.evidence.zucchet.landscape.responses import kernel, normalised
from sigprop.judge.basis import Basis, Evidence, Routine
from theory import teacher_student_proofs as proofs

SHORT = 300  # ages after which 0.9^n is below 1e-13


def loss_in_tanh(omega: float, omega_star: float) -> float:
    """The normalised loss of real units with eigenvalues ``tanh(omega)``."""
    return normalised(kernel, math.tanh(omega), math.tanh(omega_star))


def well(nu: float, size: str) -> float:
    """Width of the well around the teacher's angle, at the teacher's modulus.

    ``half``: where the loss is less than half of that at the opposite angle;
    ``descent``: from where a descent on the angle alone arrives at the teacher.
    """

    def loss(turn: float) -> float:
        return normalised(kernel, nu * np.exp(1j * turn), nu)

    if size == "half":
        half = loss(math.pi) / 2
        found = scipy.optimize.root_scalar(
            lambda turn: loss(turn) - half, bracket=(0, math.pi), xtol=1e-14
        )
        return 2 * float(found.root)
    turns = np.linspace(0, math.pi, 400)
    losses = np.array([loss(turn) for turn in turns])
    rising = np.diff(losses) > 0
    return 2 * float(turns[len(rising) if rising.all() else rising.argmin()])


def period(nu: float) -> float:
    """Distance in ``omega`` between two global minima with the best angle."""
    pace = rate(partial, nu, (0, 2))

    def loss(omega: float) -> float:
        turned = nu * np.exp(1j * pace * omega)
        return energy(powers(turned, SHORT) - powers(nu, SHORT))

    turns = np.linspace(0.5, 40 / pace, 4000)
    losses = np.array([loss(turn) for turn in turns])
    dips = (losses[1:-1] < losses[:-2]) & (losses[1:-1] < losses[2:])
    near = 1 + int(dips.argmax())
    bounds = (turns[near - 1], turns[near + 1])
    found: Any = scipy.optimize.minimize_scalar(
        loss, bounds=bounds, method="bounded", options={"xatol": 1e-10}
    )
    return float(found.x)


def three_curvatures(nu: float, theta: float) -> Float[np.ndarray, "3"]:
    """Curvatures by the angle's parameter at the teacher: plain, exponential, best."""
    return np.array(
        [
            bend("angle", theta, nu=nu),
            bend("exponential angle", math.log(theta), nu=nu),
            bend("best angle", 1.0, nu=nu),
        ]
    )


def three_energies(nu: float, theta: float) -> Float[np.ndarray, "3"]:
    """Curvatures by the angle's plain, exponential and best parameter, from energies.

    ``E|dh/dtheta|^2`` at the teacher times the squared slope of the angle by each.
    """
    angular = energies(nu, 4000)[1]
    pace = (1 - nu**2) / (nu * math.sqrt(1 + nu**2))
    return angular * np.array([1.0, theta**2, pace**2])


def _arrives(value: Routine, *angles: str) -> Evidence:
    """That runs end within a thousandth, which float64 can tell from 1e-18."""
    return Evidence(
        points("angle", *angles),
        {"reference": value},
        form=1e-3,
        relation="<",
        slips={"closer than rounding": 1e-18},
        alone=RUN,
    )


EVIDENCE: dict[str, Basis] = {
    "zucchet:fig6-hessian": Evidence(
        (
            *points("path omega", ("tanh", 0.3), ("tanh", 1.2)),
            *across(path=("exponential",), omega=(-0.5, -1.8)),
            *across(path=("best angle",), omega=(1.3,), nu=(0.4, 0.8)),
            {"path": "exponential angle", "omega": math.log(math.pi / 100), "nu": 0.99},
        ),
        BENDS,
        form=1.0,
        relation="<=",
        slips={"at most a half": 0.5},
        tolerance=1e-9,
    ),
    "zucchet:fig6-modulus": Evidence(
        points("omega omega_star", (0.4, 1.1), (1.7, -0.6), (-0.8, 0.5)),
        {"reference": loss_in_tanh},
        proof=proofs.tanh_is_a_shift,
    ),
    "zucchet:fig6": Evidence(
        (
            *across(nu=(0.5, 0.8, 0.95), size=("half",)),
            *across(nu=(0.5, 0.95), size=("descent",)),
        ),
        {"reference": well},
        proof=proofs.half_depth_is_exact,
    ),
    "zucchet:text:c1-fewer-minima": Evidence(
        points("nu", 0.5, 0.7, 0.9),
        {"reference": period},
        proof=proofs.period_is_a_turn,
        tolerance=1e-7,
    ),
    "zucchet:fig7": _arrives(final_distance, "polar", "exponential"),
    "zucchet:fig7-sharpness": Evidence(
        ({"nu": 0.99, "theta": math.pi / 100},),
        {"reference": three_curvatures, "impulse": three_energies},
        form=proofs.three_curvatures,
    ),
    "zucchet:fig7-granularity": Evidence(
        also(ANGLES, path="exponential angle"),
        BENDS,
        proof=proofs.exponential_bend_is_scaled,
    ),
    "zucchet:fig7-valley": _arrives(final_turn, "optimal"),
}
