"""Padded sequences, of which only the first ``length`` steps are valid.

Layers do not know the length.  In a causal layer, padding cannot change earlier outputs.  A
linear layer stays at zero on the zeros of the padding.  Of other bidirectional layers, the
backward half reads the valid steps in reversed order, followed by the padding.
"""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Num

from sigprop.layers.base import Layer
from sigprop.layers.two_way import TwoWay

Length = int | Int[Array, ""] | None


def valid_steps(time: int, length: Length) -> Bool[Array, " time"]:
    """Return a mask of the valid steps: the first ``length``, or all if it is ``None``."""
    steps = jnp.arange(time)
    return steps < (time if length is None else length)


def clear_padding(
    x: Num[Array, "time *features"], length: Length
) -> Num[Array, "time *features"]:
    """Replace all values after the first ``length`` steps by zero."""
    if length is None:
        return x
    valid = valid_steps(x.shape[0], length)
    return jnp.where(valid.reshape(-1, *[1] * (x.ndim - 1)), x, jnp.zeros_like(x))


def reverse_valid(
    x: Num[Array, "time *features"], length: Length
) -> Num[Array, "time *features"]:
    """Reverse the order of the first ``length`` steps; the padding does not move."""
    if length is None:
        return x[::-1]
    steps = jnp.arange(x.shape[0])
    return x[jnp.where(steps < length, length - 1 - steps, steps)]


def apply_layer(
    layer: Layer, u: Float[Array, "time d_in"], length: Length
) -> Float[Array, "time d_out"]:
    """Compute the outputs of a layer for a padded sequence.

    The first ``length`` outputs do not depend on the padding.

    Raises:
        ValueError: If the shape of the inputs is wrong, or there is padding and the layer
            is not causal, not linear and not a ``TwoWay``.
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
