"""Data for an overview picture of a run: statuses and simulated results."""

import xarray as xr

from sigprop.ledger.entries import Ledger

PICTURES = ("overview-statuses.svg", "overview-intervals.svg")


def overview(run: Ledger) -> xr.Dataset:
    """Paper, kind and status of every claim, and every simulated result.

    Returns:
        By ``claim``: ``paper``, ``kind`` and ``status``.  By ``result`` of Monte Carlo:
        ``value``, ``low`` and ``high`` of the ratio of measurement and closed form, and
        ``form``.  The attribute ``margin`` is that of the run.
    """
    results = [
        result
        for claim in run.claims
        for result in claim.results
        if result.route == "monte_carlo"
    ]
    claims = {
        name: ("claim", [str(getattr(claim, name)) for claim in run.claims])
        for name in ("paper", "kind", "status")
    }
    numbers = {
        name: ("result", [float(getattr(result, name)) for result in results])
        for name in ("value", "low", "high")
    }
    forms = {"form": ("result", [result.form for result in results])}
    return xr.Dataset(claims | numbers | forms, attrs={"margin": run.margin})
