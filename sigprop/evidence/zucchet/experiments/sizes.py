"""Parameter counts of the students in Zucchet & Orvieto (2024), Section 4.2."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray

from sigprop.layers.base import count_parameters
from sigprop.layers.dense import LinearRNN
from sigprop.layers.lru import LRU, zucchet_lru


def dense_layer(n: int, blocks: int) -> LinearRNN:
    """A linear RNN of ``n`` neurons in blocks, scalar input and output, all zero."""
    size = n // blocks
    shapes = (blocks, size, size), (n, 1), (1, n), (1, 1)
    return LinearRNN(*(jnp.asarray(np.zeros(shape)) for shape in shapes))


@functools.cache
def dense_size(width: int, heads: int) -> int:
    """Real parameters of a linear RNN of blocks, scalar input and output."""
    return count_parameters(dense_layer(width, heads))


@functools.cache
def lru_size(n: int) -> int:
    """Real parameters of an LRU of scalar input and output."""

    def draw(key: PRNGKeyArray) -> LRU:
        return zucchet_lru(n, 1, key=key, nu0=0.9, theta0=np.pi)

    shapes = jax.tree.leaves(eqx.filter_eval_shape(draw, jax.random.key(0)))
    return sum(leaf.size * (1 + jnp.iscomplexobj(leaf)) for leaf in shapes)
