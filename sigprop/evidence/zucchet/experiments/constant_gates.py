"""Moments of a gated unit with a constant gate, by double sums and by the layer.

Source: Zucchet & Orvieto (2024), Appendix D.3; the layers of ``sigprop.layers.gated``.
"""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Inexact

from sigprop.evidence.kit import (
    autocovariance,
    central,
    complex_step,
    logit,
    powers,
    quadratic,
    sigmoid,
)
from sigprop.layers.gated import ConstantGate
from sigprop.numerics.precision import double_precision

AGES = 400  # 0.9**800 is below 1e-36
EMBEDDINGS = {"a": 0.332, "b": 0.044, "rho": 0.997}  # as Figure 12 fits them
Weights = Inexact[np.ndarray, " ages"]


def weights(lam: complex) -> Weights:
    """Weight of the input of each age in the state."""
    return (1 - lam) * powers(lam, AGES)


def pair_sum(alpha: complex, beta: complex, a: float, b: float, rho: float) -> complex:
    """Eq. 159 as the double sum it stands for."""
    return complex(weights(alpha) @ autocovariance(AGES, rho, a, b) @ weights(beta))


def moment(of: Callable[[float], Weights], lam: float, **covariance: float) -> float:
    """The second moment for given weights at a gate, as a double sum."""
    return quadratic(of(lam), autocovariance(AGES, **covariance))


def bias_derivative(lam: float) -> Weights:
    """Derivative of the weights by the gate's bias, by a complex step."""
    return complex_step(lambda bias: weights(sigmoid(bias)), logit(lam))


def bias_second_derivative(lam: float) -> Weights:
    """Second derivative of the weights by the gate's bias, by a central difference."""
    return central(lambda bias: weights(sigmoid(bias)), logit(lam), 1e-3, derivative=2)


@jax.jit
def _respond(bias: Array) -> tuple[Array, Array]:
    impulse, unit = jnp.zeros((AGES, 1)).at[0, 0].set(1.0), jnp.ones((1, 1))

    def states(bias: Array) -> Array:
        return ConstantGate(bias, unit, unit).states(impulse)[:, 0]

    return states(bias), jax.jacrev(states)(bias)[:, 0]


@functools.cache
def _responses(lam: float) -> tuple[Weights, ...]:
    """Response of the layer's state to a unit input, and its derivative by ``b_f``."""
    with double_precision(True):
        return tuple(map(np.asarray, _respond(jnp.array([logit(lam)]))))


STATE = {"reference": weights, "impulse": lambda lam: _responses(lam)[0]}
BIAS = {"reference": bias_derivative, "autodiff": lambda lam: _responses(lam)[1]}
SENSITIVITY = {
    "reference": lambda lam: complex_step(weights, lam),
    "autodiff": lambda lam: _responses(lam)[1] / (lam * (1 - lam)),  # over df/db_f
}
