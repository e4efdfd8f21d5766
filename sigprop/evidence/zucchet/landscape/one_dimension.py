"""What judges Sections 3.1 and 4.1 of Zucchet & Orvieto (2024), on one unit."""

import numpy as np

from sigprop.evidence.kit import (
    Points,
    across,
    each,
    moment,
    points,
    power_slopes,
    powers,
)
from sigprop.evidence.zucchet.landscape.curvature import PARTIALS, by
from sigprop.evidence.zucchet.landscape.responses import (
    impulse_kernel,
    sensitivity_kernel,
)
from sigprop.judge.basis import Basis, Evidence, Routine
from theory import teacher_student_proofs as proofs

LONG = 40_000  # ages after which 0.999^n is below 1e-17
SHORT = 300


def sharpness(lam: complex, rho: float = 0.0) -> float:
    """``E|dh/dlam|^2`` by sums: the curvature of the loss at the teacher."""
    return moment(power_slopes(complex(lam), LONG), rho)


def growth(rho: float, angle: float) -> float:
    """How much sharper the loss is at ``|lam*| = 0.999`` than at 0.99."""
    turn = np.exp(1j * angle)
    return sharpness(0.999 * turn, rho) / sharpness(0.99 * turn, rho)


def sensitivity_over_state(lam: complex, rho: float) -> float:
    """``E|dh/dlam|^2 / E|h|^2``."""
    return sharpness(lam, rho) / moment(powers(complex(lam), LONG), rho)


def held_rate(lam: float, rho: float) -> float:
    """``lam'(omega)`` that keeps the normalised sensitivity at one."""
    return sensitivity_over_state(lam, rho) ** -0.5


def held_rate_impulse(lam: float, rho: float) -> float:
    """``lam'(omega)`` that keeps the normalised sensitivity at one, by the recurrence."""
    slope, state = (moment(w(lam), rho) for w in (sensitivity_kernel, impulse_kernel))
    return (slope / state) ** -0.5


def largest_jacobian(lam: complex) -> float:
    """Largest modulus of ``dh_t/dh_s`` over later times, by products."""
    return float(np.abs(np.cumprod(np.full(SHORT, complex(lam)))).max())


def largest_jacobian_impulse(lam: complex) -> float:
    """Largest modulus of ``dh_t/dh_s`` over later times, from the impulse response."""
    return float(np.abs(impulse_kernel(lam)[1:]).max())


def _larger(value: Routine, cases: Points) -> Evidence:
    """That a ratio is above one."""
    return Evidence(
        cases,
        {"reference": value},
        form=1.0,
        relation=">",
        slips={"a billion": 1e9},
        alone="a threshold on exact sums",
    )


PLAIN = across(nu=(0.35, 0.7, 0.93), gain=(False,))


EVIDENCE: dict[str, Basis] = {
    "zucchet:text:c1-sensitivity-larger": _larger(
        sensitivity_over_state,
        points(
            "lam rho",
            *((0.99, 0.0), (0.99, 1.0), (-0.99, 0.0), (0.99, -0.9)),
            *((0.6 + 0.78j, 0.5), (0.99, -1.0), (-0.99, 1.0)),
        ),
    ),
    "zucchet:text:c1-rate-by-input": Evidence(
        points("lam rho", (0.4, 0.5), (0.8, -0.6), (-0.7, 0.3)),
        {"reference": held_rate, "impulse": held_rate_impulse},
        proof=proofs.rate_depends_on_input,
    ),
    "zucchet:text:one-dimensional-other-inputs": _larger(
        growth,
        points(
            "rho angle",
            *((0.0, 0.0), (0.9, 0.0), (-0.9, 0.0), (0.5, 2.0)),
            *((1.0, 0.0), (-1.0, 0.0), (1.0, 2.0)),
        ),
    ),
    "zucchet:text:one-dimensional-stable": Evidence(
        points("lam", 0.97, -0.8, 0.6 + 0.7j),
        {"reference": largest_jacobian, "impulse": largest_jacobian_impulse},
        form=1.0,
        relation="<",
        slips={"below a half": 0.5},
    ),
    "zucchet:text:one-dimensional-flat": Evidence(
        points(
            "nu nu_star theta orders gain",
            (0.8, 0.8, 1.8, (0, 1), False),
            (0.95, 0.95, 2.6, (0, 1), False),
            (0.3, 0.95, 0.0, (1, 0), False),
        ),
        each(lambda slope, **point: abs(slope(**point)), PARTIALS),
        relation="<=",
        slips={"a hundredth": lambda nu_star, **_: (1 - nu_star**4) / 100},
    ),
    "zucchet:text:one-dimensional-sharp": by((2, 0), PLAIN),
    "zucchet:text:one-dimensional-sharp-angle": by((0, 2), PLAIN),
}
