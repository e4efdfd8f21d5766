"""S4 without state expansion: ``h_t = exp(Delta w) h_{t-1} + Delta B u_t``.

``Delta = softplus(omega_delta)``, ``w = w_re + i w_im``, ``y = Re(C h) + D u``.  Training can
make ``w_re`` positive, so that ``|lam| > 1``.

Source: Zucchet & Orvieto (2024), Eq. 23-25.
"""

import math
from collections.abc import Mapping
from typing import ClassVar, final

import jax
import jax.numpy as jnp
from jax import lax
from jax.nn import softplus
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.diagonal import PROJECTIONS, DiagonalLayer
from sigprop.layers.initialisers import (
    half_variance_projections,
    require_polar,
    require_sizes,
)
from sigprop.layers.lru import ring_parameters
from sigprop.numerics.arguments import require_number

LONGEST_STEP = 500.0  # whose exponential is finite


@final
class S4(DiagonalLayer):
    """S4 layer with one diagonal recurrence for all inputs; build one with ``s4``.

    The recurrence is ``h_t = lam h_{t-1} + Delta B u_t``.  The eigenvalues are
    ``lam = exp(Delta w)`` with ``Delta = softplus(omega_delta)`` and
    ``w = w_re + i w_im``.  The recurrence is unstable if an entry of ``w_re`` is
    positive.

    Example:
        >>> layer = s4(4, 2, key=jax.random.key(0), nu0=0.5, theta0=0.3)
        >>> layer.eigenvalues().shape, layer.linear
        ((4,), True)
    """

    stable: ClassVar[bool] = False

    omega_delta: Float[Array, " n"]
    w_re: Float[Array, " n"]
    w_im: Float[Array, " n"]

    def eigenvalues(self) -> Complex[Array, " n"]:
        """Return the eigenvalues: the diagonal of the recurrent matrix."""
        delta = softplus(self.omega_delta)
        return jnp.exp(lax.complex(self.w_re * delta, self.w_im * delta))

    def normaliser(self) -> Float[Array, " n"]:
        """Return the step size ``Delta``, which multiplies the input of each neuron."""
        return softplus(self.omega_delta)

    def groups(self) -> Mapping[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {
            **PROJECTIONS,
            **dict.fromkeys(("omega_delta", "w_re", "w_im"), "recurrent"),
        }


def s4(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    nu0: float,
    theta0: float,
    delta: float = 1.0,
) -> S4:
    """Draw an S4 layer with the same ``Delta`` for all neurons.

    The eigenvalues and the matrices ``B``, ``C`` and ``D`` are drawn as in
    ``zucchet_lru``.

    Args:
        state_size: Number of complex numbers in the state.
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

    Source: Zucchet & Orvieto (2024), Appendix A.3.

    Example:
        >>> layer = s4(4, 2, key=jax.random.key(0), nu0=0.5, theta0=0.3, delta=0.1)
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
    """
    d_out = width if d_out is None else d_out
    require_sizes(state_size=state_size, width=width, d_out=d_out)
    require_number("delta", delta, 0, LONGEST_STEP, "(]")
    ring_key, *keys = jax.random.split(key, 6)
    require_polar(nu0, theta0)
    nu_log, theta_log = ring_parameters(ring_key, state_size, nu0, 1.0, theta0)
    omega = jnp.full(state_size, math.log(math.expm1(delta)))  # softplus of it is delta
    weights = half_variance_projections(keys, state_size, width, d_out)
    return S4(*weights, omega, -jnp.exp(nu_log) / delta, jnp.exp(theta_log) / delta)
