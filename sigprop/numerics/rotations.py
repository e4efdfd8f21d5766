"""Rotations from what generates them, by products of matrices alone.

JAX's own exponential solves a system for each matrix.  On CPUs that is a call of LAPACK
for a batch, which hands parts of it to XLA's threads and waits: two programs that do so
at once, each from a thread of ours, wait for each other forever.
"""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

DEGREE = 14  # of Taylor's polynomial, whose rest at NEAR is below double precision
NEAR = 0.5  # norm within which the polynomial is taken
MOST = 16  # squarings


def rotation(S: Float[Array, "*batch n n"]) -> Float[Array, "*batch n n"]:
    """``exp(S)`` of skew-symmetric matrices, by scaling and squaring (Higham 2008, ch. 10).

    NaN where the largest sum of a column's moduli is above 32 768, half of two to the
    sixteenth.
    """
    norm = jnp.abs(lax.stop_gradient(S)).sum(-2).max(-1)[..., None, None]
    count = jnp.ceil(jnp.log2(jnp.maximum(norm / NEAR, 1)))
    scaled = S / 2**count
    identity = jnp.broadcast_to(jnp.eye(S.shape[-1], dtype=S.dtype), S.shape)
    R = identity + scaled / DEGREE
    for k in range(DEGREE - 1, 0, -1):
        R = identity + scaled @ R / k

    def square(R: Array, index: Array) -> tuple[Array, None]:
        return jnp.where(index < count, R @ R, R), None

    R, _ = lax.scan(square, R, jnp.arange(MOST, dtype=S.dtype))
    return jnp.where(count <= MOST, R, jnp.nan)
