"""What judges real eigenvalues, Appendix B.3.1 of Zucchet & Orvieto (2024)."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Complex, Float

from sigprop.evidence.kit import across, also, central, each, points, powers, recur
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.proofs.normalised import (
    modulus_share,
    modulus_share_sum,
    white_sensitivity,
    white_sensitivity_sum,
)
from sigprop.evidence.zucchet.proofs.responses import RESPONSES, state_moment
from sigprop.evidence.zucchet.proofs.sequences import CHIRP, REAL_INPUT, Sequence, first
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers.lru import LRU
from sigprop.neuron.recurrence import linear_recurrence

STEPS = 12

# The normalised recurrence.


def _layer(nu_log: Any, theta_log: Any) -> LRU:
    """One neuron that sees its input as it is, with the detached normalisation."""
    unit, none = jnp.ones((1, 1)), jnp.zeros((1, 1))
    return LRU(
        unit, none, unit, none, jnp.zeros(1), nu_log, theta_log, None, "detached"
    )  # fmt: skip


def layer_states(lam: complex, x: Sequence) -> Complex[np.ndarray, " steps"]:
    """The first dozen states of the normalised layer."""
    return _states(lam, first(x, STEPS))


def _states(lam: complex, x: Any) -> Complex[np.ndarray, " steps"]:
    logs = np.log([-np.log(abs(lam))]), np.log([np.angle(lam)])
    return computed(lambda u, *logs: _layer(*logs).states(u), x[:, None], *logs)[:, 0]


def summed_states(lam: complex, x: Sequence) -> Complex[np.ndarray, " steps"]:
    """First dozen normalised states as sums of powers, the inputs scaled beforehand."""
    inputs = np.sqrt(1 - abs(lam) ** 2) * first(x, STEPS)
    return np.convolve(powers(complex(lam), STEPS), inputs)[:STEPS]


def stepped_states(lam: complex, x: Sequence) -> Complex[np.ndarray, " steps"]:
    """Eq. 76 from the zero state, step by step."""
    return recur(complex(lam), math.sqrt(1 - abs(lam) ** 2) * first(x, STEPS))


def layer_weight(lam: complex, n: int, gamma: float) -> complex:
    """Response of the normalised layer ``n`` steps after a unit input."""
    return complex(_states(lam, np.eye(STEPS)[0])[n])


def unit_factor(respond: Callable[..., Any], lam: complex, rho: float) -> float:
    """The factor on the inputs that makes ``E|h|^2 = 1``."""
    return state_moment(respond, lam, rho) ** -0.5


# Backpropagated errors.


def _error(h: Any, target: Any) -> Any:
    return ((h - target) ** 2).sum()


def input_gradient(
    lam: float, gamma: float, x: Sequence, target: Sequence
) -> Float[np.ndarray, " steps"]:
    """``dL/dx_t`` of a squared loss of the normalised states, by autodiff."""

    def loss(x: Any, targets: Any) -> Any:
        return _error(
            linear_recurrence(jnp.array([lam]), gamma * x[:, None])[:, 0], targets
        )

    return computed(jax.grad(loss), first(x), first(target))


def input_difference(
    lam: float, gamma: float, x: Sequence, target: Sequence
) -> Float[np.ndarray, " steps"]:
    """``dL/dx_t`` of a squared loss by differences, exact as it is quadratic."""
    inputs, targets = first(x), first(target)

    def loss(x: Float[np.ndarray, " steps"]) -> float:
        return _error(np.convolve(powers(lam, 8), gamma * x)[:8], targets)

    return np.array([central(loss, inputs, 1.0, move) for move in np.eye(8)])


def error_filter(
    lam: float, gamma: float, x: Sequence, target: Sequence, inside: bool
) -> list[complex]:
    """``dL/dx_t``, with the factor on what comes from later as well or not."""
    errors = 2 * (recur(lam, gamma * first(x)) - first(target))
    later, gradients = 0.0, []
    for error in reversed(errors):
        total = lam * later + error
        gradients.append(gamma * total)
        later = gamma * total if inside else total
    return gradients[::-1]


# The reparametrisation ``lam = tanh(omega)``, ``gamma`` held fixed.


def real_slope(omega: float, n: int, **_: Any) -> float:
    """``dh/domega`` of a unit input ``n`` steps old, by autodiff."""

    def state(omega: Any) -> Any:
        lam = jnp.tanh(omega)
        gamma = lax.stop_gradient(jnp.sqrt(1 - lam**2))
        inputs = jnp.zeros((STEPS, 1)).at[0].set(gamma)
        return linear_recurrence(lam[None], inputs)[n, 0]

    return float(computed(jax.grad(state), omega))


def real_slope_difference(omega: float, n: int, **_: Any) -> float:
    """``dh/domega`` of a unit input ``n`` steps old, by differences of the state."""
    gamma = np.sqrt(1 - np.tanh(omega) ** 2)
    return central(lambda value: gamma * np.tanh(value) ** n, omega, 4e-3, order=8)


def mitigated(pair: tuple[Callable[[float], float], ...], nu: float) -> list[float]:
    """The sensitivity under white noise, normalised, without and with ``tanh``."""
    return [moment(nu) for moment in pair]


MITIGATED = {
    "autodiff": (white_sensitivity, modulus_share),
    "reference": (white_sensitivity_sum, modulus_share_sum),
}


def unmitigated(nu: float) -> Float[np.ndarray, " 2"]:
    """Sensitivity under white noise, by sums: unnormalised, and normalised alone."""
    normalised = white_sensitivity_sum(nu)
    return np.array([normalised / (1 - nu**2), normalised])


def _real_point(omega: float, age: int) -> dict[str, float]:
    value = math.tanh(omega)
    slope = 1 - value**2
    return {
        "omega": omega,
        "n": age,
        "lam": value,
        "gamma": math.sqrt(slope),
        "d_lam": slope,
    }


EIGENVALUES = (0.5 + 0.3j, -0.4 + 0.6j, 0.2 + 0.8j)
DECAYS = ((0.6, 0.4), (-0.7, 0.3), (0.5 + 0.3j, -0.8), (0.8j, 0.0), (0.3, 0.95))

EVIDENCE: dict[str, Basis] = {
    "zucchet:76": Evidence(
        across(lam=EIGENVALUES, x=(REAL_INPUT,)),
        {"impulse": layer_states, "reference": summed_states},
        stepped_states,
    ),
    "zucchet:77": Evidence(
        tuple(
            {"lam": z, "n": age, "gamma": math.sqrt(1 - abs(z) ** 2)}
            for z, age in zip(EIGENVALUES, (1, 4, 3), strict=True)
        ),
        {"impulse": layer_weight},
    ),
    "zucchet:text:ideal-gamma": Evidence(
        points("lam rho", *DECAYS), each(unit_factor, RESPONSES)
    ),
    "zucchet:78": Evidence(
        also(
            points("lam gamma", (0.6, 0.8), (-0.9, 0.4), (0.95, 1.3)),
            x=REAL_INPUT,
            target=CHIRP,
        ),
        {"autodiff": input_gradient, "reference": input_difference},
        partial(error_filter, inside=False),
        partial(error_filter, inside=True),
    ),
    "zucchet:79": Evidence(
        tuple(_real_point(w, age) for w, age in ((0.7, 2), (-0.4, 3), (1.1, 7))),
        {"autodiff": real_slope, "reference": real_slope_difference},
    ),
    "zucchet:text:mitigation": Evidence(
        points("nu", 0.2, 0.55, 0.8, 0.9),
        each(mitigated, MITIGATED),
        unmitigated,
        relation="<",
        slips={"halved": lambda nu: unmitigated(nu) / 2},  # each step takes half away
    ),
}
