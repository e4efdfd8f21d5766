"""A gated unit with a constant gate: double sums, and the real layer's responses.

Source: Zucchet & Orvieto (2024), Appendix D.3; the layers of ``sigprop.layers.gated``.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Inexact

from sigprop.evidence.zucchet.experiments.embeddings import covariance
from sigprop.layers.gated import ConstantGate
from sigprop.numerics.precision import double_precision

AGES = 400  # 0.9**800 is below 1e-36
Weights = Inexact[np.ndarray, " ages"]


def _weights(lam: complex) -> Weights:
    return (1 - lam) * lam ** np.arange(AGES)


def _form(first: Weights, second: Weights, a: float, b: float, rho: float) -> complex:
    return complex(np.sum(first * (covariance(AGES, a, b, rho) @ second)))


def pair_sum(alpha: complex, beta: complex, a: float, b: float, rho: float) -> complex:
    """Eq. 159 as the double sum it stands for."""
    return _form(_weights(alpha), _weights(beta), a, b, rho)


def state_sum(lam: float, a: float, b: float, rho: float) -> complex:
    """``E[h^2]`` as a double sum."""
    return pair_sum(lam, lam, a, b, rho)


def sensitivity_sum(lam: float, a: float, b: float, rho: float) -> float:
    """``E[(dh/dlam)^2]`` as a double sum, the kernel differenced in the complex plane."""
    step = 1e-30
    slope = np.imag(_weights(lam + 1j * step)) / step
    return float(_form(slope, slope, a, b, rho).real)


def _logit(lam: float) -> float:
    return float(np.log(lam / (1 - lam)))


@jax.jit
def _respond(bias: Array) -> tuple[Array, Array]:
    impulse, one = jnp.zeros((AGES, 1)).at[0, 0].set(1.0), jnp.ones((1, 1))

    def states(bias: Array) -> Array:
        return ConstantGate(bias, one, one).states(impulse)[:, 0]

    return states(bias), jax.jacrev(states)(bias)[:, 0]


@functools.cache
def _responses(lam: float) -> tuple[Weights, ...]:
    """Response of the layer's state to a unit input, and its derivative by ``b_f``."""
    with double_precision(True):
        return tuple(map(np.asarray, _respond(jnp.array([_logit(lam)]))))


def state_by_layer(lam: float, a: float, b: float, rho: float) -> float:
    """``E[h^2]`` from the layer's impulse response."""
    h, _ = _responses(lam)
    return float(_form(h, h, a, b, rho).real)


def bias_sensitivity_by_layer(lam: float, a: float, b: float, rho: float) -> float:
    """``E[(dh/db_f)^2]`` from the derivative of the layer's impulse response."""
    _, slope = _responses(lam)
    return float(_form(slope, slope, a, b, rho).real)


def sensitivity_by_layer(lam: float, a: float, b: float, rho: float) -> float:
    """``E[(dh/dlam)^2]``: the layer's ``E[(dh/db_f)^2]`` over ``(df/db_f)^2``."""
    return bias_sensitivity_by_layer(lam, a, b, rho) / (lam * (1 - lam)) ** 2


def bias_sensitivity_sum(lam: float, a: float, b: float, rho: float) -> float:
    """``E[(dh/db_f)^2]`` as a double sum, the bias moved in the complex plane."""
    step = 1e-30
    moved = 1 / (1 + np.exp(-(_logit(lam) + 1j * step)))
    slope = np.imag(_weights(moved)) / step
    return float(_form(slope, slope, a, b, rho).real)


def bias_curvature_sum(lam: float, a: float, b: float, rho: float) -> float:
    """``E[(d^2 h/db_f^2)^2]``, the bias moved and differenced with weights of order 4."""
    step, bias = 1e-3, _logit(lam)
    taps = {-2: -1 / 12, -1: 4 / 3, 0: -5 / 2, 1: 4 / 3, 2: -1 / 12}
    rows = [w * _weights(1 / (1 + np.exp(-(bias + k * step)))) for k, w in taps.items()]
    slope = np.sum(rows, axis=0) / step**2
    return float(_form(slope, slope, a, b, rho).real)
