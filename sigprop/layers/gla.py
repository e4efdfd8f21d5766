"""Gated linear attention: ``S_t = diag(alpha_t) S_{t-1} + k_t v_t^T``, ``y = q^T S``.

This holds in every head.  ``q``, ``k`` and ``v`` are linear in the input, and ``q`` is
divided by the square root of its size.  ``alpha = s(V U u + bias)^(1/16)`` with ``s`` the
sigmoid and ``V U`` of low rank.

Source: Yang et al. (2024), Gated linear attention transformers with hardware-efficient
training, Section 4; for the initialisation ``layers/gla.py`` of
github.com/fla-org/flash-linear-attention, without its norm, output gate and output matrix.
"""

import math
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import log_sigmoid
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.initialisers import require_sizes
from sigprop.layers.projected import (
    Heads,
    InputGated,
    by_heads,
    low_rank,
    of_states,
    read_keys,
    require_heads,
    uniform_bias,
    uniform_linear,
)
from sigprop.neuron.neurons import Moved, Part, Reads, describe, read_by
from sigprop.numerics.tracing import namespace
from sigprop.theory import gates

TEMPERING = 16.0


@final
class GLA(Heads, InputGated):
    """Gated linear attention layer; build one with ``gla``.

    In every head, ``S_t = diag(alpha_t) S_{t-1} + k_t v_t^T`` and ``y = q^T S``.  The
    input determines the gates ``alpha_t`` and the vectors ``k``, ``v`` and ``q``.  The
    state holds the matrix ``S`` of each head, with a row per entry of ``k`` and a
    column per entry of ``v``.

    Example:
        >>> layer = gla(4, 6, key=jax.random.key(0), heads=2)
        >>> layer.state_size, layer.linear
        (24, False)
    """

    U: Float[Array, "rank d_in"]
    V: Float[Array, "heads keys rank"]
    bias: Float[Array, "heads keys"]

    def gates(
        self, u: Float[Array, "time d_in"]
    ) -> tuple[Float[Array, "time states"], Float[Array, "time states"]]:
        """Return ``a_t`` and ``b_t`` in ``h_t = a_t h_{t-1} + b_t`` for all steps."""
        logit = jnp.einsum("hkr,tr->thk", self.V, u @ self.U.T) + self.bias[None]
        alpha = jnp.exp(log_sigmoid(logit) / TEMPERING)
        k = jnp.einsum("hkd,td->thk", self.W_k, u)
        v = jnp.einsum("hvd,td->thv", self.W_v, u)
        return of_states(alpha[..., None], k[..., None] * v[:, :, None])

    def read(
        self, h: Float[Array, "time states"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return the outputs ``q^T S`` of each head, concatenated over heads."""
        q = jnp.einsum("hkd,td->thk", self.W_q, u) / math.sqrt(self.W_q.shape[1])
        return read_keys(q, h)

    def neurons(self) -> list[Part]:
        """Return a description of the neurons for ``sigprop.linear.gated_moments``."""
        heads, keys, _ = self.W_k.shape
        values, d_in = self.W_v.shape[1:]
        xp = namespace(self)
        U, V = xp.asarray(self.U, float), xp.asarray(self.V, float)
        V = xp.repeat(xp.reshape(V, (heads * keys, -1)), values, 0)
        queries = xp.reshape(xp.asarray(self.W_q, float), (heads * keys, d_in))
        mixing = np.kron(np.eye(heads), np.tile(np.eye(values), keys))
        read = read_by(
            mixing,
            xp.repeat(queries, values, 0) / math.sqrt(keys),
            width=d_in,
            moved={"W_q": Reads("rows", 1 / keys)},
        )
        part = describe(
            gates.GLA,
            {
                "r": V @ U,
                "k": xp.repeat(xp.reshape(self.W_k, (heads * keys, d_in)), values, 0),
                "v": xp.reshape(xp.repeat(self.W_v[:, None], keys, 1), (-1, d_in)),
            },
            offsets={"r": xp.repeat(xp.ravel(self.bias), values)},
            moved={
                "W_k": Moved("k", "each"),
                "W_v": Moved("v", "each"),
                **low_rank("r", U, V),
            },
            readout=read,
        )
        return [part]

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {
            "W_q": "readout",
            "W_k": "input",
            "W_v": "input",
            "U": "recurrent",
            "V": "recurrent",
            "bias": "recurrent",
        }


def gla(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int = 1,
    rank: int = 16,
) -> GLA:
    """Draw a GLA layer with uniform weights and biases, as in PyTorch's ``Linear``.

    Args:
        state_size: Number of entries of the key vector of one head.
        width: Number of inputs, equal to the number of outputs. Each head has
            ``width / heads`` outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads.
        rank: Rank of the matrix ``V U`` that maps the input to the gates ``alpha``.

    Raises:
        ValueError: If a size is below one or ``width`` is not a multiple of ``heads``.

    Example:
        >>> layer = gla(4, 6, key=jax.random.key(0), heads=2, rank=3)
        >>> layer(jnp.ones((10, 6))).shape
        (10, 6)
    """
    require_sizes(state_size=state_size, width=width, heads=heads, rank=rank)
    require_heads(width, heads)
    q_key, k_key, v_key, u_key, gate_key, bias_key = jax.random.split(key, 6)
    return GLA(
        W_q=by_heads(q_key, heads, state_size, width),
        W_k=by_heads(k_key, heads, state_size, width),
        W_v=by_heads(v_key, heads, width // heads, width),
        U=uniform_linear(u_key, rank, width),
        V=by_heads(gate_key, heads, state_size, rank),
        bias=uniform_bias(bias_key, heads * state_size, rank).reshape(
            heads, state_size
        ),
    )
