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
from sigprop.neuron.noise import drawn_here, normals, start
from sigprop.numerics.precision import require_dtype


def series(
    key: PRNGKeyArray, process: Any, num: int, length: int, dtype: Any
) -> Float[jax.Array | np.ndarray, "num length"]:
    """``process.sample(key, num, length, dtype)`` to rounding, with no program of JAX.

    By ``process.sample`` itself where its draws are not those of ``noise``: on a GPU,
    of a traced key, or of a process whose ``step`` makes other arrays than NumPy's.
    """
    count = length * getattr(process, "step_width", 0) * num
    if not (isinstance(process, GaussianProcess) and drawn_here(key, count)):
        return process.sample(key, num, length, dtype)
    require_dtype(dtype)
    step_key, state = start(key, process, num, dtype)
    drawn = normals(step_key, length * process.step_width, num, dtype)
    x = np.empty((length, num), dtype)
    for t, now in enumerate(drawn.reshape(length, process.step_width, num)):
        state, seen = process.step(state, now)
        if not isinstance(seen, np.ndarray):
            return process.sample(key, num, length, dtype)
        x[t] = seen
    return x.T


def normal(key: PRNGKeyArray, shape: tuple[int, ...], dtype: Any) -> Any:
    """``jax.random.normal(key, shape, dtype)`` to rounding; see ``series``."""
    count = math.prod(shape)
    if not drawn_here(key, count):
        return jax.random.normal(key, shape, dtype)
    require_dtype(dtype)
    return normals(np.asarray(jax.random.key_data(key)), 1, count, dtype).reshape(shape)
