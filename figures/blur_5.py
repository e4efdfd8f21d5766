"""BLUR (2025), Figure 5: true values and forecasts of Weather at horizon 24."""

import numpy as np
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
ZERO = 1e-5  # larger than what scaling and its inverse leave of a zero
CAPTION = (
    "The forecasts are from the middle of the test set and do not overlap. The band is "
    "BLUR's forecast plus the 5 % to 95 % quantiles of its validation errors, and "
    "{covered:.0f} % of the test values lie inside. Of the {rows} true values shown, {zeros} "
    "are zero in the data."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """The panel shows six consecutive forecasts by two networks, and the true values.

    Raises:
        ValueError: If there is no such panel.
    """
    ENTRY.chosen(panel)
    data = results[STUDY]
    task = series.task_of(data, DATA)
    zeros = rows = 0
    with style.styled():
        figure = style.figure(2.7)
        axes = figure.subplots()
        for model, (label, colour, dashes) in series.MODELS.items():
            forecasts = series.line(data, task, model)
            first = _first(forecasts.sizes["row"], task[1])
            part = forecasts.isel(row=slice(first, first + SHOWN * task[1]))
            at = part["line"].values
            if model == "blur":
                _shade(axes, at, part, task[1])
            else:
                axes.plot(at, part["truth"], color=style.BLUE, label="truth")
                zeros, rows = int((abs(part["truth"]) < ZERO).sum()), len(at)
                series.mark_starts(axes, at, task[1])
            axes.plot(at, part["forecast"], dashes, color=colour, label=label)
        axes.margins(x=0.01, y=0.05)
        axes.set_ylabel(series.axis_label(data, task))
        axes.set_xlabel("row of the test set (vertical lines: new forecasts)")
        figure.legend(
            *axes.get_legend_handles_labels(), loc="outside upper center", ncols=4
        )
        own = series.cells(data, *task, "blur").isel(cell=0)
        features = int(own["features"])
        covered = 100 * float(own["coverage"].isel(feature=features - 1).mean())
        style.letter(axes, "a", series.task_label(task))
        style.caption(figure, CAPTION.format(covered=covered, zeros=zeros, rows=rows))
    return figure


def _first(rows: int, horizon: int) -> int:
    """The first row of the panel, at which a forecast starts."""
    forecasts = rows // horizon
    return horizon * max(0, min(forecasts // 2, forecasts - SHOWN))


def _shade(axes, at, part, horizon) -> None:
    rows = np.arange(len(at)) % horizon
    low, high = (part[name].values[rows] for name in ("lower", "upper"))
    forecast = part["forecast"].values
    axes.fill_between(
        *(at, forecast + low, forecast + high),
        color=style.PURPLE,
        alpha=0.18,
        label="BLUR, 90 % interval",
        linewidth=0,
    )


def shown(results: style.Results) -> str:
    """The data set, on which caption and text of the paper differ, and both errors."""
    data = results[STUDY]
    name, horizon = series.task_of(data, DATA)
    lru, blur = (
        float(series.cells(data, name, horizon, model)["test_mse"].mean())
        for model in ("lru", "blur")
    )
    disagreement = (
        "The paper's caption names Weather, and the paper's text names ETTm1."
    )
    return (
        f"{disagreement} The data here are {series.SETS.get(name, name)}. The mean squared "
        "error over all features of the test set, in scaled units, is "
        f"{lru:.3f} for the LRU and {blur:.3f} for BLUR."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("blur-5")
