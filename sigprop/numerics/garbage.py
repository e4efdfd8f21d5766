"""How often Python looks for garbage in cycles: seldom where nearly all is kept."""

import gc

SELDOM = 20_000, 20, 20
"""Thresholds of ``gc``; Python's own first one is 700 objects, or 2000."""


def collect_seldom() -> None:
    """Let the rest of this process look for garbage seldom, and not at what it has now.

    What is imported, traced and derived stays to the end: to look through all of it again
    and again finds nothing, and takes a twentieth of the time of verdicts.
    """
    gc.freeze()
    gc.set_threshold(*SELDOM)
