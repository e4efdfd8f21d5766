"""Trainings of a sweep as one data set: errors, loss curves and forecasts."""

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import sem

from sigprop.evidence.blur.reproductions import METHODS, NAMES
from sigprop.experiments.forecasting.cells import CONTROLS, SCALED, Config
from sigprop.experiments.forecasting.grids import cells
from sigprop.experiments.padding import along_cells
from sigprop.theory.papers.blur.printed import errors

VERSION = 1
BITS = 11  # stored bits of the fraction, about three decimal digits
ERRORS = ("test_mse", "test_mae", "best_mse")
COUNTS = ("width", "depth", "batch", "examples", "windows", "features")
COUNTS += ("parameters", "best_step", "diverged")
CURVES = {
    "mse": ("step", "feature"),
    "mae": ("step", "feature"),
    "coverage": ("step", "feature"),
    "control_mse": ("control", "step", "feature"),
    "control_mae": ("control", "step", "feature"),
    "control_validation_mse": ("control", "step", "feature"),
    "loss": ("segment",),
    "gradient_norm": ("segment",),
    "looked": ("look",),
    "validation_mse": ("look",),
    "validation_mae": ("look",),
    "lower": ("step",),
    "upper": ("step",),
    "line": ("row",),
    "forecast": ("row",),
    "truth": ("row",),
}
COORDINATES = ("looked", "line")


def gather(
    sweep: str, preset: str, key: Callable[[Config], str], by_key: dict[str, xr.Dataset]
) -> xr.Dataset:
    """Gather all finished trainings along one axis; shorter arrays are padded with NaN.

    Args:
        sweep: One of ``grids.SWEEPS``.
        preset: ``smoke``, ``quick`` or ``paper``.
        key: Returns the name of a cell.
        by_key: Results of the finished cells by their names.
    """
    rows = [config for config in cells(sweep, preset) if key(config) in by_key]
    table = put_together(rows, key, by_key)
    return rounded(table) if sweep == "horizons" else table


def rounded(table: xr.Dataset) -> xr.Dataset:
    """Round the errors by step and feature to ``BITS`` bits, so that they compress well.

    Mean errors of a whole test are not rounded.
    """
    names = [name for name, variable in table.items() if "feature" in variable.dims]
    single = table[names].astype(np.float32)
    unit = np.uint32(1 << (23 - BITS))
    for name in names:
        bits = single[name].values.view(np.uint32)
        nearest = (bits + unit // 2) & ~(unit - np.uint32(1))
        finite = np.isfinite(single[name].values)
        bits[...] = np.where(finite, nearest, bits)
    return table.assign(single)


def put_together(
    rows: Sequence[Config], key: Callable[[Config], str], by_key: dict[str, xr.Dataset]
) -> xr.Dataset:
    """Combine the results of some cells; the arguments are those of ``gather``."""
    results = [by_key[key(config)] for config in rows]

    def attribute(name: str) -> list[Any]:
        return [result.attrs[name] for result in results]

    variables: dict[str, Any] = {
        name: ("cell", attribute(name), SCALED) for name in ERRORS
    }
    variables |= {name: ("cell", attribute(name), {"units": "1"}) for name in COUNTS}
    variables |= along_cells(results, CURVES)
    variables |= {
        f"printed_{metric.lower()}": (
            "cell",
            [_printed(row, metric) for row in rows],
            SCALED,
        )
        for metric in ("MSE", "MAE")
    }
    single = ("forecast", "truth")
    variables |= {
        name: (dims, values.astype(np.float32), attributes)
        for name, (dims, values, attributes) in variables.items()
        if name in single
    }
    return xr.Dataset(
        variables,
        {
            "key": ("cell", [key(config) for config in rows]),
            "data": ("cell", [config.data for config in rows]),
            "horizon": ("cell", [config.horizon for config in rows], {"units": "rows"}),
            "model": ("cell", [config.model for config in rows]),
            "seed": ("cell", [config.seed for config in rows], {"units": "1"}),
            "centre": ("cell", [config.centre or "" for config in rows]),
            "channels": ("cell", [config.channels or "" for config in rows]),
            "target": ("cell", attribute("target")),
            "control": [*CONTROLS],
        },
        {"dtype": "float32"},
    )


def _printed(config: Config, metric: str) -> float:
    """Return the printed error of BLUR's paper for a method and task, or NaN."""
    task = NAMES.get(config.data, config.data), config.horizon
    labels = [label for label, model in METHODS.items() if model == config.model]
    for table, label in product((8, 12), labels):
        if label in errors(table).get(task, {}):
            return errors(table)[task][label][("MSE", "MAE").index(metric)]
    return math.nan


def cell(table: xr.Dataset, index: int) -> xr.Dataset:
    """Extract the result of one cell from the gathered data set."""
    result = table.isel(cell=index)
    attributes: dict[str, Any] = {name: float(result[name]) for name in ERRORS}
    attributes |= {name: int(result[name]) for name in COUNTS}
    attributes["target"] = str(result["target"].item())
    horizon = {"step": int(result["horizon"]), "feature": attributes["features"]}
    rulers = {"segment": "loss", "look": "looked", "row": "line"}
    selection = {dim: slice(size) for dim, size in horizon.items()}
    selection |= {
        dim: np.isfinite(result[ruler].values)
        for dim, ruler in rulers.items()
        if ruler in result.variables
    }
    result = result.isel(
        {dim: rows for dim, rows in selection.items() if dim in result.dims}
    )
    names = [name for name in CURVES if name in result.variables]
    if attributes["diverged"] >= 0:
        lost = ("mse", "mae", "coverage", "lower", "upper", "line", "forecast", "truth")
        names = [name for name in names if name not in lost]
    curves = result[names].reset_coords(drop=True)
    curves = curves.assign_coords(control=table["control"].values)
    coordinates = [name for name in COORDINATES if name in names]
    curves = curves.set_coords(coordinates)
    for name in coordinates:
        units = curves[name].attrs
        curves[name] = curves[name].astype(int).assign_attrs(units)
    return curves.assign_attrs(attributes)


def findings(table: xr.Dataset) -> str:
    """List errors of each model and setting on each task, with those of the controls."""
    lines = []
    for (data, horizon), rows in _by(table, "data", "horizon"):
        known = rows.isel(cell=0)["control_mse"].mean(("step", "feature"))
        errors = ", ".join(
            f"{name} {float(known.sel(control=name)):.4f}" for name in CONTROLS
        )
        lines.append(f"{data}, horizon {horizon}: test MSE of {errors}")
        linear = float(known.sel(control="linear"))
        for (model, width, channels, centre), own in _by(
            rows, "model", "width", "channels", "centre"
        ):
            values = own["test_mse"].values
            ended = values[np.isfinite(values)]
            lost = values.size - ended.size
            named = f"  {model} of width {width}, {channels} from {centre}: "
            if not ended.size:
                lines.append(f"{named}no run ended, {lost} diverged")
                continue
            error = f"{sem(ended):.4f}" if ended.size > 1 else "unknown"
            lines.append(
                f"{named}test MSE {ended.mean():.4f}, standard error {error}, "
                f"{ended.mean() / linear:.3f} of the linear model's, {ended.size} runs"
                + (f", {lost} diverged" if lost else "")
            )
    if len({*zip(table["channels"].values, table["centre"].values, strict=True)}) > 1:
        scores = settings(table)
        best = min(scores, key=lambda setting: scores[setting])
        ratios = ", ".join(
            f"{' from '.join(setting)} {score:.4f}" for setting, score in scores.items()
        )
        lines.append(
            f"validation MSE as multiples of the linear model's, mean over tasks: {ratios}; "
            f"least with {' from '.join(best)}"
        )
    return "\n".join(lines)


def settings(table: xr.Dataset) -> dict[tuple[str, str], float]:
    """Return the mean validation error over tasks, by ``channels`` and ``centre``.

    The error of a training is its least mean squared error on the validation part, divided by
    the linear model's.  A setting with a diverged training has an infinite mean.
    """
    linear = table["control_validation_mse"].sel(control="linear")
    ratio = (table["best_mse"] / linear.mean(("step", "feature"))).fillna(np.inf)
    return {
        setting: float(ratio.sel(cell=own["cell"]).mean())
        for setting, own in _by(
            table.assign_coords(cell=np.arange(table.sizes["cell"])),
            "channels",
            "centre",
        )
    }


def _by(table: xr.Dataset, *names: str) -> list[tuple[tuple[Any, ...], xr.Dataset]]:
    """Group the cells of a table by some of their labels, in order of appearance."""
    labels = list(zip(*(table[name].values.tolist() for name in names), strict=True))
    return [
        (
            label,
            table.isel(
                cell=[
                    index
                    for index, cell_label in enumerate(labels)
                    if cell_label == label
                ]
            ),
        )
        for label in dict.fromkeys(labels)
    ]
