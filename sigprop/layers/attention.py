"""Causal self-attention, a baseline that stores all past inputs instead of a fixed state.

In every head ``q_t = R_t W_q u_t``, ``k_t = R_t W_k u_t``, ``v_t = W_v u_t``, and
``y_t = W_o sum_{s <= t} a_ts v_s`` with ``a_t = softmax_s(q_t . k_s / sqrt(size))``.  The
rotation ``R_t`` encodes the position: scores depend on positions only through ``t - s``.

Source: Vaswani et al. (2017), Section 3.2; Su et al. (2021), Section 3.2.2 for ``R_t``.
"""

import math
from typing import ClassVar, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sigprop.layers.base import Group, Layer
from sigprop.layers.initialisers import (
    each,
    fan_in,
    require_one_state_a_channel,
    require_sizes,
)

SLOWEST = 10_000  # Su et al. (2021): speeds run from 1 down to nearly 1/10000 a step

Cache = tuple[Float[Array, "max_length both"], Int[Array, ""]]


@final
class CausalAttention(Layer):
    """Causal self-attention layer; build one with ``causal_attention``.

    Keys and queries are rotated by angles that encode their position.  Row ``t`` of the
    array ``states(u)`` holds the rotated key and the value of the input ``u_t``.  The
    state of ``step`` holds these rows for all past inputs, and the number of past
    inputs.  The time and memory for a whole sequence grow with the square of its
    length.

    Example:
        >>> layer = causal_attention(4, 4, key=jax.random.key(0), heads=2, max_length=8)
        >>> layer.state_size, layer.linear
        (8, False)
    """

    linear: ClassVar[bool] = False

    W_q: Float[Array, "width width"]
    W_k: Float[Array, "width width"]
    W_v: Float[Array, "width width"]
    W_o: Float[Array, "width width"]
    heads: int = eqx.field(static=True)
    max_length: int = eqx.field(static=True)

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, which are equal."""
        return self.W_q.shape[0], self.W_q.shape[0]

    @property
    def state_size(self) -> int:
        """Number of real numbers in the key and the value that each step stores."""
        return 2 * self.W_q.shape[0]

    def initial_state(self) -> Cache:
        """Return ``max_length`` rows of zeros, and the number of past inputs, 0."""
        rows = jnp.zeros((self.max_length, self.state_size), self.W_k.dtype)
        return rows, jnp.zeros((), jnp.int32)

    def step(
        self, state: Cache, u: Float[Array, " width"]
    ) -> tuple[Cache, Float[Array, " width"]]:
        """Store the key and value of one input, and attend to all stored rows.

        Raises:
            RuntimeError: If more than ``max_length`` steps are run. Compiled code also
                raises this error.
        """
        rows, count = state
        count = eqx.error_if(
            count,
            count >= self.max_length,
            f"need at most max_length={self.max_length} steps, got one more; build the "
            "layer with a larger max_length",
        )
        rows = rows.at[count].set(self._keep(u[None], count[None])[0])
        return (rows, count + 1), self._attend(rows, u[None], count[None])[0]

    def states(self, u: Float[Array, "time width"]) -> Float[Array, "time both"]:
        """Return one row per step: the rotated keys of all heads, then the values.

        Raises:
            ValueError: If there are more than ``max_length`` inputs.
        """
        if u.shape[0] > self.max_length:
            raise ValueError(
                f"need at most max_length={self.max_length} inputs, got {u.shape[0]}; "
                "build the layer with a larger max_length"
            )
        return self._keep(u, jnp.arange(u.shape[0]))

    def read(
        self, h: Float[Array, "time both"], u: Float[Array, "time width"]
    ) -> Float[Array, "time width"]:
        """Return the outputs of all steps from the rows ``h`` and queries of ``u``."""
        return self._attend(h, u, jnp.arange(u.shape[0]))

    def _heads(self, x: Float[Array, "time width"]) -> Float[Array, "time heads size"]:
        return x.reshape(x.shape[0], self.heads, x.shape[1] // self.heads)

    def _keep(
        self, u: Float[Array, "time width"], positions: Int[Array, " time"]
    ) -> Float[Array, "time both"]:
        keys = rotary(self._heads(u @ self.W_k.T), positions).reshape(u.shape)
        return jnp.concatenate([keys, u @ self.W_v.T], -1)

    def _attend(
        self,
        h: Float[Array, "kept both"],
        u: Float[Array, "time width"],
        positions: Int[Array, " time"],
    ) -> Float[Array, "time width"]:
        keys, values = (self._heads(half) for half in jnp.split(h, 2, -1))
        queries = rotary(self._heads(u @ self.W_q.T), positions)
        scores = jnp.einsum("tnd,snd->nts", queries, keys)
        past = jnp.arange(h.shape[0])[None] <= positions[:, None]
        # jax.nn.dot_product_attention takes the softmax in single precision, always.
        weights = jax.nn.softmax(
            scores / math.sqrt(keys.shape[-1]), axis=-1, where=past[None]
        )
        mixed = jnp.einsum("nts,snd->tnd", weights, values)
        return mixed.reshape(u.shape) @ self.W_o.T

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {"W_q": "input", "W_k": "input", "W_v": "input", "W_o": "readout"}


def rotary(
    x: Float[Array, "time heads size"], positions: Int[Array, " time"]
) -> Float[Array, "time heads size"]:
    """Rotate pair ``i`` of entries of every head by ``position 10000^(-2i/size)`` radians.

    Positions and pairs are counted from zero.

    Source: Su et al. (2021), Section 3.2.2 and 3.4.2.
    """
    size = x.shape[-1]
    speeds = SLOWEST ** (-np.arange(0, size, 2) / size)
    turns = positions.astype(x.dtype)[:, None] * jnp.asarray(speeds, x.dtype)[None]
    cos, sin = jnp.cos(turns)[:, None], jnp.sin(turns)[:, None]
    first, second = x[..., 0::2], x[..., 1::2]
    turned = first * cos - second * sin, first * sin + second * cos
    return jnp.stack(turned, -1).reshape(x.shape)


def causal_attention(
    state_size: int, width: int, *, key: PRNGKeyArray, heads: int, max_length: int
) -> CausalAttention:
    """Draw a causal attention layer with weights of variance ``1/width``.

    The matrices are square, so this is both the LeCun and the Glorot initialisation.

    Args:
        state_size: Number of entries of a query, summed over heads; must equal
            ``width``.
        width: Number of inputs, equal to the number of outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads. The size of a head, ``width / heads``, must be even.
        max_length: Largest number of inputs in a sequence.  It is also the number of
            rows of the state of ``step``.

    Raises:
        ValueError: If a size is below one, or ``state_size`` and ``width`` differ; or
            if ``width`` is not a multiple of ``heads``, or the size of a head is odd.

    Source: Vaswani et al. (2017), Section 3.2.2, without biases. The paper does not
    give the variance of the weights.

    Example:
        >>> layer = causal_attention(4, 4, key=jax.random.key(0), heads=2, max_length=8)
        >>> layer(jnp.ones((8, 4))).shape
        (8, 4)
    """
    require_one_state_a_channel(state_size, width)
    require_sizes(heads=heads, max_length=max_length)
    size, remainder = divmod(width, heads)
    if remainder:
        raise ValueError(f"need width a multiple of heads, got {width=}, {heads=}")
    if size % 2:
        raise ValueError(
            f"need an even head size, got {size} (width={width}, heads={heads}): "
            "positions turn pairs of numbers"
        )
    weights = each(lambda w_key: fan_in(w_key, width, width), jax.random.split(key, 4))
    return CausalAttention(*weights, heads=heads, max_length=max_length)
