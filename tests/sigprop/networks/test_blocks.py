"""Norms, gates, dropout and skips, each against its formula."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.nn import gelu

from sigprop.networks import over_batch
from sigprop.networks.blocks import build_block
from sigprop.networks.masking import apply_layer, clear_padding, reverse_valid
from sigprop.networks.normalisation import EPSILON, MOMENTUM, BatchNorm
from sigprop.networks.registry import sequence_layer
from tests.sigprop.networks.small import OPTIONS, close, config, network, noise, shaken

KEY = jax.random.key(2)


def block(**changes):
    """A block and the state of its norms, with parameters at no special values."""
    make = eqx.nn.make_with_state(
        lambda: build_block(KEY, config(**changes), ("batch",))
    )
    model, state = make()
    return shaken(model), state


def sigmoid(a):
    return 1 / (1 + jnp.exp(-a))


def affine(linear, x):
    return x @ linear.weight.T + linear.bias[None]


@pytest.mark.parametrize("kind", ["glu", "half_glu"])
def test_the_gated_unit_is_its_formula(kind, x64):
    model, state = block(mixing=kind)
    x = noise(6, 4)
    g = gelu(model.layer(x))
    value = affine(model.mixing.value, g) if kind == "glu" else g
    y, _ = model(x, state)
    close(y, x + value * sigmoid(affine(model.mixing.gate, g)))


def test_the_mlp_with_its_linear_skip_is_blurs_equation_13(x64):
    model, state = block(layer="blur", mixing="mlp", skip="linear")
    x = noise(6, 4)
    first, second = model.mixing.layers
    z = affine(second, gelu(affine(first, model.layer(x))))
    y, _ = model(x, state)
    close(y, z + x @ model.skip.weight.T)


def test_layers_without_mixing_are_added_to_what_enters(x64):
    model, state = block(mixing="none")
    x = noise(6, 4)
    close(model(x, state)[0], x + model.layer(x))


def test_a_normalisation_comes_before_the_layer_and_one_before_the_gate(x64):
    model, state = block(mixing="half_glu", norm="layer", mixing_norm=True)
    x = noise(6, 4)

    def layer_norm(norm, x):
        centred = x - x.mean(-1, keepdims=True)
        unit = centred / jnp.sqrt(jnp.var(x, -1, keepdims=True) + 1e-5)
        return unit * norm.weight[None] + norm.bias[None]

    g = layer_norm(model.mixing_norm, gelu(model.layer(layer_norm(model.norm, x))))
    close(model(x, state)[0], x + g * sigmoid(affine(model.mixing.gate, g)))


@pytest.mark.parametrize("mixing", ["none", "half_glu"])
@pytest.mark.parametrize("norm", ["none", "layer"])
def test_a_block_that_reads_nothing_out_is_the_identity(mixing, norm, x64):
    model, state = block(mixing=mixing, norm=norm)
    silent = eqx.tree_at(
        lambda b: [b.layer.C_re, b.layer.C_im, b.layer.D],
        model,
        replace_fn=jnp.zeros_like,
    )
    x = noise(6, 4)
    np.testing.assert_array_equal(silent(x, state)[0], x)
    assert float(jnp.abs(model(x, state)[0] - x).max()) > 0.1


def train(norm, state, x, lengths=None):
    return jax.vmap(norm, in_axes=(0, None, 0), out_axes=(0, None), axis_name="batch")(
        x, state, lengths
    )


def batch_norm(width=3):
    return eqx.nn.make_with_state(BatchNorm)(width, ("batch",))


def test_training_normalises_over_batch_and_time(x64):
    norm, state = batch_norm()
    x = 3 * noise(5, 7, 3) + 2 * noise(5, 1, 1, seed=1) + noise(1, 7, 1, seed=2)
    y, _ = train(norm, state, x)
    close(y.mean((0, 1)), jnp.zeros(3))
    close(y.var((0, 1)), x.var((0, 1)) / (x.var((0, 1)) + EPSILON))
    assert float(jnp.abs(y.mean(1)).min()) > 1e-3  # not every sequence by itself
    assert float(jnp.abs(y.mean(0)).min()) > 1e-3  # not every step by itself


def test_training_normalises_over_the_valid_steps_alone(x64):
    norm, state = batch_norm()
    x, lengths = noise(3, 6, 3), jnp.array([6, 1, 4])
    valid = np.arange(6) < np.asarray(lengths)[:, None]
    valid_rows = np.asarray(x)[valid]
    y, state = train(norm, state, x, lengths)
    expected = (valid_rows - valid_rows.mean(0)) / np.sqrt(valid_rows.var(0) + EPSILON)
    close(np.asarray(y)[valid], expected)
    mean, variance, batches = state.get(norm.statistics)
    close(mean, valid_rows.mean(0))
    close(variance, valid_rows.var(0))
    assert batches == 1


def test_inference_normalises_by_the_running_averages(x64):
    norm, state = batch_norm()
    norm = eqx.tree_at(lambda n: [n.weight, n.bias], norm, [noise(3), noise(3, seed=1)])
    resting = eqx.nn.inference_mode(norm)
    x = noise(2, 5, 3, seed=3)
    untouched, _ = jax.vmap(resting, in_axes=(0, None, None), out_axes=(0, None))(
        x, state, None
    )
    weight, bias = np.asarray(norm.weight), np.asarray(norm.bias)
    close(untouched, np.asarray(x) / np.sqrt(1 + EPSILON) * weight + bias)
    mean, variance = np.zeros(3), np.ones(3)
    for k in range(1, 31):
        batch = 2 * noise(2, 5, 3, seed=k) + k
        _, state = train(norm, state, batch)
        share = max(1 / k, 1 - MOMENTUM)
        mean = (1 - share) * mean + share * np.asarray(batch).mean((0, 1))
        variance = (1 - share) * variance + share * np.asarray(batch).var((0, 1))
    y, after = resting(x[0], state, None)
    expected = (np.asarray(x[0]) - mean) / np.sqrt(variance + EPSILON)
    close(y, expected * weight + bias)
    assert after is state


def test_one_batch_is_enough_for_inference_to_agree_with_training(x64):
    norm, state = batch_norm()
    x = 5 * noise(4, 9, 3) + 1
    trained, state = train(norm, state, x)
    close(train(eqx.nn.inference_mode(norm), state, x)[0], trained)


def test_training_without_a_batch_is_refused():
    norm, state = batch_norm()
    with pytest.raises(ValueError, match=r"need a batch .*over_batch"):
        norm(noise(5, 3), state, None)


@pytest.mark.slow
def test_dropout_is_random_in_training_and_off_in_inference():
    model, state = network(
        dropout=0.5, pooling="none", depth=1, mixing="none", width=64
    )
    u = noise(6, 3)
    first, _ = model.features(u, state, key=jax.random.key(0))
    repeated, _ = model.features(u, state, key=jax.random.key(0))
    other, _ = model.features(u, state, key=jax.random.key(1))
    np.testing.assert_array_equal(first, repeated)
    assert float(jnp.abs(first - other).max()) > 0.1
    resting = eqx.nn.inference_mode(model)
    plain, _ = resting.features(u, state)
    x = jax.vmap(model.encoder)(u)
    np.testing.assert_allclose(
        plain, x + model.blocks[0].layer(x), rtol=1e-5, atol=1e-5
    )
    dropped = np.asarray(first == x)
    scaled = np.where(dropped, x, x + 2 * (plain - x))
    np.testing.assert_allclose(first, scaled, rtol=1e-5, atol=1e-5)
    assert (dropped == dropped[:1]).all()  # one draw for all steps of a sequence
    # 64 features: outside of this with probability 1e-9 for a rate of one half.
    assert 8 <= dropped[0].sum() <= 56


def test_the_gate_and_the_block_drop_independently():
    """One quarter of 256 features stay, not one half; wrong at a rate of 1e-5."""
    model, state = network(dropout=0.5, width=256, mixing="half_glu", pooling="none")
    u = noise(2, 3)
    y, _ = model.features(u, state, key=jax.random.key(0))
    count = np.asarray(y != jax.vmap(model.encoder)(u)).all(0).sum()
    assert 34 <= count <= 96


def test_sequences_of_a_batch_drop_different_features():
    model, state = network(dropout=0.5, width=64, mixing="none")
    u = jnp.broadcast_to(noise(6, 3), (2, 6, 3))
    y, _ = over_batch(model, state, u, key=jax.random.key(0))
    assert float(jnp.abs(y[0] - y[1]).max()) > 1e-3


def test_reversal_leaves_the_padding_where_it_is():
    x = jnp.arange(5)
    np.testing.assert_array_equal(reverse_valid(x, 3), [2, 1, 0, 3, 4])
    np.testing.assert_array_equal(reverse_valid(x, None), [4, 3, 2, 1, 0])
    np.testing.assert_array_equal(clear_padding(x + 1, 2), [1, 2, 0, 0, 0])


def test_a_two_way_layer_with_biases_would_see_the_padding_as_zeros_too(x64):
    layer = shaken(sequence_layer("blstm", 4, 4, key=KEY, **OPTIONS["blstm"]))
    u, length = noise(9, 4), 5
    alone = layer(u[:length])
    close(apply_layer(layer, u, length)[:length], alone)
    naive = layer(clear_padding(u, length))[:length]
    assert float(jnp.abs(naive - alone).max()) > 1e-2
