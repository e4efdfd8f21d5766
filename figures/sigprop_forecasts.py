"""A figure of sigprop, not from a paper: validation and test errors of forecasts."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import phrases, series, style
from sigprop.figures.entry import Entry

ENTRY = Entry(
    {"a": "forecast_settings", "b": "forecasts"},
    "Validation error during training, and test error against it",
)
COLOURS = {
    ("each", "last"): (style.GREEN, "each feature alone, last value subtracted"),
    ("mixed", "last"): (style.PURPLE, "features together, last values subtracted"),
    ("mixed", "none"): (style.ORANGE, "features together, nothing subtracted"),
}
ENDS = {"full": ("x", "other layers"), "none": ("+", "bidirectional layers")}
DASHES = ("-", "--", ":")
MARKERS = ("o", "s", "^")
CAPTION = (
    "All errors are mean squared errors over the least-squares linear model's on the same "
    "data. "
)
PANELS = {
    "a": "A: BLUR in every setting. The setting with the smallest mean error at the best "
    "step is used for all other trainings. ",
    "b": "B: every training at its best step; below the dotted line the error is within 10 % "
    "of the linear model's.",
}
HOLLOW = " Filled markers: the chosen setting."
OTHERS = " Crosses: other layers on {task}, in the chosen setting."
WITHIN = 1.1


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the validation error during training, for each setting.

    Panel B shows the test error against the validation error.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    with style.styled():
        figure = style.figure(3.4, 0.4 + 2.55 * len(letters))
        row = figure.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            (_courses if letter == "a" else _tests)(
                axes, results[ENTRY.studies[letter]]
            )
            if letter == "b" and ENTRY.studies["a"] in results:
                _rings(axes, results[ENTRY.studies["a"]])
        if "a" in letters:
            lines = row[0].get_legend_handles_labels()
            figure.legend(*lines, loc="outside upper center", ncols=len(letters))
        style.caption(figure, _caption(results, letters))
    return figure


def _caption(results: style.Results, letters: tuple[str, ...]) -> str:
    caption = CAPTION + "".join(PANELS[letter] for letter in letters)
    if "b" not in letters:
        return caption
    data = results[ENTRY.studies["b"]]
    task = series.richest(data)
    crosses = [OTHERS.format(task=_named(task))] * bool(series.others(data, task))
    return "".join([caption, *[HOLLOW] * (ENTRY.studies["a"] in results), *crosses])


def _ratio(rows: xr.Dataset, errors: np.ndarray, known: str) -> np.ndarray:
    """Errors of cells over the linear model's on the same data."""
    linear = rows[known].sel(control="linear").mean(("step", "feature")).values
    return errors / (linear[:, None] if errors.ndim > 1 else linear)


def _courses(axes: Axes, data: xr.Dataset) -> None:
    tasks = series.tasks(data)
    ratios = _ratio(data, data["validation_mse"].values, "control_validation_mse")
    for cell in range(data.sizes["cell"]):
        training = data.isel(cell=cell)
        setting = str(training["channels"].item()), str(training["centre"].item())
        task = str(training["data"].item()), int(training["horizon"])
        colour, label = COLOURS[setting]
        dashes = DASHES[tasks.index(task) % len(DASHES)]
        first = tasks.index(task) == 0
        axes.plot(
            training["looked"],
            ratios[cell],
            dashes,
            color=colour,
            label=label if first else None,
        )
    for task, dashes in zip(tasks, DASHES, strict=False):
        axes.plot([], [], dashes, color=style.GREY, label=_named(task))
    axes.axhline(1, color=style.BLACK, linewidth=0.6)
    style.plain_log(axes)
    axes.set(xlabel="training step", ylabel="validation error / linear")
    style.letter(axes, "a", "BLUR during training")


def _named(task: tuple[str, int]) -> str:
    return f"{series.SETS.get(task[0], task[0])} {task[1]}"


def _tests(axes: Axes, data: xr.Dataset) -> None:
    validation = _ratio(data, data["best_mse"].values, "control_validation_mse")
    test = _ratio(data, data["test_mse"].values, "control_mse")
    tasks = series.tasks(data)
    for model, (label, colour, _) in series.MODELS.items():
        for task, marker in zip(tasks, MARKERS, strict=False):
            here = _cells(data, task) & (data["model"].values == model)
            legend_label = f"{label}, {_named(task)}"
            axes.plot(
                *(validation[here], test[here], marker),
                color=colour,
                ms=4,
                label=legend_label,
            )
    for fill, (marker, legend_label) in ENDS.items():
        models = [name for name, (*_, own) in series.OTHERS.items() if own == fill]
        here = np.isin(data["model"].values, models)
        if here.any():
            axes.plot(
                *(validation[here], test[here], marker),
                color=style.BLACK,
                ms=4,
                label=legend_label,
            )
    ends = axes.get_xlim()
    axes.plot(ends, ends, color=style.GREY, linewidth=0.6)
    axes.axhline(WITHIN, color=style.BLACK, linewidth=0.8, linestyle=":")
    axes.set(xlabel="validation error / linear", ylabel="test error / linear")
    axes.legend(fontsize=5.5, labelspacing=0.3, borderaxespad=0)
    style.letter(axes, "b", "test and validation error")


def _rings(axes: Axes, data: xr.Dataset) -> None:
    """Draw the other settings as hollow markers."""
    validation = _ratio(data, data["best_mse"].values, "control_validation_mse")
    test = _ratio(data, data["test_mse"].values, "control_mse")
    for task, marker in zip(series.tasks(data), MARKERS, strict=False):
        for setting, (colour, _) in COLOURS.items():
            here = _cells(data, task) & (data["channels"].values == setting[0])
            here &= data["centre"].values == setting[1]
            axes.plot(
                *(validation[here], test[here], marker),
                color=colour,
                ms=5,
                fillstyle="none",
            )


def _cells(data: xr.Dataset, task: tuple[str, int]) -> np.ndarray:
    return (data["data"].values == task[0]) & (data["horizon"].values == task[1])


def shown(results: style.Results) -> str:
    """The best setting on the validation set, and errors on the test set in that setting."""
    chosen, main = results[ENTRY.studies["a"]], results[ENTRY.studies["b"]]
    validation = _ratio(chosen, chosen["best_mse"].values, "control_validation_mse")
    pairs = [
        (str(a), str(b))
        for a, b in zip(chosen["channels"].values, chosen["centre"].values, strict=True)
    ]
    means = {
        setting: float(
            np.mean(
                [
                    r
                    for r, pair in zip(validation, pairs, strict=True)
                    if pair == setting
                ]
            )
        )
        for setting in dict.fromkeys(pairs)
    }
    best = min(means, key=lambda setting: means[setting])
    means_of = [_means(main, task) for task in series.tasks(main)]
    lru, blur = (
        phrases.span((ratios[label] for ratios in means_of), ".2f")
        for label in ("LRU", "BLUR")
    )
    return (
        f"On the validation set the setting '{COLOURS[best][1]}' is best; its mean error is "
        f"{means[best]:.2f} times the linear model's. On the test set the "
        f"LRU's error is {lru} times the linear model's, and BLUR's error is {blur} times."
        f"{_span(main)}"
    )


def details(results: style.Results) -> style.Cells:
    """Test errors of all layers over the linear model's, by task."""
    data = results[ENTRY.studies["b"]]
    return (
        ("task", "layer", "test error over the linear model's"),
        *(
            (series.task_label(task), name, f"{ratio:.2f}")
            for task in series.tasks(data)
            for name, ratio in _means(data, task).items()
        ),
    )


def _means(data: xr.Dataset, task: tuple[str, int]) -> dict[str, float]:
    """Mean test errors of all layers on a task over the linear model's, by name."""
    test = _ratio(data, data["test_mse"].values, "control_mse")
    trained = (*series.MODELS, *series.others(data, task))
    return {
        (series.MODELS | series.OTHERS)[model][0]: float(
            test[_cells(data, task) & (data["model"].values == model)].mean()
        )
        for model in trained
    }


def _span(data: xr.Dataset) -> str:
    """The smallest and the largest ratio of other layers, on the task that most forecast."""
    task = series.richest(data)
    own = {label for label, *_ in series.MODELS.values()}
    means = {k: ratio for k, ratio in _means(data, task).items() if k not in own}
    if not means:
        return ""
    least, most = (end(means, key=lambda name: means[name]) for end in (min, max))
    where = series.on(task)
    return (
        f" {where[0].upper()}{where[1:]}, other layers have {means[least]:.2f} times "
        f"({least}) to {means[most]:.2f} times ({most}) the linear model's error."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-forecasts")
