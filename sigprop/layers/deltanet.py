"""DeltaNet: ``S_t = S_{t-1} (I - beta k k^T) + beta v k^T``, ``y = S q``, and with decay.

This holds in every head.  ``q``, ``k`` and ``v`` are linear in the input.  ``q`` and ``k`` are
divided by their length, and ``q`` also by the square root of its size.  ``beta = s(w u)`` with
``s`` the sigmoid.  Gated DeltaNet first multiplies ``S_{t-1}`` by
``exp(-exp(A_log) softplus(w_a u + bias))``.

Source: Yang et al. (2024), Parallelizing linear transformers with the delta rule over
sequence length; Yang, Kautz & Hatamizadeh (2025), Gated delta networks; ``layers`` of
github.com/fla-org/flash-linear-attention for the initialisation.  That code can apply a SiLU
or a convolution to ``q``, ``k`` and ``v``; here all three are as with its option ``identity``.
Its norm and output matrix are not part of this layer.
"""

import math
from typing import ClassVar, final

import jax
import jax.numpy as jnp
from jax import lax
from jax.nn import sigmoid, softplus
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.initialisers import require_sizes
from sigprop.layers.projected import (
    Heads,
    by_heads,
    log_uniform_steps,
    normalised,
    require_heads,
    uniform_linear,
)

RATES = (1e-3, 16.0)  # range of uniform decay rates, above zero for the log


class Delta(Heads):
    """Base of both layers.

    The state holds each head's matrix ``S``, with a row per value and a column per key
    entry.
    """

    linear: ClassVar[bool] = False

    W_beta: Float[Array, "heads d_in"]

    def decays(self, u: Float[Array, "time d_in"]) -> Float[Array, "time heads"]:
        """Return the decay factor of ``S`` by step and head: 1 without decay."""
        return jnp.ones((len(u), len(self.W_beta)), u.dtype)

    def _gates(self, u: Float[Array, "time d_in"]):
        """Decay, ``beta``, ``k`` and ``v`` of each step and head."""
        k = normalised(jnp.einsum("hkd,td->thk", self.W_k, u))
        v = jnp.einsum("hvd,td->thv", self.W_v, u)
        return self.decays(u), sigmoid(u @ self.W_beta.T), k, v

    def maps(
        self, u: Float[Array, "time d_in"]
    ) -> tuple[
        Float[Array, "time heads keys keys"], Float[Array, "time heads values keys"]
    ]:
        """Return ``A`` and ``B`` of ``S_t = S_{t-1} A + B``, by step and head."""
        alpha, beta, k, v = self._gates(u)
        written = beta[..., None] * k
        erased = jnp.eye(k.shape[-1])[None, None] - k[..., None] * written[:, :, None]
        return alpha[..., None, None] * erased, v[..., None] * written[:, :, None]

    def _advance(
        self, S: Float[Array, "heads values keys"], alpha, beta, k, v
    ) -> Float[Array, "heads values keys"]:
        S = alpha[:, None, None] * S
        error = v - jnp.einsum("hvk,hk->hv", S, k)
        return S + beta[:, None, None] * error[..., None] * k[:, None]

    def _heads(
        self, h: Float[Array, "*time states"]
    ) -> Float[Array, "*time heads values keys"]:
        heads, keys, _ = self.W_k.shape
        return h.reshape(*h.shape[:-1], heads, self.W_v.shape[1], keys)

    def step(
        self, state: Float[Array, " states"], u: Float[Array, " d_in"]
    ) -> tuple[Float[Array, " states"], Float[Array, " d_out"]]:
        """Take one input and return the next state and the output."""
        now = (gate[0] for gate in self._gates(u[None]))
        state = self._advance(self._heads(state), *now).reshape(-1)
        return state, self.read(state[None], u[None])[0]

    def states(self, u: Float[Array, "time d_in"]) -> Float[Array, "time states"]:
        """Compute the states of all steps in sequence, starting from the zero state."""

        def body(S, now):
            S = self._advance(S, *now)
            return S, S

        zero = self._heads(self.initial_state())
        S = lax.scan(body, zero, self._gates(u))[1]
        return S.reshape(len(u), self.state_size)

    def read(
        self, h: Float[Array, "time states"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return the outputs ``S q`` of each head, concatenated over heads."""
        q = normalised(jnp.einsum("hkd,td->thk", self.W_q, u))
        y = jnp.einsum("thvk,thk->thv", self._heads(h), q / math.sqrt(q.shape[-1]))
        return y.reshape(len(u), self.widths[1])

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {
            "W_q": "readout",
            "W_k": "recurrent",
            "W_v": "input",
            "W_beta": "recurrent",
        }


@final
class DeltaNet(Delta):
    """DeltaNet layer, a delta rule without decay; build one with ``deltanet``.

    In every head, ``S_t = S_{t-1} (I - beta k k^T) + beta v k^T`` and ``y = S q``.  The
    input determines ``beta``, ``k``, ``v`` and ``q``.  The state holds the matrix ``S``
    of each head, with a row per entry of ``v`` and a column per entry of ``k``.

    Example:
        >>> layer = deltanet(4, 6, key=jax.random.key(0), heads=2)
        >>> layer.state_size, layer.widths
        (24, (6, 6))
    """


@final
class GatedDeltaNet(Delta):
    """Gated DeltaNet layer, a delta rule with decay; build one with ``gated_deltanet``.

    In every head, ``S_t = alpha S_{t-1} (I - beta k k^T) + beta v k^T`` and
    ``y = S q``.  The input determines ``alpha``, ``beta``, ``k``, ``v`` and ``q``.  The
    state holds the matrix ``S`` of each head, with a row per entry of ``v`` and a
    column per entry of ``k``.

    Example:
        >>> layer = gated_deltanet(4, 6, key=jax.random.key(0), heads=2)
        >>> layer.state_size, layer.A_log.shape
        (24, (2,))
    """

    W_a: Float[Array, "heads d_in"]
    bias: Float[Array, " heads"]
    A_log: Float[Array, " heads"]

    def decays(self, u: Float[Array, "time d_in"]) -> Float[Array, "time heads"]:
        """Return the decays ``alpha = exp(-exp(A_log) softplus(W_a u + bias))``."""
        step = softplus(u @ self.W_a.T + self.bias[None])
        return jnp.exp(-jnp.exp(self.A_log)[None] * step)

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        decay: dict[str, Group] = dict.fromkeys(("W_a", "bias", "A_log"), "recurrent")
        return {**super().groups(), **decay}


def _projections(
    key: PRNGKeyArray, state_size: int, width: int, heads: int
) -> tuple[Array, Array, Array, Array]:
    require_sizes(state_size=state_size, width=width, heads=heads)
    require_heads(width, heads)
    rows = (state_size, state_size, width // heads)
    keys = jax.random.split(key, 4)
    q, k, v = (
        by_heads(subkey, heads, r, width) for subkey, r in zip(keys, rows, strict=False)
    )
    return q, k, v, uniform_linear(keys[3], heads, width)


def deltanet(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int = 1,
) -> DeltaNet:
    """Draw a DeltaNet layer with uniform weights, as in PyTorch's ``Linear``.

    Args:
        state_size: Number of entries of the key vector of one head.
        width: Number of inputs, equal to the number of outputs. Each head has
            ``width / heads`` outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads.

    Raises:
        ValueError: If a size is below one or ``width`` is not a multiple of ``heads``.

    Example:
        >>> layer = deltanet(4, 6, key=jax.random.key(0), heads=2)
        >>> layer(jnp.ones((5, 6))).shape
        (5, 6)
    """
    return DeltaNet(*_projections(key, state_size, width, heads))


def gated_deltanet(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int = 1,
    steps: tuple[float, float] = (0.001, 0.1),
) -> GatedDeltaNet:
    """Draw a gated DeltaNet layer with uniform weights, as in PyTorch's ``Linear``.

    The decay factor is ``exp(-exp(A_log) step)``, with
    ``step = softplus(W_a u + bias)``.  The rate ``exp(A_log)`` of a head is uniform on
    [0.001, 16].

    Args:
        state_size: Number of entries of the key vector of one head.
        width: Number of inputs, equal to the number of outputs. Each head has
            ``width / heads`` outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads.
        steps: Range from which the step size ``softplus(bias)`` of each head at zero
            input is drawn log-uniformly.

    Raises:
        ValueError: If a size is below one, ``width`` is not a multiple of ``heads``, or
            the bounds in ``steps`` are not positive and ordered.

    Example:
        >>> layer = gated_deltanet(4, 6, key=jax.random.key(0), heads=2)
        >>> layer(jnp.ones((5, 6))).shape
        (5, 6)
    """
    projection_key, a_key, step_key, rate_key = jax.random.split(key, 4)
    projections = _projections(projection_key, state_size, width, heads)
    low, high = RATES
    rates = jax.random.uniform(rate_key, (heads,), minval=low, maxval=high)
    return GatedDeltaNet(
        *projections,
        W_a=uniform_linear(a_key, heads, width),
        bias=log_uniform_steps(step_key, heads, steps),
        A_log=jnp.log(rates),
    )
