"""Our columns of a table with the nearest published columns, for a figure."""

import math

import numpy as np
import xarray as xr

from sigprop.experiments.published import TABLES, Score
from sigprop.experiments.tables import ours_beside, pairs

NOTHING = Score("", math.nan, math.nan)
DIMS = ("column", "row")


def chart(name: str, preset: str = "paper") -> xr.Dataset:
    """Return our columns of a table, each with the nearest published column.

    Args:
        name: One of ``TABLES``.
        preset: Preset of our results.

    Returns:
        By ``column`` and ``row``: the means ``theirs`` and ``ours``, and their standard
        errors ``theirs_error`` and ``ours_error``.  A mean is minus infinity if the row fails,
        and NaN if there is no value.  By ``column``: the published column, ``nearest``.  By
        ``pair`` of rows with the opposite order: the number of the column, ``of``, and the
        numbers of the rows, ``first`` and ``second``.

    Raises:
        ValueError: As ``sigprop.experiments.tables.table``.
    """
    columns = [column for column in ours_beside(name, preset)[0] if column.nearest]
    published = TABLES[name]
    rows, names = published.rows, list(published.columns)
    theirs = [
        [row.scores[names.index(str(c.nearest))] for row in rows] for c in columns
    ]
    ours = [[c.scores.get(str(row.model), NOTHING) for row in rows] for c in columns]
    contrary = [
        (number, *map(rows.index, pair.rows))
        for number, column in enumerate(columns)
        for pair in pairs(published, column)
        if pair.contrary
    ]
    of, first, second = np.array(contrary, int).reshape(-1, 3).T
    return xr.Dataset(
        {
            "theirs": (DIMS, _part(theirs, "mean", len(rows))),
            "theirs_error": (DIMS, _part(theirs, "error", len(rows))),
            "ours": (DIMS, _part(ours, "mean", len(rows))),
            "ours_error": (DIMS, _part(ours, "error", len(rows))),
            "of": ("pair", of),
            "first": ("pair", first),
            "second": ("pair", second),
        },
        {
            "column": [column.name for column in columns],
            "nearest": ("column", [str(column.nearest) for column in columns]),
            "row": [row.label for row in rows],
        },
        {"title": published.title, "unit": published.unit},
    )


def _part(scores: list[list[Score]], part: str, rows: int) -> np.ndarray:
    """Return the means or errors of all columns, with shape (columns, rows)."""
    values = [[getattr(score, part) for score in column] for column in scores]
    return np.array(values, float).reshape(-1, rows)
