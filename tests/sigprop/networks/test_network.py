"""The whole network: shapes, padding, pooling, one step at a time, gradients."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.networks import SEQUENCE_LAYERS, build, over_batch, sequence_layer
from tests.sigprop.networks.small import (
    OPTIONS,
    apply,
    close,
    config,
    in_batch,
    network,
    noise,
    shaken,
    trees_close,
    weighted,
)

TWO_WAY = {
    "bidirectional_lru",
    "brnn",
    "blstm",
    "bgru",
    "bidirectional_s4",
    "bidirectional_rotrnn",
    "released_bidirectional_rotrnn",
    "blur",
}
CAUSAL = [name for name in SEQUENCE_LAYERS if name not in TWO_WAY]


def trained(layer="lru", **changes):
    """A network in inference, with averages as training might leave them."""
    model, state = network(layer, norm="batch", **changes)
    model = eqx.nn.inference_mode(shaken(model))
    for seed, block in enumerate(model.blocks):
        averages = noise(4, seed=seed), 1 + noise(4, seed=seed) ** 2, jnp.int32(1)
        state = state.set(block.norm.statistics, averages)
    return model, state


def test_two_way_layers_say_so():
    for name in SEQUENCE_LAYERS:
        draw = partial(sequence_layer, name=name, state_size=4, width=4)
        options = OPTIONS.get(name, {})
        by_numpy = name in ("linear_rnn", "block_rnn", "s5")  # which has to see numbers
        layer = (draw if by_numpy else partial(eqx.filter_eval_shape, draw))(
            key=jax.random.key(0), **options
        )
        assert layer.causal == (name not in TWO_WAY)


@pytest.mark.parametrize("pooling", ["mean", "last", "none"])
@pytest.mark.parametrize("encoder", ["linear", "embedding"])
def test_outputs_have_the_shape_that_the_pooling_gives(pooling, encoder):
    model, state = network(pooling=pooling, encoder=encoder)
    u = jnp.arange(5) % 3 if encoder == "embedding" else noise(5, 3)
    y, _ = apply(model, u, state)
    assert y.shape == ((5, 2) if pooling == "none" else (2,))
    batch = jnp.stack([u, u[::-1]])
    many, _ = in_batch(model, state, batch)
    np.testing.assert_allclose(many[0], y, rtol=1e-5, atol=1e-6)
    assert many.shape == (2, *y.shape)


def test_pooling_is_the_mean_or_the_last_of_what_is_not_pooled(x64):
    u, length = noise(7, 3), 4
    rows = features("none", u, length)
    close(features("mean", u, length), rows[:length].mean(0))
    close(features("last", u, length), rows[length - 1])
    close(features("last", u), features("none", u)[-1])


def features(pooling, u, length=None):
    model, state = network(pooling=pooling)
    return np.asarray(eqx.filter_jit(model.features)(u, state, length=length)[0])


def test_without_pooling_outputs_are_zero_in_the_padding(x64):
    model, state = network(pooling="none")
    y, _ = apply(model, noise(7, 3), state, length=4)
    assert (np.asarray(y[4:]) == 0).all()
    assert (np.asarray(y[:4]) != 0).all()


def test_an_embedding_is_the_linear_encoder_of_one_hot_vectors(x64):
    model, state = network(encoder="embedding")
    tokens = jnp.array([2, 0, 1, 1])
    linear = eqx.nn.Linear(3, 4, key=jax.random.key(0))
    linear = eqx.tree_at(
        lambda encoder: [encoder.weight, encoder.bias],
        linear,
        [model.encoder.weight.T, jnp.zeros(4)],
    )
    plain, other = network()
    plain = eqx.tree_at(
        lambda n: [n.encoder, n.blocks, n.decoder],
        plain,
        [linear, model.blocks, model.decoder],
    )
    close(apply(model, tokens, state)[0], apply(plain, jnp.eye(3)[tokens], other)[0])


# Layers at rest in zeros, with biases, that look back or both ways, linear and not.
PADDED = [
    "lru",
    "gru",
    "attention",
    "bidirectional_lru",
    "blur",
    "brnn",
    "blstm",
    "bgru",
]


@pytest.mark.parametrize("name", PADDED)
@pytest.mark.sampled(keep=["lru", "attention", "bidirectional_lru", "blstm"])
def test_padding_changes_nothing(name, x64):
    model, state = trained(name, pooling="none", depth=2)
    u = noise(6, 3)
    alone = apply(model, u, state)[0]
    padded = eqx.filter_jit(lambda model, u, length: model(u, state, length=length)[0])
    for garbage in (9.0, jnp.nan):
        filled = jnp.concatenate([u, jnp.full((3, 3), garbage)])
        close(padded(model, filled, jnp.array(6))[:6], alone)


@pytest.mark.parametrize("name", ["lru", "bidirectional_lru", "blstm"])
@pytest.mark.sampled(keep=["bidirectional_lru"])
def test_padding_changes_neither_values_nor_gradients_in_training(name, x64):
    model, state = network(name, norm="batch", pooling="mean", depth=2)
    u, lengths = noise(3, 5, 3), jnp.array([5, 2, 4])
    valid = np.arange(5) < np.asarray(lengths)[:, None]

    @eqx.filter_jit
    @eqx.filter_value_and_grad(has_aux=True)
    def loss(model, u):
        y, after = over_batch(model, state, u, lengths=lengths)
        return weighted(y), after

    clean = jnp.where(valid[:, :, None], u, 0)
    (value, after), gradient = loss(model, clean)
    filled = jnp.where(valid[:, :, None], u, jnp.nan)
    longer = jnp.concatenate([filled, jnp.full((3, 4, 3), 1e6)], 1)
    (other, its_after), its_gradient = loss(model, longer)
    close(other, value)
    trees_close(its_gradient, gradient, 1e-8)
    trees_close(its_after, after)


def test_tokens_in_the_padding_may_be_anything(x64):
    model, state = network(encoder="embedding")
    y, _ = model(jnp.array([2, 1, -7, 99]), state, length=2)
    close(y, apply(model, jnp.array([2, 1]), state)[0])


@pytest.mark.parametrize(
    ("name", "pooling"), [*((name, "none") for name in CAUSAL), ("lru", "mean")]
)
@pytest.mark.sampled(
    6, keep=["lru-mean", "s5-none", "gru-none", "rotrnn-none", "attention-none"]
)
def test_one_step_at_a_time_gives_what_the_whole_sequence_gives(name, pooling, x64):
    model, state = trained(name, pooling=pooling, depth=2)
    u = noise(7, 3)

    @eqx.filter_jit
    def stream(model, u):
        def body(stream, u_t):
            return model.step(stream, u_t, state)

        return jax.lax.scan(body, model.initial_states(), u)[1]

    @eqx.filter_jit
    def from_sequences(model, u):
        if pooling == "none":
            return model(u, state)[0]
        return jnp.stack([model(u[: t + 1], state)[0] for t in range(len(u))])

    close(stream(model, u), from_sequences(model, u), 1e-9)


def test_the_last_step_and_tokens_stream_too(x64):
    model, state = trained(encoder="embedding", pooling="last")
    tokens = jnp.array([0, 2, 2, 1])
    stream, step = model.initial_states(), eqx.filter_jit(model.step)
    for t, token in enumerate(tokens):
        stream, y = step(stream, token, state)
        close(y, apply(model, tokens[: t + 1], state)[0])


def test_a_network_that_trains_or_looks_ahead_has_no_step():
    model, state = network(norm="batch")
    with pytest.raises(ValueError, match="need inference mode"):
        model.step(model.initial_states(), jnp.ones(3), state)
    model, state = network(dropout=0.1)
    with pytest.raises(ValueError, match="need inference mode"):
        model.step(model.initial_states(), jnp.ones(3), state)
    model, state = network("blur")
    assert not model.causal
    assert network()[0].causal
    with pytest.raises(TypeError, match="need the whole sequence"):
        model.step(model.initial_states(), jnp.ones(3), state)
    with pytest.raises(ValueError, match="need real inputs of shape"):
        network()[0].step(network()[0].initial_states(), jnp.ones(4), state)


@pytest.mark.parametrize("name", ["lru", "s5", "rotrnn", "gru", "blur", "attention"])
@pytest.mark.sampled(keep=["lru", "gru", "attention"])
def test_every_parameter_has_a_gradient(name, x64):
    model, state = network(name, norm="batch", mixing_norm=True, skip="linear")
    model = shaken(model)

    @eqx.filter_jit
    @eqx.filter_grad
    def gradient(model, u):
        return weighted(over_batch(model, state, u)[0])

    for path, leaf in jax.tree_util.tree_leaves_with_path(
        gradient(model, noise(3, 6, 3))
    ):
        assert np.isfinite(np.asarray(leaf)).all(), path
        assert float(jnp.abs(leaf).max()) > 1e-9, jax.tree_util.keystr(path)


def test_the_gradient_is_a_finite_difference_through_the_batch(x64):
    model, state = network(norm="batch")
    model = shaken(model)
    u, lengths = noise(3, 6, 3), jnp.array([6, 2, 5])
    weights, rest = eqx.partition(model, eqx.is_inexact_array)
    along = jax.tree.map(lambda leaf: noise(*leaf.shape, seed=leaf.size), weights)

    @jax.jit
    def loss(step):
        moved = jax.tree.map(lambda w, d: w + step * d, weights, along)
        return weighted(
            over_batch(eqx.combine(moved, rest), state, u, lengths=lengths)[0]
        )

    derivative = (loss(1e-5) - loss(-1e-5)) / 2e-5
    close(jax.grad(loss)(0.0), derivative, 1e-6)


def test_a_batch_is_each_sequence_by_itself_in_inference(x64):
    model, state = trained()
    u, lengths = noise(4, 6, 3), jnp.array([6, 1, 3, 5])
    y, _ = in_batch(model, state, u, lengths=lengths)
    for i, length in enumerate(lengths):
        close(y[i], apply(model, u[i, :length], state)[0])


def test_norm_kinds_and_depth_are_those_of_the_configuration():
    model, _ = network(depth=3, norm="layer", mixing_norm=True)
    assert len(model.blocks) == 3
    assert all(type(b.mixing_norm) is eqx.nn.LayerNorm for b in model.blocks)
    assert float(jnp.abs(model.blocks[0].layer.D - model.blocks[1].layer.D).min()) > 0


def test_lengths_zero_and_one_work_where_they_mean_something():
    model, state = network(pooling="none")
    assert apply(model, jnp.ones((0, 3)), state)[0].shape == (0, 2)
    assert apply(model, jnp.ones((1, 3)), state)[0].shape == (1, 2)
    assert (np.asarray(apply(model, jnp.ones((2, 3)), state, length=0)[0]) == 0).all()
    assert apply(network()[0], jnp.ones((1, 3)), state)[0].shape == (2,)


@pytest.mark.parametrize(
    ("changes", "u", "arguments", "message"),
    [
        (
            {},
            jnp.ones((4, 2)),
            {},
            r"need real inputs of shape \(time, 3\), got float32",
        ),
        ({}, jnp.ones((2, 4, 3)), {}, "for a batch call sigprop.networks.over_batch"),
        ({}, jnp.ones((4, 3), int), {}, r"need real inputs .*got int32"),
        ({"encoder": "embedding"}, jnp.ones((4, 3)), {}, "need integer tokens"),
        (
            {"encoder": "embedding"},
            jnp.array([0, 3]),
            {},
            r"tokens 0 ... 2, got 0 ... 3",
        ),
        (
            {"encoder": "embedding"},
            jnp.array([0, -1]),
            {},
            r"need tokens 0 ... 2, got -1",
        ),
        ({}, jnp.ones((0, 3)), {}, "need a step to take the mean of"),
        ({}, jnp.ones((4, 3)), {"length": 5}, "need 1 <= length <= 4, got 5"),
        ({}, jnp.ones((4, 3)), {"length": 0}, "need 1 <= length <= 4, got 0"),
        ({"pooling": "none"}, jnp.ones((4, 3)), {"length": -1}, "need 0 <= length"),
        ({"dropout": 0.1}, jnp.ones((4, 3)), {}, "need key for dropout"),
    ],
)
def test_bad_inputs_are_refused(changes, u, arguments, message):
    model, state = network(**changes)
    with pytest.raises(ValueError, match=message):
        model(u, state, **arguments)


@pytest.mark.parametrize(
    ("u", "lengths", "message"),
    [
        (jnp.ones((2, 4), int), [4, 5], "need 1 <= length <= 4, got 4 ... 5"),
        (jnp.ones((2, 4), int), [4, 4, 4], r"need lengths \(2,\), got \(3,\)"),
        (jnp.array([[0, 1, 9], [0, 9, 9]]), [2, 2], "need tokens 0 ... 2, got 0 ... 9"),
        (jnp.ones(4, int), None, "need integer tokens of shape"),
    ],
)
def test_bad_batches_are_refused(u, lengths, message):
    model, state = network(encoder="embedding")
    lengths = None if lengths is None else jnp.array(lengths)
    with pytest.raises(ValueError, match=message):
        over_batch(model, state, u, lengths=lengths)


def test_a_traced_token_out_of_the_vocabulary_makes_nans():
    model, state = network(encoder="embedding")
    run = eqx.filter_jit(lambda model, tokens: model(tokens, state)[0])
    assert np.isnan(run(model, jnp.array([0, 3]))).all()
    assert np.isnan(run(model, jnp.array([0, -1]))).all()
    assert np.isfinite(run(model, jnp.array([0, 2]))).all()


def test_what_a_layer_refuses_is_refused_when_the_network_is_built():
    with pytest.raises(ValueError, match="need an even head size"):
        build(config("rotrnn", state_size=5), key=jax.random.key(0))
    with pytest.raises(ValueError, match="need state_size a multiple of heads"):
        build(config("rotrnn", layer_options={"heads": 3}), key=jax.random.key(0))
