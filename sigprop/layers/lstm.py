"""The long short-term memory with Chrono biases.

``i, f, o = s(W_x u + W_h h + b)``, ``g = tanh(W_gx u + W_gh h + b_g)``,
``c <- f c + i g``, ``h = o tanh(c)``, ``y = C h + D u`` with ``s`` the sigmoid.

Source: Tallec & Ollivier (2018), chrono initialisation; Zucchet & Orvieto (2024),
Appendix D.1.
"""

from typing import final

import jax
import jax.numpy as jnp
from jax.nn import sigmoid
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.gru import chrono, orthogonal
from sigprop.layers.initialisers import each, fan_in, require_sizes
from sigprop.layers.sequential import SequentialLayer
from sigprop.numerics.arguments import LARGEST, require_number


@final
class LSTM(SequentialLayer):
    """Long short-term memory layer (LSTM); build one with ``lstm``.

    The recurrence is ``c <- f c + i g``, ``h = o tanh(c)``, and the output is
    ``y = C h + D u``.  The gates ``i``, ``f`` and ``o`` are sigmoids of affine maps of
    ``u`` and the previous ``h``.  The candidate ``g`` is the tanh of such a map.  The
    state holds ``h``, followed by ``c``.

    Example:
        >>> layer = lstm(4, 2, key=jax.random.key(0), times=(2.0, 8.0))
        >>> layer.linear, layer.state_size
        (False, 8)
    """

    W_ix: Float[Array, "n d_in"]
    W_fx: Float[Array, "n d_in"]
    W_ox: Float[Array, "n d_in"]
    W_gx: Float[Array, "n d_in"]
    W_ih: Float[Array, "n n"]
    W_fh: Float[Array, "n n"]
    W_oh: Float[Array, "n n"]
    W_gh: Float[Array, "n n"]
    b_i: Float[Array, " n"]
    b_f: Float[Array, " n"]
    b_o: Float[Array, " n"]
    b_g: Float[Array, " n"]
    C: Float[Array, "d_out n"]
    D: Float[Array, "d_out d_in"]

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, ``(d_in, d_out)``."""
        return self.W_ix.shape[1], self.C.shape[0]

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state, ``h`` and ``c`` together."""
        return 2 * self.b_f.shape[0]

    def initial_state(self) -> Float[Array, " size"]:
        """Return the initial state, all zeros."""
        return jnp.zeros(self.state_size, self.b_f.dtype)

    def _entering(self, u: Float[Array, "time d_in"]) -> Float[Array, "time gates"]:
        """Terms of inputs and biases in ``i``, ``f``, ``o`` and ``g``, side by side."""
        weights = jnp.concatenate([self.W_ix, self.W_fx, self.W_ox, self.W_gx])
        biases = jnp.concatenate([self.b_i, self.b_f, self.b_o, self.b_g])
        return u @ weights.T + biases[None]

    def _mixing(self) -> Float[Array, "gates n"]:
        return jnp.concatenate([self.W_ih, self.W_fh, self.W_oh, self.W_gh])

    def _advance(
        self,
        state: Float[Array, " size"],
        entering: Float[Array, " gates"],
        mixing: Float[Array, "gates n"],
    ) -> Float[Array, " size"]:
        h, c = jnp.split(state, 2)
        i, f, o, g = jnp.split(entering + mixing @ h, 4)
        c = sigmoid(f) * c + sigmoid(i) * jnp.tanh(g)
        return jnp.concatenate([sigmoid(o) * jnp.tanh(c), c])

    def read(
        self, h: Float[Array, "time size"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return ``C h + D u``, where ``h`` is only the first half of each state."""
        return h[:, : self.C.shape[1]] @ self.C.T + u @ self.D.T

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {
            "W_ix": "input",
            "W_fx": "input",
            "W_ox": "input",
            "W_gx": "input",
            "W_ih": "recurrent",
            "W_fh": "recurrent",
            "W_oh": "recurrent",
            "W_gh": "recurrent",
            "b_i": "recurrent",
            "b_f": "recurrent",
            "b_o": "recurrent",
            "b_g": "recurrent",
            "C": "readout",
            "D": "readout",
        }


def tallec_times(t_max: float) -> tuple[float, float]:
    """Return the range ``times`` of ``lstm`` for time constants up to ``t_max``.

    The range is ``(1, t_max - 1)``.  A bias ``log U`` with ``U`` in this range gives a
    forget gate ``U/(1 + U)``.  The time constant of this gate, ``1 + U``, is between 2
    and ``t_max`` steps.

    Args:
        t_max: Largest time constant of a forget gate, in steps.

    Raises:
        ValueError: If ``t_max`` is below 2.

    Source: Tallec & Ollivier (2018), chrono initialisation.

    Example:
        >>> tallec_times(9.0)
        (1.0, 8.0)
    """
    require_number("t_max", t_max, 2, LARGEST, "[]")
    return 1.0, t_max - 1.0


def lstm(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    times: tuple[float, float],
) -> LSTM:
    """Draw an LSTM with Chrono initialisation of the forget and input gates.

    Their biases are ``b_f = log U``, with ``U`` uniform on ``times``, and
    ``b_i = -b_f``.  Thus the input gate is one minus the forget gate if input and state
    are zero.  The other biases are zero.  Matrices that multiply ``h`` are orthogonal;
    matrices that multiply ``u`` have the LeCun variance ``1/width``.

    Args:
        state_size: Number of real numbers in ``h``, equal to the number in ``c``.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        times: Range of ``U``, in steps; ``tallec_times(t_max)`` in the paper.

    Raises:
        ValueError: If a size is below one or the bounds in ``times`` are not positive
            and ordered.

    Source: Tallec & Ollivier (2018), chrono initialisation.

    Example:
        >>> layer = lstm(4, 2, key=jax.random.key(0), d_out=1, times=tallec_times(9.0))
        >>> layer(jnp.ones((10, 2))).shape
        (10, 1)
    """
    d_out = width if d_out is None else d_out
    require_sizes(state_size=state_size, width=width, d_out=d_out)
    bias_key, c_key, d_key, *keys = jax.random.split(key, 11)
    b_f = chrono(bias_key, state_size, times)
    zero = jnp.zeros(state_size)
    return LSTM(
        *each(lambda k: fan_in(k, state_size, width), keys[:4]),
        *(orthogonal(k, state_size) for k in keys[4:]),
        b_i=-b_f,
        b_f=b_f,
        b_o=zero,
        b_g=zero,
        C=fan_in(c_key, d_out, state_size),
        D=fan_in(d_key, d_out, width),
    )
