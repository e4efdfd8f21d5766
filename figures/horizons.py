"""Errors of forecasts against the horizon, with printed errors and simple baselines."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from sigprop.figures import series, style

METRICS = {"mse": "mean squared error", "mae": "mean absolute error"}
PAPER = "paper"  # the label of printed errors
BOTH_ENDS = "bidirectional, not BLUR"  # the label of hollow dots
CONTROLS = {"linear": "-", "season": "--"}
SHIFTS = -0.12, 0.12  # of the models, from a horizon's tick
WIDE = 0.4  # of a grey line, to either side of a tick


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
    """Draw a group for each horizon: our errors with bars, printed errors as diamonds.

    Short grey lines are forecasts without a network: linear, and the last season's values.
    """
    known = errors(data, name, metric)
    for shift, (model, rows) in zip(SHIFTS, known.items(), strict=True):
        label, colour, _ = series.MODELS[model]
        _, mean, spread, printed = rows.T
        at = np.arange(len(rows)) + shift
        axes.errorbar(at, mean, spread, fmt="o", color=colour, label=label)
        axes.plot(at, printed, "D", color=colour, mfc="none", ms=4)
    used = [task for task in sorted(series.tasks(data)) if task[0] == name]
    used = used or [series.task_of(data, name)]
    for control, dashes in CONTROLS.items():
        label, _ = series.CONTROLS[control]
        values = [_control(data, task, control, metric) for task in used]
        ends = [at + end for at in range(len(used)) for end in (-WIDE, WIDE, np.nan)]
        heights = np.repeat(values, 3)
        axes.plot(ends, heights, dashes, color=style.GREY, lw=1, label=label)
    _printed(axes)
    axes.set_xticks(range(len(used)), [str(horizon) for _, horizon in used])
    axes.set_xlim(-0.6, len(used) - 0.4)
    axes.set(xlabel="horizon (hours)", ylabel=f"{METRICS[metric]} (scaled units)")
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.margins(y=0.1)


def keys(panels: Iterable[Axes]) -> dict[str, list[Any]]:
    """Handles and labels of some panels, each once: models first, then lines and the paper."""
    named: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    last = [*(series.CONTROLS[control][0] for control in CONTROLS), PAPER, BOTH_ENDS]
    order = sorted(named, key=lambda label: label in last and 1 + last.index(label))
    return {"handles": [named[label] for label in order], "labels": order}


def _control(
    data: xr.Dataset, task: tuple[str, int], control: str, metric: str
) -> float:
    """The test error of a forecast without a network."""
    known = series.cells(data, *task, "blur")[f"control_{metric}"].isel(cell=0)
    return float(known.sel(control=control).mean())


def _printed(axes: Axes) -> None:
    """The key of the printed errors."""
    look: dict[str, Any] = {"color": style.GREY, "mfc": "none", "ms": 4, "ls": "none"}
    axes.plot([], [], marker="D", label=PAPER, **look)


def by_layer(axes: Axes, data: xr.Dataset, task: tuple[str, int], metric: str) -> None:
    """Draw the error of every layer on a task, the smallest on top.

    Grey lines: linear and season.
    """
    rows = ranked(data, task, metric)
    for row, (model, (mean, spread, printed)) in enumerate(rows.items()):
        _, colour, fill = series.OTHERS.get(model) or (
            *series.MODELS[model][:2],
            "full",
        )
        face = colour if fill == "full" else "none"
        look = {"color": colour, "mfc": face, "capsize": 0, "elinewidth": 0.8}
        axes.errorbar(mean, row, xerr=spread, fmt="o", **look)
        axes.plot(printed, row, "D", color=colour, mfc="none", ms=4)
    names = series.MODELS | series.OTHERS
    axes.set_yticks(range(len(rows)), [names[model][0] for model in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    if any(series.OTHERS.get(model, ("", "", ""))[2] == "none" for model in rows):
        hollow: dict[str, Any] = {"color": style.GREY, "mfc": "none", "ls": "none"}
        axes.plot([], [], marker="o", label=BOTH_ENDS, **hollow)
    for control, dashes in CONTROLS.items():
        value = _control(data, task, control, metric)
        label, _ = series.CONTROLS[control]
        axes.axvline(value, color=style.GREY, ls=dashes, lw=1, label=label)
    _printed(axes)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.set_xlabel(f"{METRICS[metric]}\n(scaled units)")


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
