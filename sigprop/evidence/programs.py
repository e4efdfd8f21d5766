"""Values of functions that JAX compiles as one program.

Outside ``jit``, JAX compiles a program for every operation on a new shape.  For a
program that runs once, compilation takes most of the time.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from sigprop.numerics.precision import double_precision


def computed(function: Callable[..., Any], *arrays: Any, **constants: Any) -> Any:
    """Values of a function in double precision, as NumPy arrays.

    Args:
        function: Traced once for all arrays of the same shapes, unless it is made anew at
            each call, as a closure is.
        arrays: Of it: arrays, numbers, layers and keys.
        constants: Of it, by name: what is known when it is traced.
    """
    import jax  # what a row is judged on can be told without it

    program = jax.jit(function, static_argnames=tuple(constants))
    with double_precision(True):
        return jax.tree.map(np.asarray, program(*arrays, **constants))
