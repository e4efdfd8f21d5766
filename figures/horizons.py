"""Errors of forecasts over horizons: ours, what is printed, and what needs no network."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from figures import series, style

METRICS = {"mse": "mean squared error", "mae": "mean absolute error"}
ROOM = 1.25  # of the horizons, so that a single one is no point in an empty panel


def errors(data: xr.Dataset, name: str, metric: str) -> dict[str, np.ndarray]:
    """By model: a row a horizon of horizon, mean, standard error and the printed error.

    Args:
        data: Of the sweep ``forecasts``.
        name: Of the data set; where there is none of it, the first is taken.
        metric: ``mse`` or ``mae``.
    """
    here = [task for task in series.tasks(data) if task[0] == name]
    here = here or [series.task_of(data, name)]
    found = {}
    for model in series.MODELS:
        rows = []
        for task in sorted(here):
            cells = series.cells(data, *task, model)
            values = cells[f"test_{metric}"].values
            spread = style.standard_error(values) if len(values) > 1 else 0.0
            printed = float(cells[f"printed_{metric}"][0])
            rows.append((task[1], values.mean(), spread, printed))
        found[model] = np.array(rows)
    return found


def over_horizons(axes: Axes, data: xr.Dataset, name: str, metric: str) -> None:
    """Lines through our errors with their bars, printed ones as open diamonds.

    What needs no network is grey, by its own line: linear, season and last value.
    """
    known = errors(data, name, metric)
    for model, rows in known.items():
        label, colour, _ = series.MODELS[model]
        horizon, mean, spread, printed = rows.T
        axes.errorbar(horizon, mean, spread, fmt="o-", color=colour, label=label)
        axes.plot(horizon, printed, "D", color=colour, mfc="none", ms=4)
    used = [task for task in sorted(series.tasks(data)) if task[0] == name]
    used = used or [series.task_of(data, name)]
    for control, dashes in (("linear", "-"), ("season", "--"), ("last value", ":")):
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
        axes.plot(rows, values, dashes, color=style.GREY, marker=".", label=control)
    rows = [horizon for _, horizon in used]
    axes.set_xscale("log")
    axes.set_xlim(min(rows) / ROOM, max(rows) * ROOM)
    axes.set_xticks(rows, [str(horizon) for horizon in rows])
    axes.minorticks_off()
    axes.set(xlabel="horizon, rows", ylabel=METRICS[metric])
    axes.set_ylim(0, None)


def missing(data: xr.Dataset, name: str, wanted: tuple[int, ...]) -> str:
    """Which horizons were not trained, and the command that trains one; nothing if none."""
    rows = [horizon for table, horizon in series.tasks(data) if table == name]
    lacking = [horizon for horizon in wanted if horizon not in rows]
    if not lacking:
        return ""
    told = ", ".join(map(str, lacking))
    return (
        f"Not trained for {name}: horizons {told}; `sigprop train forecast --data {name} "
        f"--model blur --horizon {lacking[0]}` trains one."
    )
