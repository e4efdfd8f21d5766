"""Seeds of a sweep as one table of verdicts, with their error rate."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import binomtest

from sigprop.experiments.verdicts.cells import COUNTS, RATIO, Config
from sigprop.experiments.verdicts.grids import cells

VERSION = 1
LEVEL = 0.95  # confidence of the exact interval


def gather(
    sweep: str, preset: str, key: Callable[[Config], str], by_key: dict[str, xr.Dataset]
) -> xr.Dataset:
    """Gather all finished cells; claims without comparisons in a cell have zeros.

    Args:
        sweep: ``fresh_seeds``.
        preset: ``smoke``, ``quick`` or ``paper``.
        key: Returns the name of a cell.
        by_key: Results of the finished cells by their names.
    """
    rows = [config for config in cells(sweep, preset) if key(config) in by_key]
    results = [by_key[key(config)] for config in rows]
    claims = list(dict.fromkeys(c for table in results for c in table["claim"].values))
    whole = [table.reindex(claim=claims) for table in results]
    variables: dict[str, Any] = {
        name: (
            ("cell", "claim"),
            np.nan_to_num([row[name].values for row in whole]).astype(np.int32),
            {"units": "1"},
        )
        for name in COUNTS
    }
    variables |= {
        name: (("cell", "claim"), np.stack([row[name].values for row in whole]), RATIO)
        for name in ("least", "most")
    }
    where = [["" if x != x else x for x in row["where"].values] for row in whole]
    return xr.Dataset(
        {**variables, "where": (("cell", "claim"), np.array(where, str))},
        {
            "claim": claims,
            "key": ("cell", [key(config) for config in rows]),
            "part": ("cell", [config.part for config in rows]),
            "seed": ("cell", [config.seed for config in rows], {"units": "1"}),
        },
        {"dtype": "float64"},
    )


def cell(table: xr.Dataset, index: int) -> xr.Dataset:
    """Extract the result of one cell from the gathered data set."""
    result = table.isel(cell=index).reset_coords(drop=True)
    return result.isel(claim=result["comparisons"].values > 0)


def findings(table: xr.Dataset) -> str:
    """Describe wrong verdicts by part, and an exact interval for the rate of such runs."""
    lines = []
    for part, rows in table.groupby("part"):
        seeds, total = rows.sizes["cell"], int(rows["comparisons"].sum())
        wrong = int(rows["wrong"].sum())
        bad = int((rows["wrong"].sum("claim") > 0).sum())
        low, high = binomtest(bad, seeds).proportion_ci(LEVEL, "exact")
        lines.append(
            f"{part}: {wrong} of {total} words wrong at {seeds} seeds; a run has one with "
            f"probability {low:.2%} to {high:.2%}"
        )
        for index in np.argwhere(rows["wrong"].values):
            row = rows.isel(cell=index[0], claim=index[1])
            lines.append(
                f"  {row.claim.item()} at seed {int(row.seed)}: {row['where'].item()}"
            )
    return "\n".join(lines)
