"""Decorators that compile functions by Numba and store the machine code.

Importing this module imports Numba, which takes 0.2 seconds.  Modules with compiled
functions are therefore imported inside the functions that call them.  Numba compiles again
if the file of a function changes.  After a change of this module or of ``tiles``, delete the
``__pycache__`` in the folder of the function.

LLVM vectorises a loop if its bounds are constant and its indices cannot be negative.  Such
loops therefore run over slices that begin at zero.
"""

from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.extending import intrinsic

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
FUSED: dict[str, Any] = {**OPTIONS, "fastmath": {"contract"}}

called = numba.njit(**FUSED)
"""Compile a function that other compiled functions call, with fused multiply-adds."""
inlined = numba.njit(forceinline=True, **FUSED)
"""Like ``called``, but compiled into its callers."""
unfused = numba.njit(forceinline=True, **OPTIONS, fastmath=False)  # not its caller's
"""Compile a function into its callers; each product is rounded before it is added."""


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that Python calls, and store its machine code for later runs.

    It is stored in the folder of the source or, if that is not writable, in the user's
    cache.
    """
    try:
        return numba.njit(cache=True, **FUSED)(function)
    except RuntimeError:  # neither can be written
        return numba.njit(**FUSED)(function)


@intrinsic
def wide_vectors(context: Any) -> Any:
    """Let LLVM use vectors of 64 bytes in the calling function, if the processor has them.

    By default, LLVM uses 32 bytes on many processors with 64.  Both an inlined function
    and the function that Python calls must request 64 bytes.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # llvmlite's own ``add`` only accepts attributes without a value.
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.none(), generate
