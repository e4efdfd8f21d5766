"""Trainings of a sweep as one data set: accuracies, loss curves and powers of states."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import sem

from sigprop.experiments.long_range.cells import SHARE, STEPS, Config
from sigprop.experiments.long_range.grids import SWEEPS
from sigprop.experiments.padding import along_cells

VERSION = 1
SIZES = ("width", "depth", "examples", "length", "parameters", "best_step", "diverged")
CURVES = {
    "loss": ("segment",),
    "gradient_norm": ("segment",),
    "validation_loss": ("look",),
    "validation_accuracy": ("look",),
    "step": ("look",),
    "state_power": ("look", "layer"),
    "measured": ("look", "recurrence"),
    "predicted": ("look", "recurrence", "rung"),
    "ratio": ("look", "recurrence", "quantity", "rung", "quantile"),
}


def gather(
    sweep: str, preset: str, key: Callable[[Config], str], by_key: dict[str, xr.Dataset]
) -> xr.Dataset:
    """Gather all finished trainings along one axis; shorter curves are padded with NaN.

    Args:
        sweep: One of ``grids.SWEEPS``.
        preset: ``smoke``, ``quick`` or ``paper``.
        key: Returns the name of a cell.
        by_key: Results of the finished cells by their names.
    """
    every = [config for group in SWEEPS[sweep](preset).values() for config in group]
    rows = [config for config in every if key(config) in by_key]
    results = [by_key[key(config)] for config in rows]
    variables: dict[str, Any] = {
        "test_accuracy": ("cell", _attribute(results, "test_accuracy"), SHARE),
        "test_loss": ("cell", _attribute(results, "test_loss"), {"units": "nats"}),
    }
    variables |= {
        name: ("cell", _attribute(results, name), {"units": "1"}) for name in SIZES
    }
    variables |= along_cells(results, CURVES)
    return xr.Dataset(
        variables,
        {
            "key": ("cell", [key(config) for config in rows]),
            "task": ("cell", [config.task for config in rows]),
            "model": ("cell", [config.model for config in rows]),
            "seed": ("cell", [config.seed for config in rows], {"units": "1"}),
        },
        {"dtype": "float32"},
    )


def _attribute(results: list[xr.Dataset], name: str) -> list[Any]:
    return [result.attrs[name] for result in results]


def cell(table: xr.Dataset, index: int) -> xr.Dataset:
    """Extract the result of one cell from the gathered data set."""
    result = table.isel(cell=index).reset_coords(drop=True)
    attributes = {"test_accuracy": float(result["test_accuracy"])}
    attributes |= {"test_loss": float(result["test_loss"])}
    attributes |= {name: int(result[name]) for name in SIZES}
    for dim, ruler in (("segment", "loss"), ("look", "step")):
        result = result.isel({dim: np.isfinite(result[ruler].values)})
    names = [name for name in CURVES if name in result.variables]
    curves = result[names].set_coords("step")
    curves["step"] = curves["step"].astype(int).assign_attrs(STEPS)
    return curves.assign_attrs(attributes)


def findings(table: xr.Dataset) -> str:
    """List the test accuracy of each model on each task: mean, standard error, runs."""
    lines = []
    frame: Any = table[["test_accuracy", "diverged"]].to_dataframe()
    for (task, model), group in frame.groupby(["task", "model"], sort=False):
        values = group["test_accuracy"].dropna().to_numpy()
        lost = int((group["diverged"] >= 0).sum())
        suffix = f", {lost} diverged" if lost else ""
        if not values.size:
            lines.append(f"{task} {model}: no run ended{suffix}")
            continue
        error = sem(values) if values.size > 1 else np.nan
        lines.append(
            f"{task} {model}: test accuracy {values.mean():.4f}, standard error "
            f"{error:.4f}, {values.size} runs{suffix}"
        )
    return "\n".join(lines)
