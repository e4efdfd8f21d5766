"""Sequences of which only the first ``length`` steps count: what follows is padding.

A layer is told nothing of the padding.  A causal one cannot see it; a linear one stays at
rest in it, where inputs are zero; for what is neither, only the valid steps are turned
round.
"""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Num

from sigprop.layers.base import Layer
from sigprop.layers.two_way import TwoWay

Length = int | Int[Array, ""] | None


def valid_steps(time: int, length: Length) -> Bool[Array, " time"]:
    """Mask of the steps that count: the first ``length``, or all without a length."""
    steps = jnp.arange(time)
    return steps < (time if length is None else length)


def clear_padding(
    x: Num[Array, "time *features"], length: Length
) -> Num[Array, "time *features"]:
    """Zeros after the first ``length`` steps."""
    if length is None:
        return x
    valid = valid_steps(x.shape[0], length)
    return jnp.where(valid.reshape(-1, *[1] * (x.ndim - 1)), x, jnp.zeros_like(x))


def reverse_valid(
    x: Num[Array, "time *features"], length: Length
) -> Num[Array, "time *features"]:
    """Reverse the first ``length`` steps, and leave the padding where it is."""
    if length is None:
        return x[::-1]
    steps = jnp.arange(x.shape[0])
    return x[jnp.where(steps < length, length - 1 - steps, steps)]


def apply_layer(
    layer: Layer, u: Float[Array, "time d_in"], length: Length
) -> Float[Array, "time d_out"]:
    """Outputs of a layer; the first ``length`` are those of the valid inputs alone.

    Raises:
        ValueError: If the inputs are not as wide as the layer's.
    """
    u = clear_padding(u, length)
    if length is None or layer.causal or layer.linear:
        return layer(u)
    if not isinstance(layer, TwoWay):
        raise ValueError(
            "need a layer that is causal, linear or a TwoWay where there is padding, got "
            f"{type(layer).__name__}"
        )
    forward, backward = layer.halves()
    return forward(u) + reverse_valid(backward(reverse_valid(u, length)), length)
