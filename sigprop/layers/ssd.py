"""The state-space dual layer of Mamba-2, with one decay for all states of a head.

In every head, ``S_t = exp(-step A) S_{t-1} + step x B^T`` and ``y = S C + D x``.  ``x``, ``B``
and ``C`` are linear in the input, ``A = exp(A_log)``, and ``step = softplus(W_dt u + bias)``.
Heads of one group share ``B`` and ``C``.

Source: Dao & Gu (2024), Transformers are SSMs, Section 7; their code,
``modules/mamba2.py`` of github.com/state-spaces/mamba, for the initialisation.  The
convolution before the core, and the gate, norm and matrix after it, are not part of this
layer.
"""

from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import softplus
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.initialisers import require_sizes
from sigprop.layers.projected import (
    InputGated,
    by_heads,
    log_uniform_steps,
    of_states,
    require_heads,
    uniform_linear,
)
from sigprop.neuron.neurons import Moved, Part, Reads, describe, read_by
from sigprop.numerics.tracing import namespace
from sigprop.theory import gates

RATES = (1.0, 16.0)  # range of a head's uniform decay rate


@final
class SSD(InputGated):
    """Recurrence of a Mamba-2 layer, a state-space dual layer; build one with ``ssd``.

    In every head, ``S_t = exp(-step A) S_{t-1} + step x B^T`` and ``y = S C + D x``.
    The input determines ``step``, ``x``, ``B`` and ``C``.  The state holds the matrix
    ``S`` of each head, with a row per entry of ``x`` and a column per entry of ``B``.
    All entries of ``S`` decay by the same factor in a step.  The convolution, gate,
    normalisation and output matrix of a Mamba-2 layer are not included.

    Example:
        >>> layer = ssd(16, 8, key=jax.random.key(0), heads=4)
        >>> layer.state_size, layer.A_log.shape
        (128, (4,))
    """

    A_log: Float[Array, " heads"]
    W_dt: Float[Array, "heads d_in"]
    bias: Float[Array, " heads"]
    W_x: Float[Array, "heads values d_in"]
    W_B: Float[Array, "groups n d_in"]
    W_C: Float[Array, "groups n d_in"]
    D: Float[Array, " heads"]

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and of outputs, ``(d_in, heads * values)``."""
        heads, values, d_in = self.W_x.shape
        return d_in, heads * values

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state, summed over heads."""
        heads, values, _ = self.W_x.shape
        return heads * values * self.W_B.shape[1]

    def initial_state(self) -> Float[Array, " states"]:
        """Return the initial state, all zeros."""
        return jnp.zeros((self.state_size,), self.W_x.dtype)

    def _of_heads(
        self, W: Float[Array, "groups n d_in"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time heads n"]:
        """``B`` or ``C`` of every head."""
        of_groups = jnp.einsum("gnd,td->tgn", W, u)
        return jnp.repeat(of_groups, len(self.A_log) // len(W), 1)

    def gates(
        self, u: Float[Array, "time d_in"]
    ) -> tuple[Float[Array, "time states"], Float[Array, "time states"]]:
        """Return ``a_t`` and ``b_t`` in ``h_t = a_t h_{t-1} + b_t`` for all steps."""
        step = softplus(u @ self.W_dt.T + self.bias[None])
        decay = jnp.exp(-step * jnp.exp(self.A_log)[None])
        x = step[:, :, None] * jnp.einsum("hvd,td->thv", self.W_x, u)
        entering = x[..., None] * self._of_heads(self.W_B, u)[:, :, None]
        return of_states(decay[:, :, None, None], entering)

    def read(
        self, h: Float[Array, "time states"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return the outputs ``S C + D x`` of each head, concatenated over heads."""
        S = h.reshape(len(u), *self.W_x.shape[:2], self.W_B.shape[1])
        y = jnp.einsum("thvn,thn->thv", S, self._of_heads(self.W_C, u))
        x = jnp.einsum("hvd,td->thv", self.W_x, u)
        return (y + self.D[None, :, None] * x).reshape(len(u), self.widths[1])

    def neurons(self) -> list[Part]:
        """Return a description of the neurons for ``sigprop.linear.gated_moments``."""
        heads, values, d_in = self.W_x.shape
        groups, n, _ = self.W_B.shape
        xp = namespace(self)
        x = xp.reshape(xp.asarray(self.W_x, float), (heads * values, d_in))

        def by_states(W: Float[Any, "groups n d_in"]) -> Float[Any, "states d_in"]:
            every = xp.reshape(xp.asarray(W, float), (groups, 1, n, d_in))
            return xp.reshape(xp.repeat(every, heads // groups * values, 1), (-1, d_in))

        def of_heads(array: Float[Any, "heads *d_in"]) -> Float[Any, "states *d_in"]:
            return xp.repeat(xp.asarray(array, float), values * n, 0)

        read = read_by(
            np.repeat(np.eye(heads * values), n, 1),
            by_states(self.W_C),
            width=d_in,
            skip=xp.repeat(xp.asarray(self.D, float), values)[:, None] * x,
            moved={"W_C": Reads("rows")},  # an entry of D multiplies no input
        )
        part = describe(
            gates.SELECTIVE,
            {
                "r": of_heads(self.W_dt),
                "k": by_states(self.W_B),
                "x": xp.repeat(x, n, 0),
            },
            offsets={"r": of_heads(self.bias)},
            parameters={"A": of_heads(self.A_log)},
            moved={
                "A_log": Moved("A"),
                "W_dt": Moved("r", "each"),
                "bias": Moved("r"),
                "W_x": Moved("x", "each"),
                "W_B": Moved("k", "each"),
            },
            readout=read,
        )
        return [part]

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {
            "A_log": "recurrent",
            "W_dt": "recurrent",
            "bias": "recurrent",
            "W_x": "input",
            "W_B": "input",
            "W_C": "readout",
            "D": "readout",
        }


def ssd(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int = 1,
    groups: int = 1,
    steps: tuple[float, float] = (0.001, 0.1),
) -> SSD:
    """Draw a Mamba-2 layer without convolution, gate, normalisation and output matrix.

    The decay rate ``exp(A_log)`` of a head is uniform on [1, 16], and ``D`` is one.  The
    matrices are uniform, as in PyTorch's ``Linear``.

    Args:
        state_size: Number ``N`` of entries of ``B``, and of ``C``. The state has ``N``
            numbers for each output, so that ``layer.state_size`` is ``N * width``.
        width: Number of inputs, equal to the number of outputs. Each head has
            ``width / heads`` outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads.
        groups: Number of groups of heads. The heads of a group share ``B`` and ``C``.
            ``heads`` must be a multiple of ``groups``.
        steps: Range from which the step size of each head at zero input is drawn
            log-uniformly.

    Raises:
        ValueError: If a size is below one, or the bounds in ``steps`` are not positive
            and ordered; or if ``width`` is not a multiple of ``heads``, or ``heads`` is
            not a multiple of ``groups``.

    Example:
        >>> layer = ssd(16, 8, key=jax.random.key(0), heads=4, groups=2)
        >>> layer.state_size, layer.widths
        (128, (8, 8))
    """
    require_sizes(state_size=state_size, width=width, heads=heads, groups=groups)
    require_heads(width, heads)
    if heads % groups:
        raise ValueError(f"need heads a multiple of groups, got {heads=}, {groups=}")
    rate_key, step_key, *keys = jax.random.split(key, 6)
    low, high = RATES
    return SSD(
        A_log=jnp.log(jax.random.uniform(rate_key, (heads,), minval=low, maxval=high)),
        W_dt=uniform_linear(keys[0], heads, width),
        bias=log_uniform_steps(step_key, heads, steps),
        W_x=by_heads(keys[1], heads, width // heads, width),
        W_B=by_heads(keys[2], groups, state_size, width),
        W_C=by_heads(keys[3], groups, state_size, width),
        D=jnp.ones((heads,)),
    )
