"""What judges Eq. 110-112 and their text, Appendix C.1.3-4 of Zucchet & Orvieto (2024)."""

import jax.numpy as jnp
import numpy as np

from sigprop.evidence.zucchet.landscape.curvature import BENDS
from sigprop.evidence.zucchet.landscape.descent import final_loss, first_loss
from sigprop.evidence.zucchet.landscape.responses import unit_gain, unit_gain_impulse
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers.lru import LRU
from sigprop.neuron.recurrence import impulse_response
from sigprop.numerics.precision import double_precision


def _unit_layer(nu_log: float, theta_log: float) -> LRU:
    """An LRU of one eigenvalue; what reads and writes it does not matter here."""
    flat, both = jnp.zeros((1, 1)), (jnp.array([nu_log]), jnp.array([theta_log]))
    return LRU(flat, flat, flat, flat, jnp.zeros(1), *both, None, "absent")


def layer_eigenvalue(omega_nu: float, omega_theta: float) -> complex:
    """The eigenvalue of an LRU with these two parameters."""
    with double_precision(True):
        return complex(_unit_layer(omega_nu, omega_theta).eigenvalues()[0])


def layer_angle(omega: float) -> float:
    """The angle of an LRU's eigenvalue, for angles below pi."""
    return float(np.angle(layer_eigenvalue(-1.0, omega)))


def loop_angle(omega: float) -> float:
    """The angle of an LRU's eigenvalue, from the first response of its recurrence."""
    with double_precision(True):
        lam = _unit_layer(-1.0, omega).eigenvalues()
        return float(np.angle(np.asarray(impulse_response(lam, 2)[0])[1, 0]))


RUN = "a run of the optimiser: no formula to compare it with"
ANGLES = (
    {"nu": 0.3, "omega": 0.4},
    {"nu": 0.65, "omega": -1.1},
    {"nu": 0.9, "omega": 2.0},
)


EVIDENCE: dict[str, Basis] = {
    "zucchet:text:c1-lru-gain": Evidence(
        tuple({"lam": lam} for lam in (0.3, -0.7, 0.9, 0.5 + 0.4j, 0.8j)),
        {"reference": unit_gain, "impulse": unit_gain_impulse},
    ),
    "zucchet:text:c1-lru-polar": Evidence(
        (
            {"omega_nu": -1.2, "omega_theta": 0.3},
            {"omega_nu": 0.4, "omega_theta": -0.8},
            {"omega_nu": -3.0, "omega_theta": 0.9},
        ),
        {"impulse": layer_eigenvalue},
        alone="a definition: the layer of the suite against it",
    ),
    "zucchet:110": Evidence(
        tuple({**point, "path": "angle"} for point in ANGLES), BENDS
    ),
    "zucchet:111": Evidence(
        tuple({"omega": at} for at in (0.3, 0.9, -1.4)),
        {"reference": layer_angle, "impulse": loop_angle},
    ),
    "zucchet:112": Evidence(
        tuple({**point, "path": "best angle"} for point in ANGLES), BENDS, form=1.0
    ),
    "zucchet:text:c1-inevitably": Evidence(
        tuple(
            {"angle": name}
            for name in ("optimal", "optimal, modulus held", "exponential")
        ),
        {"reference": final_loss},
        form=0.1,  # a tenth of the greatest loss: a run above it has not arrived
        relation=">",
        slips={"worse than the start": first_loss},
        alone=RUN,
    ),
}
