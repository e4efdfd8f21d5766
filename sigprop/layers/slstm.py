"""sLSTM: ``c_t = f c_{t-1} + i z``, ``n_t = f n_{t-1} + i``, ``h_t = o c_t / n_t``.

In every neuron ``i = exp(i~)``, ``o = s(o~)``, ``z = tanh(z~)`` with ``s`` the sigmoid, and
``f = s(f~)`` or ``exp(f~)``.  Arguments are ``W u + R h + b``, with ``R`` block-diagonal: a
neuron sees the last outputs of its own head.

The state holds ``c e^{-m}`` and ``n e^{-m}`` in place of ``c`` and ``n``, as in released code.
The stabiliser ``m`` is the logarithm of the largest weight so far, and leaves ``h`` as it is.

Source: Beck et al. (2024), xLSTM, Eq. 8-17; ``blocks/slstm`` of the package xlstm 2.0.6 for
the stabiliser and the initialisation.  That code has the sigmoid forget gate alone, and its
``W`` are block-diagonal too; here they are full, as in the paper.  Its gradients in single
precision are NaN if the first ``i~`` of a sequence is below -88, as ``exp(-i~)`` overflows.
"""

import math
from typing import ClassVar, Literal, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer
from jax.nn import log_sigmoid, sigmoid
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group, Layer
from sigprop.layers.initialisers import (
    each,
    normal,
    require_one_state_a_channel,
    require_sizes,
)
from sigprop.layers.projected import require_heads
from sigprop.neuron.neurons import Moved, Part, describe
from sigprop.numerics.arguments import (
    require_choice,
    require_moderate,
    require_number,
)
from sigprop.theory import slstm as theory

Forget = Literal["sigmoid", "exponential"]
FORGETS: tuple[Forget, ...] = ("sigmoid", "exponential")
FIRST_BLOCK = 0.3  # exponent of the positions of forget biases, in the first block
ADDED = 1.3  # to the exponent, in the last block


@final
class SLSTM(Layer):
    """The layer; build one with ``slstm``.

    A state is the output ``h``, followed by ``c e^{-m}``, ``n e^{-m}`` and ``m``.

    Example:
        >>> layer = slstm(6, 6, key=jax.random.key(0), heads=2)
        >>> layer.linear, layer.state_size, layer.R_f.shape
        (False, 24, (2, 3, 3))
    """

    linear: ClassVar[bool] = False

    W_i: Float[Array, "n d_in"]
    W_f: Float[Array, "n d_in"]
    W_z: Float[Array, "n d_in"]
    W_o: Float[Array, "n d_in"]
    R_i: Float[Array, "heads size size"]
    R_f: Float[Array, "heads size size"]
    R_z: Float[Array, "heads size size"]
    R_o: Float[Array, "heads size size"]
    b_i: Float[Array, " n"]
    b_f: Float[Array, " n"]
    b_z: Float[Array, " n"]
    b_o: Float[Array, " n"]
    forget: Forget = eqx.field(static=True, default="sigmoid")

    @property
    def widths(self) -> tuple[int, int]:
        """``(d_in, n)``: one output a neuron."""
        return self.W_i.shape[1], self.b_f.shape[0]

    @property
    def state_size(self) -> int:
        """Real numbers in the state, four a neuron."""
        return 4 * self.b_f.shape[0]

    def initial_state(self) -> Float[Array, " states"]:
        """The zero state."""
        return jnp.zeros(self.state_size, self.b_f.dtype)

    def _entering(self, u: Float[Array, "time d_in"]) -> Float[Array, "time gates"]:
        """Terms of inputs and biases in the four arguments, side by side."""
        weights = jnp.concatenate([self.W_i, self.W_f, self.W_z, self.W_o])
        biases = jnp.concatenate([self.b_i, self.b_f, self.b_z, self.b_o])
        return u @ weights.T + biases[None]

    def _mixing(self) -> Float[Array, "4 heads size size"]:
        return jnp.stack([self.R_i, self.R_f, self.R_z, self.R_o])

    def _advance(
        self,
        state: Float[Array, " states"],
        entering: Float[Array, " gates"],
        mixing: Float[Array, "4 heads size size"],
    ) -> Float[Array, " states"]:
        h, c, n, m = jnp.split(state, 4)
        last = h.reshape(mixing.shape[1:3])
        mixed = jnp.einsum("gkij,kj->gki", mixing, last).ravel()
        i, f, z, o = jnp.split(entering + mixed, 4)
        log_f = log_sigmoid(f) if self.forget == "sigmoid" else f
        kept = jnp.where(n == 0, -jnp.inf, m + log_f)  # an empty state has no weight
        m = jnp.maximum(i, kept)
        i, f = jnp.exp(i - m), jnp.exp(kept - m)
        c, n = f * c + i * jnp.tanh(z), f * n + i
        return jnp.concatenate([sigmoid(o) * c / n, c, n, m])

    def step(
        self, state: Float[Array, " states"], u: Float[Array, " d_in"]
    ) -> tuple[Float[Array, " states"], Float[Array, " n"]]:
        """One step of the recurrence and its output."""
        state = self._advance(state, self._entering(u[None])[0], self._mixing())
        return state, self.read(state[None], u[None])[0]

    def states(self, u: Float[Array, "time d_in"]) -> Float[Array, "time states"]:
        """All states, from the zero state; sequential, as the gates need the state."""
        mixing = self._mixing()

        def body(state, entering):
            state = self._advance(state, entering, mixing)
            return state, state

        return lax.scan(body, self.initial_state(), self._entering(u))[1]

    def read(
        self, h: Float[Array, "time states"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time n"]:
        """The first quarter of the state."""
        return h[:, : self.b_f.shape[0]]

    def sums(self, h: Float[Array, "time states"]) -> Float[Array, "time sums"]:
        """``c`` and ``n`` of the equations, side by side, from states.

        ``predict_gated`` has their moments.  They may overflow where the state does not.
        """
        _, c, n, m = jnp.split(h, 4, axis=1)
        return jnp.concatenate([c * jnp.exp(m), n * jnp.exp(m)], 1)

    def neurons(self) -> list[Part]:
        """The sums ``c`` of all neurons, and their sums ``n``, for predictions of moments.

        Raises:
            TypeError: If the gates see the state, or JAX traces the matrices that say so.
        """
        mixing = (self.R_i, self.R_f, self.R_z, self.R_o)
        if any(isinstance(R, Tracer) or np.any(R) for R in mixing):
            raise TypeError(
                "need recurrent matrices R_i, R_f, R_z and R_o of zeros for moments of an "
                "SLSTM, got others or traced ones: gates that see the state have no closed "
                "form; replace them by zeros, or measure"
            )
        moved = {
            "W_f": Moved("r", "each"),
            "b_f": Moved("r"),
            "W_i": Moved("i", "each"),
            "b_i": Moved("i"),
        }
        rows, offsets = {"r": self.W_f, "i": self.W_i}, {"r": self.b_f, "i": self.b_i}
        cells = describe(
            theory.CELLS[self.forget],
            {**rows, "v": self.W_z},
            offsets={**offsets, "v": self.b_z},
            moved={**moved, "W_z": Moved("v", "each"), "b_z": Moved("v")},
        )
        weights = theory.NORMALISERS[self.forget]
        return [cells, describe(weights, rows, offsets=offsets, moved=moved)]

    def groups(self) -> dict[str, Group]:
        """Return the optimiser group of each parameter (its learning rate and decay)."""
        groups: dict[str, Group] = {}
        for gate in "ifzo":
            groups[f"W_{gate}"] = "input"
            groups[f"R_{gate}"] = groups[f"b_{gate}"] = "recurrent"
        return groups


def forget_biases(
    size: int, ends: tuple[float, float] = (5.0, -7.0), depth: float = 0.0
) -> Float[np.ndarray, " size"]:
    """Biases of forget gates in one head, from the longest memory to the shortest.

    Args:
        size: Neurons of the head.
        ends: Biases of its first and last neuron.
        depth: Position of the layer in its network, from 0 for the first block to 1 for
            the last.  Between both ends, deeper layers have larger biases.

    Returns:
        ``b_0 + (b_1 - b_0) (j / (size - 1))^p`` of neuron ``j`` with ``p = 0.3 + 1.3
        depth``; ``b_0`` if there is but one.

    Raises:
        ValueError: If a number is out of range.

    Source: ``powerlaw_blockdependent`` in ``blocks/slstm/cell.py`` of the package xlstm 2.0.6.

    Example:
        >>> forget_biases(4).round(2).tolist()
        [5.0, -3.63, -5.63, -7.0]
    """
    require_sizes(size=size)
    for end in ends:
        require_number("ends", end, -100, 100, "[]")
    require_number("depth", depth, 0, 1, "[]")
    first, last = ends
    positions = np.arange(size) / max(size - 1, 1)
    return first + (last - first) * positions ** (FIRST_BLOCK + ADDED * depth)


def slstm(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int = 1,
    forget: Forget = "sigmoid",
    ends: tuple[float, float] = (5.0, -7.0),
    depth: float = 0.0,
    state_gain: float = 0.0,
) -> SLSTM:
    """Draw the layer as released code does, without recurrent connections at first.

    Args:
        state_size: Number of neurons.
        width: Inputs and outputs, one for each neuron.
        key: Random key of JAX; do not use it for anything else.
        heads: Blocks of the recurrent matrices.
        forget: Forget gate: ``sigmoid``, or ``exponential``.  At zero input both start at
            the same gate, the sigmoid of ``forget_biases``.
        ends: As in ``forget_biases``, of every head.
        depth: As in ``forget_biases``.
        state_gain: Factor on the recurrent matrices, whose entries are uniform within
            ``1/sqrt(width)`` of zero.  Released code has 0 by default, and the option 1.

    Raises:
        ValueError: If a size is below one, ``state_size`` is not ``width`` or no multiple of
            ``heads``, ``forget`` is unknown, or a number is out of range.

    Source: ``blocks/slstm`` of the package xlstm 2.0.6.

    Example:
        >>> layer = slstm(4, 4, key=jax.random.key(0), heads=2)
        >>> layer.b_f.tolist(), layer(jnp.ones((10, 4))).shape
        ([5.0, -7.0, 5.0, -7.0], (10, 4))
    """
    require_one_state_a_channel(state_size, width)
    require_sizes(heads=heads)
    require_heads(width, heads)
    require_moderate("state_gain", state_gain)
    require_choice("forget", forget, FORGETS)
    size = width // heads
    b_f = jnp.asarray(np.tile(forget_biases(size, ends, depth), heads), float)
    input_key, state_key = jax.random.split(key)
    inputs = each(
        lambda k: normal(k, width, width, 2 / (5 * width)),
        jax.random.split(input_key, 4),
    )
    bound = state_gain / math.sqrt(width)
    mixing = bound * jax.random.uniform(
        state_key, (4, heads, size, size), minval=-1.0, maxval=1.0
    )
    zero = jnp.zeros(width)
    return SLSTM(
        *inputs,
        *mixing,
        b_i=zero,
        b_f=b_f if forget == "sigmoid" else log_sigmoid(b_f),
        b_z=zero,
        b_o=zero,
        forget=forget,
    )
