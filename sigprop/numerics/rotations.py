"""Rotations as exponentials of skew-symmetric matrices, by matrix products alone.

JAX's matrix exponential solves a linear system for each matrix.  On CPUs this calls LAPACK
for a batch, which gives parts of it to XLA's threads and waits for them.  Two threads that
run such programs at the same time would wait for each other forever.
"""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

DEGREE = 14  # of Taylor's polynomial, whose rest at NEAR is below double precision
NEAR = 0.5  # norm within which the polynomial is taken
MOST = 16  # squarings


def rotation(S: Float[Array, "*batch n n"]) -> Float[Array, "*batch n n"]:
    """The rotation ``exp(S)`` of a skew-symmetric matrix, by scaling and squaring.

    The result is NaN if the largest column sum of absolute values is above 2**15.

    Source: Higham (2008), Chapter 10.
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
