"""Impulse responses of linear layers, fast enough to train on them.

The output of a linear layer is ``y_t = sum over ages of g_age u_{t - age}``.  The kernel
``g`` of length ``T`` is computed without a scan of ``T`` steps.  Let ``m`` be a power of two
near ``sqrt(T)``.  Then ``g_{q m + r} = (C A**(q m)) (A**r B)`` is one matrix product of
``T / m`` rows and ``m`` columns.  The columns are computed by doubling, ``[K, A**k K]``.  The
squares of ``A`` that this needs also give ``A**m`` for the rows.

Source: the doubling of Krylov spaces is classical (Keller-Gehrig 1985); the split of the
powers is the baby-step giant-step of Paterson and Stockmeyer (1973).
"""

import math

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Complex, Float, Int

from sigprop.layers.base import Layer
from sigprop.layers.dense import LinearRNN
from sigprop.layers.diagonal import DiagonalLayer
from sigprop.numerics.arguments import require_count


def require_linear(layer: Layer) -> None:
    """Refuse a layer that is not linear, because no impulse response describes it.

    Raises:
        ValueError: If the layer is not linear.
    """
    if not layer.linear:
        raise ValueError(
            f"need a linear layer, got {type(layer).__name__}: no impulse response "
            "describes it; use the sampled loss"
        )


def ages(layer: Layer, length: int) -> Int[Array, " ages"]:
    """Ages at which ``kernel`` gives the response, in steps from the impulse.

    Ages run from 0 to ``length - 1``, or from ``1 - length`` for a bidirectional layer.
    """
    return jnp.arange(0 if layer.causal else 1 - length, length)


def kernel(layer: Layer, length: int) -> Float[Array, "ages d_out d_in"]:
    """Impulse response of a linear layer, as a JAX array that can be differentiated.

    For a causal layer, entry ``[k, o, i]`` is the response of output ``o``, ``k`` steps
    after a unit impulse at input channel ``i``.  For a bidirectional layer, the first
    axis runs from ``length - 1`` steps before the impulse to ``length - 1`` steps after
    it.

    Args:
        layer: A linear layer.
        length: Number of steps of the response, counted from the impulse.

    Raises:
        ValueError: If the layer is not linear or the length is below one.

    Example:
        Ten steps, two outputs and one input:

        >>> import jax
        >>> from sigprop.layers import zucchet_lru
        >>> layer = zucchet_lru(4, 1, key=jax.random.key(0), d_out=2, nu0=0.5, theta0=3.1)
        >>> kernel(layer, 10).shape
        (10, 2, 1)
    """
    require_linear(layer)
    length = require_count("length", length)
    if isinstance(layer, DiagonalLayer):
        return _diagonal(layer, length)
    if isinstance(layer, LinearRNN):
        return _blocks(layer, length)
    return _impulses(layer, length)


def _split(length: int) -> tuple[int, int]:
    """Columns, a power of two near the root of the length, and rows."""
    columns = 2 ** round(math.log2(math.sqrt(length)))
    return columns, -(-length // columns)


def _diagonal(layer: DiagonalLayer, length: int) -> Float[Array, "ages d_out d_in"]:
    m, rows = _split(length)
    lam = layer.eigenvalues()
    young, step = _powers(lam, m)
    old, _ = _powers(step, rows)
    inward, outward, skip = layer.matrices()
    right = young[:, :, None] * inward[None]  # (m, n, d_in)
    left = old[:, None] * outward[None]  # (rows, d_out, n)
    # Only the real part: one real product over both parts of each neuron.
    left = jnp.concatenate([left.real, -left.imag], 2)
    right = jnp.concatenate([right.real, right.imag], 1)
    return _assemble(left, right, length).at[0].add(skip)


def _powers(
    base: Complex[Array, " n"], count: int
) -> tuple[Complex[Array, "count n"], Complex[Array, " n"]]:
    """Powers from 0 below ``count`` by doubling; the power ``count`` if it is of two."""
    powers, square = jnp.ones_like(base)[None], base
    while len(powers) < count:
        powers = jnp.concatenate([powers, powers * square[None]])
        square = square * square
    return powers[:count], square


def _blocks(layer: LinearRNN, length: int) -> Float[Array, "ages d_out d_in"]:
    m, rows = _split(length)
    blocks, size, _ = layer.A.shape
    d_in, d_out = layer.widths
    right, square = layer.B.reshape(blocks, size, d_in), layer.A
    while right.shape[2] < m * d_in:
        right = jnp.concatenate([right, square @ right], 2)
        square = square @ square
    outward = jnp.moveaxis(layer.C.reshape(d_out, blocks, size), 0, 1)
    _, left = lax.scan(lambda c, _: (c @ square, c), outward, length=rows)
    left = jnp.moveaxis(left, 1, 2).reshape(rows, d_out, blocks * size)
    right = right.reshape(blocks * size, m, d_in).swapaxes(0, 1)
    return _assemble(left, right, length).at[0].add(layer.D)


def _assemble(
    left: Float[Array, "rows d_out n"], right: Float[Array, "m n d_in"], length: int
) -> Float[Array, "ages d_out d_in"]:
    """Entry ``q m + r`` is ``left[q] right[r]``."""
    products = jnp.einsum("qon,rni->qroi", left, right)
    return products.reshape(-1, *products.shape[2:])[:length]


def _impulses(layer: Layer, length: int) -> Float[Array, "ages d_out d_in"]:
    """Any linear layer, by its response to one impulse a channel."""
    before = 0 if layer.causal else length - 1
    basis = jnp.eye(layer.widths[0])
    silence = jnp.zeros((before + length, basis.shape[0]))
    responses = jax.vmap(lambda impulse: layer(silence.at[before].set(impulse)))(basis)
    return jnp.moveaxis(responses, 0, -1)
