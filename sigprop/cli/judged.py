"""Rows with what judges them, as a user's commands do: stored results included."""

from functools import cache
from typing import TYPE_CHECKING

from sigprop import evidence
from sigprop.judge.basis import Row

if TYPE_CHECKING:
    import xarray as xr


@cache
def shipped(sweep: str) -> "xr.Dataset":
    """The result of a sweep that comes with the code; see ``experiments.store.shipped``."""
    from experiments import store

    return store.shipped(sweep)


def row(claim_id: str) -> Row:
    """A claim with what it is judged on; results come from those of the code.

    Raises:
        KeyError: If there is no such claim; the message suggests the nearest.
    """
    return evidence.row(claim_id, shipped)
