"""What judges Sections 3.1 and 4.1 of Zucchet & Orvieto (2024), on one unit."""

import numpy as np

from sigprop.evidence.zucchet.landscape.curvature import by, partial, partial_autodiff
from sigprop.evidence.zucchet.landscape.responses import (
    impulse_kernel,
    sensitivity_kernel,
    shared,
)
from sigprop.judge.basis import AtPoint, Basis, Evidence, Routine
from theory import teacher_student_proofs as proofs

LONG = 40_000  # ages after which 0.999^n is below 1e-17
SHORT = 300


def sharpness(lam: complex, rho: float = 0.0) -> float:
    """``E|dh/dlam|^2`` by sums: the curvature of the loss at the teacher."""
    ages = np.arange(1, LONG)
    slopes = ages * complex(lam) ** (ages - 1)
    return shared(slopes, slopes, rho).real


def growth(rho: float, angle: float) -> float:
    """How much sharper the loss is at ``|lam*| = 0.999`` than at 0.99."""
    turn = np.exp(1j * angle)
    return sharpness(0.999 * turn, rho) / sharpness(0.99 * turn, rho)


def sensitivity_over_state(lam: complex, rho: float) -> float:
    """``E|dh/dlam|^2 / E|h|^2``."""
    state = complex(lam) ** np.arange(LONG)
    return sharpness(lam, rho) / shared(state, state, rho).real


def held_rate(lam: float, rho: float) -> float:
    """``lam'(omega)`` that keeps the normalised sensitivity at one."""
    return sensitivity_over_state(lam, rho) ** -0.5


def held_rate_impulse(lam: float, rho: float) -> float:
    """``lam'(omega)`` that keeps the normalised sensitivity at one, by the recurrence."""
    state, slope = impulse_kernel(lam), sensitivity_kernel(lam)
    ratio = shared(slope, slope, rho) / shared(state, state, rho)
    return ratio.real**-0.5


def slope_size(**at: object) -> float:
    """Modulus of a first derivative of the loss, by finite differences of sums."""
    return abs(partial(**at))  # type: ignore[arg-type]


def slope_size_autodiff(**at: object) -> float:
    """Modulus of a first derivative of the loss, by JAX through the recurrence."""
    return abs(partial_autodiff(**at))  # type: ignore[arg-type]


def largest_jacobian(lam: complex) -> float:
    """Largest modulus of ``dh_t/dh_s`` over later times, by products."""
    return float(np.abs(np.cumprod(np.full(SHORT, complex(lam)))).max())


def largest_jacobian_impulse(lam: complex) -> float:
    """Largest modulus of ``dh_t/dh_s`` over later times, from the impulse response."""
    return float(np.abs(impulse_kernel(lam)[1:]).max())


def _much_larger(value: Routine, points: tuple[AtPoint, ...]) -> Evidence:
    """That a ratio is above a hundred: two orders of magnitude."""
    return Evidence(
        points,
        {"reference": value},
        form=1e2,
        relation=">",
        slips={"a billion": 1e9},
        alone="a threshold on exact sums",
    )


PLAIN = tuple({"nu": modulus, "gain": False} for modulus in (0.35, 0.7, 0.93))


EVIDENCE: dict[str, Basis] = {
    "zucchet:text:c1-sensitivity-larger": _much_larger(
        sensitivity_over_state,
        (
            {"lam": 0.99, "rho": 0.0},
            {"lam": 0.99, "rho": 1.0},
            {"lam": -0.99, "rho": 0.0},
            {"lam": 0.99, "rho": -0.9},
            {"lam": 0.6 + 0.78j, "rho": 0.5},
            {"lam": 0.99, "rho": -1.0},
            {"lam": -0.99, "rho": 1.0},
        ),
    ),
    "zucchet:text:c1-rate-by-input": Evidence(
        (
            {"lam": 0.4, "rho": 0.5},
            {"lam": 0.8, "rho": -0.6},
            {"lam": -0.7, "rho": 0.3},
        ),
        {"reference": held_rate, "impulse": held_rate_impulse},
        proof=proofs.rate_depends_on_input,
    ),
    "zucchet:text:one-dimensional-other-inputs": _much_larger(
        growth,
        (
            {"rho": 0.0, "angle": 0.0},
            {"rho": 0.9, "angle": 0.0},
            {"rho": -0.9, "angle": 0.0},
            {"rho": 0.5, "angle": 2.0},
            {"rho": 1.0, "angle": 0.0},
            {"rho": -1.0, "angle": 0.0},
            {"rho": 1.0, "angle": 2.0},
        ),
    ),
    "zucchet:text:one-dimensional-stable": Evidence(
        tuple({"lam": lam} for lam in (0.97, -0.8, 0.6 + 0.7j)),
        {"reference": largest_jacobian, "impulse": largest_jacobian_impulse},
        form=1.0,
        relation="<",
        slips={"below a half": 0.5},
    ),
    "zucchet:text:one-dimensional-flat": Evidence(
        tuple(
            {
                "nu": nu,
                "nu_star": teacher,
                "theta": theta,
                "orders": which,
                "gain": False,
            }
            for nu, teacher, theta, which in (
                (0.8, 0.8, 1.8, (0, 1)),
                (0.95, 0.95, 2.6, (0, 1)),
                (0.3, 0.95, 0.0, (1, 0)),
            )
        ),
        {"reference": slope_size, "autodiff": slope_size_autodiff},
        relation="<=",
        slips={"a hundredth": lambda nu_star, **_: (1 - nu_star**4) / 100},
    ),
    "zucchet:text:one-dimensional-sharp": by((2, 0), PLAIN),
    "zucchet:text:one-dimensional-sharp-angle": by((0, 2), PLAIN),
}
