"""RG-LRU: ``h_t = a_t h_{t-1} + sqrt(1 - a_t^2) i_t x_t`` with gates of the input alone.

``r = s(W_a x + b_a)``, ``i = s(W_x x + b_x)``, ``a = exp(-8 softplus(Lambda) r)`` with ``s``
the sigmoid.  The matrices are block-diagonal.  The output is the state.

Source: De et al. (2024), Griffin, Eq. 1-4; the code of RecurrentGemma, ``jax/layers.py``
of github.com/google-deepmind/recurrentgemma, for the blocks and the initialisation.  That
code omits the factor ``sqrt(1 - a^2)`` for the first input of a sequence, and clips the
derivative of the square root at 1000.  Here the equations hold at every step.
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
    """Real-gated LRU (RG-LRU) of Griffin; build one with ``rglru``.

    The recurrence is ``h_t = a_t h_{t-1} + sqrt(1 - a_t^2) i_t x_t``.  The gates
    ``a_t`` and ``i_t`` depend only on the input ``x_t``.  The output is the state.

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
        """Number of inputs and number of outputs; both equal the number of neurons."""
        return self.b_a.shape[0], self.b_a.shape[0]

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state."""
        return self.b_a.shape[0]

    def initial_state(self) -> Float[Array, " n"]:
        """Return the initial state, all zeros."""
        return jnp.zeros_like(self.b_a)

    def gates(
        self, u: Float[Array, "time n"]
    ) -> tuple[Float[Array, "time n"], Float[Array, "time n"]]:
        """Return ``a`` and ``b = sqrt(1 - a^2) i x`` in ``h_t = a_t h_{t-1} + b_t``."""
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
        """Return the states, which are the outputs."""
        return h

    def neurons(self) -> list[Part]:
        """Return a description of the neurons for ``sigprop.linear.gated_moments``."""
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
        """Return each parameter's optimiser group: recurrent, input or readout."""
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
    """Draw an RG-LRU with zero biases and normal gate matrices.

    The matrices have ``heads`` diagonal blocks, with entries of variance
    ``heads / width``.

    Args:
        state_size: Number of real numbers in the state; must equal ``width``.
        width: Number of inputs, equal to the number of outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of diagonal blocks of the matrix of each gate.
        radii: Range of ``exp(-softplus(Lambda))``. If the recurrence gate ``r`` is 1,
            the decay factor ``a`` of a step is the eighth power of this number.
        spread: Distribution of ``exp(-softplus(Lambda))``. With ``area``, as in the
            reference code, the square of this number is uniform. With ``log``, the
            values of ``log(softplus(Lambda))`` are evenly spaced.

    Raises:
        ValueError: If a size is below one, ``state_size`` and ``width`` differ, or
            ``width`` is not a multiple of ``heads``; or if ``radii`` are not ordered or
            not in (0, 1), or ``spread`` is unknown.

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
