"""RG-LRU: ``h_t = a_t h_{t-1} + sqrt(1 - a_t^2) i_t x_t`` with gates of the input alone.

``r = s(W_a x + b_a)``, ``i = s(W_x x + b_x)``, ``a = exp(-8 softplus(Lambda) r)``, ``s``
the sigmoid, matrices block-diagonal; the output is the state.

Source: De et al. (2024), Griffin, Eq. 1-4; the code of RecurrentGemma, ``jax/layers.py``
of github.com/google-deepmind/recurrentgemma, for the blocks and the initialisation.  That
code lets the first input of a sequence in without ``sqrt(1 - a^2)`` and clips the root's
slope at 1000; here the equations hold at every step.
"""

from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import sigmoid, softplus
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.initialisers import (
    normal,
    require_one_state_a_channel,
    require_sizes,
)
from sigprop.layers.projected import InputGated, inverse_softplus
from sigprop.neuron.neurons import Moved, Part, describe, read_by
from sigprop.neuron.ring import even_memories, require_spread
from sigprop.theory import gates

CLOSING = 8.0  # the paper's c


@final
class RGLRU(InputGated):
    """The layer; build one with ``rglru``.

    Example:
        >>> layer = rglru(6, 6, key=jax.random.key(0), heads=2)
        >>> layer.linear, layer.W_a.shape
        (False, (2, 3, 3))
    """

    W_a: Float[Array, "heads size size"]
    b_a: Float[Array, " n"]
    W_x: Float[Array, "heads size size"]
    b_x: Float[Array, " n"]
    Lambda: Float[Array, " n"]

    @property
    def widths(self) -> tuple[int, int]:
        """``(n, n)``: one input and one output a neuron."""
        return self.b_a.shape[0], self.b_a.shape[0]

    @property
    def state_size(self) -> int:
        """Real numbers in the state."""
        return self.b_a.shape[0]

    def initial_state(self) -> Float[Array, " n"]:
        """The zero state."""
        return jnp.zeros_like(self.b_a)

    def gates(
        self, u: Float[Array, "time n"]
    ) -> tuple[Float[Array, "time n"], Float[Array, "time n"]]:
        """``a`` and what enters the state."""
        blocks = u.reshape(len(u), *self.W_a.shape[:2])

        def entering(
            W: Float[Array, "heads size size"], b: Float[Array, " n"]
        ) -> Float[Array, "time n"]:
            return jnp.einsum("hij,thj->thi", W, blocks).reshape(u.shape) + b[None]

        rate = softplus(self.Lambda)[None] * sigmoid(entering(self.W_a, self.b_a))
        log_a = -CLOSING * rate
        scale = jnp.sqrt(-jnp.expm1(2 * log_a))
        return jnp.exp(log_a), scale * sigmoid(entering(self.W_x, self.b_x)) * u

    def read(
        self, h: Float[Array, "time n"], u: Float[Array, "time n"]
    ) -> Float[Array, "time n"]:
        """The states."""
        return h

    def neurons(self) -> list[Part]:
        """One part a head, for ``sigprop.linear.gated_moments``."""
        moved = {
            "W_a": Moved("r", "each"),
            "b_a": Moved("r"),
            "W_x": Moved("i", "each"),
            "b_x": Moved("i"),
            "Lambda": Moved("Lambda"),
        }
        size, parts = self.W_a.shape[1], []
        for head, (W_a, W_x) in enumerate(zip(self.W_a, self.W_x, strict=True)):
            own = np.arange(head * size, (head + 1) * size)
            part = describe(
                gates.RGLRU,
                {"r": W_a, "i": W_x, "x": np.eye(size)},
                offsets={"r": self.b_a[own], "i": self.b_x[own]},
                parameters={"Lambda": self.Lambda[own]},
                moved=moved,
                columns=own,
                readout=read_by(np.eye(self.state_size)[:, own], width=size),
            )
            parts.append(part)
        return parts

    def groups(self) -> dict[str, Group]:
        """Return the optimiser group of each parameter (its learning rate and decay)."""
        return {
            "W_a": "recurrent",
            "b_a": "recurrent",
            "Lambda": "recurrent",
            "W_x": "input",
            "b_x": "input",
        }


def rglru(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int = 1,
    radii: tuple[float, float] = (0.9, 0.999),
    spread: str = "area",
) -> RGLRU:
    """Draw the layer: fan-in normal matrices, no biases, a ring of open gates.

    Args:
        state_size: Number of real numbers in the state.
        width: Inputs and outputs, one for each number of the state.
        key: Random key of JAX; do not use it for anything else.
        heads: Blocks of the matrices.
        radii: Bounds of ``exp(-softplus(Lambda))``. With the gate fully open, a
            state is multiplied by the eighth power of this number at each step.
        spread: One of ``sigprop.neuron.ring.SPREADS``; the reference code's is ``area``.

    Raises:
        ValueError: If a size is below one, ``state_size`` and ``width`` differ or are no
            multiple of ``heads``, the radii are not ordered between zero and one, or
            there is no such spread.

    Example:
        >>> layer = rglru(6, 6, key=jax.random.key(0), heads=2)
        >>> layer(jnp.ones((10, 6))).shape
        (10, 6)
    """
    require_one_state_a_channel(state_size, width)
    require_sizes(heads=heads)
    n, (low, high) = width, radii
    if n % heads:
        raise ValueError(f"need width a multiple of heads, got {width=}, {heads=}")
    if not 0 < low <= high < 1:
        raise ValueError(f"need 0 < low <= high < 1 in radii, got {radii}")
    require_spread(spread)
    a_key, x_key, radius_key = jax.random.split(key, 3)
    size = n // heads
    area = jax.random.uniform(radius_key, (n,), minval=low**2, maxval=high**2)
    rate = -jnp.log(area) / 2
    if spread == "log":
        rate = jnp.asarray(even_memories(n, low, high), rate.dtype)

    def blocks(key: PRNGKeyArray) -> Float[Array, "heads size size"]:
        return normal(key, n, size, 1 / size).reshape(heads, size, size)

    zero = jnp.zeros((n,))
    return RGLRU(blocks(a_key), zero, blocks(x_key), zero, inverse_softplus(rate))
