"""Initialisers of the input, readout and skip weights of a layer, as in the papers."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray, Shaped

from sigprop.neuron.ring import require_ring
from sigprop.numerics.arguments import require_count


def require_sizes(**sizes: int) -> None:
    """Refuse sizes that are below one or no whole numbers.

    Raises:
        ValueError: Naming the size.
    """
    for name, size in sizes.items():
        require_count(name, size)


def require_one_state_a_channel(state_size: int, width: int) -> None:
    """Refuse sizes that differ, for a layer with one state a channel.

    Raises:
        ValueError: With both sizes.
    """
    require_sizes(state_size=state_size, width=width)
    if state_size != width:
        raise ValueError(
            "need state_size = width for a layer with one state a channel, got "
            f"{state_size=}, {width=}"
        )


def normal(
    key: PRNGKeyArray, rows: int, columns: int, variance: float
) -> Float[Array, "rows columns"]:
    """Independent normal entries of the given variance."""
    return math.sqrt(variance) * jax.random.normal(key, (rows, columns))


def fan_in(key: PRNGKeyArray, rows: int, columns: int) -> Float[Array, "rows columns"]:
    """Truncated normal entries of variance ``1/columns``.

    Source: Zucchet & Orvieto (2024), Appendix A.1.
    """
    return jax.nn.initializers.lecun_normal(in_axis=1, out_axis=0)(key, (rows, columns))


def each(
    draw: Callable[[PRNGKeyArray], Any],
    keys: Sequence[PRNGKeyArray] | Shaped[Array, "keys *words"],
) -> Any:
    """Draw with each key, and stack the results along a first axis.

    The numbers are the same as with one call per key.  JAX's random generator is then
    compiled once, not once per key; the generator takes most of the compilation.
    """
    return jax.vmap(draw)(jnp.stack(keys) if isinstance(keys, Sequence) else keys)


def complex_parts(
    key: PRNGKeyArray, rows: int, columns: int, variance: float
) -> tuple[Float[Array, "rows columns"], Float[Array, "rows columns"]]:
    """Real and imaginary part of a complex matrix, each of the given variance."""
    re, im = each(lambda k: normal(k, rows, columns, variance), jax.random.split(key))
    return re, im


def in_turn(
    limits: float | Sequence[float], n: int, name: str
) -> Float[np.ndarray, " n"]:
    """The largest angle of each of ``n`` modes; a list of angles is repeated in order.

    Raises:
        ValueError: Unless each is above 0 and at most 2 pi; the message says ``name``.
    """
    each = np.atleast_1d(np.asarray(limits, float))
    if each.ndim != 1 or not each.size or not ((each > 0) & (each <= 2 * np.pi)).all():
        raise ValueError(f"need 0 < {name} <= 2 pi, got {name}={limits}")
    return np.resize(each, n)


def require_polar(nu0: float, theta0: Any, nu1: float = 1.0) -> None:
    """Refuse an invalid ring or largest angle; messages name nu0, nu1 and theta0.

    Raises:
        ValueError: Unless ``0 <= nu0 <= nu1 <= 1`` and ``0 < theta0 <= 2 pi``.
    """
    require_ring(nu0, nu1, names=("nu0", "nu1"))
    in_turn(theta0, 1, "theta0")


def uniforms(
    key: PRNGKeyArray, n: int
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """Two independent uniform vectors, open at zero so that logarithms exist."""
    first_key, second_key = jax.random.split(key)
    tiny = jnp.finfo(jnp.zeros(()).dtype).tiny
    return (
        jax.random.uniform(first_key, (n,), minval=tiny),
        jax.random.uniform(second_key, (n,), minval=tiny),
    )


def half_variance_projections(
    keys: Sequence[PRNGKeyArray], state_size: int, d_in: int, d_out: int
) -> tuple[Array, Array, Array, Array, Array]:
    """``B_re, B_im, C_re, C_im, D`` with fan-in scaling, from five keys.

    The variance of a complex entry is shared by its two parts.

    Source: Zucchet & Orvieto (2024), Appendix A.1 and A.2.
    """
    half = math.sqrt(0.5)
    b_re, b_im = each(lambda key: half * fan_in(key, state_size, d_in), keys[:2])
    c_re, c_im = each(lambda key: half * fan_in(key, d_out, state_size), keys[2:4])
    return b_re, b_im, c_re, c_im, fan_in(keys[4], d_out, d_in)


def fan_out_projections(
    keys: Sequence[PRNGKeyArray], state_size: int, d_in: int, d_out: int
) -> tuple[Array, Array, Array, Array, Array]:
    """``B_re, B_im, C_re, C_im, D`` with fan-out scaling, from five keys.

    Every real number is normal with variance one over the rows of its matrix:
    ``1/state_size`` in ``B``, ``1/d_out`` in ``C`` and ``D``; a complex entry has twice
    that.

    Source: the code of Zucchet & Orvieto (2024), ``source/model.py`` of
    github.com/NicolasZucchet/Vanishing-and-exploding-gradients-are-not-the-end-of-the-story.
    """
    b_re, b_im = each(
        lambda key: normal(key, state_size, d_in, 1 / state_size), keys[:2]
    )
    c_re, c_im = each(lambda key: normal(key, d_out, state_size, 1 / d_out), keys[2:4])
    return b_re, b_im, c_re, c_im, normal(keys[4], d_out, d_in, 1 / d_out)


def rotation_size(state_size: int, heads: int) -> int:
    """States of one head.

    Raises:
        ValueError: Unless the heads divide the state into even parts.
    """
    size, remainder = divmod(state_size, heads)
    if remainder:
        raise ValueError(
            f"need state_size a multiple of heads, got {state_size=}, {heads=}"
        )
    if size % 2:
        raise ValueError(
            f"need an even head size, got {size} (state_size={state_size}, "
            f"heads={heads}): a rotation turns pairs of numbers"
        )
    return size


def require_ranges(
    gamma_range: tuple[float, float],
    theta_range: tuple[float, float | Sequence[float]],
) -> None:
    """Refuse invalid ranges of decays and angles.

    Raises:
        ValueError: Naming the range.
    """
    if not 0 < gamma_range[0] <= gamma_range[1] < 1:
        raise ValueError(
            f"need 0 < gamma_min <= gamma_max < 1, got gamma_range={gamma_range}"
        )
    ends = np.atleast_1d(theta_range[1])
    if not 0 <= theta_range[0] <= ends.min() <= ends.max() <= 2 * math.pi:
        raise ValueError(
            f"need 0 <= theta_min <= theta_max <= 2 pi, got theta_range={theta_range}"
        )
