"""Evidence for curvature along the angle, Eq. 101-109 of Zucchet & Orvieto (2024)."""

import functools
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
from jaxtyping import Float

from sigprop.evidence.kit import (
    also,
    complex_step,
    each,
    energy,
    points,
    power_derivatives,
)
from sigprop.evidence.zucchet.landscape.curvature import (
    APART,
    DIGITS,
    MODULI,
    PATH_ROUTES,
    RATES,
    by,
    energies,
    integrated,
    partial,
)
from sigprop.evidence.zucchet.landscape.responses import LENGTH, sensitivity_kernel
from sigprop.judge.basis import Basis, Evidence
from sigprop.theory import teacher_student as task
from sigprop.theory import teacher_student_proofs as proofs
from sigprop.theory.autocorrelation import is_zero
from sigprop.theory.papers.zucchet.landscape.angle import alpha_of_turn, eq_103, eq_104
from sigprop.theory.symbols import theta
from sigprop.theory.teacher_student import gain, nu, nu_star


def distance_squared(
    nu: float, nu_star: float, theta: float, theta_star: float
) -> float:
    """``|1 - conj(lam) lam*|^2`` in complex numbers."""
    lam, mu = nu * np.exp(1j * theta), nu_star * np.exp(1j * theta_star)
    return float(abs(1 - np.conj(lam) * mu) ** 2)


def distance_at_zero(nu: float) -> Float[np.ndarray, "3"]:
    """``|1 - nu^2 exp(i turn)|^2`` and two derivatives at ``turn = 0``, by differences."""
    with mpmath.workdps(DIGITS):

        def value(turn: Any) -> Any:
            apart = 1 - nu**2 * mpmath.expj(turn)
            return apart.real**2 + apart.imag**2

        return np.array([float(derivative) for derivative in mpmath.diffs(value, 0, 2)])


def angle_solution(nu: float, omega: float) -> float:
    """``theta(omega)`` with unit sensitivity and ``theta(0) = 0`` at one modulus."""
    return integrated(omega, lambda _: energies(nu)[1] ** -0.5)


def fixed_gain_ratio(nu: float) -> float:
    """Curvature by the modulus with the gain held over the whole one: finite sums."""
    return (1 - nu**2) * energy(power_derivatives(nu, LENGTH)) / energies(nu)[0]


def fixed_gain_ratio_impulse(nu: float) -> float:
    """Curvature by the modulus, gain held, over the whole one, through the recurrence.

    The whole one is from finite differences of the loss.
    """
    fixed_gain = (1 - nu**2) * energy(sensitivity_kernel(nu))
    return fixed_gain / partial((2, 0), nu)


def over_general(rate: Callable[..., float], nu: float, orders: tuple[int, int]):
    """Rate of the angle for unit curvature, over ``1 - nu^2`` of Appendix B.3.2."""
    return rate(nu, orders) / (1 - nu**2)


def coupled(
    curvature: Callable[..., float], omega: float, nu: float, **fixed: Any
) -> float:
    """Curvature by the parameter of the modulus if it also changes the angle."""
    assert math.isclose(nu, math.tanh(omega))
    return curvature(omega=omega, **fixed)


WRONG_MODULI: dict[str, Callable[[Any], Any]] = {
    "a sine": np.sin,
    "half the parameter": lambda omega: np.tanh(omega / 2),
    "doubly exponential": lambda omega: np.exp(-np.exp(omega)),
}
WRONG_RATES: dict[str, Callable[[float], float]] = {
    "without the root": lambda nu: (1 - nu**2) / nu,
    "a sign in the root": lambda nu: (1 - nu**2) / (nu * math.sqrt(1 - nu**2)),
    "without the modulus": lambda nu: (1 - nu**2) / math.sqrt(1 + nu**2),
    "the inverse": lambda nu: nu * math.sqrt(1 + nu**2) / (1 - nu**2),
}


def curvature_of_modulus(omega: float, way: str, **_: Any) -> float:
    """Curvature at optimality by a suboptimal parameter of the modulus."""
    modulus = WRONG_MODULI[way]
    derivative = complex_step(modulus, omega)
    return float(derivative**2 * energies(float(modulus(omega)))[0])


def curvature_of_angle(nu: float, way: str, **_: Any) -> float:
    """Curvature at optimality by a suboptimal parameter of the angle."""
    return WRONG_RATES[way](nu) ** 2 * energies(nu)[1]


ANGLES = points("theta theta_star", (0.9, 0.2), (-1.1, 0.5), (2.8, -0.4))
TURNED = tuple(point | angles for point, angles in zip(APART, ANGLES, strict=True))
FIXED = points("nu omega", (0.3, 0.5), (0.65, -1.2), (0.9, 2.0))
WRONG_ANGLES = {
    way: functools.partial(curvature_of_angle, way=way) for way in WRONG_RATES
}


EVIDENCE: dict[str, Basis] = {
    "zucchet:101": by(
        (0, 0),
        TURNED,
        lambda: task.vanishes(
            gain(nu) * gain(nu_star) * (1 - task.overlap) / alpha_of_turn()
            - 1
            + task.polar_loss().result
        ),
    ),
    "zucchet:102": Evidence(
        TURNED,
        {"reference": distance_squared},
        proof=lambda: task.vanishes(alpha_of_turn() - task.distance_squared()),
    ),
    "zucchet:103": by(
        (0, 1), TURNED, lambda: task.vanishes(eq_103() - task.polar(theta))
    ),
    "zucchet:104": by(
        (0, 2), TURNED, lambda: task.vanishes(eq_104() - task.polar(theta, theta))
    ),
    "zucchet:text:c1-alpha-at-zero": Evidence(
        MODULI,
        {"reference": distance_at_zero},
        form=proofs.distance_at_zero,
        proof=proofs.distance_at_zero_is_right,
        mutants={"the slope not zero": proofs.distance_with_derivative},
    ),
    "zucchet:105": by((0, 2), MODULI),
    "zucchet:106": Evidence(
        also(MODULI, orders=(0, 2)),
        RATES,
        proof=lambda: proofs.has_unit_curvature(
            task.granularity(), task.angular_curvature()
        ),
    ),
    "zucchet:107": Evidence(
        FIXED,
        {"reference": angle_solution},
        proof=proofs.best_angle_solves,
        tolerance=1e-9,
    ),
    "zucchet:108": Evidence(
        points("path omega", ("tanh", 0.4), ("tanh", 1.1)),
        PATH_ROUTES,
        form=1.0,
        mutants={
            way: functools.partial(curvature_of_modulus, way=way)
            for way in WRONG_MODULI
        },
    ),
    "zucchet:109": Evidence(
        also(FIXED, path="best angle"), PATH_ROUTES, form=1.0, mutants=WRONG_ANGLES
    ),
    "zucchet:text:c1-gain-held": Evidence(
        MODULI,
        {"reference": fixed_gain_ratio, "impulse": fixed_gain_ratio_impulse},
        proof=lambda: is_zero(task.held_gain() - 1 - nu**2),
    ),
    "zucchet:text:c1-extra-factor": Evidence(
        also((*MODULI, {"nu": 0.95}), orders=(0, 2)),
        each(over_general, RATES),
        proof=proofs.general_angle_is_best_up_to_a_constant,
    ),
    "zucchet:text:c1-angle-moves-with-modulus": Evidence(
        tuple(
            {"path": "coupled", "omega": w, "omega_theta": angle, "nu": math.tanh(w)}
            for w, angle in ((0.5, 0.8), (1.2, -1.7))
        ),
        each(coupled, PATH_ROUTES),
    ),
}
