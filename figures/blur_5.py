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
    rows=("blur:fig5",),
)
DATA = "WTH"
SHOWN = 6  # forecasts one after another
CAPTION = (
    "The forecasts are from the middle of the test set and do not overlap. The shaded band "
    "is BLUR's forecast plus the 5 % to 95 % quantiles of its validation errors; "
    "{covered:.0f} % of the test values lie inside."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """The panel shows six consecutive forecasts.

    Their intervals are computed from the errors on the validation set.

    Raises:
        ValueError: If there is no such panel.
    """
    ENTRY.chosen(panel)
    data = results[STUDY]
    task = series.task_of(data, DATA)
    with style.styled():
        figure = style.figure(2.6)
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
                for start in at[:: task[1]]:
                    axes.axvline(start, color=style.GREY, linewidth=0.4, zorder=0)
            axes.plot(at, part["forecast"], dashes, color=colour, label=label)
        axes.margins(x=0.01, y=0.2)
        axes.set_xlabel("row of the test set (vertical lines: new forecasts)")
        axes.legend(loc="upper right", ncols=3)
        own = series.cells(data, *task, "blur").isel(cell=0)
        features = int(own["features"])
        target = str(own["target"].item())
        covered = 100 * float(own["coverage"].isel(feature=features - 1).mean())
        title = f"{series.SETS.get(task[0], task[0])}: {target}, horizon {task[1]}"
        style.letter(axes, "a", title)
        style.caption(figure, CAPTION.format(covered=covered))
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
