"""Gather the audits of today's layers into one labelled result."""

from collections.abc import Callable

import numpy as np
import xarray as xr

from sigprop.audit.gated_layers import GATED_RUNGS
from sigprop.audit.moments import RUNGS
from sigprop.audit.summary import failing
from sigprop.experiments.audits_of_today.cells import QUANTITIES, RATIO, Config
from sigprop.experiments.audits_of_today.grids import SWEEPS

VERSION = 1
LINEAR = ("linoss",)  # layers with the assumptions of linear recurrences
NUMBERS = {"score": "accuracy, or error in scaled units", "parameters": "1"}


def gather(
    sweep: str, preset: str, key: Callable[[Config], str], by_key: dict[str, xr.Dataset]
) -> xr.Dataset:
    """All finished audits along one axis.

    Args:
        sweep: One of ``grids.SWEEPS``.
        preset: ``smoke``, ``quick`` or ``paper``.
        key: Names a cell.
        by_key: Results of the finished cells by their names.
    """
    rows = [config for config in SWEEPS[sweep](preset) if key(config) in by_key]
    results = [by_key[key(config)] for config in rows]
    dims = ("cell", "block", "quantity", "rung")
    variables = {
        name: (dims, np.stack([result[name].values for result in results]), RATIO)
        for name in ("median", "sem")
    }
    numbers = NUMBERS | {"diverged": "steps"}
    variables |= {
        name: ("cell", [result.attrs[name] for result in results], {"units": unit})
        for name, unit in numbers.items()
    }
    ladders = [RUNGS if config.model in LINEAR else GATED_RUNGS for config in rows]
    return xr.Dataset(
        variables,
        {
            "key": ("cell", [key(config) for config in rows]),
            "task": ("cell", [config.task for config in rows]),
            "model": ("cell", [config.model for config in rows]),
            "assumption": (("cell", "rung"), ladders),
            "quantity": list(QUANTITIES),
        },
        {"dtype": "float32"},
    )


def cell(table: xr.Dataset, index: int) -> xr.Dataset:
    """The result of one cell, as it was before it was gathered."""
    one = table.isel(cell=index)
    attributes = {"score": float(one["score"])}
    attributes |= {name: int(one[name]) for name in ("parameters", "diverged")}
    variables = one[["median", "sem"]].reset_coords(drop=True)
    return variables.drop_vars("quantity").assign_attrs(attributes)


def first(table: xr.Dataset, quantity: str = "state") -> list[list[tuple[str, float]]]:
    """The first assumption that fails in each cell and block, and the ratio there.

    Args:
        table: From ``gather``.
        quantity: Of ``QUANTITIES``.

    Returns:
        For each cell and block a name of a rung, and predicted over measured.  If no
        assumption fails, the name is empty and the ratio is that of the last rung.
    """
    found = []
    for index in range(table.sizes["cell"]):
        one = table.isel(cell=index)
        names = [str(name) for name in one["assumption"].values]
        rows = []
        for medians in one["median"].sel(quantity=quantity).values:
            ladder = dict(zip(names, map(float, medians), strict=True))
            fails = failing(ladder)
            rows.append((fails, ladder[fails or names[-1]]))
        found.append(rows)
    return found


def findings(table: xr.Dataset) -> str:
    """Score of each cell, and the first assumption that fails in each block."""
    lines = []
    for index, rows in enumerate(first(table)):
        one = table.isel(cell=index)
        said = ", ".join(f"{name or 'none'} ({value:.3g})" for name, value in rows)
        lines.append(
            f"{one['task'].item()} {one['model'].item()}: score "
            f"{one['score'].item():.4f}; first to fail, block by block: {said}"
        )
    return "\n".join(lines)
