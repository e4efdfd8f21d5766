"""Two layers in opposite directions are their sum, with one skip, and see everything."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.attention import causal_attention
from sigprop.layers.base import count_parameters, parameters, stepwise
from sigprop.layers.blur import blur
from sigprop.layers.dense import nonlinear_rnn
from sigprop.layers.gru import gru
from sigprop.layers.lru import lru
from sigprop.layers.lstm import lstm
from sigprop.layers.s4 import s4
from sigprop.layers.s4d import s4d
from sigprop.layers.two_way import TwoWay, bgru, bidirectional_s4, blstm, brnn, two_way
from sigprop.numerics.precision import double_precision
from tests.sigprop.layers.helpers import (
    gap,
    inputs,
    require_slopes,
    run,
    slopes_of,
    states_of,
    wide,
    with_value,
)

TIMES = (2.0, 20.0)
N, D_IN, D_OUT, LENGTH = 5, 3, 2, 13
FIRST, SECOND = jax.random.split(jax.random.key(7))
x64 = pytest.mark.usefixtures("x64")

# Layers that fit into one direction: with a matrix D, with a vector D, without D.
HALVES = {
    "tanh": lambda key: nonlinear_rnn(N, D_IN, key=key, d_out=D_OUT),
    "lstm": lambda key: lstm(N, D_IN, key=key, d_out=D_OUT, times=TIMES),
    "lru": lambda key: lru(N, D_IN, key=key, r_min=0.4, r_max=0.95),
    "s4d": lambda key: s4d(2, D_IN, key=key),
    "attention": lambda key: causal_attention(
        4, 4, key=key, heads=2, max_length=LENGTH
    ),
}
BASELINES = {
    "brnn": lambda key: brnn(N, D_IN, key=key, d_out=D_OUT),
    "blstm": lambda key: blstm(N, D_IN, key=key, d_out=D_OUT, times=TIMES),
}
halves = pytest.mark.parametrize("name", HALVES)
baselines = pytest.mark.parametrize("name", BASELINES)
walk = jax.jit(stepwise)


def pair(name):
    with double_precision(False):
        drawn_halves = [HALVES[name](key) for key in (FIRST, SECOND)]
    return [wide(half) for half in drawn_halves]


def baseline(name):
    with double_precision(False):
        return BASELINES[name](FIRST)


def skip_of(layer, u):
    """``D u``, of layers that have it."""
    D = getattr(layer, "D", jnp.zeros(u.shape[1]))
    return D[None] * u if D.ndim == 1 else u @ D.T


@x64
@halves
@pytest.mark.sampled(keep=["lru", "lstm"])
def test_outputs_are_the_sum_of_both_directions_with_one_skip(name):
    forward, backward = pair(name)
    u = jnp.asarray(inputs(forward))
    ahead, back = walk(forward, u), walk(backward, u[::-1])[::-1]
    outputs = run(two_way(forward, backward), u)
    assert gap(outputs, ahead + back - skip_of(backward, u)) < 1e-12
    # The partners: the other skip, and no reversal, are something else.
    if hasattr(forward, "D"):
        assert gap(outputs, ahead + back - skip_of(forward, u)) > 1e-2
    both_ahead = ahead + walk(backward, u) - skip_of(backward, u)
    assert gap(outputs, both_ahead) > 1e-2


@x64
def test_the_brnn_is_the_loop_of_its_equations():
    built = wide(baseline("brnn"))
    u = inputs(built)
    p = {name: np.asarray(value) for name, value in parameters(built).items()}
    h, g = np.zeros((2, LENGTH + 2, N))
    for t in range(1, LENGTH + 1):
        past, entering = p["forward.A"][0] @ h[t - 1], p["forward.B"] @ u[t - 1]
        h[t] = np.tanh(past + entering)
    for t in range(LENGTH, 0, -1):
        future, entering = p["backward.A"][0] @ g[t + 1], p["backward.B"] @ u[t - 1]
        g[t] = np.tanh(future + entering)
    states = np.concatenate([h, g], 1)[1:-1]
    assert gap(states_of(built, jnp.asarray(u)), states) < 1e-14
    merge = np.concatenate([p["forward.C"], p["backward.C"]], 1)
    truth = states @ merge.T + u @ p["forward.D"].T
    assert gap(run(built, jnp.asarray(u)), truth) < 1e-14


@x64
@halves
def test_reversing_time_exchanges_the_halves(name):
    forward, backward = pair(name)
    if hasattr(forward, "D"):
        backward = with_value(backward, D=forward.D)
    built, swapped = two_way(forward, backward), two_way(backward, forward)
    u = jnp.asarray(inputs(built))
    assert gap(run(built, u), run(swapped, u[::-1])[::-1]) < 1e-14
    left, right = jnp.split(states_of(swapped, u[::-1])[::-1], 2, 1)
    assert gap(states_of(built, u), jnp.concatenate([right, left], 1)) < 1e-14


@x64
@pytest.mark.slow
def test_two_lrus_are_a_blur():
    layer = blur(N, D_IN, key=FIRST, r_min=0.4, r_max=0.95)
    built = two_way(*layer.halves())
    u = jnp.asarray(inputs(layer))
    assert gap(run(built, u), run(layer, u)) < 1e-13
    assert gap(states_of(built, u), states_of(layer, u)) < 1e-13
    np.testing.assert_array_equal(built.eigenvalues(), layer.eigenvalues())
    assert count_parameters(built) == count_parameters(layer)
    assert (built.linear, built.stable, built.causal) == (True, True, False)


@x64
@baselines
@pytest.mark.sampled(1)
def test_every_output_depends_on_every_input(name):
    built = wide(baseline(name))
    u = jnp.asarray(inputs(built, 7))
    jacobian = np.abs(jax.jacrev(lambda u: built(u))(u)).max((1, 3))
    assert jacobian.shape == (7, 7)
    assert jacobian.min() > 1e-6
    # The partner: the forward half alone looks back only.
    jacobian = np.abs(jax.jacrev(lambda u: built.forward(u))(u)).max((1, 3))
    assert (jacobian[~np.tri(7, dtype=bool)] == 0).all()


@x64
@baselines
def test_gradients_are_finite_differences(name):
    built = wide(baseline(name))
    require_slopes(built, jnp.asarray(inputs(built)))


@x64
@baselines
def test_a_batch_is_a_vmap(name):
    built = wide(baseline(name))
    batch = jnp.asarray(np.random.default_rng(2).normal(size=(3, LENGTH, D_IN)))
    truth = jnp.stack([run(built, u) for u in batch])
    assert gap(jax.jit(jax.vmap(built))(batch), truth) < 1e-13


@baselines
def test_single_precision_is_double_precision_up_to_rounding(name):
    single = baseline(name)
    u = inputs(single, 100)
    outputs = run(single, jnp.asarray(u, jnp.float32))
    assert outputs.dtype == jnp.float32
    with double_precision(True):
        assert gap(outputs, run(wide(single), jnp.asarray(u))) < 3e-5


@x64
@baselines
def test_lengths_zero_and_one_work(name):
    built = wide(baseline(name))
    nothing = jnp.zeros((0, D_IN))
    assert run(built, nothing).shape == (0, D_OUT)
    assert not any(leaf.any() for leaf in jax.tree.leaves(slopes_of(built, nothing)))
    ones = jnp.ones((1, D_IN))
    forward, backward = built.halves()
    truth = stepwise(forward, ones) + stepwise(backward, ones)
    assert gap(run(built, ones), truth) < 1e-14


@baselines
def test_parameters_are_those_of_the_formula(name):
    built = baseline(name)
    gates, parts = (1, 1) if name == "brnn" else (4, 2)
    biases = 0 if name == "brnn" else 4 * N
    half = gates * (N * N + N * D_IN) + biases + N * D_OUT
    assert count_parameters(built) == 2 * half + D_IN * D_OUT
    groups = built.groups()
    assert set(groups) == set(parameters(built))
    assert "backward.D" not in groups
    assert groups.pop("forward.D") == "readout"
    for field, group in built.backward.groups().items():
        if field != "D":
            assert groups.pop(f"forward.{field}") == group
            assert groups.pop(f"backward.{field}") == group
    assert not groups
    assert built.widths == (D_IN, D_OUT)
    assert built.state_size == 2 * parts * N
    assert (built.linear, built.stable, built.causal) == (False, False, False)
    assert [len(zero) for zero in built.initial_state()] == [parts * N, parts * N]


@pytest.mark.parametrize("build", [brnn, blstm])
def test_the_merge_has_the_fan_in_of_both_states(build):
    built = build(
        200, 3, key=FIRST, d_out=125, **({"times": TIMES} if build is blstm else {})
    )
    for half in (built.forward, built.backward):
        # Five standard errors of a mean of 25 000 squares, normal or less spread: 0.045.
        assert abs((half.C**2).mean() * 400 - 1) < 0.045
    assert np.abs(built.forward.C - built.backward.C).max() > 0.05


DRAWN = {
    "gru": (
        lambda n, d_in, d_out, key: bgru(n, d_in, key=key, d_out=d_out, times=TIMES),
        lambda n, d_in, d_out, key: gru(n, d_in, key=key, d_out=d_out, times=TIMES),
        ("C",),
    ),
    "s4": (
        lambda n, d_in, d_out, key: bidirectional_s4(
            n, d_in, key=key, d_out=d_out, nu0=0.5, theta0=2.0
        ),
        lambda n, d_in, d_out, key: s4(
            n, d_in, key=key, d_out=d_out, nu0=0.5, theta0=2.0
        ),
        ("C_re", "C_im"),
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_both_halves_are_of_their_kind_with_half_the_variance_of_c(name):
    build, half, readouts = DRAWN[name]
    built = build(N, D_IN, D_OUT, FIRST)
    for key, layer_half in zip(jax.random.split(FIRST), built.halves(), strict=True):
        truth = parameters(half(N, D_IN, D_OUT, key))
        for part, value in parameters(layer_half).items():
            share = np.sqrt(0.5) if part in readouts else 1
            if part != "D":
                np.testing.assert_allclose(value, share * truth[part], rtol=1e-6)


def test_activations_reach_both_halves():
    built = brnn(N, D_IN, key=FIRST, d_out=D_OUT, activation="relu")
    states = states_of(built, jnp.asarray(inputs(built), jnp.float32))
    assert states.min() == 0
    assert (states > 0).any(0).sum() > N


def test_eigenvalues_are_those_of_the_halves_where_they_have_some():
    assert baseline("blstm").eigenvalues() is None
    built = baseline("brnn")
    halves = np.split(np.asarray(built.eigenvalues()), 2)
    for eigenvalues, name in zip(halves, ("forward.A", "backward.A"), strict=True):
        truth = np.linalg.eigvals(np.asarray(parameters(built)[name][0]))
        assert gap(np.sort_complex(eigenvalues), np.sort_complex(truth)) < 1e-5


def test_there_is_no_step():
    built = baseline("brnn")
    message = (
        "need the whole sequence: an output of TwoWay depends on the inputs after it, "
        "so there is no step; call the layer on all inputs"
    )
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        built.step(built.initial_state(), jnp.zeros(D_IN))


def test_inputs_of_a_wrong_width_are_refused():
    message = "need inputs of shape (time, 3), got (5, 4); use jax.vmap over a batch"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        baseline("blstm")(jnp.zeros((5, 4)))


def test_errors_say_what_is_needed():
    tanh, narrow = HALVES["tanh"](FIRST), nonlinear_rnn(N, D_IN, key=SECOND, d_out=1)
    cases = [
        (
            lambda: two_way(tanh, TwoWay(tanh, tanh)),
            "need two causal layers, got NonlinearRNN and TwoWay",
        ),
        (
            lambda: two_way(tanh, HALVES["lstm"](SECOND)),
            "need two layers of one kind, got NonlinearRNN and LSTM",
        ),
        (
            lambda: two_way(tanh, narrow),
            "need two layers of the same widths, got (d_in, d_out) of (3, 2) and (3, 1)",
        ),
        (
            lambda: brnn(0, 3, key=FIRST, d_out=2),
            "need state_size >= 1, got state_size=0",
        ),
        (
            lambda: brnn(3, 3, key=FIRST, d_out=2, activation="sigmoid"),
            "need activation in ('identity', 'tanh', 'relu'), got 'sigmoid'",
        ),
        (
            lambda: nonlinear_rnn(3, 3, key=FIRST, d_out=2, skip="vector"),
            "need skip of matrix, or of vector with as many outputs as inputs, got "
            "'vector', 3 inputs and 2 outputs",
        ),
        (
            lambda: nonlinear_rnn(3, 3, key=FIRST, d_out=2, radius=0.0),
            "need radius in (0, 1e+18], got 0.0",
        ),
        (
            lambda: blstm(3, 0, key=FIRST, d_out=2, times=TIMES),
            "need width >= 1, got width=0",
        ),
        (
            lambda: blstm(3, 3, key=FIRST, d_out=2, times=(2.0, 1.0)),
            "need 0 < T_min <= T_max <= 1e+18, got times=(2.0, 1.0)",
        ),
    ]
    for call, message in cases:
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            call()
