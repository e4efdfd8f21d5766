"""The gated recurrent unit of Zucchet & Orvieto, with Chrono biases.

``r = s(W_rx u + W_rh h + b_r)``, ``f = s(W_fx u + W_fh h + b_f)``,
``n = tanh(W_nx u + b_nx + r (W_nh h + b_nh))``, ``h <- f h + (1 - f) n``, ``y = C h + D u``
with ``s`` the sigmoid.  The forget gate ``f`` corresponds to the eigenvalue ``lam``.

Source: Zucchet & Orvieto (2024), Eq. 26-33.
"""

from typing import final

import jax
import jax.numpy as jnp
from jax.nn import sigmoid
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.initialisers import each, fan_in, require_sizes
from sigprop.layers.sequential import SequentialLayer
from sigprop.numerics.arguments import LARGEST, require_moderate


@final
class GRU(SequentialLayer):
    """Gated recurrent unit (GRU); build one with ``gru``.

    The state obeys ``h <- f h + (1 - f) n``, and the output is ``y = C h + D u``.  With ``s``
    the sigmoid,

    - the forget gate is ``f = s(W_fx u + W_fh h + b_f)``;
    - the reset gate is ``r = s(W_rx u + W_rh h + b_r)``;
    - the candidate is ``n = tanh(W_nx u + b_nx + r (W_nh h + b_nh))``.

    Example:
        >>> layer = gru(4, 2, key=jax.random.key(0), times=(2.0, 8.0))
        >>> layer.linear, layer.state_size, layer.W_rh.shape
        (False, 4, (4, 4))
    """

    W_rx: Float[Array, "n d_in"]
    W_fx: Float[Array, "n d_in"]
    W_nx: Float[Array, "n d_in"]
    W_rh: Float[Array, "n n"]
    W_fh: Float[Array, "n n"]
    W_nh: Float[Array, "n n"]
    b_r: Float[Array, " n"]
    b_f: Float[Array, " n"]
    b_nx: Float[Array, " n"]
    b_nh: Float[Array, " n"]
    C: Float[Array, "d_out n"]
    D: Float[Array, "d_out d_in"]

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, ``(d_in, d_out)``."""
        return self.W_rx.shape[1], self.C.shape[0]

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state."""
        return self.b_f.shape[0]

    def initial_state(self) -> Float[Array, " n"]:
        """Return the initial state, all zeros."""
        return jnp.zeros_like(self.b_f)

    def _entering(self, u: Float[Array, "time d_in"]) -> Float[Array, "time gates"]:
        """Terms that inputs and biases add to ``r``, ``f`` and ``n``, side by side."""
        weights = jnp.concatenate([self.W_rx, self.W_fx, self.W_nx])
        return u @ weights.T + jnp.concatenate([self.b_r, self.b_f, self.b_nx])[None]

    def _mixing(self) -> Float[Array, "gates n"]:
        return jnp.concatenate([self.W_rh, self.W_fh, self.W_nh])

    def _advance(
        self,
        state: Float[Array, " n"],
        entering: Float[Array, " gates"],
        mixing: Float[Array, "gates n"],
    ) -> Float[Array, " n"]:
        r_u, f_u, n_u = jnp.split(entering, 3)
        r_h, f_h, n_h = jnp.split(mixing @ state, 3)
        n = jnp.tanh(n_u + sigmoid(r_u + r_h) * (n_h + self.b_nh))
        return blend(f_u + f_h, state, n)

    def read(
        self, h: Float[Array, "time n"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return the outputs ``C h + D u`` of all steps."""
        return h @ self.C.T + u @ self.D.T

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {
            "W_rx": "input",
            "W_fx": "input",
            "W_nx": "input",
            "W_rh": "recurrent",
            "W_fh": "recurrent",
            "W_nh": "recurrent",
            "b_r": "recurrent",
            "b_f": "recurrent",
            "b_nx": "recurrent",
            "b_nh": "recurrent",
            "C": "readout",
            "D": "readout",
        }


def blend(
    a: Float[Array, "*shape"], h: Float[Array, "*shape"], x: Float[Array, "*shape"]
) -> Float[Array, "*shape"]:
    """Return ``f h + (1 - f) x`` with ``f = sigmoid(a)``.

    ``1 - f`` is computed as ``sigmoid(-a)``, which is accurate also for ``f`` near 1.
    """
    return sigmoid(a) * h + sigmoid(-a) * x


def chrono_times(nu0: float) -> tuple[float, float]:
    """Return the range ``times`` of ``gru`` that the paper uses for a given ``nu0``.

    The range extends from ``T_min = 1/(1 - nu0)`` to ``T_max = 2/(1 - nu0)``, in steps.

    According to the paper, biases ``b = log T`` with ``T`` in this range give forget
    gates in ``[nu0, (1 + nu0)/2]``.  But ``sigmoid(log T) = T/(1 + T)``, so the gates
    are in ``[1/(2 - nu0), 2/(3 - nu0)]``.  These bounds exceed the bounds in the paper
    by ``(1 - nu0)^2/(2 - nu0)`` and ``(1 - nu0)^2/(6 - 2 nu0)``.  Biases
    ``b = log(T - 1)`` would give the range in the paper.

    Args:
        nu0: Intended lower bound of the forget gates.

    Raises:
        ValueError: If ``nu0`` is not in [0, 1).

    Source: Zucchet & Orvieto (2024), Eq. 32-33.

    Example:
        >>> chrono_times(0.75)
        (4.0, 8.0)
    """
    if not 0 <= nu0 < 1:
        raise ValueError(f"need 0 <= nu0 < 1, got nu0={nu0}")
    return 1 / (1 - nu0), 2 / (1 - nu0)


def chrono(key: PRNGKeyArray, n: int, times: tuple[float, float]) -> Float[Array, " n"]:
    """Draw ``n`` biases ``log T`` with ``T`` uniform on ``times``.

    At zero input and state, the gates are then ``T/(1 + T)``.

    Raises:
        ValueError: If ``0 < T_min <= T_max`` does not hold.

    Source: Zucchet & Orvieto (2024), Eq. 31; Tallec & Ollivier (2018), chrono
    initialisation.
    """
    t_min, t_max = times
    if not 0 < t_min <= t_max <= LARGEST:
        raise ValueError(f"need 0 < T_min <= T_max <= {LARGEST:g}, got times={times}")
    return jnp.log(jax.random.uniform(key, (n,), minval=t_min, maxval=t_max))


def orthogonal(key: PRNGKeyArray, n: int, gain: float = 1.0) -> Float[Array, "n n"]:
    """Draw a uniformly distributed orthogonal matrix and multiply it by ``gain``.

    Raises:
        ValueError: If the gain is not finite.
    """
    require_moderate("state_gain", gain)
    return gain * jax.nn.initializers.orthogonal()(key, (n, n))


def gru(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    times: tuple[float, float],
    state_gain: float = 1.0,
) -> GRU:
    """Draw a GRU with Chrono initialisation of the biases of the forget gates.

    These biases are ``b_f = log T`` with ``T`` uniform on ``times``; the other biases
    are zero.  Matrices that multiply ``h`` are orthogonal; matrices that multiply ``u``
    have the LeCun variance ``1/width``.

    Args:
        state_size: Number of real numbers in the state.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        times: Range ``(T_min, T_max)`` of ``T`` in steps; ``chrono_times(nu0)`` in the
            paper's Section 5.
        state_gain: Factor that scales the three matrices that multiply ``h``; the
            paper's ``sigma_h`` (Figure 14).

    Raises:
        ValueError: If a size is below one, the bounds in ``times`` are not positive and
            ordered, or ``state_gain`` is not finite.

    Source: Zucchet & Orvieto (2024), Appendix A.4 and D.2.

    Example:
        >>> layer = gru(4, 2, key=jax.random.key(0), d_out=1, times=chrono_times(0.75))
        >>> layer(jnp.ones((10, 2))).shape
        (10, 1)
    """
    d_out = width if d_out is None else d_out
    require_sizes(state_size=state_size, width=width, d_out=d_out)
    bias_key, c_key, d_key, *keys = jax.random.split(key, 9)
    zero = jnp.zeros(state_size)
    return GRU(
        *each(lambda k: fan_in(k, state_size, width), keys[:3]),
        *(orthogonal(k, state_size, state_gain) for k in keys[3:]),
        b_r=zero,
        b_f=chrono(bias_key, state_size, times),
        b_nx=zero,
        b_nh=zero,
        C=fan_in(c_key, d_out, state_size),
        D=fan_in(d_key, d_out, width),
    )
