"""Attention is its softmax by hand, looks back only, and steps as it runs."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.attention import CausalAttention, causal_attention, rotary
from sigprop.layers.base import count_parameters, parameters, stepwise
from sigprop.numerics.precision import double_precision
from tests.sigprop.layers.helpers import (
    both_ways,
    gap,
    inputs,
    require_slopes,
    run,
    slopes_of,
    states_of,
    wide,
    with_value,
)

KEY = jax.random.key(6)
WIDTH, HEADS, LENGTH, ROOM = 12, 3, 13, 20
x64 = pytest.mark.usefixtures("x64")


def layer(max_length=ROOM):
    with double_precision(False):
        return causal_attention(
            WIDTH, WIDTH, key=KEY, heads=HEADS, max_length=max_length
        )


def by_hand(built, u, turn=True, causal=True):
    """Vaswani et al. with Su et al.'s positions: loops, and pairs as complex numbers."""
    w_q, w_k, w_v, w_o = (np.asarray(w) for w in parameters(built).values())
    size = WIDTH // HEADS
    speeds = 10_000 ** (-2 * np.arange(size // 2) / size) * turn
    y = np.zeros(u.shape)
    for t in range(len(u)):
        heads = []
        for head in np.split(np.arange(WIDTH), HEADS):
            visible = range(t + 1 if causal else len(u))
            q = (w_q[head] @ u[t]).reshape(-1, 2) @ [1, 1j] * np.exp(1j * t * speeds)
            scores = []
            for s in visible:
                k = (w_k[head] @ u[s]).reshape(-1, 2) @ [1, 1j]
                scores.append(np.vdot(k * np.exp(1j * s * speeds), q).real)
            weights = np.exp(np.array(scores) / np.sqrt(size))
            values = np.array([w_v[head] @ u[s] for s in visible])
            heads.append(weights @ values / weights.sum())
        y[t] = w_o @ np.concatenate(heads)
    return y


@x64
def test_outputs_are_the_softmax_by_hand():
    built = wide(layer())
    u = inputs(built)
    outputs = run(built, jnp.asarray(u))
    assert gap(outputs, by_hand(built, u)) < 1e-13
    # The partners: without positions, and with the future, it is something else.
    assert gap(outputs, by_hand(built, u, turn=False)) > 0.05
    assert gap(outputs, by_hand(built, u, causal=False)) > 0.05


@pytest.mark.slow
def test_outputs_are_those_of_jax_in_single_precision():
    built = layer()
    u = jnp.asarray(inputs(built), jnp.float32)
    q, k, v = (
        (u @ w.T).reshape(LENGTH, HEADS, -1) for w in (built.W_q, built.W_k, built.W_v)
    )
    now = jnp.arange(LENGTH)
    q, k = rotary(q, now), rotary(k, now)
    mixed = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    truth = mixed.reshape(u.shape) @ built.W_o.T
    assert gap(run(built, u), truth) < 2e-6


@x64
def test_without_a_preference_the_past_is_averaged():
    built = with_value(wide(layer()), W_q=jnp.zeros((WIDTH, WIDTH)))
    u = inputs(built)
    mean = np.cumsum(u, 0) / np.arange(1, LENGTH + 1)[:, None]
    truth = mean @ np.asarray(built.W_v).T @ np.asarray(built.W_o).T
    assert gap(run(built, jnp.asarray(u)), truth) < 1e-13


@x64
def test_scores_depend_on_the_distance_alone():
    q, k = np.random.default_rng(0).normal(size=(2, 8))

    def scores(late, early):
        turned = [
            rotary(jnp.tile(x, (len(at), 1))[:, None], jnp.asarray(at))[:, 0]
            for x, at in ((q, late), (k, early))
        ]
        return np.einsum("ts,ts->t", *turned)

    early = np.array([0, 1, 7, 400, 9000])
    products = scores(early + 5, early)
    np.testing.assert_allclose(products, products[0], rtol=1e-10)
    distances = np.arange(6)
    assert np.abs(np.diff(scores(distances, 0 * distances))).min() > 1e-3


@x64
def test_positions_turn_pairs_at_their_own_speeds():
    x = jnp.tile(jnp.array([1.0, 0, 1, 0, 1, 0]), (2, 1, 1))
    turned = np.asarray(rotary(x, jnp.array([0, 3]))).reshape(2, 3, 2)
    angles = np.arctan2(turned[..., 1], turned[..., 0])
    speeds = 3 * np.array([1, 10_000 ** (-1 / 3), 10_000 ** (-2 / 3)])
    np.testing.assert_allclose(angles, [np.zeros(3), speeds], atol=1e-15)
    np.testing.assert_allclose(np.hypot(*turned.T), 1, rtol=1e-15)


@pytest.mark.parametrize("room", [LENGTH, ROOM])
def test_whole_sequences_are_their_steps(room):
    built = layer(room)
    u = jnp.asarray(inputs(built), jnp.float32)
    assert gap(*both_ways(built, u)) < 2e-6


@x64
def test_steps_keep_the_states_and_count_them():
    built = wide(layer())
    u = jnp.asarray(inputs(built))
    (rows, count), _ = jax.lax.scan(
        lambda state, token: built.step(state, token), built.initial_state(), u
    )
    assert count == LENGTH
    assert gap(rows[:LENGTH], states_of(built, u)) < 1e-14
    assert not rows[LENGTH:].any()


@x64
def test_each_output_depends_on_its_whole_past_and_nothing_else():
    built = wide(layer())
    u = jnp.asarray(inputs(built))
    jacobian = np.abs(jax.jacrev(lambda u: built(u))(u)).max((1, 3))
    past = np.tri(LENGTH, dtype=bool)
    assert jacobian[past].min() > 1e-6
    assert jacobian[~past].max() == 0


@x64
def test_gradients_are_finite_differences():
    built = wide(layer())
    require_slopes(built, jnp.asarray(inputs(built)))


@x64
def test_a_batch_is_a_vmap():
    built = wide(layer())
    batch = jnp.asarray(np.random.default_rng(2).normal(size=(3, LENGTH, WIDTH)))
    truth = jnp.stack([run(built, u) for u in batch])
    assert gap(jax.jit(jax.vmap(built))(batch), truth) < 1e-13
    assert gap(jax.vmap(lambda u: stepwise(built, u))(batch), truth) < 1e-12


def test_single_precision_is_double_precision_up_to_rounding():
    single = layer(200)
    u = inputs(single, 200)
    outputs = run(single, jnp.asarray(u, jnp.float32))
    assert outputs.dtype == jnp.float32
    with double_precision(True):
        assert gap(outputs, run(wide(single), jnp.asarray(u))) < 3e-5


def test_large_scores_choose_one_value_and_do_not_overflow():
    built = layer()
    u = jnp.asarray(2.0**20 * inputs(built), jnp.float32)
    once, twice = run(built, u), run(built, 2 * u)
    # What chooses the same values is homogeneous; what weighs them is not.
    np.testing.assert_array_equal(twice, 2 * once)
    small = u * 2.0**-20
    assert gap(run(built, 2 * small), 2 * run(built, small)) > 0.05
    gradients = parameters(slopes_of(built, u)).values()
    assert all(np.isfinite(gradient).all() for gradient in gradients)


@x64
def test_lengths_zero_and_one_work():
    built = wide(layer())
    nothing = jnp.zeros((0, WIDTH))
    assert run(built, nothing).shape == (0, WIDTH)
    assert not any(leaf.any() for leaf in jax.tree.leaves(slopes_of(built, nothing)))
    ones = jnp.ones((1, WIDTH))
    assert gap(run(built, ones), ones @ built.W_v.T @ built.W_o.T) < 1e-14


def test_longer_sequences_than_there_is_room_for_are_refused():
    built, u = layer(4), jnp.ones((5, WIDTH))
    message = (
        "need at most max_length=4 inputs, got 5; build the layer with a larger "
        "max_length"
    )
    for call in (built, built.states):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            call(u)
    assert np.isfinite(stepwise(built, u[:4])).all()
    message = "need at most max_length=4 steps, got one more"
    state = built.initial_state()
    for _ in range(4):
        state, _ = built.step(state, u[0])
    with pytest.raises(RuntimeError, match=message):
        built.step(state, u[0])


def test_inputs_of_a_wrong_width_are_refused():
    message = "need inputs of shape (time, 12), got (5, 13); use jax.vmap over a batch"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        layer()(jnp.zeros((5, WIDTH + 1)))


def test_the_layer_says_what_it_is():
    built = layer()
    assert (CausalAttention.linear, CausalAttention.causal) == (False, True)
    assert built.eigenvalues() is None
    assert built.widths == (WIDTH, WIDTH)
    assert built.state_size == states_of(built, jnp.ones((3, WIDTH))).shape[1] == 24
    assert count_parameters(built) == 4 * WIDTH**2
    groups = {"W_q": "input", "W_k": "input", "W_v": "input", "W_o": "readout"}
    assert built.groups() == groups
    assert list(parameters(built)) == list(groups)


def test_draws_keep_the_size_of_their_inputs():
    built = causal_attention(160, 160, key=KEY, heads=5, max_length=3)
    weights = np.stack(list(parameters(built).values()))
    # Five standard errors of a mean of 25 600 squares, normal or less spread: 0.044.
    np.testing.assert_allclose((weights**2).mean((1, 2)) * 160, 1, atol=0.045)
    apart = weights[:, None] - weights[None]
    assert (np.abs(apart).max((2, 3)) > 0.1).sum() == 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"width": 0}, "need width >= 1, got width=0"),
        ({"heads": 0}, "need heads >= 1, got heads=0"),
        ({"max_length": 0}, "need max_length >= 1, got max_length=0"),
        ({"heads": 5}, "need width a multiple of heads, got width=12, heads=5"),
        (
            {"heads": 4},
            "need an even head size, got 3 (width=12, heads=4): positions turn pairs "
            "of numbers",
        ),
    ],
)
def test_errors_say_what_is_needed(arguments, message):
    arguments = {
        "state_size": WIDTH,
        "width": WIDTH,
        "heads": HEADS,
        "max_length": ROOM,
    } | arguments
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        causal_attention(**arguments, key=KEY)
