"""What tests of single layers share: compiled runs, inputs, altered layers, gradients."""

from operator import attrgetter

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from sigprop.layers.base import parameters, stepwise

run = jax.jit(lambda layer, u: layer(u))
states_of = jax.jit(lambda layer, u: layer.states(u))


@jax.jit
def both_ways(layer, u):
    """Outputs of a whole sequence, and those step by step."""
    return layer(u), stepwise(layer, u)


@jax.jit
def loss(layer, u):
    return (jnp.sin(layer(u)) ** 2).sum()


slopes_of = jax.jit(jax.grad(loss))


def inputs(layer, length=13):
    return np.random.default_rng(length).normal(size=(length, layer.widths[0]))


def wide(layer):
    """The layer in double precision; cheaper than to draw it again."""
    return jax.tree.map(lambda leaf: jnp.asarray(np.asarray(leaf, float)), layer)


def with_value(layer, **values):
    """The layer with other arrays in the named fields, dotted where they are nested."""
    for name, value in values.items():
        layer = eqx.tree_at(attrgetter(name), layer, value)
    return layer


def gap(value, truth):
    """Largest error, relative to the largest true value or to one if that is less."""
    value, truth = np.asarray(value), np.asarray(truth)
    assert value.shape == truth.shape
    return np.abs(value - truth).max(initial=0) / np.abs(truth).max(initial=1)


def require_slopes(layer, u):
    """Every parameter's gradient of ``loss`` is a finite difference, in any direction."""
    gradients = parameters(slopes_of(layer, u))
    for seed, (field, value) in enumerate(parameters(layer).items()):
        along = np.random.default_rng(seed).normal(size=value.shape)
        up, down = (
            loss(with_value(layer, **{field: value + size * along}), u)
            for size in (1e-6, -1e-6)
        )
        truth = (up - down) / 2e-6
        assert truth != 0
        derivative = np.vdot(gradients[field], along)
        np.testing.assert_allclose(
            derivative, truth, rtol=1e-6, atol=1e-7, err_msg=field
        )
