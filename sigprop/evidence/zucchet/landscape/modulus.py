"""What judges curvature by the modulus, Eq. 94-100 of Zucchet & Orvieto (2024)."""

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.kit import also, each, points
from sigprop.evidence.zucchet.landscape.curvature import (
    APART,
    BENDS,
    DIGITS,
    MODULI,
    PATHS,
    RATES,
    by,
    energies,
    integrated,
    modulus_energy,
    partial,
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
        slopes = mpmath.diffs(lambda x: mpmath.sqrt(1 - x**2), nu, 2)
        return np.array([float(slope) for slope in slopes][1:])


def thrice(curvature: Callable[..., float], **point: Any) -> Float[np.ndarray, "3"]:
    """The curvature, once for each of the three members of Eq. 99."""
    return np.full(3, curvature(**point))


def chain(
    path: str, omega: float, theta: float, mean: Callable[..., complex] = modulus_energy
) -> Complex[np.ndarray, "3"]:
    """The three right members of Eq. 99 for ``nu`` along a path, at any angle.

    ``mean`` is of the squared modulus, or, as printed, of the square.
    """
    with mpmath.workdps(DIGITS):
        nu = PATHS[path](mpmath.mpf(omega), theta=theta)[0]
        step = mpmath.diff(lambda x: PATHS[path](x, theta=theta)[0], omega)
    plain = mean("fixed angle", float(nu), theta=theta)
    return np.array(
        [
            mean(path, omega, theta=theta),
            float(step) ** 2 * plain,
            float(step) ** 2 * partial((2, 0), float(nu), None, theta, theta),
        ],
        complex,
    )


def modulus_solution(omega: float) -> float:
    """``nu(omega)`` with unit sensitivity and ``nu(0) = 0``, integrated numerically."""
    return integrated(omega, lambda nu: energies(nu)[0] ** -0.5)


REAL = points(
    "path omega theta", ("tanh", 0.4, 0.0), ("tanh", 1.1, math.pi), ("tanh", 0.8, 0.0)
)
TURNED = also(REAL[:2], theta=0.7)
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
        (*REAL, *TURNED, ANGLE), BENDS, form=modulus_energy, printed=square_energy
    ),
    "zucchet:99": Evidence(
        (*REAL, *TURNED),
        each(thrice, BENDS),
        form=chain,
        printed=lambda **point: chain(**point, mean=square_energy),
    ),
    "zucchet:100": Evidence(
        also(MODULI, orders=(2, 0)),
        RATES,
        proof=lambda: proofs.has_unit_curvature(1 - nu**2, task.radial_curvature()),
    ),
    "zucchet:text:c1-tanh": Evidence(
        points("omega", 0.3, 0.9, 1.6),
        {"reference": modulus_solution},
        proof=proofs.solves_its_equation,
        tolerance=1e-9,
    ),
}
