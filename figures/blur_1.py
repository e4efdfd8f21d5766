"""BLUR (2025), Figure 1: the error of a forecast against the number of parameters."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import horizons, series, style
from sigprop.figures.entry import Entry

STUDY = "forecasts"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "Forecast error against the number of parameters",
    reduced=f"{series.SMALLER} The data are ETTh1 and Weather; the paper uses ETTm1 at "
    "horizon 96.",
    rows=("blur:fig1",),
)
MARKERS = ("o", "s", "^")
HEADS = {"a": "LRU, BLUR and a linear model", "b": "all layers, {task}"}
CAPTION = (
    "The mean squared errors are on the test set, in scaled units. Networks have the mean "
    "of {seeds} trainings with its standard error. {panels}"
)
PANELS = {
    "a": "A: each line joins the least-squares linear model, the LRU and BLUR on one task.",
    "b": "B: hollow circles are bidirectional layers other than BLUR.",
}

Point = tuple[float, float, float, str]
"""Number of parameters, mean error, its standard error and a colour."""


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows error against the number of parameters on three tasks.

    Panel B shows all layers on one task.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(0.4 + 2.2 * len(letters))
        rows = style.stacked(figure, [1] * len(letters))
        for part, letter in zip(rows, letters, strict=True):
            axes = part.subplots()
            {"a": _by_task, "b": _by_layer}[letter](axes, data)
            axes.set(xlabel="parameters", ylabel="mean squared error")
            part.legend(loc="outside right upper", fontsize=6)
            task = series.task_label(series.richest(data))
            style.letter(axes, letter, HEADS[letter].format(task=task))
        seeds = len({*data["seed"].values.tolist()})
        panels = " ".join(PANELS[letter] for letter in letters)
        style.caption(figure, CAPTION.format(seeds=seeds, panels=panels))
    return figure


def _by_task(axes: Axes, data: xr.Dataset) -> None:
    for task, marker in zip(series.tasks(data), MARKERS, strict=False):
        points = _points(data, task)
        across, up, _, _ = zip(*points.values(), strict=True)
        named = series.task_label(task)
        axes.plot(*(across, up), color=style.GREY, marker=marker, lw=0.7, label=named)
        for name, (parameters, error, bar, colour) in points.items():
            label = name if marker == MARKERS[0] else None
            axes.errorbar(
                *(parameters, error, bar), fmt=marker, color=colour, label=label
            )
    axes.set_xscale("log")
    axes.margins(y=0.2)


def _by_layer(axes: Axes, data: xr.Dataset) -> None:
    task = series.richest(data)
    points = _points(data, task)
    label, (_, linear, *_) = next(iter(points.items()))
    axes.axhline(linear, color=style.BLACK, linewidth=0.6, label=label)
    hollow = {name: fill == "none" for name, _, fill in series.OTHERS.values()}
    for name, (parameters, error, bar, colour) in (
        points | _others(data, task)
    ).items():
        if name == label:
            continue
        face = "none" if hollow.get(name) else colour
        axes.errorbar(
            *(parameters, error, bar), fmt="o", color=colour, mfc=face, label=name
        )
    axes.margins(0.08)


def _points(data: xr.Dataset, task: tuple[str, int]) -> dict[str, Point]:
    """The points of the linear model, the LRU and BLUR, by name."""
    label, colour = series.CONTROLS["linear"]
    horizon = task[1]
    known = series.controls(series.cells(data, *task, "blur"))["linear"]
    points = {label: (float(horizon * (horizon + 1)), known, 0.0, colour)}
    for model, (label, colour, _) in series.MODELS.items():
        points[label] = _point(series.cells(data, *task, model), colour)
    return points


def _others(data: xr.Dataset, task: tuple[str, int]) -> dict[str, Point]:
    """The points of all other layers that were trained on a task, by name."""
    return {
        series.OTHERS[model][0]: _point(rows, series.OTHERS[model][1])
        for model, rows in series.others(data, task).items()
    }


def _point(rows: xr.Dataset, colour: str) -> Point:
    errors = rows["test_mse"].values
    bar = float(style.standard_error(errors)) if len(errors) > 1 else 0.0
    return float(rows["parameters"][0]), float(errors.mean()), bar, colour


def shown(results: style.Results) -> str:
    """Count the tasks on which a network beats the linear model; name best and worst layer."""
    data = results[STUDY]
    better = []
    for task in series.tasks(data):
        (_, linear, *_), *others = _points(data, task).values()
        better.append(min(error for _, error, *_ in others) < linear)
    return (
        "The better of LRU and BLUR has a lower mean squared error than the linear model on "
        f"{sum(better)} of {len(better)} tasks.{horizons.extremes(data)}"
    )


def details(results: style.Results) -> style.Cells:
    """Number of parameters and mean squared error of every model on every task."""
    data = results[STUDY]
    rows = [
        (series.task_label(task), name, f"{parameters:,.0f}", f"{error:.3f}")
        for task in series.tasks(data)
        for name, (parameters, error, *_) in (
            _points(data, task) | _others(data, task)
        ).items()
    ]
    return ("task", "model", "parameters", "mean squared error, scaled units"), *rows


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("blur-1")
