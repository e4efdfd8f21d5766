"""RotRNN as its authors' code has it: the paper's map with other arrays and other draws.

The code computes ``gamma P^T Theta P`` where the paper and ``RotRNN`` have ``gamma P Theta
P^T``, with the same ``P = expm(M - M^T)``: transposing ``M`` leads from one to the other.
Of a head it puts the forward states before the backward ones, and reads heads in order, so
that the columns of its ``C`` and ``C2``, side by side, belong to the two directions by
turns.  It keeps ``log theta``, which is what its optimiser moves.

It draws ``M`` with variance ``1/(n + size)`` and not one, so that ``P`` starts near the
identity (a standard deviation of 0.06 with 256 states in 32 heads), ``B`` and ``C`` with
variance ``1/(n + width)``, and ``log(-log gamma)`` and not ``gamma^2`` uniform.  A later
branch, ``rotrnn-clean``, computes and draws ``M`` as the paper does.

Source: ``s5/rares_layers.py`` of github.com/raresdolga/s5, branch ``main`` at bd1c25b.
"""

import math
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.initialisers import (
    normal,
    require_ranges,
    require_sizes,
    rotation_size,
    uniforms,
)
from sigprop.layers.rotrnn import BidirectionalRotRNN, RotRNN

ARRAYS = ("theta_log", "gamma_log", "P", "B", "C", "D")


def released_rotrnn(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int,
    gamma_range: tuple[float, float] = (0.9, 0.999),
    theta_range: tuple[float, float] = (0.0, 2 * math.pi),
) -> RotRNN:
    """Draw a RotRNN as the authors' code does; ``rotrnn`` draws as the paper's listing.

    Args:
        state_size: Number of real numbers in the state, all heads together.
        width: Number of inputs, which is also that of outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Independent heads, each of an even number of states.
        gamma_range: Decays of the heads.
        theta_range: Angles, in radians; the code's begin at zero.

    Raises:
        ValueError: If a size or a range is not as above.

    Source: See the module.

    Example:
        >>> layer = released_rotrnn(8, 2, key=jax.random.key(0), heads=2)
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
    """
    arrays = _draw(key, state_size, width, heads, gamma_range, theta_range)
    return RotRNN(**_forward(arrays, heads), C=arrays["C"], D=arrays["D"])


def released_bidirectional_rotrnn(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int,
    gamma_range: tuple[float, float] = (0.9, 0.999),
    theta_range: tuple[float, float] = (0.0, 2 * math.pi),
) -> BidirectionalRotRNN:
    """Draw a bidirectional RotRNN as the authors' code does.

    Args:
        state_size: Number of real numbers in the state of one direction.
        width: Number of inputs, which is also that of outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of independent heads, each of an even number of states.
        gamma_range: Decays of the heads.
        theta_range: Angles, in radians.

    Raises:
        ValueError: If a size or a range is not as above.

    Source: See the module.

    Example:
        >>> layer = released_bidirectional_rotrnn(8, 2, key=jax.random.key(0), heads=2)
        >>> layer.causal, layer.C.shape
        (False, (2, 2, 8))
    """
    key, c_key = jax.random.split(key)
    arrays = _draw(key, state_size, width, heads, gamma_range, theta_range)
    second = normal(c_key, width, state_size, 1 / (state_size + width))
    C = unlaced(arrays["C"], second, heads)
    return BidirectionalRotRNN(**_forward(arrays, heads), C=C, D=arrays["D"])


def rotrnn_from_released(
    arrays: Mapping[str, Any], *, heads: int
) -> RotRNN | BidirectionalRotRNN:
    """Build the layer that computes what the authors' code does with these arrays.

    Args:
        arrays: Arrays by the names of the authors' code. They are ``theta_log (n/2,
            1)``, ``gamma_log (heads,)``, ``P (n, n/heads)``, which is the ``M`` of the
            paper, ``B (n, width)``, ``C (width, n)`` and ``D (width,)``. With ``C2
            (width, n)`` the layer has both directions.
        heads: Independent heads.

    Raises:
        ValueError: If a name is missing or unknown, a shape does not fit, or a value is
            not finite.

    Source: See the module.

    Example:
        >>> shapes = {"theta_log": (4, 1), "gamma_log": (2,), "P": (8, 4)}
        >>> shapes |= {"B": (8, 2), "C": (2, 8), "D": (2,)}
        >>> draw = np.random.default_rng(0).normal
        >>> arrays = {name: draw(size=shape) for name, shape in shapes.items()}
        >>> rotrnn_from_released(arrays, heads=2)(jnp.ones((10, 2))).shape
        (10, 2)
    """
    missing, unknown = set(ARRAYS) - set(arrays), set(arrays) - {*ARRAYS, "C2"}
    if missing or unknown:
        raise ValueError(
            f"need the arrays {', '.join(ARRAYS)} and, for both directions, C2; missing "
            f"{sorted(missing)}, unknown {sorted(unknown)}"
        )
    values = {name: np.asarray(value) for name, value in arrays.items()}
    n, width = values["B"].shape if values["B"].ndim == 2 else (0, 0)
    require_sizes(state_size=n, width=width, heads=heads)
    size = rotation_size(n, heads)
    shapes = {
        "theta_log": (n // 2, 1),
        "gamma_log": (heads,),
        "P": (n, size),
        "B": (n, width),
        "C": (width, n),
        "C2": (width, n),
        "D": (width,),
    }
    for name, value in values.items():
        if value.shape != shapes[name]:
            raise ValueError(f"need {name} of shape {shapes[name]}, got {value.shape}")
        if not np.isfinite(value).all():
            raise ValueError(f"need finite {name}, got a NaN or infinity in it")
    ready = {name: jnp.asarray(value) for name, value in values.items()}
    common = _forward(ready, heads)
    if "C2" not in ready:
        return RotRNN(**common, C=ready["C"], D=ready["D"])
    C = unlaced(ready["C"], ready["C2"], heads)
    return BidirectionalRotRNN(**common, C=C, D=ready["D"])


def unlaced(
    C: Float[Array, "d_out n"], C2: Float[Array, "d_out n"], heads: int
) -> Float[Array, "2 d_out n"]:
    """The readouts of the forward and the backward states, out of the code's two arrays.

    Example:
        >>> C, C2 = jnp.arange(4.0)[None], jnp.arange(4.0, 8.0)[None]
        >>> unlaced(C, C2, 2).tolist()
        [[[0.0, 1.0, 4.0, 5.0]], [[2.0, 3.0, 6.0, 7.0]]]
    """
    width, n = C.shape
    laced = jnp.concatenate([C, C2], -1).reshape(width, heads, 2, n // heads)
    return jnp.moveaxis(laced, 2, 0).reshape(2, width, n)


def _draw(
    key: PRNGKeyArray,
    state_size: int,
    width: int,
    heads: int,
    gamma_range: tuple[float, float],
    theta_range: tuple[float, float],
) -> dict[str, Array]:
    """The code's arrays, as it draws them."""
    require_sizes(state_size=state_size, width=width, heads=heads)
    size = rotation_size(state_size, heads)
    require_ranges(gamma_range, theta_range)
    theta_key, gamma_key, m_key, b_key, c_key, d_key = jax.random.split(key, 6)
    low, high = theta_range
    turn, _ = uniforms(theta_key, state_size // 2)  # open at zero: log theta is kept
    least, most = (math.log(-math.log(gamma)) for gamma in reversed(gamma_range))
    between = jax.random.uniform(gamma_key, (heads,))
    return {
        "theta_log": jnp.log(low + (high - low) * turn)[:, None],
        "gamma_log": least + (most - least) * between,
        "P": normal(m_key, state_size, size, 1 / (state_size + size)),
        "B": normal(b_key, state_size, width, 1 / (state_size + width)),
        "C": normal(c_key, width, state_size, 1 / (state_size + width)),
        "D": jax.random.normal(d_key, (width,)),
    }


def _forward(arrays: Mapping[str, Array], heads: int) -> dict[str, Array]:
    """Parameters that both directions share, by the names that ``RotRNN`` has."""
    size = arrays["P"].shape[1]
    return {
        "theta": jnp.exp(arrays["theta_log"]).reshape(heads, size // 2),
        "gamma_log": arrays["gamma_log"],
        "M": arrays["P"].reshape(heads, size, size).mT,
        "B": arrays["B"],
    }
