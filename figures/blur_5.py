"""BLUR (2025), Figure 5: true values and forecasts of Weather at horizon 24."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import series, style
from sigprop.figures.entry import Entry

STUDY = "forecasts"
ENTRY = Entry(
    {"a": STUDY},
    "Forecasts and true values of Weather",
    reduced=series.SMALLER,
    full="sigprop train forecast --data WTH --horizon 24 --model blur --preset paper",
    rows=("blur:fig5",),
)
DATA = "WTH"
SHOWN = 6  # forecasts one after another
ENDS = "lower", "upper"
CAPTION = (
    "The forecasts, with seed {seed}, are from the middle of the test set and do not overlap. "
    "The band is BLUR's forecast plus the 5 % to 95 % quantiles of its validation errors. On "
    "the whole test set, {covered:.0f} % of this temperature's values lie inside. Of the "
    "{rows} true values shown, {zeros} are exactly zero in the data; the line has gaps there."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """The panel shows six consecutive forecasts by two networks, and the true values.

    Raises:
        ValueError: If there is no such panel.
    """
    ENTRY.chosen(panel)
    data = results[STUDY]
    task = series.task_of(data, DATA)
    with style.styled():
        figure = style.figure(2.7)
        axes = figure.subplots()
        for model, (label, colour, dashes) in series.MODELS.items():
            part = _part(data, task, model)
            at = part["line"].values
            axes.plot(at, part["forecast"], dashes, color=colour, label=label)
            if model == "blur":
                _shade(axes, at, part, task[1])
        part = _part(data, task, "blur")
        at = part["line"].values
        truth = series.known(part["truth"])
        axes.plot(at, truth, color=style.BLACK, label="truth")
        series.mark_starts(axes, at[1:], task[1])
        axes.margins(x=0.01, y=0.05)
        axes.set_ylabel(series.axis_label(data, task))
        axes.set_xlabel("row of the test set (vertical lines: new forecasts)")
        figure.legend(
            *axes.get_legend_handles_labels(), loc="outside upper center", ncols=4
        )
        own = series.cells(data, *task, "blur").isel(cell=0)
        features = int(own["features"])
        covered = 100 * float(own["coverage"].isel(feature=features - 1).mean())
        axes.set_title(series.task_label(task))
        about = {"rows": part.sizes["row"], "zeros": int(np.isnan(truth).sum())}
        caption = CAPTION.format(covered=covered, seed=int(own["seed"]), **about)
        style.caption(figure, caption)
    return figure


def _part(data: xr.Dataset, task: tuple[str, int], model: str) -> xr.Dataset:
    """The rows of the panel: some forecasts of the first seed, one after another."""
    forecasts = series.line(data, task, model)
    first = _first(forecasts.sizes["row"], task[1])
    return forecasts.isel(row=slice(first, first + SHOWN * task[1]))


def _first(rows: int, horizon: int) -> int:
    """The first row of the panel, at which a forecast starts."""
    forecasts = rows // horizon
    return horizon * max(0, min(forecasts // 2, forecasts - SHOWN))


def _band(part: xr.Dataset, horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """BLUR's interval at these rows."""
    rows = np.arange(part.sizes["row"]) % horizon
    low, high = (part["forecast"].values + part[end].values[rows] for end in ENDS)
    return low, high


def _shade(axes: Axes, at: np.ndarray, part: xr.Dataset, horizon: int) -> None:
    axes.fill_between(
        *(at, *_band(part, horizon)),
        color=style.PURPLE,
        alpha=0.18,
        label="BLUR, 90 % interval",
        linewidth=0,
    )


def shown(results: style.Results) -> str:
    """The data set, on which caption and text of the paper differ, and both errors."""
    data = results[STUDY]
    task = series.task_of(data, DATA)
    errors = []
    for model in series.MODELS:
        part = _part(data, task, model)
        known = part.isel(row=np.flatnonzero(abs(part["truth"]) > series.ZERO))
        errors.append(
            float(np.sqrt(((known["forecast"] - known["truth"]) ** 2).mean()))
        )
    part = _part(data, task, "blur")
    low, high = _band(part, task[1])
    zeros = abs(part["truth"]) < series.ZERO
    inside = ((part["truth"] >= low) & (part["truth"] <= high)).where(~zeros).mean()
    target = str(series.cells(data, *task, "blur")["target"].values[0])
    return (
        "The paper's caption names Weather, and the paper's text names ETTm1; the data here "
        f"are {series.SETS.get(task[0], task[0])}. In the rows shown, the root mean squared "
        f"error of {series.TARGETS.get(target, target)}{series.UNITS.get(target, '')} is "
        f"{errors[0]:.2f} for the LRU and {errors[1]:.2f} for BLUR, zeros excepted. There, "
        f"{100 * float(inside):.0f} % of the nonzero values lie in the band."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("blur-5")
