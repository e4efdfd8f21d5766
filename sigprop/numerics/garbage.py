"""Rare garbage collection, because most objects live until exit."""

import gc
import sys

SELDOM = 20_000, 20, 20
"""Thresholds of ``gc``; Python's own first one is 700 objects, or 2000."""
FULL, ROOM = 0.9e9, 0.3e9
"""Bytes of a process that lets go of its programs, and bytes it takes until it does again."""
_limit = {"bytes": FULL}


def collect_seldom() -> None:
    """Collect garbage rarely from now on, and never examine present objects.

    Imported, traced and derived objects live until exit.  Examining them repeatedly finds
    no garbage and takes 5 % of the time of verdicts.
    """
    gc.freeze()
    gc.set_threshold(*SELDOM)


def let_go() -> None:
    """Release the programs that JAX has compiled, if this process has grown by much.

    Programs that are called again are then compiled again.
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
