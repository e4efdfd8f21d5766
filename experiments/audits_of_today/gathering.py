"""Audits of all networks of a sweep as one data set."""

from collections.abc import Callable

import numpy as np
import xarray as xr

from sigprop.audit.gated_layers import GATED_RUNGS
from sigprop.audit.moments import RUNGS
from sigprop.audit.summary import TOLERANCE
from sigprop.experiments.audits_of_today.cells import QUANTITIES, RATIO, Config
from sigprop.experiments.audits_of_today.grids import SWEEPS

VERSION = 1
ERRORS = 2.0  # an assumption fails if its ratio is off by more standard errors
LINEAR = ("linoss",)  # layers with the assumptions of linear recurrences
NUMBERS = {"score": "accuracy, or error in scaled units", "parameters": "1"}


def gather(
    sweep: str, preset: str, key: Callable[[Config], str], by_key: dict[str, xr.Dataset]
) -> xr.Dataset:
    """Gather all finished audits along one axis, with the first assumption that fails.

    Args:
        sweep: One of ``grids.SWEEPS``.
        preset: ``smoke``, ``quick`` or ``paper``.
        key: Returns the name of a cell.
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
    firsts = [
        _first(result["median"].values, result["sem"].values, names)
        for result, names in zip(results, ladders, strict=True)
    ]
    fails, ratio = (np.stack(part) for part in zip(*firsts, strict=True))
    variables |= {
        "fails": (dims[:-1], fails, {"units": "name of an assumption"}),
        "ratio": (dims[:-1], ratio, RATIO),
    }
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
    """Extract the result of one cell from the gathered data set."""
    one = table.isel(cell=index)
    attributes = {"score": float(one["score"])}
    attributes |= {name: int(one[name]) for name in ("parameters", "diverged")}
    variables = one[["median", "sem"]].reset_coords(drop=True)
    return variables.drop_vars("quantity").assign_attrs(attributes)


def findings(table: xr.Dataset) -> str:
    """List the score of each cell, and the first assumption that fails in each block."""
    lines = []
    for index in range(table.sizes["cell"]):
        one = table.isel(cell=index).sel(quantity="state")
        said = ", ".join(
            f"{name or 'none'} ({value:.3g})"
            for name, value in zip(
                one["fails"].values, one["ratio"].values, strict=True
            )
        )
        lines.append(
            f"{one['task'].item()} {one['model'].item()}: score "
            f"{one['score'].item():.4f}; first to fail, block by block: {said}"
        )
    return "\n".join(lines)


def _first(
    medians: np.ndarray, sems: np.ndarray, names: tuple[str, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the first assumption that fails, and its ratio, or else the last ratio.

    An assumption fails if its ratio differs from one by more than ``TOLERANCE`` and by more
    than ``ERRORS`` standard errors.

    Args:
        medians: Ratios by block, quantity and assumption.
        sems: Standard errors of the ratios.
        names: Names of the assumptions.
    """
    away = np.abs(medians - 1)
    off = (away > TOLERANCE) & (away > ERRORS * sems)  # false if there is no prediction
    place = np.where(off.any(-1), off.argmax(-1), len(names) - 1)
    fails = np.where(off.any(-1), np.array(names)[place], "")
    return fails, np.take_along_axis(medians, place[..., None], -1)[..., 0]
