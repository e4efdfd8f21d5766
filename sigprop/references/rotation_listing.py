"""RotRNN's listing as printed, in double precision, and its parameters at random.

Source: RotRNN (2024), Appendix C.
"""

import functools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import expm
from jaxtyping import Array, Float

from sigprop.numerics.precision import double_precision
from sigprop.references.rotation import draw

WIDTH, TIME = 3, 6
Sequence = Float[np.ndarray, "time width"]


class Parameters(NamedTuple):
    """The parameters that the listing's ``init_params`` returns, in its shapes."""

    theta: Float[np.ndarray, "heads half"]
    gamma_log: Float[np.ndarray, "heads 1"]
    M: Float[np.ndarray, "heads size size"]
    B: Float[np.ndarray, "heads size width"]
    C: Float[np.ndarray, "width n"]
    D: Float[np.ndarray, " width"]

    @property
    def decays(self) -> Float[np.ndarray, " heads"]:
        """``gamma``."""
        return np.exp(-np.exp(self.gamma_log[:, 0]))


def parameters(seed: int, heads: int, size: int) -> Parameters:
    """Random parameters; sizes are odd too."""
    generator = np.random.default_rng(seed)
    return Parameters(
        generator.uniform(0.1, 6.2, (heads, size // 2)),
        np.log(-np.log(generator.uniform(0.3, 0.98, (heads, 1)))),
        draw(seed + 1, heads, size, size),
        draw(seed + 2, heads, size, WIDTH),
        draw(seed + 3, WIDTH, heads * size),
        draw(seed + 4, WIDTH),
    )


def inputs(seed: int) -> Sequence:
    """A random sequence."""
    return draw(seed + 5, TIME, WIDTH)


def binary_operator(first, second):
    """``binf``: decay, angles and state of two stretches of time, joined."""
    decay, angle, state = second
    turned = jnp.stack([-first[2][..., 1::2], first[2][..., 0::2]], -1)
    turned = turned.reshape(first[2].shape)
    angle_twice = jnp.repeat(angle, 2, -1)
    moved = jnp.cos(angle_twice) * first[2] + jnp.sin(angle_twice) * turned
    return first[0] * decay, first[1] + angle, decay * moved + state


def listing_factor(p: Any) -> Array:
    """``xi``, with the listing's ``squeeze``."""
    gammas = jnp.exp(-jnp.exp(p.gamma_log))
    gram = jax.vmap(lambda a, b: a @ b)(p.B.transpose(0, 2, 1), p.B)
    trace = jnp.trace(gram, axis1=1, axis2=2)
    return jnp.sqrt((1 - gammas.squeeze() ** 2) / trace)


def listing_states(p: Any, u: Any) -> Array:
    """States of all heads, concatenated."""
    P = expm(p.M - p.M.transpose(0, 2, 1))
    B = jnp.einsum("H,HTD->HTD", listing_factor(p), p.B)
    x = jnp.einsum("HDi,Ti->HTD", B, u)
    x = jnp.einsum("HDi,HTi->HTD", P.transpose(0, 2, 1), x)
    gammas = jnp.exp(-jnp.exp(p.gamma_log))
    gammas = jnp.repeat(gammas[:, None], len(u), 1)
    thetas = jnp.repeat(jnp.asarray(p.theta)[:, None], len(u), 1)
    scan = jax.vmap(lambda *parts: jax.lax.associative_scan(binary_operator, parts))
    x = jnp.einsum("HDi,HTi->HTD", P, scan(gammas, thetas, x)[2])
    return x.transpose(1, 0, 2).reshape(len(u), -1)


@functools.cache
def listing_outputs(seed: int, heads: int, size: int) -> Sequence:
    """``forward`` of the listing; not numbers where it cannot run."""
    p, u = parameters(seed, heads, size), inputs(seed)
    with double_precision(True):
        try:
            states = np.asarray(jax.jit(listing_states)(p, u))
        except ValueError:
            return np.full(u.shape, np.nan)
    return states @ p.C.T + p.D * u


def factor_of_listing(seed: int, heads: int, size: int) -> Float[np.ndarray, " heads"]:
    """``xi`` of the listing."""
    with double_precision(True):
        return np.asarray(jax.jit(listing_factor)(parameters(seed, heads, size)))


def joined(seed: int, left: bool) -> np.ndarray:
    """``binf`` of three stretches, joined from the left or from the right."""
    parts = [
        (0.5 + 0.1 * i, draw(seed + i, 2), draw(seed + 9 + i, 4)) for i in range(3)
    ]
    with double_precision(True):
        a, b, c = ((g, jnp.asarray(t), jnp.asarray(x)) for g, t, x in parts)
        if left:
            found = binary_operator(binary_operator(a, b), c)
        else:
            found = binary_operator(a, binary_operator(b, c))
        return np.concatenate([np.ravel(part) for part in found])


def joined_from_left(seed: int) -> np.ndarray:
    """The first two joined first."""
    return joined(seed, True)


def joined_from_right(seed: int) -> np.ndarray:
    """The last two joined first."""
    return joined(seed, False)


def joined_by_steps(seed: int) -> np.ndarray:
    """The recurrence of two steps, in complex numbers."""
    gammas = [0.5, 0.6, 0.7]
    angle = [draw(seed + i, 2) for i in range(3)]
    z = [draw(seed + 9 + i, 4).view(complex) for i in range(3)]
    h = z[0]
    for i in (1, 2):
        h = gammas[i] * np.exp(1j * angle[i]) * h + z[i]
    return np.concatenate([[np.prod(gammas)], sum(angle), h.view(float)])


def angles_of_listing(heads: int, size: int) -> float:
    """Angles a head has in ``init_params``; not a number where NumPy refuses the size."""
    try:
        shape: Any = (heads, size / 2)
        return np.random.default_rng(0).uniform(0, 1, shape).shape[1]
    except TypeError:
        return math.nan


def rotation_of_listing(seed: int, size: int) -> np.ndarray:
    """``P`` of one head of the listing."""
    M = draw(seed, 1, size, size)
    with double_precision(True):
        return np.asarray(jax.jit(expm)(jnp.asarray(M - M.transpose(0, 2, 1))))[0]
