"""Evidence for curvature along the modulus, Eq. 94-100 of Zucchet & Orvieto (2024)."""

import functools
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.kit import also, each, points
from sigprop.evidence.zucchet.landscape.curvature import (
    APART,
    DIGITS,
    MODULI,
    PATH_ROUTES,
    PATHS,
    RATES,
    by,
    energies,
    integrated,
    modulus_energy,
    partial,
    square_energy,
)
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import teacher_student as task
from sigprop.theory import teacher_student_proofs as proofs
from sigprop.theory.papers.zucchet.landscape.modulus import eq_95, eq_96
from sigprop.theory.teacher_student import nu


def gain_derivatives(nu: float) -> Float[np.ndarray, "2"]:
    """First two derivatives of ``sqrt(1 - nu^2)`` by finite differences."""
    with mpmath.workdps(DIGITS):
        derivatives = mpmath.diffs(lambda x: mpmath.sqrt(1 - x**2), nu, 2)
        return np.array([float(derivative) for derivative in derivatives][1:])


def wrong_gain_derivatives(nu: float, way: str) -> tuple[float, float]:
    """Eq. 97 with a wrong sign, a factor that is not inverted, or a wrong power."""
    first, second = proofs.gain_derivatives(nu)
    gamma = math.sqrt(1 - nu**2)
    return {
        "a sign": (first, (nu**2 - gamma**2) / gamma**3),
        "times gamma": (-nu * gamma, second),
        "a power short": (first, second * gamma**2),
    }[way]


def thrice(curvature: Callable[..., float], **point: Any) -> Float[np.ndarray, "3"]:
    """The curvature three times, for the three members of Eq. 99."""
    return np.full(3, curvature(**point))


def chain(
    path: str,
    omega: float,
    theta: float,
    mean: Callable[..., complex] = modulus_energy,
    power: int = 2,
    orders: tuple[int, int] = (2, 0),
) -> Complex[np.ndarray, "3"]:
    """The three right members of Eq. 99 for ``nu`` along a path, at any angle.

    Args:
        path: Path along which ``nu`` moves.
        omega: Parameter on the path.
        theta: The angle.
        mean: Mean of the squared modulus, or of the square as printed.
        power: Power of the derivative of ``nu``; not two for a mutant.
        orders: Orders of the derivatives by ``nu`` and ``theta``; others are mutants.
    """
    with mpmath.workdps(DIGITS):
        nu = PATHS[path](mpmath.mpf(omega), theta=theta)[0]
        step = mpmath.diff(lambda x: PATHS[path](x, theta=theta)[0], omega)
    plain = mean("fixed angle", float(nu), theta=theta)
    return np.array(
        [
            mean(path, omega, theta=theta),
            float(step) ** power * plain,
            float(step) ** power * partial(orders, float(nu), None, theta, theta),
        ],
        complex,
    )


def modulus_of_mean(**point: Any) -> float:
    """A wrong version: the modulus of ``E[(dh/domega)^2]``."""
    return abs(square_energy(**point))


def real_energy(**point: Any) -> float:
    """A wrong version: ``2 E[(Re dh/domega)^2]``, as if both parts were equal."""
    return modulus_energy(**point) + square_energy(**point).real


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
    "zucchet:95": by(
        (1, 0), APART, lambda: proofs.radial_derivative_agrees(eq_95(), 1)
    ),
    "zucchet:96": by(
        (2, 0), APART, lambda: proofs.radial_derivative_agrees(eq_96(), 2)
    ),
    "zucchet:97": Evidence(
        MODULI,
        {"reference": gain_derivatives},
        form=proofs.gain_derivatives,
        proof=proofs.gain_derivatives_are_right,
        mutants={
            way: functools.partial(wrong_gain_derivatives, way=way)
            for way in ("a sign", "times gamma", "a power short")
        },
    ),
    "zucchet:98": by((2, 0), MODULI),
    "zucchet:text:c1-unit-sensitivity": Evidence(
        (*REAL, *TURNED, ANGLE),
        PATH_ROUTES,
        form=modulus_energy,
        printed=square_energy,
        mutants={"the modulus of the mean": modulus_of_mean, "one part": real_energy},
        example=Example(
            "the curvature along the angle at the teacher, of lambda = nu at theta = 0,"
            " where the printed form is E[(dh/dtheta)^2],",
            {"nu": 0.5},
            lambda nu: square_energy("angle", 0.0, nu=nu).real,
            lambda nu: modulus_energy("angle", 0.0, nu=nu),
        ),
    ),
    "zucchet:99": Evidence(
        (*REAL, *TURNED),
        each(thrice, PATH_ROUTES),
        form=chain,
        mutants={
            "no conjugate": functools.partial(chain, mean=square_energy),
            "the slope once": functools.partial(chain, power=1),
            "the inverse slope": functools.partial(chain, power=-2),
            "by the angle": functools.partial(chain, orders=(0, 2)),
        },
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
