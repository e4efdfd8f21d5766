"""mLSTM: ``C_t = f C_{t-1} + i v k^T``, ``n_t = f n_{t-1} + i k``, read by a quotient.

The output of a head is ``y = C q / max(|n . q|, 1)``.  ``q``, ``k`` and ``v`` are
linear in the input, and ``k`` is divided by the square root of its size.  The gates are
``f = s(W_f u + b_f)`` with ``s`` the sigmoid, and ``i = exp(W_i u + b_i)``.

A call of the layer divides ``C``, ``n`` and the one by ``exp(m)``, with the stabiliser
``m_t = max(m_{t-1} + log f_t, log i_t)``, or zero if that is negative.  This does not
change ``y``, and no gate overflows.  The methods ``states`` and ``step`` have the state of
the equations, which single precision can represent for ``i`` up to 1e30.

Source: Beck et al. (2024), xLSTM, Eq. 19-27; ``mlstm`` of github.com/NX-AI/xlstm for
the initialisation.  The output gate and the normalisation of an mLSTM are not part of
this layer.
"""

import math
from typing import final

import jax
import jax.numpy as jnp
from jax import lax
from jax.nn import log_sigmoid, sigmoid
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group, require_inputs
from sigprop.layers.initialisers import require_sizes
from sigprop.layers.projected import (
    Heads,
    InputGated,
    by_heads,
    of_states,
    require_heads,
    uniform_linear,
)
from sigprop.neuron.neurons import Moved, Part, describe
from sigprop.neuron.scan import scan_linear
from sigprop.numerics.arguments import require_number
from sigprop.numerics.tracing import namespace
from sigprop.theory import gates


@final
class MLSTM(Heads, InputGated):
    """Matrix LSTM layer (mLSTM) of xLSTM; build one with ``mlstm``.

    In every head, ``C_t = f C_{t-1} + i v k^T`` and ``n_t = f n_{t-1} + i k``.  The
    output of a head is ``y = C q / max(|n . q|, 1)``.  The input determines the gates
    ``f`` and ``i``, the key ``k``, the value ``v`` and the query ``q``.  The output
    gate of an mLSTM and the normalisation of its outputs are not included.

    For each head, the state holds the rows of the matrix ``C``, followed by ``n`` as
    one more row.  ``C`` has a row per entry of ``v`` and a column per entry of ``k``.

    Example:
        >>> layer = mlstm(4, 6, key=jax.random.key(0), heads=2)
        >>> layer.state_size, layer.widths
        (32, (6, 6))
    """

    W_f: Float[Array, "heads d_in"]
    b_f: Float[Array, " heads"]
    W_i: Float[Array, "heads d_in"]
    b_i: Float[Array, " heads"]

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state, summed over heads."""
        heads, keys, _ = self.W_k.shape
        return heads * keys * (self.W_v.shape[1] + 1)

    def gates(
        self, u: Float[Array, "time d_in"]
    ) -> tuple[Float[Array, "time states"], Float[Array, "time states"]]:
        """Return ``a_t`` and ``b_t`` in ``h_t = a_t h_{t-1} + b_t`` for all steps."""
        f, i = self._arguments(u)
        return of_states(sigmoid(f)[:, :, None, None], self._entering(u, jnp.exp(i)))

    def _arguments(
        self, u: Float[Array, "time d_in"]
    ) -> tuple[Float[Array, "time heads"], Float[Array, "time heads"]]:
        """Return the arguments of the forget gate (a sigmoid) and of the input gate."""
        return u @ self.W_f.T + self.b_f[None], u @ self.W_i.T + self.b_i[None]

    def _entering(
        self, u: Float[Array, "time d_in"], i: Float[Array, "time heads"]
    ) -> Float[Array, "time heads rows keys"]:
        """Return ``i v k^T`` and, as the last row, ``i k``."""
        k = jnp.einsum("hkd,td->thk", self.W_k, u) / math.sqrt(self.W_k.shape[1])
        v = jnp.einsum("hvd,td->thv", self.W_v, u)
        v = jnp.concatenate([v, jnp.ones_like(v[..., :1])], -1)
        return (i[..., None] * v)[..., None] * k[:, :, None]

    def read(
        self, h: Float[Array, "time states"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return ``C q / max(|n . q|, 1)`` of each head, concatenated over heads."""
        return self._quotient(h, u, 0.0)

    def _quotient(
        self,
        h: Float[Array, "time states"],
        u: Float[Array, "time d_in"],
        m: Float[Array, "time heads"] | float,
    ) -> Float[Array, "time d_out"]:
        """Return the output for states that are divided by ``exp(m)``."""
        heads, keys, _ = self.W_q.shape
        q = jnp.einsum("hkd,td->thk", self.W_q, u)
        S = h.reshape(len(u), heads, self.W_v.shape[1] + 1, keys)
        both = jnp.einsum("thvk,thk->thv", S, q)
        below = jnp.maximum(jnp.abs(both[..., -1]), jnp.exp(-m))[..., None]
        return (both[..., :-1] / below).reshape(len(u), self.widths[1])

    def __call__(self, u: Float[Array, "time d_in"]) -> Float[Array, "time d_out"]:
        """Compute the outputs of a whole sequence, starting from the zero state.

        The states in between are divided by ``exp(m)``, so no input gate overflows.

        Raises:
            ValueError: If the inputs are not of shape (time, d_in).
        """
        require_inputs(self, u)
        f, log_i = self._arguments(u)
        log_f = log_sigmoid(f)
        whole = jnp.cumsum(log_f, 0)
        m = jnp.maximum(whole + lax.cummax(log_i - whole), 0)
        m = lax.stop_gradient(m)  # the output does not depend on it
        before = jnp.concatenate([jnp.zeros_like(m[:1]), m[:-1]])
        kept = jnp.exp(log_f + before - m)[:, :, None, None]
        h = scan_linear(*of_states(kept, self._entering(u, jnp.exp(log_i - m))))
        return self._quotient(h, u, m)

    def neurons(self) -> list[Part]:
        """Return a description of all states for ``sigprop.linear.gated_moments``."""
        heads, keys, d_in = self.W_k.shape
        rows, xp = self.W_v.shape[1] + 1, namespace(self)
        W_k, W_v = (xp.asarray(W, float) for W in (self.W_k, self.W_v))
        W_v = xp.concatenate([W_v, xp.zeros((heads, 1, d_in))], 1)
        is_value = xp.tile(xp.repeat(xp.arange(rows) < rows - 1, keys), heads)

        def of_heads(array: Float[Array, "heads *d_in"]):
            return xp.repeat(xp.asarray(array, float), rows * keys, 0)

        part = describe(
            gates.MLSTM,
            {
                "r": of_heads(self.W_f),
                "i": of_heads(self.W_i),
                "k": xp.reshape(xp.repeat(W_k[:, None], rows, 1), (-1, d_in))
                / math.sqrt(keys),
                "v": xp.reshape(xp.repeat(W_v[:, :, None], keys, 2), (-1, d_in)),
            },
            offsets={
                "r": of_heads(self.b_f),
                "i": of_heads(self.b_i),
                "v": 1.0 - is_value,
            },
            moved={
                "W_f": Moved("r", "each"),
                "b_f": Moved("r"),
                "W_i": Moved("i", "each"),
                "b_i": Moved("i"),
                "W_k": Moved("k", "each", 1 / keys),
                "W_v": Moved("v", "each", 1.0 * is_value),
            },
        )
        return [part]

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {
            "W_q": "readout",
            "W_k": "input",
            "W_v": "input",
            "W_f": "recurrent",
            "b_f": "recurrent",
            "W_i": "input",
            "b_i": "input",
        }


def mlstm(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int = 1,
    offsets: tuple[float, float] = (3.0, 6.0),
) -> MLSTM:
    """Draw an mLSTM layer with evenly spaced forget biases.

    The entries of all matrices are uniform within ``1/sqrt(width)`` of zero.  The
    biases of the input gates are normal with mean zero and standard deviation 0.1.

    Args:
        state_size: Number of entries of the key vector of one head.
        width: Number of inputs, equal to the number of outputs. Each head has
            ``width / heads`` outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads.
        offsets: Smallest and largest bias of the forget gates, at most 100 in absolute
            value. The first head has the smallest bias and the last head the largest.
            If there is only one head, it has the smallest bias.

    Raises:
        ValueError: If a size is not a whole number of at least one, or ``width`` is not
            a multiple of ``heads``; or if an entry of ``offsets`` is not in
            [-100, 100], or the first one exceeds the second.

    Example:
        >>> layer = mlstm(4, 6, key=jax.random.key(0), heads=2)
        >>> layer.b_f.tolist(), layer(jnp.ones((10, 6))).shape
        ([3.0, 6.0], (10, 6))
    """
    require_sizes(state_size=state_size, width=width, heads=heads)
    require_heads(width, heads)
    low, high = offsets
    for one in offsets:
        require_number("offsets", one, -100, 100, "[]")
    if low > high:
        raise ValueError(f"need offsets (low, high) with low <= high, got {offsets}")
    q_key, k_key, v_key, f_key, i_key, bias_key = jax.random.split(key, 6)
    return MLSTM(
        W_q=by_heads(q_key, heads, state_size, width),
        W_k=by_heads(k_key, heads, state_size, width),
        W_v=by_heads(v_key, heads, width // heads, width),
        W_f=uniform_linear(f_key, heads, width),
        b_f=jnp.linspace(low, high, heads),
        W_i=uniform_linear(i_key, heads, width),
        b_i=0.1 * jax.random.normal(bias_key, (heads,)),
    )
