"""Results of all trainings of a sweep as one data set: differences, verdicts and curves."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import xarray as xr
from jaxtyping import Float

from sigprop.experiments.advised import rule
from sigprop.experiments.advised.cells import LOSS, SHARE, STEPS, Config
from sigprop.experiments.advised.grids import cells
from sigprop.experiments.advised.tasks import ADVISED, SLOWED, SPREAD
from sigprop.experiments.padding import along_cells

VERSION = 1
CURVES = {
    "loss": ("record",),
    "validation_loss": ("look",),
    "validation_accuracy": ("look",),
    "step": ("look",),
}
SCALARS = {"final_loss": LOSS, "final_accuracy": SHARE, "factor": {"units": "1"}}
CONTRASTS = {
    "advised": (ADVISED, "default"),
    "rates": (SLOWED, ADVISED),
    "both": (SLOWED, "default"),
    "input": ("advised-input", "default"),
    "all": ("advised-all", "default"),
    "gates": (SPREAD, "mlstm"),
}
"""Pairs of initialisations that are compared: losses of the first over those of the second."""

NUMBERS = ("mean", "low", "high", "area", "area_low", "area_high", "reached")
NUMBERS += ("points", "points_low", "points_high")
LOGARITHMS = {"units": "natural logarithm of a quotient of losses"}


def gather(
    sweep: str, preset: str, key: Callable[[Config], str], by_key: dict[str, xr.Dataset]
) -> xr.Dataset:
    """Gather all finished trainings along one axis, and compare them once all are finished.

    Args:
        sweep: One of ``grids.SWEEPS``.
        preset: ``smoke``, ``quick`` or ``paper``.
        key: Function that returns the name of a cell.
        by_key: Results of the finished cells by their names.
    """
    every = cells(sweep, preset)
    rows = [config for config in every if key(config) in by_key]
    results = [by_key[key(config)] for config in rows]
    variables: dict[str, Any] = {
        name: ("cell", [float(result.attrs[name]) for result in results], units)
        for name, units in SCALARS.items()
    }
    variables["diverged"] = (
        "cell",
        [int(result.attrs["diverged"]) for result in results],
        {"units": "step, -1 for none"},
    )
    variables |= along_cells(results, CURVES)
    table = xr.Dataset(
        variables,
        {
            "key": ("cell", [key(config) for config in rows]),
            "task": ("cell", [config.task for config in rows]),
            "arm": ("cell", [config.arm for config in rows]),
            "seed": ("cell", [config.seed for config in rows], {"units": "1"}),
            "steps": ("cell", [config.steps for config in rows], STEPS),
            "options": ("cell", [result.attrs["options"] for result in results]),
        },
        {"dtype": "float32"},
    )
    if len(rows) < len(every):
        return table
    return table.merge(compared(table), combine_attrs="override")


def cell(table: xr.Dataset, index: int) -> xr.Dataset:
    """Return the result of one cell, as it was before ``gather``."""
    result = table.isel(cell=index)
    attributes: dict[str, Any] = {name: float(result[name]) for name in SCALARS}
    attributes |= {
        "dtype": "float32",
        "diverged": int(result["diverged"]),
        "options": str(result["options"].item()),
    }
    names = [name for name in CURVES if name in result.variables]
    curves = result[names].reset_coords(drop=True)
    for dim, ruler in (("record", "loss"), ("look", "step")):
        curves = curves.isel({dim: np.isfinite(result[ruler].values)})
    curves = curves.set_coords("step")
    curves["step"] = curves["step"].astype(int).assign_attrs(STEPS)
    return curves.assign_attrs(attributes)


def pairs(
    table: xr.Dataset, task: str, arms: tuple[str, str]
) -> tuple[xr.Dataset, xr.Dataset]:
    """Trainings with two initialisations on a task, in the same order of seeds.

    Raises:
        ValueError: If the seeds of the two initialisations differ.
    """
    chosen = []
    for arm in arms:
        here = (table["task"].values == task) & (table["arm"].values == arm)
        chosen.append(table.isel(cell=here).sortby("seed"))
    first, second = chosen
    if first["seed"].values.tolist() != second["seed"].values.tolist():
        raise ValueError(f"need the same seeds of {arms} on {task}")
    return first, second


def compared(table: xr.Dataset) -> xr.Dataset:
    """Compare the initialisations on each task by the rules of ``rule``.

    Returns:
        By ``contrast`` and ``task`` the mean difference of the last validation losses,
        its interval and its verdict; the same of the training losses along the way; median
        share of the training to the loss that the other training ends with; mean
        difference of accuracies with its interval, if the task has accuracies.
    """
    names = list(dict.fromkeys(table["task"].values.tolist()))
    present = set(table["arm"].values.tolist())
    contrasts = {
        name: arms for name, arms in CONTRASTS.items() if present.issuperset(arms)
    }
    shape = (len(contrasts), len(names))
    columns = {name: np.full(shape, np.nan) for name in NUMBERS}
    verdicts = np.full(shape, rule.SAME, dtype=f"<U{len(rule.SAME)}")
    along = verdicts.copy()
    positions = product(enumerate(contrasts.values()), enumerate(names))
    for (row, arms), (column, task) in positions:
        at = row, column
        first, second = pairs(table, task, arms)
        comparison = rule.compare(
            first["final_loss"].values, second["final_loss"].values
        )
        columns["mean"][at], columns["low"][at], columns["high"][at] = comparison[:3]
        verdicts[at] = comparison.verdict
        curves = _curves(first), _curves(second)
        area = rule.area(*curves)
        columns["area"][at], columns["area_low"][at], columns["area_high"][at] = area[
            :3
        ]
        along[at] = area.verdict
        columns["reached"][at] = np.median(
            [rule.reached(*both) for both in zip(*curves, strict=True)]
        )
        gain = first["final_accuracy"].values - second["final_accuracy"].values
        if np.isfinite(gain).sum() > 1:
            points = rule.interval(gain[np.isfinite(gain)])
            for name, value in zip(
                ("points", "points_low", "points_high"), points, strict=True
            ):
                columns[name][at] = value
    dims = ("contrast", "of")
    units = {"reached": SHARE, "points": SHARE, "points_low": SHARE}
    units["points_high"] = SHARE
    variables: dict[str, Any] = {
        name: (dims, values, units.get(name, LOGARITHMS))
        for name, values in columns.items()
    }
    return xr.Dataset(
        {**variables, "word": (dims, verdicts), "area_word": (dims, along)},
        {"contrast": list(contrasts), "of": names},
    )


def _curves(rows: xr.Dataset) -> Float[np.ndarray, "seeds records"]:
    values = rows["loss"].values
    return values[:, np.isfinite(values).any(0)]


def findings(table: xr.Dataset) -> str:
    """Return each task's verdict and numbers, and whether the advice reaches its aim."""
    if "word" not in table:
        done = [f"{n} of {task}" for task, n in _counts(table).items()]
        return f"trainings that ended: {', '.join(done)}"
    lines = []
    for contrast in table["contrast"].values.tolist():
        first, second = CONTRASTS[contrast]
        lines.append(f"{first} against {second}:")
        for task in table["of"].values.tolist():
            lines.append("  " + _line(table.sel(contrast=contrast, of=task), task))
        verdicts = table["word"].sel(contrast=contrast).values.tolist()
        verdict = "" if rule.worth(verdicts) else "not "
        lines.append(
            f"  {verdict}as asked: better on {verdicts.count(rule.BETTER)} and worse on "
            f"{verdicts.count(rule.WORSE)} of {len(verdicts)} tasks"
        )
    return "\n".join(lines)


def _counts(table: xr.Dataset) -> dict[str, int]:
    names = table["task"].values.tolist()
    return {name: names.count(name) for name in dict.fromkeys(names)}


def _line(row: xr.Dataset, task: str) -> str:
    def ends(name: str, low: str, high: str) -> str:
        values = (float(row[variable]) for variable in (name, low, high))
        return "{:+.3f} ({:+.3f} to {:+.3f})".format(*values)

    line = (
        f"{task}: {row['word'].item()}, log loss {ends('mean', 'low', 'high')}; along "
        f"the way {row['area_word'].item()}, {ends('area', 'area_low', 'area_high')}; "
        f"there after {float(row['reached']):.2f} of the steps"
    )
    if np.isfinite(row["points"]):
        line += f"; accuracy {ends('points', 'points_low', 'points_high')}"
    return line
