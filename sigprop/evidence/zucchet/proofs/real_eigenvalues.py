"""Evidence for real eigenvalues, Appendix B.3.1 of Zucchet & Orvieto (2024)."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Complex, Float

from sigprop.evidence.kit import (
    across,
    also,
    central,
    each,
    exponent,
    points,
    powers,
    recur,
)
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.proofs.normalised import (
    modulus_share,
    modulus_share_sum,
    white_sensitivity,
    white_sensitivity_sum,
)
from sigprop.evidence.zucchet.proofs.responses import RESPONSES, state_moment
from sigprop.evidence.zucchet.proofs.sequences import CHIRP, REAL_INPUT, Sequence, first
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.layers.lru import LRU
from sigprop.neuron.recurrence import linear_recurrence

STEPS = 12

# The normalised recurrence.


def _layer(nu_log: Any, theta_log: Any) -> LRU:
    """One neuron with unit input weight and the detached normalisation."""
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


def mutated_states(
    lam: complex, x: Sequence, way: str
) -> Complex[np.ndarray, " steps"]:
    """Eq. 76 with a mutant: the factor on the whole sum, its square, or late input."""
    gain, inputs = math.sqrt(1 - abs(lam) ** 2), first(x, STEPS)
    return {
        "on the whole sum": lambda: recur(gain * complex(lam), gain * inputs),
        "squared": lambda: recur(complex(lam), gain**2 * inputs),
        "late": lambda: recur(complex(lam), gain * np.append(0, inputs[:-1])),
    }[way]()


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


def backwards(
    errors: Any, lam: float, gamma: float, inside: bool = False, outside: bool = True
) -> list[float]:
    """``dL/dx_t`` from the errors ``dL/dh_t``, backwards in time.

    Args:
        errors: Errors by time.
        lam: Eigenvalue.
        gamma: Factor on the inputs.
        inside: True if it also multiplies errors from later steps, as printed.
        outside: False for a mutant in which it does not multiply the current error.
    """
    later, gradients = 0.0, []
    for error in reversed(errors):
        total = lam * later + (error if outside else error / gamma)
        gradients.append(gamma * total)
        later = gamma * total if inside else total
    return gradients[::-1]


def error_filter(
    lam: float,
    gamma: float,
    x: Sequence,
    target: Sequence,
    *,
    forward: bool = False,
    late: bool = False,
    **factor: bool,
) -> list[float]:
    """``dL/dx_t`` of a squared loss by ``backwards``.

    Args:
        lam: Eigenvalue.
        gamma: Factor on the inputs.
        x: Inputs.
        target: Targets.
        forward: True for a mutant with reversed time.
        late: True for a mutant with the error of the next state.
        factor: Place of the factor.
    """
    errors = 2 * (recur(lam, gamma * first(x)) - first(target))
    errors = np.append(errors[1:], 0) if late else errors
    if forward:
        return backwards(errors[::-1], lam, gamma, **factor)[::-1]
    return backwards(errors, lam, gamma, **factor)


def _of_the_third(lam: float, gamma: float, **factor: bool) -> float:
    """``dL/dx_1`` of ``L = h_3``."""
    return backwards((0, 0, 1), lam, gamma, **factor)[0]


# The reparametrisation ``lam = tanh(omega)`` with constant ``gamma``.


def real_derivative(omega: float, n: int, **_: Any) -> float:
    """``dh/domega`` of a unit input ``n`` steps old, by autodiff."""

    def state(omega: Any) -> Any:
        lam = jnp.tanh(omega)
        gamma = lax.stop_gradient(jnp.sqrt(1 - lam**2))
        inputs = jnp.zeros((STEPS, 1)).at[0].set(gamma)
        return linear_recurrence(lam[None], inputs)[n, 0]

    return float(computed(jax.grad(state), omega))


def real_derivative_difference(omega: float, n: int, **_: Any) -> float:
    """``dh/domega`` of a unit input ``n`` steps old, by differences of the state."""
    gamma = np.sqrt(1 - np.tanh(omega) ** 2)
    return central(lambda value: gamma * np.tanh(value) ** n, omega, 4e-3, order=8)


def orders(
    pair: tuple[Callable[[float], float], ...], gap: float
) -> Float[np.ndarray, "3"]:
    """Exponents of the sensitivity's growth in the inverse gap, under white noise.

    They are for the neuron without normalisation, with it, and with it and ``tanh``,
    between a gap and half of it.
    """

    def moments(gap: float) -> list[float]:
        normalised, shared = (moment(1 - gap) for moment in pair)
        return [normalised / (1 - (1 - gap) ** 2), normalised, shared]

    return -exponent(moments, gap, gap / 2)


ORDERS = {
    "autodiff": (white_sensitivity, modulus_share),
    "reference": (white_sensitivity_sum, modulus_share_sum),
}


def _real_point(omega: float, age: int) -> dict[str, float]:
    value = math.tanh(omega)
    derivative = 1 - value**2
    return {
        "omega": omega,
        "n": age,
        "lam": value,
        "gamma": math.sqrt(derivative),
        "d_lam": derivative,
    }


EIGENVALUES = (0.5 + 0.3j, -0.4 + 0.6j, 0.2 + 0.8j)
DECAYS = ((0.6, 0.4), (-0.7, 0.3), (0.5 + 0.3j, -0.8), (0.8j, 0.0), (0.3, 0.95))

EVIDENCE: dict[str, Basis] = {
    "zucchet:76": Evidence(
        across(lam=EIGENVALUES, x=(REAL_INPUT,)),
        {"impulse": layer_states, "reference": summed_states},
        stepped_states,
        mutants={
            way: partial(mutated_states, way=way)
            for way in ("on the whole sum", "squared", "late")
        },
    ),
    "zucchet:77": Evidence(
        tuple(
            {"lam": z, "n": age, "gamma": math.sqrt(1 - abs(z) ** 2)}
            for z, age in zip(EIGENVALUES, (1, 4, 3), strict=True)
        ),
        {"impulse": layer_weight},
    ),
    "zucchet:text:ideal-gamma": Evidence(
        points("lam rho", *DECAYS),
        each(unit_factor, RESPONSES),
        example=Example(
            "gamma for white inputs",
            {"lam": 0.8},
            lambda lam: 1 / state_moment(RESPONSES["reference"], lam, 0.0),
            lambda lam: unit_factor(RESPONSES["reference"], lam, 0.0),
        ),
    ),
    "zucchet:78": Evidence(
        also(
            points("lam gamma", (0.6, 0.8), (-0.9, 0.4), (0.95, 1.3)),
            x=REAL_INPUT,
            target=CHIRP,
        ),
        {"autodiff": input_gradient, "reference": input_difference},
        error_filter,
        partial(error_filter, inside=True),
        mutants={
            "forward in time": partial(error_filter, forward=True),
            "the next error": partial(error_filter, late=True),
            "not on the error of now": partial(error_filter, outside=False),
        },
        example=Example(
            "dL/dx_1 of L = h_3",
            {"lam": 0.9, "gamma": 0.5},
            partial(_of_the_third, inside=True),
            _of_the_third,
        ),
    ),
    "zucchet:79": Evidence(
        tuple(_real_point(w, age) for w, age in ((0.7, 2), (-0.4, 3), (1.1, 7))),
        {"autodiff": real_derivative, "reference": real_derivative_difference},
    ),
    "zucchet:text:mitigation": Evidence(
        points("gap", 0.1),
        each(orders, ORDERS),
        (3.0, 2.0, 0.0),
        absolute=0.1,  # the next order in the gap
        mutants={
            "the factor for its square": (3.0, 2.5, 0.5),
            "the slope for its square": (3.0, 2.0, 1.0),
            "the state's moment": (1.0, 0.0, -2.0),
        },
    ),
}
