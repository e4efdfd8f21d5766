"""Gated layers are the loops of their equations, and their gates start as printed."""

import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from sigprop.layers.base import parameters
from sigprop.layers.gated import constant_gate, gated_unit
from sigprop.layers.gru import chrono, chrono_times, gru, orthogonal
from sigprop.layers.lstm import lstm, tallec_times
from sigprop.numerics.precision import double_precision
from tests.sigprop.layers.helpers import (
    both_ways,
    inputs,
    require_slopes,
    run,
    states_of,
    wide,
    with_value,
)

TIMES = (2.0, 20.0)
KEY = jax.random.key(3)
LAYERS = {
    "gru": lambda: gru(5, 3, key=KEY, d_out=2, times=TIMES),
    "lstm": lambda: lstm(5, 3, key=KEY, d_out=2, times=TIMES),
    "gate of input and state": lambda: gated_unit(5, 5, key=KEY, d_out=2, times=TIMES),
    "gate of input": lambda: gated_unit(
        5, 5, key=KEY, d_out=2, times=TIMES, state_gain=0
    ),
    "constant gate": lambda: constant_gate(5, 5, key=KEY, d_out=2, times=TIMES),
}
layers = pytest.mark.parametrize("name", LAYERS)


@functools.cache
def build(name):
    with double_precision(False):
        return LAYERS[name]()


def perturbed(layer, seed=8):
    """The layer with every parameter moved, so that none is still zero."""
    generator = np.random.default_rng(seed)
    return jax.tree.map(
        lambda leaf: leaf + jnp.asarray(0.3 * generator.normal(size=leaf.shape)), layer
    )


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def gru_loop(p, u):
    h, states = np.zeros(p["b_f"].shape), []
    for x in u:
        r = sigmoid(p["W_rx"] @ x + p["W_rh"] @ h + p["b_r"])
        f = sigmoid(p["W_fx"] @ x + p["W_fh"] @ h + p["b_f"])
        n = np.tanh(p["W_nx"] @ x + p["b_nx"] + r * (p["W_nh"] @ h + p["b_nh"]))
        h = f * h + (1 - f) * n
        states.append(h)
    return np.array(states)


def lstm_loop(p, u):
    h, c, states = np.zeros(p["b_f"].shape), np.zeros(p["b_f"].shape), []
    for x in u:
        i = sigmoid(p["W_ix"] @ x + p["W_ih"] @ h + p["b_i"])
        f = sigmoid(p["W_fx"] @ x + p["W_fh"] @ h + p["b_f"])
        o = sigmoid(p["W_ox"] @ x + p["W_oh"] @ h + p["b_o"])
        g = np.tanh(p["W_gx"] @ x + p["W_gh"] @ h + p["b_g"])
        c = f * c + i * g
        h = o * np.tanh(c)
        states.append(np.concatenate([h, c]))
    return np.array(states)


def gate_loop(p, u):
    h, states = np.zeros(p["b_f"].shape), []
    nothing = np.zeros((h.size, h.size))
    w_x, w_h = p.get("W_fx", nothing), p.get("W_fh", nothing)
    for x in u:
        f = sigmoid(w_x @ x + w_h @ h + p["b_f"])
        h = f * h + (1 - f) * x
        states.append(h)
    return np.array(states)


LOOPS = {"gru": gru_loop, "lstm": lstm_loop}


@pytest.mark.usefixtures("x64")
@layers
def test_states_and_outputs_are_the_loop_of_the_printed_equations(name):
    layer = perturbed(wide(build(name)))
    p, u = {k: np.asarray(v) for k, v in parameters(layer).items()}, inputs(layer)
    states = LOOPS.get(name, gate_loop)(p, u)
    n = p["b_f"].size
    values = states_of(layer, jnp.asarray(u))
    np.testing.assert_allclose(values, states, rtol=0, atol=1e-14)
    outputs = states[:, :n] @ p["C"].T + u @ p["D"].T
    np.testing.assert_allclose(run(layer, jnp.asarray(u)), outputs, rtol=0, atol=1e-13)


@layers
def test_whole_sequences_are_their_steps(name):
    layer = build(name)
    u = jnp.asarray(inputs(layer), jnp.float32)
    np.testing.assert_allclose(*both_ways(layer, u), rtol=0, atol=2e-6)


@pytest.mark.usefixtures("x64")
@layers
def test_gradients_are_finite_differences(name):
    layer = perturbed(wide(build(name)))
    require_slopes(layer, jnp.asarray(inputs(layer)))


@pytest.mark.parametrize("nu0", [0.0, 0.5, 0.9, 0.99])
def test_printed_chrono_gates_lie_above_the_interval_that_the_paper_names(nu0):
    # Zucchet & Orvieto (2024), Eq. 31-33 and the sentence after them.
    low, high = (t / (1 + t) for t in chrono_times(nu0))
    np.testing.assert_allclose([low, high], [1 / (2 - nu0), 2 / (3 - nu0)])
    np.testing.assert_allclose(low - nu0, (1 - nu0) ** 2 / (2 - nu0))
    np.testing.assert_allclose(high - (1 + nu0) / 2, (1 - nu0) ** 2 / (6 - 2 * nu0))
    # One step less in T is what makes the sentence true.
    low, high = ((t - 1) / t for t in chrono_times(nu0))
    np.testing.assert_allclose([low, high], [nu0, (1 + nu0) / 2], atol=1e-15)


def test_chrono_times_are_uniform():
    # Wrong at a rate of one in a million.
    times = np.exp(np.asarray(chrono(KEY, 4000, (3.0, 11.0)), np.float64))
    assert scipy.stats.kstest((times - 3) / 8, "uniform").pvalue > 1e-6
    assert scipy.stats.kstest((times - 3) / 9, "uniform").pvalue < 1e-6


def test_the_gru_starts_as_the_paper_says():
    layer = gru(64, 48, key=KEY, d_out=5, times=chrono_times(0.9))
    for name in ("W_rh", "W_fh", "W_nh"):
        w = np.asarray(getattr(layer, name))
        np.testing.assert_allclose(w @ w.T, np.eye(64), atol=1e-5)
    for name in ("W_rx", "W_fx", "W_nx"):
        # Six standard errors of a mean of 3072 squares, normal or less spread.
        assert abs((getattr(layer, name) ** 2).mean() * 48 - 1) < 6 * (2 / 3072) ** 0.5
    for name in ("b_r", "b_nx", "b_nh"):
        assert not getattr(layer, name).any()
    gates = jax.nn.sigmoid(layer.b_f)
    assert gates.min() >= 1 / 1.1 - 1e-6
    assert gates.max() <= 2 / 2.1 + 1e-6


def test_lstm_gates_share_one_at_rest():
    layer = lstm(50, 3, key=KEY, d_out=2, times=tallec_times(30))
    f, i = jax.nn.sigmoid(layer.b_f), jax.nn.sigmoid(layer.b_i)
    np.testing.assert_allclose(f + i, 1, rtol=1e-6)
    forget_in = 1 / (1 - np.asarray(f, np.float64))
    assert forget_in.min() >= 2 - 1e-4
    assert forget_in.max() <= 30 + 1e-3
    assert not layer.b_o.any()
    assert not layer.b_g.any()


def test_state_gain_scales_what_takes_the_state():
    plain, strong = (
        gru(6, 3, key=KEY, d_out=2, times=TIMES, state_gain=gain) for gain in (1.0, 3.0)
    )
    np.testing.assert_allclose(strong.W_nh, 3 * plain.W_nh, rtol=1e-6)
    np.testing.assert_allclose(strong.W_nx, plain.W_nx)
    assert gated_unit(6, 6, key=KEY, d_out=2, times=TIMES, state_gain=0).W_fh is None


def test_a_gate_near_one_lets_in_what_is_left():
    # 1 - sigmoid(18) has one digit in float32; sigmoid(-18) has all of them.
    layer = constant_gate(1, 1, key=KEY, times=TIMES)
    layer = with_value(layer, b_f=jnp.array([18.0]))
    h = layer.states(jnp.ones((1, 1)))
    np.testing.assert_allclose(h, 1 / (1 + np.exp(18.0)), rtol=1e-6)


@pytest.mark.usefixtures("x64")
def test_constant_gates_have_the_moments_that_the_paper_says():
    """Eq. 159-161 from the layer's own impulse response, for R_x = 0.3 delta + rho^n."""
    n, length, rho = 3, 200, 0.7
    layer = constant_gate(n, n, key=KEY, times=(1.0, 4.0))
    impulse = jnp.zeros((length, n)).at[0].set(1.0)

    def response(b_f):
        return with_value(layer, b_f=b_f).states(impulse)

    # All neurons at once: the derivative in one bias reaches its own neuron only.
    kernel, pull = jax.vjp(response, layer.b_f)
    derivatives = jax.vmap(lambda t: pull(jnp.zeros_like(kernel).at[t].set(1.0))[0])(
        jnp.arange(length)
    )
    gap = np.arange(length)
    r = rho**gap + 0.3 * (gap == 0)
    toeplitz = r[abs(gap[:, None] - gap[None])]

    def printed(a, b):
        steps = jnp.arange(1, 200)
        tail = ((a**steps + b**steps) * rho**steps).sum()
        return (1 - a) * (1 - b) / (1 - a * b) * (1.3 + tail)

    lam = layer.eigenvalues().real
    slope_of_gate = lam * (1 - lam)
    cross = jax.grad(jax.grad(printed, 0), 1)
    for i in range(n):
        k, s = np.asarray(kernel[:, i]), np.asarray(derivatives[:, i])
        np.testing.assert_allclose(k @ toeplitz @ k, printed(lam[i], lam[i]), rtol=1e-9)
        truth = cross(lam[i], lam[i]) * slope_of_gate[i] ** 2
        np.testing.assert_allclose(s @ toeplitz @ s, truth, rtol=1e-9)


def test_errors_say_what_is_needed():
    cases = [
        (
            lambda: gru(0, 3, key=KEY, d_out=2, times=TIMES),
            "need state_size >= 1, got state_size=0",
        ),
        (
            lambda: gru(3, 0, key=KEY, d_out=2, times=TIMES),
            "need width >= 1, got width=0",
        ),
        (
            lambda: lstm(3, 3, key=KEY, d_out=0, times=TIMES),
            "need d_out >= 1, got d_out=0",
        ),
        (
            lambda: gated_unit(0, 0, key=KEY, d_out=2, times=TIMES),
            "need state_size >= 1, got state_size=0",
        ),
        (
            lambda: constant_gate(3, 3, key=KEY, d_out=0, times=TIMES),
            "need d_out >= 1, got d_out=0",
        ),
        (lambda: chrono_times(1.0), "need 0 <= nu0 < 1, got nu0=1.0"),
        (lambda: chrono_times(-0.1), "need 0 <= nu0 < 1, got nu0=-0.1"),
        (lambda: tallec_times(1.5), "need t_max in [2, 1e+18], got 1.5"),
    ]
    for bad in [(0.0, 1.0), (2.0, 1.0), (1.0, float("inf")), (float("nan"), 1.0)]:
        message = f"need 0 < T_min <= T_max <= 1e+18, got times={bad}"
        cases.append((lambda bad=bad: chrono(KEY, 3, bad), message))
    for call, message in cases:
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            call()


def test_orthogonal_keeps_lengths_up_to_its_gain():
    w = np.asarray(orthogonal(KEY, 7, 0.5))
    np.testing.assert_allclose(w.T @ w, np.eye(7) / 4, atol=1e-6)
