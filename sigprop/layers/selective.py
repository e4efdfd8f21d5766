"""The selective state-space model of Mamba: ``h <- exp(-step A) h + step B x``.

Each channel ``x`` of the input has ``n`` real states with decay rates ``A = exp(A_log)``, and
a step size ``softplus(V U u + bias)`` with ``V U`` of low rank.  All channels share
``B = W_B u`` and ``C = W_C u``.  The output is ``y = C h + D x``.

Source: Gu & Dao (2023), Mamba, Algorithm 2; their code, ``modules/mamba_simple.py`` of
github.com/state-spaces/mamba, for the initialisation and the Euler step of the input.  The
convolution before the core and the gate after it are not part of this layer.
"""

import math
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import softplus
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.initialisers import require_sizes
from sigprop.layers.projected import (
    InputGated,
    log_uniform_steps,
    low_rank,
    uniform_linear,
)
from sigprop.neuron.neurons import Moved, Part, Reads, describe, read_by
from sigprop.numerics.tracing import namespace
from sigprop.theory import gates


@final
class Selective(InputGated):
    """Selective state-space model of a Mamba layer; build one with ``selective``.

    The recurrence of a channel is ``h <- exp(-step A) h + step B x`` with decay rates
    ``A = exp(A_log)``.  The output is ``C h + D x``.  The input determines ``step``,
    ``B`` and ``C``.  The convolution and the gate of a Mamba layer are not included.

    Example:
        >>> layer = selective(4, 2, key=jax.random.key(0))
        >>> layer.state_size, layer.linear
        (8, False)
    """

    A_log: Float[Array, "width n"]
    U: Float[Array, "rank width"]
    V: Float[Array, "width rank"]
    bias: Float[Array, " width"]
    W_B: Float[Array, "n width"]
    W_C: Float[Array, "n width"]
    D: Float[Array, " width"]

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs; both equal the number of channels."""
        return self.D.shape[0], self.D.shape[0]

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state, summed over channels."""
        return self.A_log.size

    def initial_state(self) -> Float[Array, " states"]:
        """Return the initial state, all zeros."""
        return jnp.zeros_like(self.A_log.reshape(-1))

    def gates(
        self, u: Float[Array, "time width"]
    ) -> tuple[Float[Array, "time states"], Float[Array, "time states"]]:
        """Return ``a_t`` and ``b_t`` in ``h_t = a_t h_{t-1} + b_t`` for all steps."""
        step = softplus(u @ self.U.T @ self.V.T + self.bias[None])
        a = jnp.exp(-step[:, :, None] * jnp.exp(self.A_log)[None])
        b = (step * u)[:, :, None] * (u @ self.W_B.T)[:, None]
        flat = (len(u), self.state_size)
        return a.reshape(flat), b.reshape(flat)

    def read(
        self, h: Float[Array, "time states"], u: Float[Array, "time width"]
    ) -> Float[Array, "time width"]:
        """Return the outputs ``C h + D x`` of each channel."""
        channels = h.reshape(len(u), *self.A_log.shape)
        return jnp.einsum("tdn,tn->td", channels, u @ self.W_C.T) + self.D[None] * u

    def neurons(self) -> list[Part]:
        """Return a description of the neurons for ``sigprop.linear.gated_moments``."""
        width, n = self.A_log.shape
        xp = namespace(self)
        U, V = xp.asarray(self.U, float), xp.repeat(xp.asarray(self.V, float), n, 0)
        read = read_by(
            np.repeat(np.eye(width), n, 1),
            xp.tile(self.W_C, (width, 1)),
            width=width,
            skip=xp.diag(self.D),
            moved={"W_C": Reads("rows"), "D": Reads("skip")},
        )
        part = describe(
            gates.SELECTIVE,
            {
                "r": V @ U,
                "k": xp.tile(self.W_B, (width, 1)),
                "x": np.repeat(np.eye(width), n, 0),
            },
            offsets={"r": xp.repeat(self.bias, n)},
            parameters={"A": xp.ravel(self.A_log)},
            moved={
                "A_log": Moved("A"),
                "W_B": Moved("k", "each"),
                **low_rank("r", U, V),
            },
            readout=read,
        )
        return [part]

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {
            "A_log": "recurrent",
            "U": "recurrent",
            "V": "recurrent",
            "bias": "recurrent",
            "W_B": "input",
            "W_C": "readout",
            "D": "readout",
        }


def selective(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    rank: int | None = None,
    steps: tuple[float, float] = (0.001, 0.1),
) -> Selective:
    """Draw a Mamba layer without its convolution and its gate.

    The decay rates of a channel are 1, 2, ..., ``state_size``, and ``D`` is one.  The
    matrices are uniform, as in PyTorch's ``Linear``.

    Args:
        state_size: Number of real numbers in the state of each channel.
        width: Number of channels, i.e. of inputs and of outputs.
        key: Random key of JAX; do not use it for anything else.
        rank: Rank of the weight matrix ``V U`` of the step sizes. By default it is
            ``width / 16``, rounded up.
        steps: Range from which the step size of each channel at zero input is drawn
            log-uniformly.

    Raises:
        ValueError: If a size is below one or the bounds in ``steps`` are not positive
            and ordered.

    Example:
        >>> layer = selective(4, 2, key=jax.random.key(0), rank=1)
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
    """
    rank = math.ceil(width / 16) if rank is None else rank
    require_sizes(state_size=state_size, width=width, rank=rank)
    u_key, v_key, step_key, b_key, c_key = jax.random.split(key, 5)
    rates = jnp.log(jnp.arange(1.0, state_size + 1))
    return Selective(
        A_log=jnp.tile(rates, (width, 1)),
        U=uniform_linear(u_key, rank, width),
        V=uniform_linear(v_key, width, rank),
        bias=log_uniform_steps(step_key, width, steps),
        W_B=uniform_linear(b_key, state_size, width),
        W_C=uniform_linear(c_key, state_size, width),
        D=jnp.ones((width,)),
    )
