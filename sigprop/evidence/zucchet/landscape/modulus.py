"""What judges curvature by the modulus, Eq. 94-100 of Zucchet & Orvieto (2024)."""

import math

import mpmath
import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.zucchet.landscape.curvature import (
    APART,
    BENDS,
    DIGITS,
    MODULI,
    PATHS,
    bend,
    bend_energy,
    by,
    energies,
    integrated,
    partial,
    rate,
    rate_autodiff,
    square_energy,
)
from sigprop.judge.basis import Basis, Evidence
from theory import teacher_student as task
from theory import teacher_student_proofs as proofs
from theory.papers.zucchet.landscape.modulus import eq_95, eq_96
from theory.teacher_student import nu


def gain_slopes(nu: float) -> Float[np.ndarray, "2"]:
    """First two derivatives of ``sqrt(1 - nu^2)`` by finite differences."""
    with mpmath.workdps(DIGITS):
        return np.array(
            [
                float(mpmath.diff(lambda x: mpmath.sqrt(1 - x**2), nu, order))
                for order in (1, 2)
            ]
        )


def bend_thrice(path: str, omega: float, **fixed: float) -> Float[np.ndarray, "3"]:
    """The curvature, once for each of the three members of Eq. 99."""
    return np.full(3, bend(path, omega, **fixed))


def bend_energy_thrice(
    path: str, omega: float, **fixed: float
) -> Float[np.ndarray, "3"]:
    """``E|d h / d omega|^2``, once for each of the three members of Eq. 99."""
    return np.full(3, bend_energy(path, omega, **fixed))


def chain(path: str, omega: float, theta: float) -> Complex[np.ndarray, "3"]:
    """The three right members of Eq. 99 for ``nu`` along a path, at any angle."""
    with mpmath.workdps(DIGITS):
        nu = PATHS[path](mpmath.mpf(omega), theta=theta)[0]
        step = mpmath.diff(lambda x: PATHS[path](x, theta=theta)[0], omega)
    plain = square_energy("fixed angle", float(nu), theta=theta)
    return np.array(
        [
            square_energy(path, omega, theta=theta),
            float(step) ** 2 * plain,
            float(step) ** 2 * partial((2, 0), float(nu), None, theta, theta),
        ]
    )


def modulus_solution(omega: float) -> float:
    """``nu(omega)`` with unit sensitivity and ``nu(0) = 0``, integrated numerically."""
    return integrated(omega, lambda nu: energies(nu)[0] ** -0.5)


REAL = tuple(
    {"path": "tanh", "omega": at, "theta": angle}
    for at, angle in ((0.4, 0.0), (1.1, math.pi), (0.8, 0.0))
)
TURNED = tuple({**point, "theta": 0.7} for point in REAL[:2])
ANGLE = {"path": "angle", "omega": 0.7, "nu": 0.6}


EVIDENCE: dict[str, Basis] = {
    "zucchet:94": by((0, 0), APART),
    "zucchet:95": by((1, 0), APART, lambda: proofs.slope_of_radial(eq_95(), 1)),
    "zucchet:96": by((2, 0), APART, lambda: proofs.slope_of_radial(eq_96(), 2)),
    "zucchet:97": Evidence(
        MODULI,
        {"reference": gain_slopes},
        form=proofs.gain_slopes,
        proof=proofs.gain_slopes_are_right,
    ),
    "zucchet:98": by((2, 0), MODULI),
    "zucchet:text:c1-unit-sensitivity": Evidence(
        (*REAL, *TURNED, ANGLE), BENDS, form=square_energy
    ),
    "zucchet:99": Evidence(
        (*REAL, *TURNED),
        {"reference": bend_thrice, "impulse": bend_energy_thrice},
        form=chain,
    ),
    "zucchet:100": Evidence(
        tuple({**point, "orders": (2, 0)} for point in MODULI),
        {"reference": rate, "autodiff": rate_autodiff},
        proof=lambda: proofs.has_unit_curvature(1 - nu**2, task.radial_curvature()),
    ),
    "zucchet:text:c1-tanh": Evidence(
        tuple({"omega": at} for at in (0.3, 0.9, 1.6)),
        {"reference": modulus_solution},
        proof=proofs.solves_its_equation,
        tolerance=1e-9,
    ),
}
