"""HGRN2: ``S_t = diag(f) S_{t-1} + (1 - f) v^T``, ``y = q^T S``: a gate replaces the key.

This holds in every head.  ``v`` is linear in the input, ``q`` is a SiLU of a linear map, and
``f = bound + (1 - bound) s(W_f u)`` with ``s`` the sigmoid.

Source: Qin et al. (2024), HGRN2, Eq. 4-5; ``layers/hgrn2.py`` of
github.com/fla-org/flash-linear-attention for the initialisation.  In that code ``bound``
follows from parameters that all layers of a network share.  Its norm and output matrix are
not part of this layer.
"""

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.nn import sigmoid, silu
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.initialisers import require_sizes
from sigprop.layers.projected import (
    InputGated,
    by_heads,
    of_states,
    read_keys,
    require_heads,
)
from sigprop.neuron.neurons import Moved, Part, describe
from sigprop.numerics.arguments import require_number
from sigprop.numerics.tracing import namespace
from sigprop.theory import gates


@final
class HGRN2(InputGated):
    """HGRN2 layer; build one with ``hgrn2``.

    In every head, ``S_t = diag(f) S_{t-1} + (1 - f) v^T`` and ``y = q^T S``.  The input
    determines the gates ``f`` and the vectors ``v`` and ``q``.  The state holds the
    matrix ``S`` of each head, with a row per entry of ``f`` and a column per entry of
    ``v``.

    Example:
        >>> layer = hgrn2(4, 6, key=jax.random.key(0), heads=2)
        >>> layer.state_size, layer.linear
        (24, False)
    """

    W_q: Float[Array, "heads keys d_in"]
    W_f: Float[Array, "heads keys d_in"]
    W_v: Float[Array, "heads values d_in"]
    bound: float = eqx.field(static=True, default=0.0)

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and of outputs, ``(d_in, heads * values)``."""
        heads, values, d_in = self.W_v.shape
        return d_in, heads * values

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state, summed over heads."""
        heads, keys, _ = self.W_f.shape
        return heads * keys * self.W_v.shape[1]

    def initial_state(self) -> Float[Array, " states"]:
        """Return the initial state, all zeros."""
        return jnp.zeros((self.state_size,), self.W_f.dtype)

    def gates(
        self, u: Float[Array, "time d_in"]
    ) -> tuple[Float[Array, "time states"], Float[Array, "time states"]]:
        """Return ``a_t`` and ``b_t`` in ``h_t = a_t h_{t-1} + b_t`` for all steps."""
        k = (1 - self.bound) * sigmoid(-jnp.einsum("hkd,td->thk", self.W_f, u))
        v = jnp.einsum("hvd,td->thv", self.W_v, u)
        return of_states(1 - k[..., None], k[..., None] * v[:, :, None])

    def read(
        self, h: Float[Array, "time states"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return the outputs ``q^T S`` of each head, concatenated over heads."""
        return read_keys(silu(jnp.einsum("hkd,td->thk", self.W_q, u)), h)

    def neurons(self) -> list[Part]:
        """Return a description of the neurons for ``sigprop.linear.gated_moments``."""
        heads, keys, d_in = self.W_f.shape
        values, xp = self.W_v.shape[1], namespace(self)
        W_f = xp.reshape(xp.asarray(self.W_f, float), (heads * keys, d_in))
        W_v = xp.repeat(xp.asarray(self.W_v, float)[:, None], keys, 1)
        part = describe(
            gates.HGRN2,
            {"r": xp.repeat(W_f, values, 0), "v": xp.reshape(W_v, (-1, d_in))},
            parameters={"bound": self.bound},
            moved={"W_f": Moved("r", "each"), "W_v": Moved("v", "each")},
        )
        return [part]

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {"W_q": "readout", "W_f": "recurrent", "W_v": "input"}


def hgrn2(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int = 1,
    bound: float = 0.0,
) -> HGRN2:
    """Draw an HGRN2 layer with uniform weights, as in PyTorch's ``Linear``.

    Args:
        state_size: Number of entries of the gate vector ``f`` of one head, equal to the
            number of rows of ``S``.
        width: Number of inputs, equal to the number of outputs. Each head has
            ``width / heads`` outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads.
        bound: Lower bound of the entries of ``f``, in [0, 1).

    Raises:
        ValueError: If a size is below one, ``width`` is not a multiple of ``heads``, or
            ``bound`` is not in [0, 1).

    Example:
        >>> layer = hgrn2(4, 6, key=jax.random.key(0), heads=2, bound=0.5)
        >>> layer(jnp.ones((10, 6))).shape
        (10, 6)
    """
    require_sizes(state_size=state_size, width=width, heads=heads)
    require_heads(width, heads)
    require_number("bound", bound, 0, 1, "[)")
    q_key, f_key, v_key = jax.random.split(key, 3)
    return HGRN2(
        W_q=by_heads(q_key, heads, state_size, width),
        W_f=by_heads(f_key, heads, state_size, width),
        W_v=by_heads(v_key, heads, width // heads, width),
        bound=bound,
    )
