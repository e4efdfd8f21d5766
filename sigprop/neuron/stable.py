"""Closed forms that stay accurate up to the stability boundary ``|lam| = 1``.

The primary argument is the gap ``1 - |lam|``, because rounding ``|lam|`` itself would
already lose the result.  The formulas are compiled from ``sigprop.theory``, in a form
whose terms are all positive.  This module computes their arguments without cancellation.
"""

import functools
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float

from sigprop.numerics.arguments import LARGEST, require_phase, require_within
from sigprop.numerics.compile import compile_expr
from sigprop.theory import diagonal
from sigprop.theory.symbols import chi, k, p, q, r, tau, w

Values = Float[Array, "*#shape"]


def _ingredients(
    gap: Values, theta: Values, rho: Values, rho_gap: Values | None
) -> dict[str, Values]:
    modulus = 1 - gap
    # The difference from one is exact for |rho| >= 1/2.
    distance = 1 - jnp.abs(rho) if rho_gap is None else rho_gap
    size = 1 - distance
    product = size * modulus
    below = distance + size * gap  # 1 - q
    half = jnp.where(rho >= 0, jnp.sin(theta / 2), jnp.cos(theta / 2))
    turned = 2 * product * half * (2 * half / below)  # |1 - z|^2 / (1 - q) - (1 - q)
    variance = 1 / (gap * (2 - gap))
    return {
        "w": variance,
        "r": modulus,
        "q": product,
        "k": below * variance,
        "p": variance / (below + turned),
        "chi": turned / (below + turned),
        "tau": distance * (1 + size) / below,
    }


@functools.cache
def _compiled(quantity: str):
    form = (
        diagonal.stable_state()
        if quantity == "state"
        else diagonal.stable_sensitivity()
    )
    return compile_expr(form, w, r, q, k, chi, p, tau)


def _stationary(quantity: str, gap: Any, theta: Any, rho: Any, rho_gap: Any) -> Values:
    require_within("gap", gap, 0, 1, "(]")
    require_within("rho", rho, -1, 1, "[]")
    require_phase("theta", theta)
    given = [gap, theta, rho]
    if rho_gap is not None:
        require_within("rho_gap", rho_gap, 0, 1, "[]")
        require_within("|rho| beside rho_gap, which replaces it,", abs(rho), 1, 1, "[]")
        given.append(rho_gap)
    dtype = jnp.result_type(*given, float)
    parts = [jnp.asarray(x, dtype) for x in given]
    return _compiled(quantity)(**_ingredients(*parts[:3], *(parts[3:] or [None])))


def state_moment(
    gap: Any, theta: Any = 0.0, rho: Any = 0.0, *, rho_gap: Any = None
) -> Values:
    """Return the stationary ``E|h|^2`` of ``h_t = lam h_{t-1} + x_t``.

    The input ``x`` has unit variance and the autocovariance ``rho**|lag|``.  The
    arguments are numbers, or arrays whose shapes broadcast.

    Args:
        gap: ``1 - |lam|``, in (0, 1].
        theta: Phase of the eigenvalue ``lam`` in radians.
        rho: Correlation of successive inputs, in [-1, 1]: 0 is white noise, 1 a constant
            input.
        rho_gap: ``1 - |rho|`` in [0, 1], for a ``rho`` so close to 1 or -1 that
            floating point would round it.  If ``rho_gap`` is given, ``rho`` must be 1
            or -1 and sets only the sign.

    Raises:
        ValueError: If an argument is outside its range, or ``rho_gap`` is given and
            ``rho`` is neither 1 nor -1.

    Source: Zucchet & Orvieto (2024), Eq. 48.

    Example:
        >>> round(float(state_moment(0.5)), 4)  # lam = 0.5: 1 / (1 - 0.25)
        1.3333
        >>> round(float(state_moment(0.1, rho=0.9)), 2)  # correlated inputs add up
        50.14
        >>> round(float(state_moment(1e-8, rho=1, rho_gap=1e-9)) / 1e16, 4)  # 1 / 1.1
        0.9091
    """
    return _stationary("state", gap, theta, rho, rho_gap)


def sensitivity_moment(
    gap: Any, theta: Any = 0.0, rho: Any = 0.0, *, rho_gap: Any = None
) -> Values:
    """Return the stationary ``E|dh/dlam|^2`` of ``h_t = lam h_{t-1} + x_t``.

    The input ``x`` has unit variance and the autocovariance ``rho**|lag|``.

    Args:
        gap: ``1 - |lam|``, in (0, 1].
        theta: Phase of the eigenvalue ``lam`` in radians.
        rho: Correlation of successive inputs, in [-1, 1].
        rho_gap: ``1 - |rho|`` in [0, 1], as in ``state_moment``.

    Raises:
        ValueError: If an argument is outside its range, or ``rho_gap`` is given and
            ``rho`` is neither 1 nor -1.

    Source: Zucchet & Orvieto (2024), Eq. 59 with its error corrected.

    Example:
        >>> round(float(sensitivity_moment(0.5)), 3)  # (1 + 0.25) / (1 - 0.25)**3
        2.963
    """
    return _stationary("sensitivity", gap, theta, rho, rho_gap)


def finite_state_moment_white(gap: Any, steps: Any) -> Values:
    """Return ``E|h_T|^2`` of ``h_t = lam h_{t-1} + x_t`` after ``T`` white inputs.

    The input ``x`` has unit variance, and the state starts at zero.

    Args:
        gap: ``1 - |lam|``, in (0, 1].
        steps: Number ``T`` of inputs, zero or more.

    Raises:
        ValueError: If the gap is outside (0, 1] or ``steps`` is below zero.

    Source: Orvieto et al. (2023), Eq. 6, first sum.

    Example:
        >>> round(float(finite_state_moment_white(0.5, 2)), 4)  # 1 + 0.25
        1.25
    """
    require_within("gap", gap, 0, 1, "(]")
    require_within("steps", steps, 0, LARGEST, "[]")
    dtype = jnp.result_type(gap, float)
    gap, steps = jnp.asarray(gap, dtype), jnp.asarray(steps, dtype)
    # At gap 1 the logarithm is infinite, and zero steps would make it not a number.
    decay = jnp.where(steps == 0, 0, -jnp.expm1(2 * steps * jnp.log1p(-gap)))
    return decay / (gap * (2 - gap))


def ring_gain(gap_min: Any, gap_max: Any) -> Values:
    """Return ``E|h|^2`` averaged over modes on a ring, divided by the input variance.

    ``E|h|^2`` is the stationary moment of ``h_t = lam h_{t-1} + x_t`` with white inputs
    ``x``.  The eigenvalues ``lam`` are uniform by area on ``r_min <= |lam| <= r_max``.

    Args:
        gap_min: ``1 - r_max``, the gap of the outer radius, in (0, 1].
        gap_max: ``1 - r_min``, the gap of the inner radius, in [gap_min, 1].

    Raises:
        ValueError: If a gap is outside its range.

    Source: Orvieto et al. (2023), Proposition 3.3; Eq. 5 if the two gaps are equal.

    Example:
        >>> round(float(ring_gain(0.1, 0.5)), 3)  # 0.5 <= |lam| <= 0.9
        2.452
    """
    require_within("gap_min", gap_min, 0, 1, "(]")
    require_within("gap_max", gap_max, 0, 1, "(]")
    dtype = jnp.result_type(gap_min, gap_max, float)
    low, high = jnp.asarray(gap_min, dtype), jnp.asarray(gap_max, dtype)
    require_within("gap_max - gap_min", high - low, 0, 1, "[]")
    distance = low * (2 - low)
    width = (high - low) * (2 - low - high)
    ratio = width / distance
    thin = jnp.where(ratio > 0, jnp.log1p(ratio) / jnp.where(ratio > 0, ratio, 1), 1)
    return thin / distance
