"""Rows of the ledger with the evidence that judges them, including stored results."""

from functools import cache
from typing import TYPE_CHECKING

from sigprop import evidence
from sigprop.judge.basis import Row

if TYPE_CHECKING:
    import xarray as xr


@cache
def shipped(sweep: str) -> "xr.Dataset":
    """Return the result of a sweep that comes with the code."""
    from sigprop.experiments import store

    return store.shipped(sweep)


def row(claim_id: str) -> Row:
    """Return a claim and its evidence, with the results that come with the code.

    Raises:
        KeyError: If there is no such claim; the message suggests a similar one.

    Example:
        >>> row("zucchet:59").claim.locator
        'Eq. 59, Appendix B.2.2'
    """
    return evidence.row(claim_id, shipped)
