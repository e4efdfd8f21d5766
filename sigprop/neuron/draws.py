"""Random numbers of ``jax.random`` as NumPy arrays, without compilation for each shape.

XLA compiles for about 0.1 s for each new shape of random numbers.  The Numba functions of
``sigprop.neuron.noise`` work for all shapes.
"""

import math
from typing import Any

import jax
import numpy as np
from jaxtyping import Float, PRNGKeyArray

from sigprop.inputs import GaussianProcess
from sigprop.neuron.noise import begin, drawn_here, normals
from sigprop.numerics.precision import require_dtype


def series(
    key: PRNGKeyArray, process: Any, num: int, length: int, dtype: Any
) -> Float[jax.Array | np.ndarray, "num length"]:
    """Return ``process.sample(key, num, length, dtype)`` up to rounding, without JAX.

    The function calls ``process.sample`` if ``sigprop.neuron.noise`` cannot make the same
    numbers: on a GPU, for a traced key, or for a process that is not linear.

    Args:
        key: Random key of JAX.
        process: Input process.
        num: Number of sequences.
        length: Number of steps of a sequence.
        dtype: Type of the numbers.
    """
    count = length * getattr(process, "step_width", 0) * num
    if not (isinstance(process, GaussianProcess) and drawn_here(key, count)):
        return process.sample(key, num, length, dtype)
    require_dtype(dtype)
    source = begin(key, process, num, dtype)
    if source is None:
        return process.sample(key, num, length, dtype)
    return source.draw(source.key[None], length).T


def normal(key: PRNGKeyArray, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return ``jax.random.normal(key, shape, dtype)`` up to rounding, without JAX.

    The function calls JAX if ``sigprop.neuron.noise`` cannot make the same numbers.
    """
    count = math.prod(shape)
    if not drawn_here(key, count):
        return jax.random.normal(key, shape, dtype)
    require_dtype(dtype)
    return normals(np.asarray(jax.random.key_data(key)), 1, count, dtype).reshape(shape)
