"""Rare garbage collection, because most objects live until exit."""

import gc
import sys

SELDOM = 20_000, 20, 20
"""Thresholds of ``gc``; Python's own first one is 700 objects, or 2000."""
FULL, ROOM = 0.9e9, 0.3e9
"""Bytes of a process that lets go of its programs, and bytes it takes until it does again."""
_limit = {"bytes": FULL}


def collect_seldom() -> None:
    """Let the rest of this process look for garbage seldom, and not at what it has now.

    What is imported, traced and derived stays to the end: to look through all of it again
    and again finds nothing, and takes a twentieth of the time of verdicts.
    """
    gc.freeze()
    gc.set_threshold(*SELDOM)


def let_go() -> None:
    """Let go of the programs that JAX has compiled, if this process has grown by much.

    Those that are called again are compiled again.
    """
    import ctypes

    import jax

    from sigprop.numerics.devices import resident

    if resident() < _limit["bytes"]:
        return
    jax.clear_caches()
    gc.collect()
    if sys.platform == "linux":
        # GNU's C library keeps freed memory, in pieces, unless it is asked for it.
        trim = getattr(ctypes.CDLL(None), "malloc_trim", lambda pad: 0)
        trim(0)
    _limit["bytes"] = max(FULL, resident() + ROOM)
