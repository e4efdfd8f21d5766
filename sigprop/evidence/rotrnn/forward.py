"""The function ``forward`` of RotRNN's listing, in double precision.

Source: RotRNN (2024), Appendix C.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import expm
from jaxtyping import Array

from sigprop.evidence.rotrnn.heads import Sequence, inputs, parameters
from sigprop.numerics.precision import double_precision


def binary_operator(first, second):
    """The listing's ``binf``, which joins decay, angles and state of two intervals."""
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
    """``forward`` of the listing.

    Raises:
        ValueError: If the heads have an odd size, for which the listing fails too.
    """
    p, u = parameters(seed, heads, size), inputs(seed)
    with double_precision(True):
        states = np.asarray(jax.jit(listing_states)(p, u))
    return states @ p.C.T + p.D * u
