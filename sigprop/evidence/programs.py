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
        function: Function, traced once for all arrays of the same shapes.  A closure
            that is created at each call is traced at each call.
        arrays: Its arrays, numbers, layers and keys.
        constants: Its named arguments that are constant when it is traced.
    """
    import jax  # the evidence of a row can be listed without JAX

    program = jax.jit(function, static_argnames=tuple(constants))
    with double_precision(True):
        return jax.tree.map(np.asarray, program(*arrays, **constants))
