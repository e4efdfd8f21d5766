"""Maps between real signals and complex states, as real matrix products.

XLA multiplies complex matrices slowly on a CPU, and real inputs or outputs waste half of
the work; real and imaginary parts side by side make one real product, whose result is
laid out as ``sigprop.neuron.scan`` works on it.

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
    """``B u`` for a real signal."""
    parts = u @ jnp.concatenate([B_re, B_im]).T
    return unpack(parts.reshape(*u.shape[:-1], 2, B_re.shape[0]))


def pass_through(
    D: Float[Array, " outputs"] | Float[Array, "outputs inputs"],
    u: Float[Array, "*batch inputs"],
) -> Float[Array, "*batch outputs"]:
    """``D u``, with ``D`` a matrix or the diagonal of one."""
    return u * jnp.expand_dims(D, range(u.ndim - 1)) if D.ndim == 1 else u @ D.T


def read_out(
    C_re: Float[Array, "outputs n"],
    C_im: Float[Array, "outputs n"],
    h: Complex[Array, "*batch n"],
) -> Float[Array, "*batch outputs"]:
    """``Re(C h)``."""
    parts = pack(h).reshape(*h.shape[:-1], 2 * h.shape[-1])
    return parts @ jnp.concatenate([C_re, -C_im], -1).T
