"""Inputs and errors of ``jax.random`` as NumPy arrays, without a program for each shape.

A program of XLA that draws some numbers takes a tenth of a second to compile, for every
shape of them; those of ``sigprop.neuron.noise`` serve all shapes.
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
    """``process.sample(key, num, length, dtype)`` to rounding, with no program of JAX.

    By ``process.sample`` itself where its draws are not those of ``noise``: on a GPU,
    of a traced key, or of a process that is not linear.
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
    """``jax.random.normal(key, shape, dtype)`` to rounding; see ``series``."""
    count = math.prod(shape)
    if not drawn_here(key, count):
        return jax.random.normal(key, shape, dtype)
    require_dtype(dtype)
    return normals(np.asarray(jax.random.key_data(key)), 1, count, dtype).reshape(shape)
