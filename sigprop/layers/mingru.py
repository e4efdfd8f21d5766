"""minGRU: ``h_t = (1 - z_t) h_{t-1} + z_t v_t`` with a gate ``z`` and a candidate ``v``.

``z = s(W_z u + b_z)`` with ``s`` the sigmoid, and ``v = W_v u + b_v``.  Neither depends on
the state, so that the recurrence runs in parallel.  The output is the state.

Source: Feng et al. (2024), Were RNNs all we needed?, Section 3.1.
"""

from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import sigmoid
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.initialisers import require_sizes
from sigprop.layers.projected import InputGated, uniform_bias, uniform_linear
from sigprop.neuron.neurons import Moved, Part, describe, read_by
from sigprop.numerics.arguments import LARGEST
from sigprop.theory import gates


@final
class MinGRU(InputGated):
    """minGRU layer; build one with ``mingru``.

    The recurrence is ``h_t = (1 - z_t) h_{t-1} + z_t v_t``.  The gate ``z_t`` and the
    candidate ``v_t`` depend on the input alone.  The output is the state.

    Example:
        >>> layer = mingru(4, 2, key=jax.random.key(0))
        >>> layer.state_size, layer.widths
        (4, (2, 4))
    """

    W_z: Float[Array, "n d_in"]
    b_z: Float[Array, " n"]
    W_v: Float[Array, "n d_in"]
    b_v: Float[Array, " n"]

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs, and number of outputs, which is one per neuron."""
        return self.W_z.shape[1], self.W_z.shape[0]

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state."""
        return self.b_z.shape[0]

    def initial_state(self) -> Float[Array, " n"]:
        """Return the initial state, all zeros."""
        return jnp.zeros_like(self.b_z)

    def gates(
        self, u: Float[Array, "time d_in"]
    ) -> tuple[Float[Array, "time n"], Float[Array, "time n"]]:
        """Return ``a = 1 - z`` and ``b = z v`` in ``h_t = a_t h_{t-1} + b_t``."""
        z = u @ self.W_z.T + self.b_z[None]
        return sigmoid(-z), sigmoid(z) * (u @ self.W_v.T + self.b_v[None])

    def read(
        self, h: Float[Array, "time n"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time n"]:
        """Return the states, which are the outputs."""
        return h

    def neurons(self) -> list[Part]:
        """Return a description of the neurons for ``sigprop.linear.gated_moments``."""
        moved = {
            "W_z": Moved("r", "each"),
            "b_z": Moved("r"),
            "W_v": Moved("v", "each"),
            "b_v": Moved("v"),
        }
        rows, offsets = {"r": self.W_z, "v": self.W_v}, {"r": self.b_z, "v": self.b_v}
        n, width = self.W_z.shape
        read = read_by(np.eye(n), width=width)
        part = describe(gates.MINGRU, rows, offsets=offsets, moved=moved, readout=read)
        return [part]

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {"W_z": "recurrent", "b_z": "recurrent", "W_v": "input", "b_v": "input"}


def mingru(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    memory: float = 2.0,
) -> MinGRU:
    """Draw a minGRU with uniform weights and biases, as in PyTorch's ``Linear``.

    Args:
        state_size: Number of real numbers in the state, equal to the number of outputs.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        memory: Typical time constant ``1/z`` at zero input, in steps. The drawn ``b_z``
            are shifted by ``-log(memory - 1)``, which is zero for the paper's value, 2.

    Raises:
        ValueError: If a size is below one or ``memory`` is not above one.

    Example:
        >>> layer = mingru(4, 2, key=jax.random.key(0), memory=8.0)
        >>> layer(jnp.ones((10, 2))).shape
        (10, 4)
    """
    require_sizes(state_size=state_size, width=width)
    if not 1 < memory <= LARGEST:
        raise ValueError(f"need memory > 1 and <= {LARGEST:g}, got {memory=}")
    z_key, bz_key, v_key, bv_key = jax.random.split(key, 4)
    return MinGRU(
        uniform_linear(z_key, state_size, width),
        uniform_bias(bz_key, state_size, width) - jnp.log(memory - 1.0),
        uniform_linear(v_key, state_size, width),
        uniform_bias(bv_key, state_size, width),
    )
