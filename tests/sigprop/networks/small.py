"""Networks small enough to look into, one for every layer that has a name."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from sigprop.networks import NetworkConfig, build, over_batch

RING = {"nu0": 0.5, "theta0": 1.0}
TIMES = {"times": [1.0, 8.0]}
# The options that a layer needs; those missing here need none.
OPTIONS = {
    "zucchet_lru": RING,
    "released_zucchet_lru": RING,
    "linear_rnn": RING,
    "block_rnn": {"blocks": 2, **RING},
    "s4": RING,
    "gru": TIMES,
    "lstm": TIMES,
    "blstm": TIMES,
    "bgru": TIMES,
    "bidirectional_s4": RING,
    "gated_unit": TIMES,
    "constant_gate": TIMES,
    # Rotations of the plane commute: with heads of two P would not matter.
    "rotrnn": {"heads": 1},
    "bidirectional_rotrnn": {"heads": 1},
    "released_rotrnn": {"heads": 1},
    "released_bidirectional_rotrnn": {"heads": 1},
    "attention": {"heads": 2, "max_length": 40},
}


def config(layer="lru", **changes) -> NetworkConfig:
    values = {
        "inputs": 3,
        "outputs": 2,
        "width": 4,
        "state_size": 4,
        "depth": 1,
        "layer": layer,
        "layer_options": OPTIONS.get(layer, {}),
        "norm": "none",
    }
    return NetworkConfig(**{**values, **changes})


def network(layer="lru", *, seed=0, **changes):
    return build(config(layer, **changes), key=jax.random.key(seed))


# One program each, where eager calls would compile every operation by itself.
in_batch = eqx.filter_jit(over_batch)


@eqx.filter_jit
def apply(model, u, state, **how):
    return model(u, state, **how)


def noise(*shape, seed=7):
    return jax.random.normal(jax.random.key(seed), shape)


def shaken(tree, seed=5, size=0.3):
    """Every parameter moved, so that none is at a special value such as zero."""
    leaves, structure = jax.tree.flatten(tree)
    keys = jax.random.split(jax.random.key(seed), len(leaves))
    moved = [
        leaf + size * jax.random.normal(key, leaf.shape)
        if eqx.is_inexact_array(leaf)
        else leaf
        for leaf, key in zip(leaves, keys, strict=True)
    ]
    return jax.tree.unflatten(structure, moved)


def close(left, right, tolerance=1e-10):
    np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance)


def trees_close(left, right, tolerance=1e-10):
    left, right = (eqx.filter(tree, eqx.is_inexact_array) for tree in (left, right))
    for leaf, other in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
        close(leaf, other, tolerance)


def weighted(y):
    """A number that depends on every output in a way of its own."""
    return jnp.sum(y * jnp.cos(jnp.arange(y.size) + 1.0).reshape(y.shape))
