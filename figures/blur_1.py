"""BLUR (2025), Figure 1: the error of a forecast against the number of parameters."""

from typing import Any

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sigprop.figures import horizons, phrases, series, style
from sigprop.figures.entry import Entry

STUDY = "forecasts"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "Forecast error against the number of parameters",
    reduced=f"{series.SMALLER} The data are ETTh1 and Weather; the paper uses ETTm1 at "
    "horizon 96.",
    full="sigprop train forecast --data ETTm1 --horizon 96 --model blur --preset paper",
    rows=("blur:fig1",),
)
MARKERS = ("o", "s", "^")
HEADS = {"a": "LRU and BLUR", "b": "all layers, {task}"}
HEIGHTS = {
    "a": "error relative to\nthe linear model's",
    "b": "mean squared error\n(scaled units)",
}
CAPTION = (
    "Errors are mean squared errors on the test set; networks have the mean of {seeds} "
    "trainings with its standard error."
)
RATIO = (
    "In A, errors are divided by the linear model's on the same task. The linear model has "
    "{linear} parameters."
)
MERGED = (
    "BLUR merges the states of both directions by one linear map; the bidirectional LRU adds "
    "the outputs of two LRUs."
)
BOTH = "bidirectional "

HIGH = {"a": 1.8, "b": 2.4}  # inches
Point = tuple[float, float, float, str]
"""Number of parameters, mean error, its standard error and a colour."""


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows relative errors against the number of parameters on ETTh1 and Weather.

    Panel B shows all layers on one task; the paper has ETTm1 at horizon 96 instead.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        heights = [HIGH[letter] for letter in letters]
        figure = style.figure(0.4 + sum(heights))
        rows = style.stacked(figure, heights)
        for part, letter in zip(rows, letters, strict=True):
            axes = part.subplots()
            handles = {"a": _by_task, "b": _by_layer}[letter](axes, data)
            axes.xaxis.set_major_formatter(lambda count, _: f"{count / 1000:g}")
            axes.minorticks_off()
            axes.set(xlabel="parameters (thousands)")
            axes.set(ylabel=HEIGHTS[letter])
            part.legend(handles=handles, loc="outside right upper")
            task = series.task_label(series.richest(data))
            style.letter(axes, letter, HEADS[letter].format(task=task))
        seeds = len({*data["seed"].values.tolist()})
        others = bool(series.others(data, series.richest(data)))
        ratio = RATIO.format(linear=_linear_sizes(data))
        said = [CAPTION.format(seeds=seeds), *[ratio] * ("a" in letters)]
        said += [MERGED] * ("b" in letters and others)
        style.caption(figure, " ".join(said))
    return figure


def _by_task(axes: Axes, data: xr.Dataset) -> list[Line2D]:
    """A marker for each task, a colour for each model; return the key."""
    models, tasks = [], []
    for task, marker in zip(series.tasks(data), MARKERS, strict=False):
        named = series.task_label(task)
        tasks.append(_mark(named, style.GREY, marker))
        points = _points(data, task)
        (_, (_, linear, *_)), *points = points.items()
        models = [_mark(name, colour) for name, (*_, colour) in points]
        for _, (parameters, error, bar, colour) in points:
            relative = error / linear, bar / linear
            axes.errorbar(parameters, *relative, fmt=marker, color=colour)
    label, _ = series.CONTROLS["linear"]
    line = axes.axhline(1, color=style.BLACK, linewidth=0.6, label=label)
    axes.margins(x=0.1, y=0.1)
    return [line, *models, *tasks]


def _by_layer(axes: Axes, data: xr.Dataset) -> list[Line2D]:
    """A colour for each layer, hollow if it is made bidirectional; return the key."""
    task = series.richest(data)
    points = _points(data, task)
    label, (size, linear, *_) = next(iter(points.items()))
    line = axes.axhline(linear, color=style.BLACK, linewidth=0.6, label=label)
    axes.plot(size, linear, "o", color=style.BLACK)
    hollow = {name for name, _, fill in series.OTHERS.values() if fill == "none"}
    points |= _others(data, task)
    names = [name for name in points if name != label]
    for name in names:
        parameters, error, bar, colour = points[name]
        face = "none" if name in hollow else colour
        axes.errorbar(
            parameters, error, bar, fmt="o", color=colour, mfc=face, label=name
        )
    # One mark for both kinds of a layer, hollow if it is only trained as bidirectional.
    marks = [
        _mark(short, points[name][-1], face="none" if name in hollow else None)
        for name in names
        for short in [name.removeprefix(BOTH)]
        if short == name or short not in names
    ]
    axes.margins(0.08)
    both = _mark("bidirectional, not BLUR", style.BLACK, face="none")
    return [line, *marks, *[both] * bool(hollow & set(names))]


def _mark(
    label: str, colour: str, marker: str = "o", face: str | None = None
) -> Line2D:
    """A mark of the key."""
    look: dict[str, Any] = {"color": colour, "mfc": face or colour, "label": label}
    return Line2D([], [], marker=marker, linestyle="none", **look)


def _linear_sizes(data: xr.Dataset) -> str:
    """The number of the linear model's parameters at each horizon, in words."""
    horizons = sorted({horizon for _, horizon in series.tasks(data)})
    return phrases.listed(
        [f"{rows * (rows + 1)} (horizon {rows})" for rows in horizons]
    )


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
    """Count the tasks on which a network beats the linear model; compare sizes; best layer."""
    data = results[STUDY]
    better, sizes = [], []
    for task in series.tasks(data):
        (_, linear, *_), lru, blur = _points(data, task).values()
        better.append(min(lru[1], blur[1]) < linear)
        sizes.append((blur[0] / lru[0], blur[1] / lru[1]))
    parameters, errors = (
        phrases.span(ratios, ".2f") for ratios in zip(*sizes, strict=True)
    )
    return (
        "The better of LRU and BLUR has a lower mean squared error than the linear model on "
        f"{sum(better)} of {len(better)} tasks. BLUR has {parameters} times the LRU's "
        f"parameters and {errors} times its error.{horizons.extremes(data)}"
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
