"""Eigenvalues on a ring: uniform by area as in the LRU, or with log-spaced decay rates."""

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.numerics.arguments import require_count, require_number, require_within
from sigprop.numerics.compile import compile_expr
from sigprop.numerics.precision import require_dtype
from sigprop.theory import ring
from sigprop.theory.symbols import r_max, r_min, u1, u2

SPREADS = ("area", "log")
"""Distributions of radii on a ring: uniform by area, or ``log(-log|lam|)`` evenly spaced.
With ``log``, the ratio of the time constants of neighbouring modes is constant."""


def require_ring(
    inner: float,
    outer: float,
    limit: bool = False,
    names: tuple[str, str] = ("r_min", "r_max"),
) -> None:
    """Raise an error if two radii are no ring in the unit disc.

    Args:
        inner: Inner radius.
        outer: Outer radius.
        limit: True to require a finite stationary moment as well, which needs
            ``outer < 1``.
        names: Names of the two radii in the error message.

    Raises:
        ValueError: Unless ``0 <= inner <= outer <= 1``; with ``limit``, also if
            ``outer`` is one.
    """
    if not 0 <= inner <= outer <= 1:
        low, high = names
        raise ValueError(
            f"need 0 <= {low} <= {high} <= 1, got {low}={inner}, {high}={outer}"
        )
    if limit and outer == 1:
        raise ValueError(
            "need r_max < 1 where a stationary limit is asked, got r_max=1: the moment "
            "is infinite; lower r_max or ask for a finite number of steps"
        )


def require_spread(spread: str) -> None:
    """Raise an error unless ``spread`` is one of ``SPREADS``.

    Raises:
        ValueError: If ``spread`` is unknown.
    """
    if spread not in SPREADS:
        raise ValueError(f"need spread in {', '.join(SPREADS)}, got {spread!r}")


@functools.cache
def _maps():
    return (
        compile_expr(ring.sampled_nu().result, u1, r_min, r_max),
        compile_expr(ring.sampled_theta(), u2),
    )


def ring_polar(
    first: Float[Array, "*shape"],
    second: Float[Array, "*shape"],
    inner: float,
    outer: float,
    spread: str = "area",
) -> tuple[Float[Array, "*shape"], Float[Array, "*shape"]]:
    """Map uniform numbers in [0, 1] to ``nu = -log|lam|`` and the phase in radians.

    Args:
        first: Uniform numbers that determine the radii.  For the spread ``log``, only
            the number of entries counts.
        second: Uniform numbers that determine the phases.
        inner: Inner radius of the ring.
        outer: Outer radius of the ring.
        spread: ``area`` for eigenvalues uniform by area, or ``log`` for evenly spaced
            ``log(nu)``.

    Returns:
        The decay rates ``nu``, and the phases in [0, 2 pi].

    Raises:
        ValueError: Unless ``0 <= inner <= outer <= 1``; if ``spread`` is unknown; or if
            ``spread`` is ``log`` and a radius is zero or one.

    Source: Orvieto et al. (2023), Lemma 3.2, for the spread ``area``.
    """
    require_ring(inner, outer)
    require_spread(spread)
    nu_of, theta_of = _maps()
    if spread == "log":
        even = even_memories(first.size, inner, outer).reshape(first.shape)
        return jnp.asarray(even, first.dtype), theta_of(second)
    return nu_of(first, inner, outer), theta_of(second)


def even_memories(n: int, inner: float, outer: float) -> Float[np.ndarray, " n"]:
    """Return decay rates ``nu = -log|lam|`` with a constant ratio between neighbours.

    The time constants ``1/nu`` of neighbours also have a constant ratio.

    Args:
        n: Number of modes.
        inner: Modulus ``|lam|`` of the last mode, which has the shortest time constant.
        outer: Modulus ``|lam|`` of the first mode, which has the longest time constant.

    Raises:
        ValueError: If ``n`` is below one, or unless ``0 < inner <= outer < 1``.

    Example:
        >>> 1 / even_memories(3, math.exp(-1), math.exp(-0.01))
        array([100.,  10.,   1.])
    """
    n = require_count("n", n)
    if not 0 < inner <= outer < 1:
        raise ValueError(
            "need 0 < inner <= outer < 1 for radii whose memories are evenly spaced, got "
            f"{inner} and {outer}"
        )
    return np.geomspace(-math.log(outer), -math.log(inner), n)


def sample_ring(
    key: PRNGKeyArray,
    n: int,
    inner: float,
    outer: float,
    max_phase: float = 2 * math.pi,
    dtype: Any = jnp.complex64,
) -> Complex[Array, " n"]:
    """Draw ``n`` eigenvalues uniformly by area on the ring ``inner <= |lam| <= outer``.

    Args:
        key: Random key of JAX; do not use it for anything else.
        n: Number of eigenvalues.
        inner: Inner radius, ``r_min`` in the paper.
        outer: Outer radius, ``r_max`` in the paper.
        max_phase: Largest phase in radians; phases are uniform on [0, max_phase].
        dtype: ``complex64`` or ``complex128``.

    Raises:
        ValueError: Unless ``0 <= inner <= outer <= 1`` and ``0 <= max_phase <= 2 pi``;
            if ``n`` is below one; if ``dtype`` is not complex, or is ``complex128`` but
            JAX's 64-bit mode is off.

    Source: Orvieto et al. (2023), Lemma 3.2; Section 3.4 for the restricted phase.

    Example:
        >>> radii = abs(sample_ring(jax.random.key(0), 100, 0.5, 0.9))
        >>> radii.shape, 0.5 <= float(radii.min()), float(radii.max()) <= 0.9
        ((100,), True, True)
    """
    require_dtype(dtype)
    if not jnp.issubdtype(dtype, jnp.complexfloating):
        raise ValueError(f"need dtype complex64 or complex128, got {dtype=}")
    n = require_count("n", n)
    require_number("max_phase", max_phase, 0, 2 * math.pi, "[]")
    real = jnp.finfo(dtype).dtype
    first_key, second_key = jax.random.split(key)
    first = jax.random.uniform(first_key, (n,), real)
    second = jax.random.uniform(second_key, (n,), real) * (max_phase / (2 * math.pi))
    nu, phase = ring_polar(first, second, inner, outer)
    return jnp.exp(-nu + 1j * phase).astype(dtype)


def mean_turns(length: int, max_phase: float) -> float:
    """Return the mean number of periods of ``Re lam^k`` within ``length`` steps.

    The phase of ``lam`` is uniform on [0, max_phase].  With a phase above pi,
    ``Re lam^k`` has the same period as with ``2 pi - phase``.

    Args:
        length: Number of steps.
        max_phase: Largest phase in radians.

    Raises:
        ValueError: If ``length`` is below one, or unless ``0 < max_phase <= 2 pi``.

    Source: Orvieto et al. (2023), Figure 4.

    Example:
        >>> mean_turns(1024, 2 * math.pi)  # the mean period is 4 steps
        256.0
    """
    length = require_count("length", length)
    if not 0 < max_phase <= 2 * math.pi:
        raise ValueError(f"need 0 < max_phase <= 2 pi, got {max_phase}")
    beyond = max(max_phase - math.pi, 0.0)
    return length * (max_phase / 2 - beyond**2 / max_phase) / (2 * math.pi)


def normalisation(nu: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """Return the input factor ``gamma = sqrt(1 - |lam|^2)`` from ``nu = -log|lam|``.

    The result stays accurate as ``|lam|`` approaches one.

    Args:
        nu: Decay rates, zero or more.

    Raises:
        ValueError: If ``nu`` is below zero, because then ``|lam| > 1``.

    Source: Orvieto et al. (2023), Eq. 7.

    Example:
        >>> round(float(normalisation(-jnp.log(jnp.array(0.6)))), 4)  # |lam| = 0.6
        0.8
    """
    require_within("nu", nu, 0, math.inf, "[]")
    return jnp.sqrt(-jnp.expm1(-2 * nu))
