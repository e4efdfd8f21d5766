"""sLSTM: ``c_t = f c_{t-1} + i z``, ``n_t = f n_{t-1} + i``, ``h_t = o c_t / n_t``.

In every neuron ``i = exp(i~)``, ``o = s(o~)`` and ``z = tanh(z~)`` with ``s`` the
sigmoid.  The forget gate is ``f = s(f~)`` or ``f = exp(f~)``.  The arguments are
``i~ = W_i u + R_i h_{t-1} + b_i``, and likewise for ``f~``, ``z~`` and ``o~``.  Every
``R`` is block-diagonal: a neuron's arguments depend on the previous outputs of its own
head only.

The state holds ``c e^{-m}`` and ``n e^{-m}`` in place of ``c`` and ``n``, as in
released code.  The stabiliser ``m`` is the logarithm of the largest weight in the sum
``c``.  It does not change ``h``.

Source: Beck et al. (2024), xLSTM, Eq. 8-17; ``blocks/slstm`` of the package xlstm 2.0.6
for the stabiliser and the initialisation.  That code has only the sigmoid forget gate.
Its matrices ``W`` are block-diagonal too; here they are full, as in the paper.  In
single precision, its gradients are NaN if the first ``i~`` of a sequence is below -88,
as ``exp(-i~)`` overflows.
"""

import math
from typing import Literal, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.nn import log_sigmoid, sigmoid
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.initialisers import (
    each,
    normal,
    require_one_state_a_channel,
    require_sizes,
)
from sigprop.layers.projected import require_heads
from sigprop.layers.sequential import SequentialLayer
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
class SLSTM(SequentialLayer):
    """Scalar LSTM layer (sLSTM) of xLSTM; build one with ``slstm``.

    In every neuron, ``c_t = f c_{t-1} + i z`` and ``n_t = f n_{t-1} + i``.  The output
    of a neuron is ``h_t = o c_t / n_t``.  ``f``, ``i``, ``o`` and ``z`` depend on the
    input and on the previous outputs of all neurons in the same head.

    The state holds the outputs ``h`` of all neurons, followed by ``c e^{-m}``,
    ``n e^{-m}`` and ``m``.  The stabiliser ``m`` avoids overflow and does not change
    ``h``.  It is the logarithm of the largest weight in the sum ``c``.

    Example:
        >>> layer = slstm(6, 6, key=jax.random.key(0), heads=2)
        >>> layer.linear, layer.state_size, layer.R_f.shape
        (False, 24, (2, 3, 3))
    """

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
        """Number of inputs and number of outputs, ``(d_in, n)``, for ``n`` neurons."""
        return self.W_i.shape[1], self.b_f.shape[0]

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state, four for each neuron."""
        return 4 * self.b_f.shape[0]

    def initial_state(self) -> Float[Array, " states"]:
        """Return the initial state, all zeros."""
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

    def read(
        self, h: Float[Array, "time states"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time n"]:
        """Return the outputs of all steps, which are the first quarter of each state.

        Args:
            h: States of all steps, from ``states``.
            u: Inputs of all steps, which are ignored.
        """
        return h[:, : self.b_f.shape[0]]

    def sums(self, h: Float[Array, "time states"]) -> Float[Array, "time sums"]:
        """Compute the sums ``c`` and ``n`` of all neurons from states.

        They are not divided by ``exp(m)``, so they may overflow even if the state does
        not.  ``sigprop.linear.predict_gated`` predicts their second moments.

        Args:
            h: States of any number of steps, from ``states``.

        Returns:
            An array with a row for each step.  A row has ``c`` of all neurons, followed
            by ``n`` of all neurons.
        """
        _, c, n, m = jnp.split(h, 4, axis=1)
        return jnp.concatenate([c * jnp.exp(m), n * jnp.exp(m)], 1)

    def neurons(self) -> list[Part]:
        """Return descriptions of the sums ``c`` and ``n`` of all neurons.

        ``sigprop.linear.gated_moments`` predicts moments from these descriptions.

        Returns:
            Two parts: the first for the sums ``c``, and the second for their
            normalisers ``n``.

        Raises:
            TypeError: If a recurrent matrix ``R_i``, ``R_f``, ``R_z`` or ``R_o`` is
                traced by JAX, or is not zero, so that the gates depend on the state.
        """
        require_no_mixing(self)
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
        """Return each parameter's optimiser group: recurrent or input."""
        groups: dict[str, Group] = {}
        for gate in "ifzo":
            groups[f"W_{gate}"] = "input"
            groups[f"R_{gate}"] = groups[f"b_{gate}"] = "recurrent"
        return groups


def require_no_mixing(layer: SLSTM) -> None:
    """Check that the gates do not depend on the state.

    Args:
        layer: Layer to check.

    Raises:
        TypeError: If a recurrent matrix ``R_i``, ``R_f``, ``R_z`` or ``R_o`` is not zero,
            or is traced by JAX.
    """
    mixing = (layer.R_i, layer.R_f, layer.R_z, layer.R_o)
    if any(isinstance(R, Tracer) or np.any(R) for R in mixing):
        raise TypeError(
            "need recurrent matrices R_i, R_f, R_z and R_o of zeros for moments of an "
            "SLSTM, got others or traced ones: gates that see the state have no closed "
            "form; replace them by zeros, or measure"
        )


def forget_biases(
    size: int, ends: tuple[float, float] = (5.0, -7.0), depth: float = 0.0
) -> Float[np.ndarray, " size"]:
    """Return the forget biases of one head, with a power law between two ends.

    With the default ``ends``, memories become shorter from the first neuron to the
    last.  A bias is the argument of a sigmoid forget gate for zero input and the zero
    state.

    Args:
        size: Number of neurons in the head.
        ends: Biases ``b_0`` of the first and ``b_1`` of the last neuron, at most 100 in
            absolute value.
        depth: Position of the layer in its network, from 0 for the first block to 1 for
            the last.  In deeper layers, the biases of the neurons between both ends are
            closer to ``b_0``.

    Returns:
        An array with ``b_0 + (b_1 - b_0) (j / (size - 1))^p`` for each neuron ``j``.
        Neurons are counted from 0, and ``p = 0.3 + 1.3 depth``.  If ``size`` is 1, the
        bias is ``b_0``.

    Raises:
        ValueError: If ``size`` is not a whole number of at least one. Also if an entry
            of ``ends`` is not in [-100, 100], or ``depth`` is not in [0, 1].

    Source: ``powerlaw_blockdependent`` in ``blocks/slstm/cell.py`` of the package xlstm
        2.0.6.

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
    """Draw an sLSTM layer, by default with recurrent matrices of zeros.

    The entries of the input matrices are normal with variance ``2 / (5 width)``.  For
    sigmoid gates, the forget biases are those of ``forget_biases``.  All other biases
    are zero.

    Args:
        state_size: Number of neurons, equal to ``width``.
        width: Number of inputs, equal to the number of outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads. Each has ``width / heads`` neurons, which are connected
            by one block of every recurrent matrix.
        forget: Function of the forget gate, ``sigmoid`` or ``exponential``. For zero
            input and the zero state, both gates equal the sigmoid of ``forget_biases``.
        ends: Biases of the first and the last forget gate of every head, at most 100 in
            absolute value. For an exponential gate, the logarithm of the sigmoid of
            each bias is used.
        depth: Position of the layer in its network, from 0 for the first block to 1 for
            the last; see ``forget_biases``.
        state_gain: Factor of the recurrent matrices. If it is 1, their entries are
            uniform within ``1/sqrt(width)`` of zero. The package xlstm uses 0 by
            default and has 1 as an option.

    Raises:
        ValueError: If a size is not a whole number of at least one, ``state_size`` is
            not ``width``, or ``width`` is not a multiple of ``heads``. Also if
            ``forget`` is unknown, an entry of ``ends`` is not in [-100, 100], or
            ``depth`` is not in [0, 1]. Also if ``state_gain`` is not a real number of
            at most 1e18 in absolute value.

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
