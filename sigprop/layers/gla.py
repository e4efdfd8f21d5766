"""Gated linear attention: ``S_t = diag(alpha_t) S_{t-1} + k_t v_t^T``, ``y = q^T S``.

In every head, with ``q, k, v`` linear in the input, ``q`` divided by the root of its
length, and ``alpha = s(V U u + bias)^(1/16)`` of low rank, ``s`` the sigmoid.

Source: Yang et al. (2024), Gated linear attention transformers with hardware-efficient
training, Section 4; ``layers/gla.py`` of github.com/fla-org/flash-linear-attention, whose
norm, output gate and output matrix are other layers, for the initialisation.
"""

import math
from typing import ClassVar, final

import jax
import jax.numpy as jnp
from jax.nn import log_sigmoid
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group, Layer
from sigprop.layers.initialisers import require_sizes
from sigprop.layers.projected import uniform_bias, uniform_linear
from sigprop.neuron.scan import scan_linear

TEMPERING = 16.0


@final
class GLA(Layer):
    """The layer; build one with ``gla``.

    The state has the entries of every head's ``S``, keys down and values across.
    """

    linear: ClassVar[bool] = False

    W_q: Float[Array, "heads keys d_in"]
    W_k: Float[Array, "heads keys d_in"]
    W_v: Float[Array, "heads values d_in"]
    U: Float[Array, "rank d_in"]
    V: Float[Array, "heads keys rank"]
    bias: Float[Array, "heads keys"]

    @property
    def widths(self) -> tuple[int, int]:
        """``(d_in, heads * values)``."""
        heads, values, d_in = self.W_v.shape
        return d_in, heads * values

    @property
    def state_size(self) -> int:
        """Real numbers in the state, of all heads."""
        return self.bias.size * self.W_v.shape[1]

    def initial_state(self) -> Float[Array, " states"]:
        """The zero state."""
        return jnp.zeros((self.state_size,), self.bias.dtype)

    def gates(
        self, u: Float[Array, "time d_in"]
    ) -> tuple[Float[Array, "time states"], Float[Array, "time states"]]:
        """What multiplies the states, and what enters them."""
        logit = jnp.einsum("hkr,tr->thk", self.V, u @ self.U.T) + self.bias[None]
        alpha = jnp.exp(log_sigmoid(logit) / TEMPERING)
        k = jnp.einsum("hkd,td->thk", self.W_k, u)
        v = jnp.einsum("hvd,td->thv", self.W_v, u)
        entering = k[..., None] * v[:, :, None]
        a = jnp.broadcast_to(alpha[..., None], entering.shape)
        flat = (len(u), self.state_size)
        return a.reshape(flat), entering.reshape(flat)

    def step(
        self, state: Float[Array, " states"], u: Float[Array, " d_in"]
    ) -> tuple[Float[Array, " states"], Float[Array, " d_out"]]:
        """One step of the recurrence and its output."""
        a, b = self.gates(u[None])
        state = a[0] * state + b[0]
        return state, self.read(state[None], u[None])[0]

    def states(self, u: Float[Array, "time d_in"]) -> Float[Array, "time states"]:
        """All states, from the zero state, in parallel."""
        return scan_linear(*self.gates(u))

    def read(
        self, h: Float[Array, "time states"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """``q^T S`` of every head, the heads side by side."""
        heads, keys, _ = self.W_q.shape
        q = jnp.einsum("hkd,td->thk", self.W_q, u) / math.sqrt(keys)
        S = h.reshape(len(u), heads, keys, self.W_v.shape[1])
        return jnp.einsum("thk,thkv->thv", q, S).reshape(len(u), self.widths[1])

    def groups(self) -> dict[str, Group]:
        """Which learning rate and decay each parameter gets."""
        return {
            "W_q": "readout",
            "W_k": "input",
            "W_v": "input",
            "U": "recurrent",
            "V": "recurrent",
            "bias": "recurrent",
        }


def gla(
    key: PRNGKeyArray,
    size: int,
    width: int,
    *,
    heads: int = 1,
    rank: int = 16,
) -> GLA:
    """Draw the layer as PyTorch draws linear maps, all entries uniform.

    Args:
        key: Consumed here.
        size: Entries of every head's key.
        width: Inputs and outputs; a head has ``width / heads`` values.
        heads: How many.
        rank: Of the gates' weights.

    Raises:
        ValueError: If a size is below one or ``width`` is no multiple of ``heads``.
    """
    require_sizes(size=size, width=width, heads=heads, rank=rank)
    if width % heads:
        raise ValueError(f"need width a multiple of heads, got {width=}, {heads=}")
    q_key, k_key, v_key, u_key, gate_key, bias_key = jax.random.split(key, 6)

    def split(key: PRNGKeyArray, rows: int, columns: int) -> Float[Array, "heads r c"]:
        linear = uniform_linear(key, heads * rows, columns)
        return linear.reshape(heads, rows, columns)

    return GLA(
        W_q=split(q_key, size, width),
        W_k=split(k_key, size, width),
        W_v=split(v_key, width // heads, width),
        U=uniform_linear(u_key, rank, width),
        V=split(gate_key, size, rank),
        bias=uniform_bias(bias_key, heads * size, rank).reshape(heads, size),
    )
