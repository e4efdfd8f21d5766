"""RWKV-7's state: ``S_t = S_{t-1} (diag(w) - c (a c)^T) + v k^T``, ``y = S r``.

This holds in every head.  ``r``, ``v`` and ``x = W_k u`` are linear in the input.  The removed
key ``c`` is ``k_k x`` divided by its length, and the written key is ``k = x (1 + (a - 1)
k_a)``, entry by entry.  With ``s`` the sigmoid, ``a = s(a_bias + a_V a_U u)`` and
``w = exp(-exp(-1/2) s(w_bias + w_V tanh(w_U u)))``.

Source: Peng et al. (2025), RWKV-7 "Goose", Section 4; ``layers/rwkv7.py`` of
github.com/fla-org/flash-linear-attention for the initialisation of the first layer of a
network.  The token shift, the values of the first layer, norm, bonus, output gate and output
matrix are not part of this layer.
"""

import math
from typing import ClassVar, final

import jax
import jax.numpy as jnp
from jax.nn import sigmoid
from jax.nn.initializers import orthogonal
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.initialisers import require_sizes
from sigprop.layers.matrix_gated import MatrixGated
from sigprop.layers.projected import require_heads, uniform_linear

FASTEST = math.exp(-0.5)  # -log of the smallest decay
TINY = 1e-24  # added to the square of a key's length
LOW_RANK = 0.1  # gain of the second factor of a gate's weights
KEYS = 0.1  # gain of the keys


@final
class RWKV7(MatrixGated):
    """Recurrence of an RWKV-7 layer; build one with ``rwkv7``.

    In every head, ``S_t = S_{t-1} (diag(w) - c (a c)^T) + v k^T`` and ``y = S r``.
    Here ``a c`` is the entry-by-entry product.  The input determines the vectors ``w``,
    ``a``, ``c``, ``v``, ``k`` and ``r``.  The token shift, normalisation, bonus and
    output gate of an RWKV-7 layer are not included.  The state holds the matrix ``S``
    of each head, with a row per entry of ``v`` and a column per entry of ``k``.

    Example:
        >>> layer = rwkv7(4, 6, key=jax.random.key(0), heads=2)
        >>> layer.state_size, layer.widths
        (24, (6, 6))
    """

    divided: ClassVar[tuple[str, ...]] = ("W_k",)

    W_r: Float[Array, "heads keys d_in"]
    W_k: Float[Array, "heads keys d_in"]
    W_v: Float[Array, "heads values d_in"]
    w_U: Float[Array, "rank d_in"]
    w_V: Float[Array, "heads keys rank"]
    w_bias: Float[Array, "heads keys"]
    a_U: Float[Array, "rank d_in"]
    a_V: Float[Array, "heads keys rank"]
    a_bias: Float[Array, "heads keys"]
    k_k: Float[Array, "heads keys"]
    k_a: Float[Array, "heads keys"]

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and of outputs, ``(d_in, heads * values)``."""
        heads, values, d_in = self.W_v.shape
        return d_in, heads * values

    @property
    def head_shape(self) -> tuple[int, int, int]:
        """Numbers of heads, of rows of ``S`` and of columns of ``S``."""
        heads, keys, _ = self.W_k.shape
        return heads, self.W_v.shape[1], keys

    def maps(
        self, u: Float[Array, "time d_in"]
    ) -> tuple[
        Float[Array, "time heads keys keys"], Float[Array, "time heads values keys"]
    ]:
        """Return ``A_t`` and ``B_t`` in ``S_t = S_{t-1} A_t + B_t`` for all steps.

        ``A = diag(w) - c (a c)^T``, with an entry-by-entry product ``a c``, and
        ``B = v k^T``.
        """
        low = jnp.einsum("hkr,tr->thk", self.w_V, jnp.tanh(u @ self.w_U.T))
        w = jnp.exp(-FASTEST * sigmoid(low + self.w_bias[None]))
        low = jnp.einsum("hkr,tr->thk", self.a_V, u @ self.a_U.T)
        a = sigmoid(low + self.a_bias[None])
        x = jnp.einsum("hkd,td->thk", self.W_k, u)
        c = self.k_k[None] * x
        c = c / jnp.sqrt(jnp.sum(c**2, -1, keepdims=True) + TINY)
        k = x * (1 + (a - 1) * self.k_a[None])
        diagonal = w[..., None] * jnp.eye(w.shape[-1], dtype=w.dtype)[None, None]
        A = diagonal - c[..., None] * (a * c)[:, :, None]
        v = jnp.einsum("hvd,td->thv", self.W_v, u)
        return A, v[..., None] * k[:, :, None]

    def queries(
        self, u: Float[Array, "time d_in"]
    ) -> Float[Array, "time heads 1 keys"]:
        """Return the query ``r`` for every step and head."""
        return jnp.einsum("hkd,td->thk", self.W_r, u)[:, :, None]

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        gates = ("w_U", "w_V", "w_bias", "a_U", "a_V", "a_bias", "k_k", "k_a")
        return {
            **dict.fromkeys(gates, "recurrent"),
            "W_r": "readout",
            "W_k": "recurrent",
            "W_v": "input",
        }


def rwkv7(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int = 1,
    rank: int = 16,
) -> RWKV7:
    """Draw an RWKV-7 layer without token shift, normalisation, bonus and output gate.

    Every head has slow and fast decays.  At zero input, the first column of a head's
    state ``S`` decays most slowly and the last one fastest.

    ``W_r`` and ``W_v`` are orthogonal.  ``W_k`` and the factors ``w_V`` and ``a_V`` of
    the gates' weights are 0.1 times an orthogonal matrix.  The entries of ``w_U`` and
    ``a_U`` are uniform within ``1/sqrt(width)`` of zero.

    Args:
        state_size: Number of entries of the key vector of one head.
        width: Number of inputs, equal to the number of outputs. Each head has
            ``width / heads`` outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads.
        rank: Rank of the weight matrices ``w_V w_U`` and ``a_V a_U`` of the gates.

    Raises:
        ValueError: If a size is below one or ``width`` is not a multiple of ``heads``.

    Example:
        >>> layer = rwkv7(4, 6, key=jax.random.key(0), heads=2)
        >>> layer.head_shape, layer(jnp.ones((5, 6))).shape
        ((2, 3, 4), (5, 6))
    """
    require_sizes(state_size=state_size, width=width, heads=heads, rank=rank)
    require_heads(width, heads)
    keys = jax.random.split(key, 7)
    shape = (heads, state_size)
    even = jnp.linspace(0, 1, heads * state_size)
    within = jnp.linspace(-1, 1, state_size)
    bent = jnp.tile(within * jnp.abs(within), heads)

    def drawn(
        key: PRNGKeyArray, rows: int, gain: float, columns: int = width
    ) -> Float[Array, "heads _ _"]:
        maps = orthogonal(gain)(key, (heads * rows, columns))
        return maps.reshape(heads, rows, columns)

    return RWKV7(
        W_r=drawn(keys[0], state_size, 1.0),
        W_k=drawn(keys[1], state_size, KEYS),
        W_v=drawn(keys[2], width // heads, 1.0),
        w_U=uniform_linear(keys[3], rank, width),
        w_V=drawn(keys[4], state_size, LOW_RANK, rank),
        w_bias=(6 * even - 5.5 + 2.5 * bent).reshape(shape),
        a_U=uniform_linear(keys[5], rank, width),
        a_V=drawn(keys[6], state_size, LOW_RANK, rank),
        a_bias=(-0.19 + 0.3 * bent + 0.4 * (even - 0.5)).reshape(shape),
        k_k=(0.71 - 0.1 * (even - 0.5)).reshape(shape),
        k_a=jnp.full(shape, 1.02),
    )
