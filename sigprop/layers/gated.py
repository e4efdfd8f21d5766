"""A GRU reduced to its forget gate ``f``: ``h <- f h + (1 - f) u``.

The gate is ``f = s(W_fx u + W_fh h + b_f)`` with ``s`` the sigmoid.  Zucchet & Orvieto
apply their theory to gated networks by this simplified GRU.  As printed, the gate
depends on the input and the state.  Without ``W_fh`` it depends on the input alone, as
in Mamba and Hawk, and the recurrence runs in parallel.  Without both matrices it is the
constant ``lam = s(b_f)`` of the theory.

Source: Zucchet & Orvieto (2024), Eq. 157-158; Figure 14 for the two simpler gates.
"""

from typing import ClassVar, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import sigmoid
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.layers.base import Group, Layer
from sigprop.layers.gru import blend, chrono, orthogonal
from sigprop.layers.initialisers import (
    fan_in,
    require_one_state_a_channel,
    require_sizes,
)
from sigprop.neuron.neurons import Moved, Part, Reads, describe, read_by
from sigprop.neuron.scan import scan_linear
from sigprop.theory import gates


class _Gated(Layer):
    """Base of both layers: the parameters and methods that they share."""

    b_f: Float[Array, " n"]
    C: Float[Array, "d_out n"]
    D: Float[Array, "d_out n"]

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs, one per neuron, and number of outputs."""
        return self.C.shape[1], self.C.shape[0]

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state."""
        return self.b_f.shape[0]

    def initial_state(self) -> Float[Array, " n"]:
        """Return the initial state, all zeros."""
        return jnp.zeros_like(self.b_f)

    def read(
        self, h: Float[Array, "time n"], u: Float[Array, "time n"]
    ) -> Float[Array, "time d_out"]:
        """Return the outputs ``C h + D u`` of all steps."""
        return h @ self.C.T + u @ self.D.T


@final
class GatedUnit(_Gated):
    """GRU reduced to its forget gate; build one with ``gated_unit``.

    The gate is ``f = s(W_fx u + W_fh h + b_f)`` with ``s`` the sigmoid, and
    ``h <- f h + (1 - f) u``.  If ``W_fh`` is ``None``, its term is absent, and the gate
    depends only on the input.

    Example:
        >>> layer = gated_unit(4, 4, key=jax.random.key(0), times=(2.0, 8.0))
        >>> layer.linear, layer.state_size
        (False, 4)
    """

    linear: ClassVar[bool] = False

    W_fx: Float[Array, "n n"]
    W_fh: Float[Array, "n n"] | None

    def step(
        self, state: Float[Array, " n"], u: Float[Array, " n"]
    ) -> tuple[Float[Array, " n"], Float[Array, " d_out"]]:
        """Take one input and return the next state and the output."""
        a = self.W_fx @ u + self.b_f
        a = a if self.W_fh is None else a + self.W_fh @ state
        state = blend(a, state, u)
        return state, self.C @ state + self.D @ u

    def gates(
        self, u: Float[Array, "time n"]
    ) -> tuple[Float[Array, "time n"], Float[Array, "time n"]]:
        """Return ``a_t`` and ``b_t`` in ``h_t = a_t h_{t-1} + b_t`` if ``W_fh`` is None."""
        entering = u @ self.W_fx.T + self.b_f[None]
        return sigmoid(entering), sigmoid(-entering) * u

    def states(self, u: Float[Array, "time n"]) -> Float[Array, "time n"]:
        """Compute the states of all steps, starting from the zero state.

        The steps run in parallel if ``W_fh`` is ``None``, otherwise in sequence.
        """
        mixing = self.W_fh
        if mixing is None:
            return scan_linear(*self.gates(u))
        entering = u @ self.W_fx.T + self.b_f[None]

        def body(h, now):
            a, u_t = now
            h = blend(a + mixing @ h, h, u_t)
            return h, h

        return lax.scan(body, self.initial_state(), (entering, u))[1]

    def neurons(self) -> list[Part]:
        """Return a description of the neurons for ``sigprop.linear.gated_moments``.

        Raises:
            TypeError: If the gate depends on the state, i.e. ``W_fh`` is not ``None``.
        """
        if self.W_fh is not None:
            raise TypeError(
                "need a gate that sees the input alone, got one that sees the state; draw "
                "the unit with state_gain=0, or linearise it"
            )
        rows = {"r": self.W_fx, "x": np.eye(self.state_size)}
        moved = {"W_fx": Moved("r", "each"), "b_f": Moved("r")}
        part = describe(
            gates.GATE_UNIT,
            rows,
            offsets={"r": self.b_f},
            moved=moved,
            readout=read_by(
                self.C,
                width=self.state_size,
                skip=self.D,
                moved={
                    "C": Reads("mixing", len(self.C)),
                    "D": Reads("skip", len(self.D)),
                },
            ),
        )
        return [part]

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        groups: dict[str, Group] = {
            "W_fx": "input",
            "b_f": "recurrent",
            "C": "readout",
            "D": "readout",
        }
        if self.W_fh is not None:
            groups["W_fh"] = "recurrent"
        return groups


@final
class ConstantGate(_Gated):
    """Gated unit with constant gates; build one with ``constant_gate``.

    The recurrence is ``h <- lam h + (1 - lam) u`` with the gate ``lam = sigmoid(b_f)``.

    Example:
        >>> layer = constant_gate(4, 4, key=jax.random.key(0), times=(2.0, 8.0))
        >>> layer.linear, layer.eigenvalues().shape
        (True, (4,))
    """

    stable: ClassVar[bool] = True

    def eigenvalues(self) -> Complex[Array, " n"]:
        """Return the gates ``sigmoid(b_f)``, which are the eigenvalues."""
        return lax.complex(sigmoid(self.b_f), jnp.zeros_like(self.b_f))

    def step(
        self, state: Float[Array, " n"], u: Float[Array, " n"]
    ) -> tuple[Float[Array, " n"], Float[Array, " d_out"]]:
        """Take one input and return the next state and the output."""
        state = blend(self.b_f, state, u)
        return state, self.C @ state + self.D @ u

    def states(self, u: Float[Array, "time n"]) -> Float[Array, "time n"]:
        """Return the states of all steps, starting from the zero state."""
        return scan_linear(sigmoid(self.b_f), sigmoid(-self.b_f)[None] * u)

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {"b_f": "recurrent", "C": "readout", "D": "readout"}


def gated_unit(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    times: tuple[float, float],
    state_gain: float = 1.0,
) -> GatedUnit:
    """Draw a gated unit, initialised like a GRU from ``gru``.

    ``W_fh`` is orthogonal, ``W_fx`` has LeCun variance ``1/width``, and ``b_f = log T``
    with ``T`` uniform on ``times`` (Chrono initialisation).

    Args:
        state_size: Number of real numbers in the state; must equal ``width``.
        width: Number of inputs, one for each number in the state.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        times: Range ``(T_min, T_max)`` of ``T`` in steps; (1, 256) in Figure 15.
        state_gain: Factor that multiplies ``W_fh``, the paper's ``sigma_h``. If it is
            zero, ``W_fh`` is ``None``.

    Raises:
        ValueError: If a size is below one, ``state_size`` and ``width`` differ, the
            bounds in ``times`` are not positive and ordered, or ``state_gain`` is not
            finite.

    Source: Zucchet & Orvieto (2024), Appendix A.4 and D.3.

    Example:
        >>> layer = gated_unit(4, 4, key=jax.random.key(0), d_out=1, times=(2.0, 8.0))
        >>> layer(jnp.ones((10, 4))).shape
        (10, 1)
    """
    n, d_out = width, width if d_out is None else d_out
    require_one_state_a_channel(state_size, width)
    require_sizes(d_out=d_out)
    bias_key, c_key, d_key, x_key, h_key = jax.random.split(key, 5)
    return GatedUnit(
        b_f=chrono(bias_key, n, times),
        C=fan_in(c_key, d_out, n),
        D=fan_in(d_key, d_out, n),
        W_fx=fan_in(x_key, n, n),
        W_fh=None if state_gain == 0 else orthogonal(h_key, n, state_gain),
    )


def constant_gate(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    times: tuple[float, float],
) -> ConstantGate:
    """Draw a gated unit with constant gates ``T/(1 + T)``.

    Args:
        state_size: Number of real numbers in the state; must equal ``width``.
        width: Number of inputs, one for each number in the state.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        times: Range ``(T_min, T_max)`` on which ``T`` is uniform, in steps.

    Raises:
        ValueError: If a size is below one, ``state_size`` and ``width`` differ, or the
            bounds in ``times`` are not positive and ordered.

    Source: Zucchet & Orvieto (2024), Figure 14 A and Figure 15.

    Example:
        >>> layer = constant_gate(4, 4, key=jax.random.key(0), times=(2.0, 8.0))
        >>> layer(jnp.ones((10, 4))).shape
        (10, 4)
    """
    n, d_out = width, width if d_out is None else d_out
    require_one_state_a_channel(state_size, width)
    require_sizes(d_out=d_out)
    bias_key, c_key, d_key = jax.random.split(key, 3)
    return ConstantGate(
        chrono(bias_key, n, times), fan_in(c_key, d_out, n), fan_in(d_key, d_out, n)
    )
