"""Maps between real signals and complex states, as real matrix products.

XLA multiplies complex matrices slowly on a CPU, and a real input or output wastes half of
the work.  These functions join real and imaginary parts in one real product.  Its result
has the memory layout that ``sigprop.neuron.scan`` needs.

Notation: u  real signal (..., inputs);  h  complex states (..., n).
"""

import jax.numpy as jnp
from jaxtyping import Array, Complex, Float

from sigprop.neuron.scan import pack, unpack


def project_in(
    B_re: Float[Array, "n inputs"],
    B_im: Float[Array, "n inputs"],
    u: Float[Array, "*batch inputs"],
) -> Complex[Array, "*batch n"]:
    """Return ``(B_re + i B_im) u`` for a real signal ``u``."""
    parts = u @ jnp.concatenate([B_re, B_im]).T
    return unpack(parts.reshape(*u.shape[:-1], 2, B_re.shape[0]))


def pass_through(
    D: Float[Array, " outputs"] | Float[Array, "outputs inputs"],
    u: Float[Array, "*batch inputs"],
) -> Float[Array, "*batch outputs"]:
    """Return ``D u`` for a matrix ``D``, or for a diagonal matrix with the vector ``D``."""
    return u * jnp.expand_dims(D, range(u.ndim - 1)) if D.ndim == 1 else u @ D.T


def read_out(
    C_re: Float[Array, "outputs n"],
    C_im: Float[Array, "outputs n"],
    h: Complex[Array, "*batch n"],
) -> Float[Array, "*batch outputs"]:
    """Return ``Re(C h)`` for ``C = C_re + i C_im``."""
    parts = pack(h).reshape(*h.shape[:-1], 2 * h.shape[-1])
    return parts @ jnp.concatenate([C_re, -C_im], -1).T
