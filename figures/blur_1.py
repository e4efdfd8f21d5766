"""BLUR (2025), Figure 1: numbers of parameters against the error of a forecast."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import series, style

STUDY = "forecasts"
STUDIES = dict.fromkeys("ab", STUDY)
MARKERS = ("o", "s", "^")
HEADS = {"a": "error over parameters", "b": "all layers, {task}"}
CAPTION = (
    "Mean squared errors on the test in scaled units; of networks the mean of {seeds} "
    "trainings with its error. {panels}"
)
PANELS = {
    "a": "A: of the exact linear model, of LRU and of BLUR, a line a task.",
    "b": "B: hollow, other layers that read a window from both ends, as BLUR does.",
}

Point = tuple[float, float, float, str]
"""Parameters, the mean error, its standard error and a colour."""


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Errors over parameters: of two networks task by task, and of all layers on one task.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    with style.styled():
        drawn = style.figure(0.4 + 2.2 * len(letters))
        rows = style.stacked(drawn, [1] * len(letters))
        for part, letter in zip(rows, letters, strict=True):
            axes = part.subplots()
            {"a": _by_task, "b": _by_layer}[letter](axes, data)
            axes.set(xlabel="parameters", ylabel="mean squared error")
            part.legend(loc="outside right upper", fontsize=6)
            task = series.told(series.richest(data))
            style.letter(axes, letter, HEADS[letter].format(task=task))
        seeds = len({*data["seed"].values.tolist()})
        panels = " ".join(PANELS[letter] for letter in letters)
        style.caption(drawn, CAPTION.format(seeds=seeds, panels=panels))
    return drawn


def _by_task(axes: Axes, data: xr.Dataset) -> None:
    for task, marker in zip(series.tasks(data), MARKERS, strict=False):
        points = _points(data, task)
        across, up, _, _ = zip(*points.values(), strict=True)
        named = series.told(task)
        axes.plot(*(across, up), color=style.GREY, marker=marker, lw=0.7, label=named)
        for name, (parameters, error, bar, colour) in points.items():
            told = name if marker == MARKERS[0] else None
            axes.errorbar(
                *(parameters, error, bar), fmt=marker, color=colour, label=told
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
    """By name, of the linear model, of LRU and of BLUR."""
    label, colour = series.CONTROLS["linear"]
    horizon = task[1]
    known = series.controls(series.cells(data, *task, "blur"))["linear"]
    points = {label: (float(horizon * (horizon + 1)), known, 0.0, colour)}
    for model, (label, colour, _) in series.MODELS.items():
        points[label] = _point(series.cells(data, *task, model), colour)
    return points


def _others(data: xr.Dataset, task: tuple[str, int]) -> dict[str, Point]:
    """By name, of every other layer that was trained on a task."""
    return {
        series.OTHERS[model][0]: _point(rows, series.OTHERS[model][1])
        for model, rows in series.others(data, task).items()
    }


def _point(rows: xr.Dataset, colour: str) -> Point:
    errors = rows["test_mse"].values
    bar = float(style.standard_error(errors)) if len(errors) > 1 else 0.0
    return float(rows["parameters"][0]), float(errors.mean()), bar, colour


def shown(results: style.Results) -> str:
    """On how many tasks more parameters bring a smaller error than the linear model's."""
    data = results[STUDY]
    better, told = 0, []
    for task in series.tasks(data):
        (parameters, linear, *_), *others = _points(data, task).values()
        best = min(error for _, error, *_ in others)
        better += best < linear
        most = max(count for count, *_ in others)
        told.append(
            f"{series.SETS.get(task[0], task[0])} at {task[1]}: {linear:.3f} with "
            f"{parameters:,.0f} parameters, {best:.3f} with up to {most:,.0f}"
        )
    return (
        f"The better of LRU and BLUR beats the linear model at {better} of {len(told)} "
        f"tasks. Mean squared errors: {'; '.join(told)}.{_of_all(data)}"
    )


def _of_all(data: xr.Dataset) -> str:
    """The least and the largest error of a network, and what they cost."""
    task = series.richest(data)
    others = _others(data, task)
    if not others:
        return ""
    _, *two = _points(data, task).items()
    ranked = sorted([*two, *others.items()], key=lambda named: named[1][1])
    (best, (few, least, *_)), *_, (worst, (many, most, *_)) = ranked
    return (
        f" Of {len(ranked)} layers on {series.told(task)}, the smallest error is "
        f"{least:.3f} with {few:,.0f} parameters ({best}), and the largest {most:.3f} with "
        f"{many:,.0f} ({worst})."
    )
