"""Errors of forecasts against the horizon, with printed errors and simple baselines."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from sigprop.figures import series, style

METRICS = {"mse": "mean squared error", "mae": "mean absolute error"}
CONTROLS = {"linear": "-", "season": "--"}
ROOM = 1.25  # of the horizons, so that a single one is no point in an empty panel


def errors(data: xr.Dataset, name: str, metric: str) -> dict[str, np.ndarray]:
    """By model, a row for each horizon: horizon, mean, standard error, printed error.

    Args:
        data: Of the sweep ``forecasts``.
        name: Of the data set; the first data set is taken if it has no trainings.
        metric: ``mse`` or ``mae``.
    """
    here = [task for task in series.tasks(data) if task[0] == name]
    here = here or [series.task_of(data, name)]
    table = {}
    for model in series.MODELS:
        rows = []
        for task in sorted(here):
            cells = series.cells(data, *task, model)
            values = cells[f"test_{metric}"].values
            spread = style.standard_error(values) if len(values) > 1 else 0.0
            printed = float(cells[f"printed_{metric}"][0])
            rows.append((task[1], values.mean(), spread, printed))
        table[model] = np.array(rows)
    return table


def over_horizons(axes: Axes, data: xr.Dataset, name: str, metric: str) -> None:
    """Draw our errors with bars, and printed errors as open diamonds.

    Grey lines are forecasts without a network: linear, and the last season's values.
    """
    _printed(axes)
    known = errors(data, name, metric)
    for model, rows in known.items():
        label, colour, _ = series.MODELS[model]
        horizon, mean, spread, printed = rows.T
        axes.errorbar(horizon, mean, spread, fmt="o-", color=colour, label=label)
        axes.plot(horizon, printed, "D", color=colour, mfc="none", ms=4)
    used = [task for task in sorted(series.tasks(data)) if task[0] == name]
    used = used or [series.task_of(data, name)]
    for control, dashes in CONTROLS.items():
        values = [
            float(
                series.cells(data, *task, "blur")[f"control_{metric}"]
                .isel(cell=0)
                .sel(control=control)
                .mean()
            )
            for task in used
        ]
        rows = [horizon for _, horizon in used]
        label, _ = series.CONTROLS[control]
        axes.plot(rows, values, dashes, color=style.GREY, marker=".", label=label)
    rows = [horizon for _, horizon in used]
    axes.set_xscale("log")
    axes.set_xlim(min(rows) / ROOM, max(rows) * ROOM)
    axes.set_xticks(rows, [str(horizon) for horizon in rows])
    axes.minorticks_off()
    axes.set(xlabel="horizon (rows)", ylabel=f"{METRICS[metric]}\n(scaled units)")
    axes.margins(y=0.1)


def _printed(axes: Axes) -> None:
    """The key of the printed errors."""
    look: dict[str, Any] = {"color": style.GREY, "mfc": "none", "ms": 4, "ls": "none"}
    axes.plot([], [], marker="D", label="paper", **look)


def by_layer(axes: Axes, data: xr.Dataset, task: tuple[str, int], metric: str) -> None:
    """Draw the error of every layer on a task, the smallest on top.

    Grey lines: linear and season.
    """
    _printed(axes)
    rows = ranked(data, task, metric)
    for row, (model, (mean, spread, printed)) in enumerate(rows.items()):
        _, colour, fill = series.OTHERS.get(model) or (
            *series.MODELS[model][:2],
            "full",
        )
        face = colour if fill == "full" else "none"
        axes.errorbar(mean, row, xerr=spread, fmt="o", color=colour, mfc=face)
        axes.plot(printed, row, "D", color=colour, mfc="none", ms=4)
    names = series.MODELS | series.OTHERS
    axes.set_yticks(range(len(rows)), [names[model][0] for model in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    known = series.cells(data, *task, "blur")[f"control_{metric}"].isel(cell=0)
    for control, dashes in CONTROLS.items():
        value, label = (
            float(known.sel(control=control).mean()),
            series.CONTROLS[control][0],
        )
        axes.axvline(value, color=style.GREY, ls=dashes, lw=0.8, label=label)
    axes.set_xlim(0, None)
    axes.set_xlabel(f"{METRICS[metric]} (scaled units)")


def ranked(
    data: xr.Dataset, task: tuple[str, int], metric: str
) -> dict[str, tuple[float, float, float]]:
    """By model, from the smallest mean: mean, standard error and printed error."""
    every = {model: series.cells(data, *task, model) for model in series.MODELS}
    results = {}
    for model, cells in (every | series.others(data, task)).items():
        values = cells[f"test_{metric}"].values
        spread = float(style.standard_error(values)) if len(values) > 1 else 0.0
        printed = float(cells[f"printed_{metric}"][0])
        results[model] = float(values.mean()), spread, printed
    return dict(sorted(results.items(), key=lambda item: item[1][0]))


def extremes(data: xr.Dataset) -> str:
    """A sentence on the best and the worst layer, if more than two were trained."""
    task = series.richest(data)
    if not series.others(data, task):
        return ""
    names = series.MODELS | series.OTHERS
    rows = [
        (names[model][0], mean)
        for model, (mean, *_) in ranked(data, task, "mse").items()
    ]
    (best, least), *_, (worst, most) = rows
    where = series.on(task)
    return (
        f" {where[0].upper()}{where[1:]}, {best} has the smallest error of {len(rows)} "
        f"layers, {least:.3f}, and {worst} the largest, {most:.3f}."
    )


def missing(data: xr.Dataset, name: str, wanted: tuple[int, ...]) -> str:
    """Name the horizons without trainings and a command that trains one, or return ``""``."""
    rows = [horizon for table, horizon in series.tasks(data) if table == name]
    lacking = [horizon for horizon in wanted if horizon not in rows]
    if not lacking:
        return ""
    numbers = ", ".join(map(str, lacking))
    return (
        f"Not trained for {name}: horizons {numbers}. To train one: `sigprop train forecast "
        f"--data {name} --model blur --horizon {lacking[0]}`."
    )
