"""The Jacobian of a GRU from one state to a later one.

Source: Zucchet & Orvieto (2024), Appendix D.2 and Figure 14.
"""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.gru import GRU, chrono, chrono_times
from sigprop.layers.lstm import lstm, tallec_times
from sigprop.numerics.precision import double_precision
from sigprop.references.gated import orthogonal

NEURONS = 256


@functools.cache
def _drawn() -> GRU:
    """A GRU with the laws of ``gru``, drawn by numpy; T uniform on [1, 2]."""
    generator, n, d_in = np.random.default_rng(14), NEURONS, 8
    with double_precision(True):
        entering = [generator.normal(size=(n, d_in)) / np.sqrt(d_in) for _ in range(3)]
        bias = np.log(generator.uniform(1, 2, n))
        zero = np.zeros(n)
        arrays = [
            *entering,
            *(orthogonal(generator, n, n) for _ in range(3)),
            zero,
            bias,
            zero,
            zero,
            np.zeros((1, n)),
            np.zeros((1, d_in)),
        ]
        return GRU(*map(jnp.asarray, arrays))


@functools.cache
def _layer(t_max: float, gain: float) -> GRU:
    """A GRU with T uniform on ``[1, t_max]`` and its weights on the state scaled."""
    layer = _drawn()
    with double_precision(True):
        bias = jnp.log(1 + (jnp.exp(layer.b_f) - 1) * (t_max - 1))
        layer = eqx.tree_at(lambda one: one.b_f, layer, bias)
        for name in ("W_rh", "W_fh", "W_nh"):
            layer = _scaled(layer, name, gain)
    return layer


def _gates(layer: GRU) -> Float[np.ndarray, " n"]:
    return 1 / (1 + np.exp(-np.asarray(layer.b_f)))


@functools.cache
def step_jacobian(t_max: float, gain: float) -> Float[np.ndarray, "n n"]:
    """``dh_{t+1}/dh_t`` at rest: ``f + (1 - f) W_nh/2``, as the reset gate is one half."""
    layer = _layer(t_max, gain)
    f = _gates(layer)
    return np.diag(f) + 0.5 * (1 - f)[:, None] * np.asarray(layer.W_nh)


@functools.cache
def step_jacobian_by_layer(t_max: float, gain: float) -> Float[np.ndarray, "n n"]:
    """``dh_{t+1}/dh_t`` at rest by automatic differentiation of the layer's step."""
    layer = _layer(t_max, gain)
    with double_precision(True):
        still, rest = jnp.zeros(8), layer.initial_state()
        step = eqx.filter_jit(_state_jacobian)
        return np.asarray(step(layer, rest, still))


def _state_jacobian(layer: GRU, h: Array, u: Array) -> Array:
    return jax.jacrev(lambda h: layer.step(h, u)[0])(h)


def _off(J: np.ndarray) -> np.ndarray:
    return J[~np.eye(len(J), dtype=bool)]


def _share(J: np.ndarray) -> float:
    size = np.sqrt(np.mean(np.abs(_off(J)) ** 2))
    return float(size / np.median(np.abs(np.diag(J))))


def off_diagonal_share(t_max: float, steps: int) -> float:
    """Size of the non-diagonal entries over the median diagonal one, after some steps."""
    return _share(np.linalg.matrix_power(step_jacobian(t_max, 1.0), steps))


def off_diagonal_share_by_layer(t_max: float, steps: int) -> float:
    """Size of the non-diagonal entries over the median diagonal one, by the layer."""
    return _share(np.linalg.matrix_power(step_jacobian_by_layer(t_max, 1.0), steps))


def _drift(J: np.ndarray, t_max: float, steps: int) -> float:
    own = np.diag(np.linalg.matrix_power(J, steps))
    return float(abs(np.median(own / _gates(_layer(t_max, 1.0)) ** steps) - 1))


def drift_of_diagonal(t_max: float, steps: int) -> float:
    """Median over neurons of the diagonal entry over ``f^steps``, less one, in size."""
    return _drift(step_jacobian(t_max, 1.0), t_max, steps)


def drift_by_layer(t_max: float, steps: int) -> float:
    """Median of the diagonal over ``f^steps``, less one, in size, by the layer."""
    return _drift(step_jacobian_by_layer(t_max, 1.0), t_max, steps)


def grows(gain: float) -> float:
    """One if the Jacobian over many steps grows without bound, else zero."""
    return float(np.abs(np.linalg.eigvals(step_jacobian(16.0, gain))).max() > 1)


def grows_by_layer(gain: float) -> float:
    """One if the layer's Jacobian over 1500 steps has a norm above one, else zero."""
    J = np.linalg.matrix_power(step_jacobian_by_layer(16.0, gain), 1500)
    return float(np.linalg.norm(J) > 1)


@functools.cache
def off_diagonal_at_inputs(gain: float, candidate: float) -> float:
    """Largest non-diagonal entry of one step at a random state and input.

    ``gain`` scales the weights from states to the gates, ``candidate`` those from states
    to the candidate.
    """
    layer = _layer(16.0, 1.0)
    with double_precision(True):
        scaled = dict(W_rh=gain, W_fh=gain, W_nh=candidate)
        layer = functools.reduce(
            lambda one, name: _scaled(one, name, scaled[name]), scaled, layer
        )
        h, u = (
            jnp.asarray(np.random.default_rng(seed).normal(size=size))
            for seed, size in ((0, NEURONS), (1, 8))
        )
        J = np.asarray(_state_jacobian(layer, h, u))
    return float(np.abs(_off(J)).max())


def _scaled(layer: GRU, name: str, factor: float) -> GRU:
    return eqx.tree_at(
        lambda one: getattr(one, name), layer, replace_fn=lambda w: factor * w
    )


def time_constant_drawn(tau: float) -> float:
    """``1/(1 - f)`` at rest of a gate whose bias is drawn on ``[tau, tau]``."""
    with double_precision(True):
        bias = chrono(jax.random.key(0), 1, (tau, tau))
        return float(1 / (1 - jax.nn.sigmoid(bias[0])))


def time_constant_counted(tau: float) -> float:
    """Steps that the gate's powers sum to."""
    f = 1 / (1 + np.exp(-np.log(tau)))
    return float(np.sum(f ** np.arange(int(60 * (1 + tau)))))


def gate_drawn(tau: float) -> float:
    """Forget gate at rest of a GRU whose bias is drawn on ``[tau, tau]``."""
    return 1 - 1 / time_constant_drawn(tau)


def gates_of_lstm(t_max: float) -> float:
    """``i + f`` of a freshly drawn LSTM at rest: the value furthest from one."""

    def biases(key: PRNGKeyArray):
        layer = lstm(key, 8, 1, 1, times=tallec_times(t_max))
        return layer.b_i, layer.b_f

    with double_precision(True):
        b_i, b_f = jax.jit(biases)(jax.random.key(0))
        both = np.asarray(jax.nn.sigmoid(b_i) + jax.nn.sigmoid(b_f))
    return float(both[np.abs(both - 1).argmax()])


def largest_time(nu0: float) -> float:
    """Upper end of the GRU's time constants."""
    return chrono_times(nu0)[1]


def share_of_slow(steps: int) -> float:
    """``off_diagonal_share`` for time constants up to 256."""
    return off_diagonal_share(256.0, steps)


def share_of_slow_by_layer(steps: int) -> float:
    """``off_diagonal_share_by_layer`` for time constants up to 256."""
    return off_diagonal_share_by_layer(256.0, steps)


def share_of_fast(steps: int) -> float:
    """``off_diagonal_share`` for time constants up to 16."""
    return off_diagonal_share(16.0, steps)
