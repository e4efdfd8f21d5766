"""The complex diagonal RNN: ``h_t = lam h_{t-1} + B u_t``, ``y = Re(C h) + D u``.

This is the LRU without normalisation and with other coordinates of the eigenvalues, as in
the ablations of both papers.  In these coordinates, ``|lam|`` can exceed one.

Source: Zucchet & Orvieto (2024), Eq. 16-20; Orvieto et al. (2023), Section 3.2-3.3 and
Table 2 for the polar and the exponential form.
"""

import math
from collections.abc import Mapping
from typing import ClassVar, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.diagonal import PROJECTIONS, DiagonalLayer
from sigprop.layers.initialisers import (
    half_variance_projections,
    require_polar,
    require_sizes,
)
from sigprop.layers.lru import lru, ring_parameters

COORDINATES = ("cartesian", "polar", "exponential")


@final
class ComplexDiagonal(DiagonalLayer):
    """Complex diagonal RNN; build one with ``complex_diagonal`` or ``complex_lru``.

    The recurrence is ``h_t = lam h_{t-1} + B u_t``, and the output is
    ``y = Re(C h) + D u``.  The parameters ``first`` and ``second`` define ``lam``;
    their meaning depends on ``coordinates``:

    - ``cartesian``: real part and imaginary part;
    - ``polar``: modulus and phase in radians;
    - ``exponential``: ``nu = -log|lam|`` and phase in radians.

    Example:
        >>> layer = complex_diagonal(4, 2, key=jax.random.key(0), coordinates="polar")
        >>> bool(jnp.allclose(abs(layer.eigenvalues()), layer.first))
        True
    """

    stable: ClassVar[bool] = False

    first: Float[Array, " n"]
    second: Float[Array, " n"]
    coordinates: str = eqx.field(static=True)

    def eigenvalues(self) -> Complex[Array, " n"]:
        """Return the eigenvalues: the diagonal of the recurrent matrix."""
        if self.coordinates == "cartesian":
            return lax.complex(self.first, self.second)
        if self.coordinates == "polar":
            turn = lax.complex(jnp.zeros_like(self.second), self.second)
            return self.first * jnp.exp(turn)
        return jnp.exp(lax.complex(-self.first, self.second))

    def groups(self) -> Mapping[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {**PROJECTIONS, **dict.fromkeys(("first", "second"), "recurrent")}


def complex_diagonal(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    nu0: float = 0.0,
    theta0: float = 2 * math.pi,
    coordinates: str = "cartesian",
    nu1: float = 1.0,
) -> ComplexDiagonal:
    """Draw a complex diagonal RNN with eigenvalues uniform by area on a ring.

    Args:
        state_size: Number of complex numbers in the state.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        nu0: Inner radius of the ring of eigenvalues.
        theta0: Largest phase in radians. Phases are uniform on [0, theta0].
        coordinates: Trained coordinates of the eigenvalues: ``cartesian``, ``polar`` or
            ``exponential``; see ``ComplexDiagonal``.
        nu1: Outer radius of the ring of eigenvalues; ``(1 + nu0)/2`` in Appendix D.1 of
            the paper.

    Raises:
        ValueError: If a size is below one, ``nu0`` is not in [0, 1), or ``nu1`` is not
            in [nu0, 1]; or if ``theta0`` is not in (0, 2 pi], or ``coordinates`` is
            unknown.

    Source: Zucchet & Orvieto (2024), Appendix A.2.

    Example:
        >>> layer = complex_diagonal(4, 2, key=jax.random.key(0), nu0=0.5, nu1=0.9)
        >>> layer(jnp.ones((10, 2))).shape, bool((abs(layer.eigenvalues()) >= 0.5).all())
        ((10, 2), True)
    """
    d_out = width if d_out is None else d_out
    require_sizes(state_size=state_size, width=width, d_out=d_out)
    ring_key, *keys = jax.random.split(key, 6)
    require_polar(nu0, theta0, nu1)
    polar = ring_parameters(ring_key, state_size, nu0, nu1, theta0)
    weights = half_variance_projections(keys, state_size, width, d_out)
    return ComplexDiagonal(*weights, *_in_coordinates(coordinates, *polar), coordinates)


def complex_lru(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    r_min: float = 0.0,
    r_max: float = 1.0,
    max_phase: float = 2 * math.pi,
    coordinates: str = "cartesian",
) -> ComplexDiagonal:
    """Draw an LRU without normalisation and with a choice of trained coordinates.

    Before training, ``complex_lru(..., key=key)`` and
    ``lru(..., key=key, gamma="absent")`` have the same outputs.  Training changes them
    differently, because the trained coordinates differ.

    Args:
        state_size: Number of complex numbers in the state.
        width: Number of inputs, equal to the number of outputs.
        key: Random key of JAX; do not use it for anything else.
        r_min: Inner radius of the ring of eigenvalues.
        r_max: Outer radius of the ring of eigenvalues.
        max_phase: Largest phase in radians. Phases are uniform on [0, max_phase].
        coordinates: Trained coordinates of the eigenvalues: ``cartesian``, ``polar`` or
            ``exponential``; see ``ComplexDiagonal``.

    Raises:
        ValueError: If a size is below one, ``r_min`` is not in [0, 1), or ``r_max`` is
            not in [r_min, 1]; or if ``max_phase`` is not in (0, 2 pi], or
            ``coordinates`` is unknown.

    Source: Orvieto et al. (2023), Section 3.2 and Table 2.

    Example:
        >>> layer = complex_lru(4, 2, key=jax.random.key(0), r_min=0.5)
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
    """
    layer = lru(
        state_size,
        width,
        key=key,
        r_min=r_min,
        r_max=r_max,
        max_phase=max_phase,
        gamma="absent",
    )
    weights = layer.B_re, layer.B_im, layer.C_re, layer.C_im, layer.D
    polar = _in_coordinates(coordinates, layer.nu_log, layer.theta_log)
    return ComplexDiagonal(*weights, *polar, coordinates)


def _in_coordinates(
    coordinates: str, nu_log: Float[Array, " n"], theta_log: Float[Array, " n"]
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    if coordinates not in COORDINATES:
        raise ValueError(f"need coordinates in {COORDINATES}, got {coordinates!r}")
    nu, theta = jnp.exp(nu_log), jnp.exp(theta_log)
    radius = jnp.exp(-nu)
    return {
        "cartesian": (radius * jnp.cos(theta), radius * jnp.sin(theta)),
        "polar": (radius, theta),
        "exponential": (nu, theta),
    }[coordinates]


def in_polar_form(
    lam: Complex[Array, " n"],
    B: Complex[Array, "n d_in"],
    C_re: Float[Array, "d_out n"],
    C_im: Float[Array, "d_out n"],
    D: Float[Array, " d_out"] | Float[Array, "d_out d_in"],
) -> ComplexDiagonal:
    """Build a layer in ``exponential`` coordinates from eigenvalues and weights.

    Every eigenvalue must have a modulus above zero.
    """
    nu = -jnp.log(jnp.abs(lam))
    return ComplexDiagonal(
        B.real, B.imag, C_re, C_im, D, nu, jnp.angle(lam), "exponential"
    )
