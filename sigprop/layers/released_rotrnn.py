"""RotRNN as in its authors' code: the paper's map, with other arrays and initialisation.

The code computes ``gamma P^T Theta P``; the paper and ``RotRNN`` have ``gamma P Theta P^T``,
with the same ``P = expm(M - M^T)``.  Transposing ``M`` turns one matrix into the other.  The
code stores ``log theta``, which its optimiser trains.  Its bidirectional layer concatenates
``C`` and ``C2``.  The columns of the result alternate: for each head, the columns of the
forward state come first, then those of the backward state.

The code draws ``M`` with variance ``1/(n + size)`` instead of one, so that ``P`` is initially
near the identity.  With 256 states in 32 heads, ``M`` has standard deviation 0.06.  ``B`` and
``C`` have variance ``1/(n + width)``.  ``log(-log gamma)`` is uniform, instead of ``gamma^2``.
A later branch, ``rotrnn-clean``, computes and draws ``M`` as in the paper.

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
    """Draw a RotRNN, initialised as in the authors' code.

    ``rotrnn`` follows the listing of the paper instead.  In the authors' code
    ``log(-log gamma)`` is uniform, not ``gamma^2``.  The variance is
    ``1/(state_size + state_size / heads)`` for ``M``, and ``1/(state_size + width)``
    for ``B`` and ``C``.

    Args:
        state_size: Number of real numbers in the state, summed over heads.
        width: Number of inputs, equal to the number of outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads. The size of a head, ``state_size / heads``, must be even.
        gamma_range: Smallest and largest decay factor of a head, per step.
        theta_range: Smallest and largest angle per step, in radians. The smallest angle
            is 0 in the authors' code.

    Raises:
        ValueError: If a size is below one, the size of a head is odd, or a range is not
            ordered; or if a decay factor is not in (0, 1), or an angle is not in
            [0, 2 pi].

    Source: ``s5/rares_layers.py`` of github.com/raresdolga/s5, branch ``main``.

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
    """Draw a bidirectional RotRNN, initialised as in the authors' code.

    The layer has the parameters of ``released_rotrnn`` and a second ``C`` of the same
    distribution.

    Args:
        state_size: Number of real numbers in the state of one direction.
        width: Number of inputs, equal to the number of outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads. The size of a head, ``state_size / heads``, must be even.
        gamma_range: Smallest and largest decay factor of a head, per step.
        theta_range: Smallest and largest angle per step, in radians.

    Raises:
        ValueError: If a size is below one, the size of a head is odd, or a range is not
            ordered; or if a decay factor is not in (0, 1), or an angle is not in
            [0, 2 pi].

    Source: ``s5/rares_layers.py`` of github.com/raresdolga/s5, branch ``main``.

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
    """Build a RotRNN from the arrays of a layer of the authors' code.

    The layer has the same outputs as the authors' layer with these arrays.

    Args:
        arrays: Arrays by their names in the authors' code, with their shapes:
            ``theta_log (n/2, 1)``, ``gamma_log (heads,)``, ``P (n, n/heads)``,
            ``B (n, width)``, ``C (width, n)`` and ``D (width,)``. ``P`` is the matrix
            ``M`` of the paper. The layer is bidirectional if ``C2 (width, n)`` is given.
        heads: Number of heads.

    Returns:
        A ``BidirectionalRotRNN`` if ``C2`` is given, otherwise a ``RotRNN``.

    Raises:
        ValueError: If a name is missing or unknown, a shape does not fit, or a value is
            not finite.

    Source: ``s5/rares_layers.py`` of github.com/raresdolga/s5, branch ``main``.

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
    """Return the readouts of forward and backward states from the code's ``C`` and ``C2``.

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
