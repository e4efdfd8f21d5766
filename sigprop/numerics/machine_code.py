"""Decorators that compile functions by Numba, and keep the machine code.

Importing this module imports Numba, which takes a fifth of a second, so modules of
compiled functions are imported where they are called.  Numba compiles anew when the file
of a function changes; after a change of this module or of ``tiles``, delete the
``__pycache__`` beside the function.

LLVM makes vector instructions of a loop whose bounds are constants and whose indices
cannot be negative, which is why such loops run over slices that begin at zero.
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
    """Compile a function that Python calls, and keep its machine code from run to run.

    It is kept beside the source or, where that cannot be written, in the user's cache.
    """
    try:
        return numba.njit(cache=True, **FUSED)(function)
    except RuntimeError:  # neither can be written
        return numba.njit(**FUSED)(function)


@intrinsic
def wide_vectors(context: Any) -> Any:
    """Let LLVM use vectors of 64 bytes in the calling function, if the machine has them.

    By default it takes 32 bytes on many processors that have more.  A function that is
    inlined asks for them, and so does the one that Python calls.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # llvmlite's own ``add`` knows attributes without a value only.
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.none(), generate
