"""Audit of a series as a table, a sentence and data for a figure."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from rich.table import Table
from rich.text import Text

from sigprop.audit.series_moments import NONE, SeriesRow
from sigprop.numerics.text import plain

TOLERANCE = 0.1  # of the ratio of predicted to measured, that still counts as theory
NOTHING = "a missing prediction"
COSTS = {
    "toeplitz": "assuming stationarity",
    "stationary": "the infinite past",
    "white": "ignoring correlation",
}

READING = (
    "Measured: mean of |h_T|^2 (state) or |dh_T/dlam|^2 (sensitivity) over windows of T "
    "steps. Low, high: its 95 % interval, from a circular block bootstrap.",
    "Toeplitz: prediction from the autocovariance, averaged over the T - lag pairs of each "
    "lag. Stationary: the same for an infinite past. White: from the variance alone.",
    "The log columns (natural logarithms) split ln(white/measured) into causes. Log "
    "toeplitz: assuming stationarity, or few windows. Log stationary: the infinite past. "
    "Log white: ignoring correlation.",
)
NUMBERS = ("gap", "theta", "measured", "low", "high", "toeplitz", "stationary", "white")
LOGS = ("log_toeplitz", "log_stationary", "log_white")
HEADS = tuple(
    name.replace("_", " ") for name in ("feature", "quantity", *NUMBERS, *LOGS)
)
"""Headings of the columns of ``table``."""


def table(rows: Sequence[SeriesRow]) -> Table:
    """Return a table of the rows for a terminal of 150 columns.

    The caption gives the largest difference between ``covariance`` and ``measured``.
    """
    below = Text(plain("\n".join(reading(rows))), "table.caption")
    shown = Table(caption=below, caption_justify="left")
    for name in HEADS[:2]:
        shown.add_column(name)
    for name in HEADS[2:]:
        shown.add_column(name, justify="right", overflow="fold")
    before = None
    for feature, *others in map(cells, rows):
        fresh = before != feature
        if fresh and before is not None:
            shown.add_section()
        shown.add_row(Text(plain(feature)) if fresh else "", *others)
        before = feature
    return shown


def reading(rows: Sequence[SeriesRow]) -> tuple[str, ...]:
    """Explain the columns of ``table``, and add the notes on these rows."""
    distance = max(
        (abs(row.covariance / row.measured - 1) for row in rows), default=0.0
    )
    notes = dict.fromkeys(f"{row.feature}: {row.note}" for row in rows if row.note)
    return (
        *READING,
        f"The full covariance matrix predicts the measured values to {distance:.0e}.",
        *notes,
    )


def cells(row: SeriesRow) -> tuple[str, ...]:
    """Return the cells of a row in the order of ``HEADS``."""
    numbers = [_cell(getattr(row, name), ".3g") for name in NUMBERS]
    logs = [_cell(getattr(row, name), "+.2f") for name in LOGS]
    return row.feature, row.quantity, *numbers, *logs


def as_dataset(rows: Sequence[SeriesRow], steps: int) -> xr.Dataset:
    """Return ratios of predicted to measured moments, and their intervals, for a figure.

    Args:
        rows: Rows that ``sigprop.audit.audit_series`` returned.
        steps: Number of steps of a window.

    Returns:
        A data set with the dimensions ``feature``, ``quantity`` and ``eigenvalue``.
        ``low`` and ``high`` are the ends of the measured interval over the measured
        moment.  ``ratio`` has the dimension ``assumption`` as well.  ``gap`` and
        ``theta`` describe each eigenvalue.
    """
    places: dict[str, list[Any]] = {
        "feature": list(dict.fromkeys(row.feature for row in rows)),
        "quantity": list(dict.fromkeys(row.quantity for row in rows)),
        "eigenvalue": list(dict.fromkeys((row.gap, row.theta) for row in rows)),
    }
    shape = tuple(map(len, places.values()))
    low, high = np.full(shape, np.nan), np.full(shape, np.nan)
    ratio = np.full((*shape, len(COSTS)), np.nan)
    for row in rows:
        place = tuple(
            names.index(own)
            for names, own in zip(
                places.values(),
                (row.feature, row.quantity, (row.gap, row.theta)),
                strict=True,
            )
        )
        if row.measured > 0:
            low[place], high[place] = row.low / row.measured, row.high / row.measured
            ratio[place] = [getattr(row, name) / row.measured for name in COSTS]
    dims = tuple(places)
    gap, theta = zip(*places["eigenvalue"], strict=True)
    return xr.Dataset(
        {
            "low": (dims, low),
            "high": (dims, high),
            "ratio": ((*dims, "assumption"), ratio),
            "gap": ("eigenvalue", list(gap)),
            "theta": ("eigenvalue", list(theta)),
        },
        {
            "feature": places["feature"],
            "quantity": places["quantity"],
            "assumption": list(COSTS),
        },
        {"steps": steps},
    )


def conclusion(rows: Sequence[SeriesRow]) -> str:
    """Count the moments that white-noise theory predicts, and the main causes of error."""
    lost: Counter[str] = Counter()
    for row in rows:
        if not (row.white > 0 and row.measured > 0):
            lost[NOTHING] += 1
        elif abs(row.white / row.measured - 1) > TOLERANCE:
            costs = {name: getattr(row, f"log_{name}") for name in COSTS}
            known = {name: abs(x) for name, x in costs.items() if math.isfinite(x)}
            worst = COSTS[max(known, key=known.__getitem__)] if known else NOTHING
            lost[worst] += 1
    predicted = len(rows) - lost.total()
    failures = ", ".join(f"{why} ({count})" for why, count in lost.most_common())
    return (
        f"White-noise theory predicts {predicted} of {len(rows)} moments within "
        f"{100 * TOLERANCE:g} %."
        + (f" The largest error elsewhere comes from {failures}." if failures else "")
    )


def _cell(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else NONE
