"""S4 without state expansion: ``h_t = exp(Delta w) h_{t-1} + Delta B u_t``.

``Delta = softplus(omega_delta)``, ``w = w_re + i w_im``, ``y = Re(C h) + D u``.  Nothing
keeps ``w_re`` below zero.

Source: Zucchet & Orvieto (2024), Eq. 23-25.
"""

import math
from typing import ClassVar, final

import jax
import jax.numpy as jnp
from jax import lax
from jax.nn import softplus
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.engine import scan_linear
from sigprop.layers.base import Group, Layer
from sigprop.layers.initialisers import fan_in, require_sizes
from sigprop.layers.lru import ring_parameters
from sigprop.projections import project_in, read_out
from sigprop.recurrence import step


@final
class S4(Layer):
    """The layer; build one with ``s4``."""

    stable: ClassVar[bool] = False

    omega_delta: Float[Array, " n"]
    w_re: Float[Array, " n"]
    w_im: Float[Array, " n"]
    B_re: Float[Array, "n d_in"]
    B_im: Float[Array, "n d_in"]
    C_re: Float[Array, "d_out n"]
    C_im: Float[Array, "d_out n"]
    D: Float[Array, "d_out d_in"]

    @property
    def widths(self) -> tuple[int, int]:
        """``(d_in, d_out)``."""
        return self.B_re.shape[1], self.C_re.shape[0]

    @property
    def state_size(self) -> int:
        """Complex numbers in the state."""
        return self.omega_delta.shape[0]

    def eigenvalues(self) -> Complex[Array, " n"]:
        """The diagonal of the recurrence."""
        delta = softplus(self.omega_delta)
        return jnp.exp(lax.complex(self.w_re * delta, self.w_im * delta))

    def inputs(self, u: Float[Array, "time d_in"]) -> Complex[Array, "time n"]:
        """``Delta B u``."""
        delta = softplus(self.omega_delta)[:, None]
        return project_in(delta * self.B_re, delta * self.B_im, u)

    def initial_state(self) -> Complex[Array, " n"]:
        """The zero state."""
        return jnp.zeros_like(self.eigenvalues())

    def step(
        self, state: Complex[Array, " n"], u: Float[Array, " d_in"]
    ) -> tuple[Complex[Array, " n"], Float[Array, " d_out"]]:
        """One step of the recurrence and its output."""
        state = step(self.eigenvalues(), state, self.inputs(u[None])[0])
        return state, self.read(state[None], u[None])[0]

    def states(self, u: Float[Array, "time d_in"]) -> Complex[Array, "time n"]:
        """All states, from the zero state."""
        return scan_linear(self.eigenvalues(), self.inputs(u))

    def read(
        self, h: Complex[Array, "time n"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """``Re(C h) + D u``."""
        return read_out(self.C_re, self.C_im, h) + u @ self.D.T

    def groups(self) -> dict[str, Group]:
        """Which learning rate and decay each parameter gets."""
        return {
            "omega_delta": "recurrent",
            "w_re": "recurrent",
            "w_im": "recurrent",
            "B_re": "input",
            "B_im": "input",
            "C_re": "readout",
            "C_im": "readout",
            "D": "readout",
        }


def s4(
    key: PRNGKeyArray,
    state_size: int,
    d_in: int,
    d_out: int,
    *,
    nu0: float,
    theta0: float,
) -> S4:
    """Draw the layer with ``Delta = 1`` and eigenvalues on the ring of the LRU.

    Args:
        key: Consumed here.
        state_size: Complex numbers in the state.
        d_in: Inputs.
        d_out: Outputs.
        nu0: Inner radius of the ring; the outer one is 1.
        theta0: Phases are uniform on [0, theta0] radians.

    Raises:
        ValueError: If a size, the radius or the phase is out of range.

    Source: Zucchet & Orvieto (2024), Appendix A.3; as ``zucchet_lru`` for the rest.
    """
    require_sizes(state_size=state_size, d_in=d_in, d_out=d_out)
    ring_key, *keys = jax.random.split(key, 6)
    nu_log, theta_log = ring_parameters(ring_key, state_size, nu0, 1.0, theta0)
    half = math.sqrt(0.5)
    b_re, b_im = (half * fan_in(k, state_size, d_in) for k in keys[:2])
    c_re, c_im = (half * fan_in(k, d_out, state_size) for k in keys[2:4])
    one = jnp.full(state_size, math.log(math.expm1(1.0)))  # softplus of it is 1
    d = fan_in(keys[4], d_out, d_in)
    return S4(one, -jnp.exp(nu_log), jnp.exp(theta_log), b_re, b_im, c_re, c_im, d)
