"""How the networks of Zucchet & Orvieto's Appendix A are drawn, against the code.

Source: Zucchet & Orvieto (2024), Appendix A, Eq. 31-33 and the text around them.
"""

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sigprop.layers import gru, lru, s4
from sigprop.layers.dense import LinearRNN
from sigprop.layers.initialisers import fan_in
from sigprop.linear.infinite_loss import gramian
from sigprop.neuron.ginibre import sample_matrices
from sigprop.neuron.ring import ring_polar
from sigprop.numerics.precision import double_precision
from sigprop.references import models

MATRICES = 11  # whose median is taken


def chrono_gate(nu_0: float, times: float) -> float:
    """The GRU's forget gate at zero input, zero state weights and ``b_f = log T``."""
    scale = gru.chrono_times(nu_0)[0] * times
    with double_precision(True):
        zero = {
            name: jnp.zeros((1, 1)) if name in models.MATRICES else jnp.zeros(1)
            for name in (*models.MATRICES, *models.BIASES)
        }
        zero["b_f"] = jnp.log(jnp.asarray([scale]))
        cell = gru.GRU(**zero, C=jnp.ones((1, 1)), D=jnp.zeros((1, 1)))
        return float(cell.step(jnp.ones(1), jnp.zeros(1))[0][0])


def chrono_gate_by_odds(nu_0: float, times: float) -> float:
    """A gate whose odds ``f / (1 - f)`` are ``T``, by bisection."""
    scale, low, high = times / (1 - nu_0), 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if middle < scale * (1 - middle) else (low, middle)
    return (low + high) / 2


def chrono_time(index: int, nu_0: float) -> float:
    """The code's ``T_min`` (0) or ``T_max`` (1)."""
    return gru.chrono_times(nu_0)[index]


def chrono_quantiles(low: float, high: float) -> np.ndarray:
    """Deciles of ``exp(b_f)`` over many drawn biases."""
    drawn = gru.chrono(jax.random.key(3), 100_000, (low, high))
    return np.quantile(np.exp(np.asarray(drawn, float)), np.arange(1, 10) / 10)


def uniform_quantiles(low: float, high: float) -> np.ndarray:
    """Deciles of the uniform law on ``[low, high]``."""
    return low + (high - low) * np.arange(1, 10) / 10


def decay_time(nu_0: float, times: float) -> float:
    """Steps in which a constant gate at ``b_f = log T`` forgets all but ``1/e``."""
    return -1 / math.log(chrono_gate(nu_0, times))


def decay_time_by_odds(nu_0: float, times: float) -> float:
    """Steps in which a gate forgets all but ``1/e``, from ``log(1 + 1/T)``."""
    return 1 / math.log1p((1 - nu_0) / times)


def fan_in_variance(rows: int, columns: int) -> float:
    """Variance of many drawn weights."""
    return float(np.var(np.asarray(fan_in(jax.random.key(5), rows, columns), float)))


def ring_squares(nu0: float) -> np.ndarray:
    """``|lam|^2`` at evenly spaced uniforms, as the layers draw it."""
    even = np.linspace(0.05, 0.95, 7)
    with double_precision(True):
        nu, _ = ring_polar(jnp.asarray(even), jnp.asarray(even), nu0, 1.0)
        return np.exp(-2 * np.asarray(nu))


def area_quantiles(nu0: float) -> np.ndarray:
    """Squared radii that enclose 0.05 to 0.95 of the ring's area, by bisection."""
    found = []
    for share in np.linspace(0.05, 0.95, 7):
        low, high = nu0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            area = math.pi * (middle**2 - nu0**2) / (math.pi * (1 - nu0**2))
            low, high = (middle, high) if area < share else (low, middle)
        found.append(low**2)
    return np.array(found)


def even_squares(nu0: float) -> np.ndarray:
    """``|lam|^2`` uniform between its ends."""
    return nu0**2 + (1 - nu0**2) * np.linspace(0.05, 0.95, 7)


@functools.cache
def _drawn(model: str, nu0: float) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and gains of a freshly drawn layer."""
    with double_precision(True):
        key, sizes = jax.random.key(2), (8, 3, 2)
        make = {"lru": lru.zucchet_lru, "s4": s4.s4}[model]
        cell: Any = make(key, *sizes, nu0=nu0, theta0=1.0)
        return np.asarray(cell.eigenvalues()), np.asarray(cell.normaliser())


def drawn_gains(model: str, nu0: float) -> np.ndarray:
    """The factors on the inputs of a freshly drawn layer."""
    return _drawn(model, nu0)[1]


def lru_gains_by_energy(model: str, nu0: float) -> np.ndarray:
    """Gains that make the energy of each response, summed over ages, one."""
    lam, ages = np.abs(_drawn(model, nu0)[0]), np.arange(4000)[:, None]
    return 1 / np.sqrt((lam[None] ** (2 * ages)).sum(0))


def lru_gains_written(model: str, nu0: float) -> np.ndarray:
    """``sqrt(1 - |lam|^2)``."""
    return np.sqrt(1 - np.abs(_drawn(model, nu0)[0]) ** 2)


def s4_eigenvalues_drawn(nu0: float) -> np.ndarray:
    """Eigenvalues of a freshly drawn S4 layer, and its steps."""
    return np.concatenate(_drawn("s4", nu0))


def lru_eigenvalues_drawn(nu0: float) -> np.ndarray:
    """Eigenvalues of the LRU drawn with the same key, and steps of one."""
    lam, _ = _drawn("lru", nu0)
    return np.concatenate([lam, np.ones(len(lam))])


def time_and_one(nu_0: float, times: float) -> float:
    """``T + 1``."""
    return times / (1 - nu_0) + 1


def time_itself(nu_0: float, times: float) -> float:
    """``T``."""
    return times / (1 - nu_0)


def glorot_growth(size: int, steps: int) -> float:
    """Decades from inputs to states of a linear RNN; the median of many matrices.

    White inputs of variance one reach every neuron, so that the mean square of a state
    is ``sum over k of |A**k|_F**2 / size``.  Infinite where it leaves double precision.

    Args:
        size: Neurons.
        steps: A power of two.

    Source: Orvieto et al. (2023), Section 3.2.2: Glorot's initialisation.
    """

    def square(A: Any) -> Any:
        return jnp.trace(gramian(A, jnp.eye(size), int(math.log2(steps)))) / size

    with double_precision(True):
        return _median_decades(jax.vmap(square)(_glorot(size)))


def glorot_simulated(size: int, steps: int) -> float:
    """Decades from inputs to states of a linear RNN, simulated; median of many matrices.

    By the layer's own last states, after one sequence for each matrix.
    """

    def square(A: Any, key: Any) -> Any:
        return jnp.mean(_last_state(A, key, steps) ** 2)

    with double_precision(True):
        keys = jax.random.split(jax.random.key(1), MATRICES)
        return _median_decades(jax.vmap(square)(_glorot(size), keys))


def _glorot(size: int) -> np.ndarray:
    return sample_matrices(np.random.default_rng(0), MATRICES, size)


def _median_decades(squares: Any) -> float:
    decades = np.asarray(jnp.log10(squares) / 2)
    return float(np.median(np.where(np.isfinite(decades), decades, np.inf)))


def _last_state(A: Any, key: Any, steps: int) -> Any:
    size = len(A)
    silent = jnp.zeros((1, size))
    layer = LinearRNN(A[None], jnp.eye(size), silent, silent)

    def advance(t: Any, h: Any) -> Any:
        return layer.step(h, jax.random.normal(jax.random.fold_in(key, t), (size,)))[0]

    return lax.fori_loop(0, steps, advance, layer.initial_state())
