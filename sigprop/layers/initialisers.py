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
    """Check that sizes are whole numbers of at least one.

    Raises:
        ValueError: If a size is not; the message gives its name.
    """
    for name, size in sizes.items():
        require_count(name, size)


def require_one_state_a_channel(state_size: int, width: int) -> None:
    """Check that the sizes are equal, for a layer with one state per channel.

    Raises:
        ValueError: If the sizes differ or are below one.
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
    """Draw a matrix of independent normal entries with mean zero."""
    return math.sqrt(variance) * jax.random.normal(key, (rows, columns))


def fan_in(key: PRNGKeyArray, rows: int, columns: int) -> Float[Array, "rows columns"]:
    """Draw a matrix of truncated normal entries with variance ``1/columns``.

    Source: Zucchet & Orvieto (2024), Appendix A.1.
    """
    return jax.nn.initializers.lecun_normal(in_axis=1, out_axis=0)(key, (rows, columns))


def each(
    draw: Callable[[PRNGKeyArray], Any],
    keys: Sequence[PRNGKeyArray] | Shaped[Array, "keys *words"],
) -> Any:
    """Call ``draw`` with each key and stack the results along a new first axis.

    The numbers are the same as with separate calls.  But JAX compiles its random
    generator, which takes most of the compilation time, only once.
    """
    return jax.vmap(draw)(jnp.stack(keys) if isinstance(keys, Sequence) else keys)


def complex_parts(
    key: PRNGKeyArray, rows: int, columns: int, variance: float
) -> tuple[Float[Array, "rows columns"], Float[Array, "rows columns"]]:
    """Draw the real and imaginary part of a complex matrix, each of the given variance."""
    re, im = each(lambda k: normal(k, rows, columns, variance), jax.random.split(key))
    return re, im


def in_turn(
    limits: float | Sequence[float], n: int, name: str
) -> Float[np.ndarray, " n"]:
    """Return the largest angle of each of ``n`` modes; repeat a list of angles in order.

    Raises:
        ValueError: If an angle is not in (0, 2 pi]; the message gives ``name``.
    """
    each = np.atleast_1d(np.asarray(limits, float))
    if each.ndim != 1 or not each.size or not ((each > 0) & (each <= 2 * np.pi)).all():
        raise ValueError(f"need 0 < {name} <= 2 pi, got {name}={limits}")
    return np.resize(each, n)


def require_polar(nu0: float, theta0: Any, nu1: float = 1.0) -> None:
    """Check the radii of a ring and its largest angle in radians.

    Raises:
        ValueError: If ``0 <= nu0 <= nu1 <= 1`` or ``0 < theta0 <= 2 pi`` does not hold.
    """
    require_ring(nu0, nu1, names=("nu0", "nu1"))
    in_turn(theta0, 1, "theta0")


def uniforms(
    key: PRNGKeyArray, n: int
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """Draw two vectors uniform on (0, 1); zero is excluded so that logarithms exist."""
    first_key, second_key = jax.random.split(key)
    tiny = jnp.finfo(jnp.zeros(()).dtype).tiny
    return (
        jax.random.uniform(first_key, (n,), minval=tiny),
        jax.random.uniform(second_key, (n,), minval=tiny),
    )


def half_variance_projections(
    keys: Sequence[PRNGKeyArray], state_size: int, d_in: int, d_out: int
) -> tuple[Array, Array, Array, Array, Array]:
    """Draw ``B_re, B_im, C_re, C_im, D`` from five keys, with variance one over fan-in.

    The real and the imaginary part each have half the variance of a complex entry.

    Source: Zucchet & Orvieto (2024), Appendix A.1 and A.2.
    """
    half = math.sqrt(0.5)
    b_re, b_im = each(lambda key: half * fan_in(key, state_size, d_in), keys[:2])
    c_re, c_im = each(lambda key: half * fan_in(key, d_out, state_size), keys[2:4])
    return b_re, b_im, c_re, c_im, fan_in(keys[4], d_out, d_in)


def fan_out_projections(
    keys: Sequence[PRNGKeyArray], state_size: int, d_in: int, d_out: int
) -> tuple[Array, Array, Array, Array, Array]:
    """Draw ``B_re, B_im, C_re, C_im, D`` from five keys, with variance one over fan-out.

    Every real number is normal.  Its variance is one over the number of rows:
    ``1/state_size`` in ``B``, ``1/d_out`` in ``C`` and ``D``.  A complex entry has twice
    this variance.

    Source: the code of Zucchet & Orvieto (2024), ``source/model.py`` of
    github.com/NicolasZucchet/Vanishing-and-exploding-gradients-are-not-the-end-of-the-story.
    """
    b_re, b_im = each(
        lambda key: normal(key, state_size, d_in, 1 / state_size), keys[:2]
    )
    c_re, c_im = each(lambda key: normal(key, d_out, state_size, 1 / d_out), keys[2:4])
    return b_re, b_im, c_re, c_im, normal(keys[4], d_out, d_in, 1 / d_out)


def rotation_size(state_size: int, heads: int) -> int:
    """Return the number of states of one head.

    Raises:
        ValueError: If ``state_size / heads`` is not an even number.
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
    """Check the ranges of decays per step and of angles in radians.

    Raises:
        ValueError: If ``0 < gamma_min <= gamma_max < 1`` or
            ``0 <= theta_min <= theta_max <= 2 pi`` does not hold.
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
