"""Evidence for Eq. 110-112 and their text, Appendix C.1.3-4 of Zucchet & Orvieto (2024)."""

import cmath
import math
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop.evidence.kit import also, each, points
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.evidence.zucchet.landscape.angle import WRONG_ANGLES
from sigprop.evidence.zucchet.landscape.curvature import PATH_ROUTES
from sigprop.evidence.zucchet.landscape.descent import (
    STUDENT,
    TEACHER,
    begun,
    final_distance,
    flatness,
    written_run,
)
from sigprop.evidence.zucchet.landscape.responses import RESPONSES, unit_gain
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.layers.lru import LRU
from sigprop.neuron.recurrence import impulse_response


def _unit_layer(nu_log: Any, theta_log: Any) -> LRU:
    """An LRU with one eigenvalue, and arbitrary input and readout weights."""
    flat, logs = jnp.zeros((1, 1)), (jnp.array([nu_log]), jnp.array([theta_log]))
    return LRU(flat, flat, flat, flat, jnp.zeros(1), *logs, None, "absent")


def layer_eigenvalue(omega_nu: float, omega_theta: float) -> complex:
    """The eigenvalue of an LRU with these two parameters."""
    return complex(computed(_eigenvalue, omega_nu, omega_theta)[0])


def _eigenvalue(nu_log: Any, theta_log: Any) -> Any:
    return _unit_layer(nu_log, theta_log).eigenvalues()


def layer_angle(omega: float) -> float:
    """The angle of an LRU's eigenvalue, for angles below pi."""
    return float(np.angle(layer_eigenvalue(-1.0, omega)))


def loop_eigenvalue(omega_nu: float, omega_theta: float) -> complex:
    """The eigenvalue of an LRU, as the first response of its recurrence."""

    def responses(*logs: Any) -> Any:
        return impulse_response(_eigenvalue(*logs), 2)[0]

    return complex(computed(responses, omega_nu, omega_theta)[1, 0])


def loop_angle(omega: float) -> float:
    """The angle of an LRU's eigenvalue, from the first response of its recurrence."""
    return float(np.angle(loop_eigenvalue(-1.0, omega)))


RUN = "a run of the optimiser: no formula to compare it with"
START = abs(cmath.rect(*STUDENT) - cmath.rect(*TEACHER))
ANGLES = points("nu omega", (0.3, 0.4), (0.65, -1.1), (0.9, 2.0))


EVIDENCE: dict[str, Basis] = {
    "zucchet:text:c1-lru-gain": Evidence(
        points("lam", 0.3, -0.7, 0.9, 0.5 + 0.4j, 0.8j),
        each(unit_gain, RESPONSES),
        example=Example(
            "gamma",
            {"lam": 0.8j},
            lambda lam: (1 - lam**2) ** 0.5,
            lambda lam: unit_gain(RESPONSES["reference"], lam),
        ),
    ),
    "zucchet:text:c1-lru-polar": Evidence(
        points("omega_nu omega_theta", (-1.2, 0.3), (0.4, -0.8), (-3.0, 0.9)),
        {"reference": layer_eigenvalue, "impulse": loop_eigenvalue},
    ),
    "zucchet:110": Evidence(also(ANGLES, path="angle"), PATH_ROUTES),
    "zucchet:111": Evidence(
        points("omega", 0.3, 0.9, 1.1),
        {"reference": layer_angle, "impulse": loop_angle},
        example=Example(
            "the LRU's theta",
            {"omega": 0.5},
            lambda omega: math.log(omega),
            layer_angle,
        ),
    ),
    "zucchet:112": Evidence(
        also(ANGLES, path="best angle"), PATH_ROUTES, form=1.0, mutants=WRONG_ANGLES
    ),
    "zucchet:text:c1-adam": by_code(
        points("angle", "polar", "exponential", "optimal"),
        begun,
        written_run,
        tolerance=1e-12,
        mutants={
            "the rate of 10^-2": partial(written_run, rate=1e-2),
            "from the teacher": partial(written_run, start=TEACHER),
            "tanh of twice the parameter": partial(written_run, half=1),
        },
    ),
    "zucchet:text:c1-inevitably": Evidence(
        points("angle", "optimal", "optimal, modulus held"),
        {"reference": lambda angle: (final_distance(angle), flatness(angle))},
        form=lambda angle: (max(map(final_distance, ("polar", "exponential"))), 1.0),
        relation=">",
        hand={"no nearer than at the start": (START, 1.0)},
        alone=RUN,
    ),
}
