"""Two towers: what the head sees, and that both documents are one batch."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.nn import gelu

from sigprop.networks import TwoTowers, over_batch
from sigprop.networks.retrieval import compare
from tests.sigprop.networks.small import (
    apply,
    close,
    in_batch,
    network,
    noise,
    shaken,
    weighted,
)


def towers(**changes):
    model, state = network(encoder="embedding", inputs=9, head="pair", **changes)
    return shaken(model), state


def tokens(*shape, seed=0):
    return jax.random.randint(jax.random.key(seed), shape, 0, 9)


def test_swapping_the_documents_changes_the_sign_of_the_difference_alone():
    first, second = noise(4), noise(4, seed=1)
    here, there = compare(first, second), compare(second, first)
    np.testing.assert_array_equal(here[8:12], -there[8:12])
    np.testing.assert_array_equal(here[12:], there[12:])
    np.testing.assert_array_equal(here[:8], jnp.roll(there[:8], 4))
    assert (np.asarray(compare(first, first)[8:12]) == 0).all()


def test_the_head_compares_what_one_network_finds_in_each(x64):
    model, state = towers()
    assert isinstance(model, TwoTowers)
    pair, lengths = tokens(2, 6), jnp.array([6, 3])
    x1, _ = apply(model.tower, pair[0], state)
    x2, _ = apply(model.tower, pair[1, :3], state)
    hidden, out = model.head.layers
    comparison = jnp.concatenate([x1, x2, x1 - x2, x1 * x2])
    expected = out.weight @ gelu(hidden.weight @ comparison + hidden.bias) + out.bias
    close(apply(model, pair, state, length=lengths)[0], expected)
    assert hidden.weight.shape == (4, 16)


def test_both_documents_of_all_pairs_are_one_batch(x64):
    model, state = towers(norm="batch")
    pairs = tokens(3, 2, 5)
    _, after = in_batch(model, state, pairs)
    x = np.asarray(model.tower.encoder.weight)[np.asarray(pairs)].reshape(-1, 4)
    mean, variance, batches = after.get(model.tower.blocks[0].norm.statistics)
    close(mean, x.mean(0))
    close(variance, x.var(0))
    assert batches == 1


def test_pairs_train_with_padding_and_dropout(x64):
    model, state = towers(norm="batch", dropout=0.2)
    lengths = jnp.array([[5, 2], [1, 4], [3, 3]])

    @eqx.filter_jit
    @eqx.filter_value_and_grad
    def loss(model, pairs):
        y, _ = over_batch(model, state, pairs, lengths=lengths, key=jax.random.key(1))
        return weighted(y)

    pairs = tokens(3, 2, 5)
    value, gradient = loss(model, pairs)
    valid = jnp.arange(5)[None, None] < lengths[..., None]
    other, _ = loss(model, jnp.where(valid, pairs, -5))
    close(other, value)
    assert all(float(jnp.abs(g).max()) > 1e-9 for g in jax.tree.leaves(gradient))


def test_a_pair_in_inference_is_a_pair_of_the_batch(x64):
    model, state = towers(norm="batch")
    pairs = tokens(3, 2, 5)
    _, state = in_batch(model, state, pairs)
    resting = eqx.nn.inference_mode(model)
    y, _ = in_batch(resting, state, pairs)
    close(y[1], apply(resting, pairs[1], state)[0])


def test_bad_pairs_are_refused(x64):
    model, state = towers()
    with pytest.raises(ValueError, match=r"need tokens 0 ... 8, got 0 ... 12"):
        over_batch(model, state, jnp.array([[[0, 1], [2, 12]]]))
    with pytest.raises(ValueError, match=r"need lengths \(1, 2\), got \(1,\)"):
        over_batch(model, state, tokens(1, 2, 5), lengths=jnp.array([3]))
    with pytest.raises(ValueError, match="need integer tokens"):
        over_batch(model, state, tokens(3, 5))
