"""What every layer of a network is given, and how large its states become."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Num

from sigprop.layers.base import Layer
from sigprop.networks.masking import Length, clear_padding
from sigprop.networks.network import Network
from sigprop.networks.normalisation import normalise


def layer_inputs(
    network: Network,
    state: eqx.nn.State,
    u: Num[Array, "time *features"],
    *,
    length: Length = None,
) -> tuple[Float[Array, "time width"], ...]:
    """The inputs of every layer for one sequence, zero in the padding.

    The network must be in inference mode, ``equinox.nn.inference_mode(network)``.

    Raises:
        ValueError: As a call of the network.
    """
    x = network.encode(u, length)
    found = []
    for block in network.blocks:
        z, _ = normalise(block.norm, x, state, length)
        found.append(clear_padding(z, length))
        x, _ = block(x, state, length=length)
    return tuple(found)


def state_powers(
    network: Network,
    state: eqx.nn.State,
    u: Num[Array, "batch time *features"],
    lengths: Any = None,
) -> Float[Array, " depth"]:
    """``E|h|^2`` of every layer, the mean over valid steps and sequences."""

    def one(u, length):
        inputs = layer_inputs(network, state, u, length=length)
        pairs = zip(network.blocks, inputs, strict=True)
        return jnp.stack([_power(block.layer, x, length) for block, x in pairs])

    steps = u.shape[0] * u.shape[1] if lengths is None else lengths.sum()
    return jax.vmap(one)(u, lengths).sum(0) / steps


def _power(layer: Layer, u: Any, length: Length) -> Float[Array, ""]:
    return jnp.sum(jnp.abs(clear_padding(layer.states(u), length)) ** 2)
