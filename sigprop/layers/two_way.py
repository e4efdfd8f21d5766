"""Bidirectional layers made of two layers of one type, whose outputs are added.

``h_t`` is the state of the forward half after ``u_1 ... u_t``, and ``g_t`` the state of the
backward half after ``u_time ... u_t``.  Each half has its own parameters, and
``y_t = C_f h_t + C_b g_t + D u_t``.  With tanh units this is the BRNN, with LSTMs the BLSTM;
the paper of BLUR compares with both.

The backward half has no skip connection, because two skip connections would be redundant.

Source: Schuster & Paliwal (1997); Graves & Schmidhuber (2005); BLUR (2025), Table 12.
"""

import math
from collections.abc import Callable
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Complex, Float, Inexact, PRNGKeyArray

from sigprop.layers.base import Group, Layer, parameters, replace
from sigprop.layers.bidirectional import Bidirectional
from sigprop.layers.dense import nonlinear_rnn
from sigprop.layers.gru import gru
from sigprop.layers.lstm import lstm
from sigprop.layers.s4 import s4

READOUT = ("C", "C_re", "C_im")


@final
class TwoWay(Bidirectional):
    """Bidirectional layer, the sum of a forward and a backward layer of the same type.

    Build one with ``two_way``, ``brnn``, ``blstm``, ``bgru`` or ``bidirectional_s4``.

    Example:
        >>> layer = brnn(4, 2, key=jax.random.key(0))
        >>> layer.causal, layer.state_size, layer.widths
        (False, 8, (2, 2))
    """

    forward: Layer
    backward: Layer

    @property
    def linear(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """True if both the forward and the backward layer are linear."""
        return self.forward.linear and self.backward.linear

    @property
    def stable(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """True if both the forward and the backward layer are stable."""
        return self.forward.stable and self.backward.stable

    def halves(self) -> tuple[Layer, Layer]:
        """Return the forward half, and the backward half with ``D = 0``."""
        skip = getattr(self.forward, "D", None)
        if skip is None:
            return self.forward, self.backward
        return self.forward, _with_skip(self.backward, jnp.zeros_like(skip))

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, ``(d_in, d_out)``."""
        return self.forward.widths

    @property
    def state_size(self) -> int:
        """Number of entries of the states of both directions together."""
        return self.forward.state_size + self.backward.state_size

    def eigenvalues(self) -> Complex[Array, " n"] | None:
        """Return the forward eigenvalues, followed by the backward eigenvalues."""
        forward, backward = self.forward.eigenvalues(), self.backward.eigenvalues()
        if forward is None or backward is None:
            return None
        return jnp.concatenate([forward, backward])

    def initial_state(self) -> tuple[Any, Any]:
        """Return the initial states of both directions, all zeros."""
        return self.forward.initial_state(), self.backward.initial_state()

    def states(self, u: Float[Array, "time d_in"]) -> Inexact[Array, "time both"]:
        """Return the state of each step: forward and backward state, concatenated."""
        states = self.forward.states(u), self.backward.states(u[::-1])[::-1]
        return jnp.concatenate(states, -1)

    def read(
        self, h: Inexact[Array, "time both"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return the sum of the outputs of the forward and the backward half."""
        forward, backward = self.halves()
        h, g = jnp.split(h, [forward.state_size], -1)
        return forward.read(h, u) + backward.read(g[::-1], u[::-1])[::-1]

    def groups(self) -> dict[str, Group]:
        """Return the optimiser group that each parameter has in its half."""
        halves = {"forward": self.forward, "backward": self.backward}
        groups: dict[str, Group] = {
            f"{side}.{name}": group
            for side, half in halves.items()
            for name, group in half.groups().items()
        }
        groups.pop("backward.D", None)
        return groups


def _with_skip(layer: Layer, skip: Array | None) -> Layer:
    return eqx.tree_at(lambda half: half.D, layer, skip, is_leaf=lambda x: x is None)


def two_way(forward: Layer, backward: Layer) -> TwoWay:
    """Build a bidirectional layer that adds the outputs of two layers.

    The skip connection ``D`` of the backward layer is ignored.  The sum is not
    rescaled.

    Args:
        forward: Layer that reads the sequence in order.
        backward: Layer of the same type that reads the reversed sequence.

    Raises:
        ValueError: If a layer is not causal, or if the two layers differ in their type
            or in their numbers of inputs or outputs.

    Example:
        >>> from sigprop.layers import lru
        >>> halves = [lru(4, 2, key=jax.random.key(seed)) for seed in (0, 1)]
        >>> two_way(*halves)(jnp.ones((10, 2))).shape
        (10, 2)
    """
    kinds = type(forward).__name__, type(backward).__name__
    if not (forward.causal and backward.causal):
        raise ValueError(f"need two causal layers, got {kinds[0]} and {kinds[1]}")
    if type(forward) is not type(backward):
        raise ValueError(f"need two layers of one kind, got {kinds[0]} and {kinds[1]}")
    if forward.widths != backward.widths:
        raise ValueError(
            "need two layers of the same widths, got (d_in, d_out) of "
            f"{forward.widths} and {backward.widths}"
        )
    if hasattr(backward, "D"):
        backward = _with_skip(backward, None)
    return TwoWay(forward, backward)


def _draw_halves(key: PRNGKeyArray, draw: Callable[[PRNGKeyArray], Layer]) -> TwoWay:
    """Two draws whose ``C``, side by side, have the fan-in of both states."""
    halves = (draw(half_key) for half_key in jax.random.split(key))
    return two_way(*map(_with_half_the_variance, halves))


def _with_half_the_variance(half: Layer) -> Layer:
    values = parameters(half)
    shared = {name: math.sqrt(0.5) * values[name] for name in READOUT if name in values}
    return replace(half, shared)


def brnn(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    activation: str = "tanh",
) -> TwoWay:
    """Draw a bidirectional RNN: a ``nonlinear_rnn`` in each direction of time.

    The variance of the readout matrices ``C`` is half the variance in
    ``nonlinear_rnn``, because the output is the sum over both directions.

    Args:
        state_size: Number of real numbers in the state of one direction.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        activation: Activation of the recurrence: ``identity``, ``tanh`` or ``relu``.

    Raises:
        ValueError: If a size is below one or the activation is unknown.

    Source: Schuster & Paliwal (1997).

    Example:
        >>> layer = brnn(4, 2, key=jax.random.key(0), activation="relu")
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
    """
    d_out = width if d_out is None else d_out
    return _draw_halves(
        key,
        lambda key: nonlinear_rnn(
            state_size, width, key=key, d_out=d_out, activation=activation
        ),
    )


def blstm(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    times: tuple[float, float],
) -> TwoWay:
    """Draw a bidirectional LSTM: an ``lstm`` in each direction of time.

    The variance of the readout matrices ``C`` is half the variance in ``lstm``, because
    the output is the sum over both directions.

    Args:
        state_size: Number of real numbers in the output ``h`` of the LSTM of one
            direction, equal to the number in its cell ``c``.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        times: Range ``(T_min, T_max)`` in steps. The biases of the forget gates are
            ``log T`` with ``T`` uniform on this range, and the biases of the input
            gates are ``-log T``.

    Raises:
        ValueError: If a size is below one or the bounds in ``times`` are not positive
            and ordered.

    Source: Graves & Schmidhuber (2005), without peepholes.

    Example:
        >>> layer = blstm(4, 2, key=jax.random.key(0), times=(2.0, 8.0))
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
    """
    d_out = width if d_out is None else d_out
    return _draw_halves(
        key, lambda key: lstm(state_size, width, key=key, d_out=d_out, times=times)
    )


def bgru(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    times: tuple[float, float],
) -> TwoWay:
    """Draw a bidirectional GRU: a ``gru`` in each direction of time.

    The variance of the readout matrices ``C`` is half the variance in ``gru``, because
    the output is the sum over both directions.

    Args:
        state_size: Number of real numbers in the state of one direction.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        times: Range ``(T_min, T_max)`` in steps. The biases of the forget gates are
            ``log T`` with ``T`` uniform on this range.

    Raises:
        ValueError: If a size is below one or the bounds in ``times`` are not positive
            and ordered.

    Example:
        >>> layer = bgru(4, 2, key=jax.random.key(0), times=(2.0, 8.0))
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
    """
    d_out = width if d_out is None else d_out
    return _draw_halves(
        key, lambda key: gru(state_size, width, key=key, d_out=d_out, times=times)
    )


def bidirectional_s4(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    nu0: float,
    theta0: float,
    delta: float = 1.0,
) -> TwoWay:
    """Draw a bidirectional S4: an ``s4`` in each direction of time.

    The variance of the readout matrices ``C`` is half the variance in ``s4``, because
    the output is the sum over both directions.

    Args:
        state_size: Number of complex numbers in the state of one direction.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        nu0: Inner radius of the ring of eigenvalues; the outer radius is 1.
        theta0: Largest phase in radians. Phases are uniform on [0, theta0].
        delta: Step size ``Delta``, which also scales the inputs. The initial
            eigenvalues do not depend on ``delta``.

    Raises:
        ValueError: If a size is below one, or a value is out of range. The ranges are
            [0, 1) for ``nu0``, (0, 2 pi] for ``theta0`` and (0, 500] for ``delta``.

    Example:
        >>> layer = bidirectional_s4(4, 2, key=jax.random.key(0), nu0=0.5, theta0=0.3)
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
    """
    d_out = width if d_out is None else d_out
    options = {"nu0": nu0, "theta0": theta0, "delta": delta}
    return _draw_halves(
        key, lambda key: s4(state_size, width, key=key, d_out=d_out, **options)
    )
