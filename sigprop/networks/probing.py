"""Inputs of every layer of a network, and mean squares of its states."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Num

from sigprop.layers.base import Layer
from sigprop.networks.masking import Length, apply_layer, clear_padding
from sigprop.networks.network import Network, require_sequence, require_values
from sigprop.networks.normalisation import normalise
from sigprop.numerics.arguments import require_moderate


def watch(
    network: Network,
    state: eqx.nn.State,
    u: Num[Array, "time *features"],
    length: Length = None,
    moved: Float[Array, "depth time width"] | None = None,
) -> tuple[Float[Array, "*time width"], Float[Array, "depth time width"]]:
    """Compute the features of a sequence and the inputs of every layer.

    Inputs of layers are zero in the padding.

    Args:
        network: Network in inference mode, ``equinox.nn.inference_mode(network)``.
        state: State of its batch normalisations.
        u: Inputs of shape (time, inputs), or tokens of shape (time,).
        length: Number of valid steps; by default all.
        moved: Terms that are added to the outputs of every layer, so that features can be
            differentiated by these outputs.
    """
    x, inputs = network.encode(u, length), []
    for index, block in enumerate(network.blocks):
        z, _ = normalise(block.norm, x, state, length)
        inputs.append(clear_padding(z, length))
        y = apply_layer(block.layer, z, length)
        if moved is not None:
            y = y + moved[index]
        x, _ = block.complete(x, y, state, length, None)
    return network.pool(x, length), jnp.stack(inputs)


def state_powers(
    network: Network,
    state: eqx.nn.State,
    u: Num[Array, "batch time *features"],
    lengths: Any = None,
) -> Float[Array, " depth"]:
    """Compute ``E|h|^2`` of every layer for given inputs, summed over its neurons.

    ``E`` is the mean over valid steps and sequences, and ``h`` is the state of the
    layer.

    Args:
        network: Network in inference mode, ``equinox.nn.inference_mode(network)``.
        state: State of the network's batch normalisations.
        u: Inputs of shape (batch, time, inputs), or tokens of shape (batch, time).
        lengths: Array of shape (batch,): the number of valid steps of each sequence. By
            default all steps are valid.

    Raises:
        ValueError: If an input is not finite, a shape is wrong, or a length or a token is
            out of range.

    Example:
        >>> from sigprop.networks import NetworkConfig, build
        >>> sizes = {"inputs": 3, "outputs": 2, "width": 8, "state_size": 4, "depth": 2}
        >>> config = NetworkConfig(layer="lru", norm="none", **sizes)
        >>> network, state = build(config, key=jax.random.key(0))
        >>> state_powers(network, state, jnp.ones((5, 10, 3))).shape
        (2,)
    """
    require_sequence(network.config, jax.ShapeDtypeStruct(u.shape[1:], u.dtype))
    require_moderate("u", u)
    if lengths is not None and np.shape(lengths) != u.shape[:1]:
        raise ValueError(
            f"need lengths {u.shape[:1]}, got {lengths!r:.60} for u of {u.shape}"
        )
    require_values(network.config, u, lengths)

    def powers(u, length):
        _, inputs = watch(network, state, u, length)
        pairs = zip(network.blocks, inputs, strict=True)
        return jnp.stack([_power(block.layer, x, length) for block, x in pairs])

    steps = u.shape[0] * u.shape[1] if lengths is None else lengths.sum()
    return jax.vmap(powers)(u, lengths).sum(0) / steps


def _power(layer: Layer, u: Any, length: Length) -> Float[Array, ""]:
    return jnp.sum(jnp.abs(clear_padding(layer.states(u), length)) ** 2)
