"""What judges Sections 3.1 and 4.1 of Zucchet & Orvieto (2024), on one unit."""

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np

from sigprop.evidence.kit import (
    across,
    each,
    exponent,
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
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.neuron.stable import sensitivity_moment, state_moment
from sigprop.numerics.precision import double_precision
from theory import teacher_student_proofs as proofs
from theory.recurrences import circle_is_flat

LONG = 40_000  # ages after which 0.999^n is below 1e-17
SHORT = 300


def sharpness(lam: complex, rho: float = 0.0) -> float:
    """``E|dh/dlam|^2`` by sums: the curvature of the loss at the teacher."""
    return moment(power_slopes(complex(lam), LONG), rho)


def sharpness_closed(lam: complex, rho: float = 0.0) -> float:
    """``E|dh/dlam|^2`` in closed form."""
    return _closed(sensitivity_moment, lam, rho)


def _closed(moment_of: Callable[..., Any], lam: complex, rho: float) -> float:
    with double_precision(True):
        return float(moment_of(1 - abs(lam), cmath.phase(lam), rho))


def growth(of: Callable[..., float], rho: float, angle: float) -> float:
    """How much sharper the loss is at ``|lam*| = 0.999`` than at 0.99."""
    return of(cmath.rect(0.999, angle), rho) / of(cmath.rect(0.99, angle), rho)


def sensitivity_over_state(lam: complex, rho: float) -> float:
    """``E|dh/dlam|^2 / E|h|^2``."""
    return sharpness(lam, rho) / moment(powers(complex(lam), LONG), rho)


def sensitivity_over_state_closed(lam: complex, rho: float) -> float:
    """``E|dh/dlam|^2 / E|h|^2`` in closed form."""
    return sharpness_closed(lam, rho) / _closed(state_moment, lam, rho)


def vanishing(slope: Callable[..., float], theta: float, gap: float) -> float:
    """The power of the gap as which the slope by the angle falls, down to half of it."""

    def size(gap: float) -> float:
        return abs(slope((0, 1), 1 - gap, 1 - gap, theta, gain=False))

    return exponent(size, gap, gap / 2)


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


PLAIN = across(nu=(0.35, 0.7, 0.93), gain=(False,))


EVIDENCE: dict[str, Basis] = {
    "zucchet:text:c1-sensitivity-larger": Evidence(
        across(lam=(0.3, 0.9, 0.99), rho=(0.0, 0.5, 1.0)),
        {
            "reference": sensitivity_over_state,
            "closed_form": sensitivity_over_state_closed,
        },
        form=1.0,
        relation=">",
        slips={"by the cube of the gap": lambda lam, rho: (1 - lam) ** -3},
    ),
    "zucchet:text:c1-rate-by-input": Evidence(
        points("lam rho", (0.4, 0.5), (0.8, -0.6), (-0.7, 0.3)),
        {"reference": held_rate, "impulse": held_rate_impulse},
        proof=proofs.rate_depends_on_input,
    ),
    "zucchet:text:one-dimensional-other-inputs": Evidence(
        points(
            "rho angle",
            *((0.0, 0.0), (0.9, 0.0), (-0.9, 0.0), (0.5, 2.0)),
            *((1.0, 0.0), (-1.0, 0.0), (1.0, 2.0)),
        ),
        each(growth, {"reference": sharpness, "closed_form": sharpness_closed}),
        form=1.0,
        relation=">",
        slips={"by the fourth power of the gap": 1e4},
        example=Example(
            "the curvature at lam* = 0.999 over that at 0.99, alternating input,",
            {"rho": -1.0},
            "above 1",
            lambda rho: growth(sharpness_closed, rho, 0.0),
        ),
    ),
    "zucchet:text:one-dimensional-stable": Evidence(
        points("lam", 0.97, -0.8, 0.6 + 0.7j),
        {"reference": largest_jacobian, "impulse": largest_jacobian_impulse},
        form=1.0,
        relation="<",
        slips={
            "of two steps": lambda lam: abs(lam) ** 2,
            "the gap": lambda lam: 1 - abs(lam),
            "the real part": lambda lam: complex(lam).real,
        },
    ),
    "zucchet:text:one-dimensional-flat": Evidence(
        points("theta gap", (0.6, 0.05), (1.8, 0.1), (2.6, 0.1)),
        each(vanishing, PARTIALS),
        form=0.0,
        relation=">",
        proof=circle_is_flat,
        slips={"as the square of the gap": 2.0},
    ),
    "zucchet:text:one-dimensional-sharp": by((2, 0), PLAIN),
    "zucchet:text:one-dimensional-sharp-angle": by((0, 2), PLAIN),
}
