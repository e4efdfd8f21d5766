"""A figure of sigprop, not from a paper: validation and test errors of forecasts."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullLocator

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
OTHERS = {"full": "other layers", "none": "bidirectional layers"}
CHOSEN = {"BLUR": ", chosen setting"}
LOOKS: dict[str, Any] = {
    "full": {"ls": "", "marker": "x", "ms": 3, "mew": 0.7},
    "none": {"ls": "", "marker": "o", "ms": 3, "mew": 0.7, "fillstyle": "none"},
}
TRAINED: Any = {"ls": "", "marker": "o", "ms": 3.5, "mew": 0, "alpha": 0.8}
DIAMOND: Any = {"ls": "", "marker": "D", "ms": 4.5, "mew": 1, "fillstyle": "none"}
CAPTION = (
    "All errors are mean squared errors divided by the least-squares linear model's on the "
    "same data. "
)
PANELS = {
    "a": "All networks of A are BLUR. The setting with the smallest mean error at the best "
    "step is used for all other trainings. ",
    "b": "B has every training at its best step. The grey lines are where both errors are "
    "equal. The inset enlarges the part with the LRU and BLUR. ",
}
HEIGHTS = {"a": 2.35, "b": 2.8}  # inches
INSET = (0.62, 0.1, 0.38, 0.33)  # left, bottom, width and height in a panel
AROUND = 0.02  # of the ratio, about the points of an inset
TICKS = (0.6, 0.8, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A show the validation error of BLUR during training, for each setting.

    Panels B show the test error of many layers against their validation error.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    with style.styled():
        heights = [HEIGHTS[letter] for letter in letters]
        figure = style.figure(sum(heights))
        parts = style.stacked(figure, heights)
        for part, letter in zip(parts, letters, strict=True):
            if letter == "a":
                _courses(part, results[ENTRY.studies["a"]])
            else:
                settings = results.get(ENTRY.studies["a"])
                _tests(part, results[ENTRY.studies["b"]], settings)
        words = (CAPTION, *(PANELS[letter] for letter in letters))
        style.caption(figure, "".join(words).strip())
    return figure


def _row(part: SubFigure, data: xr.Dataset, letter: str) -> list[Axes]:
    """A panel for each task, headed by the letter and the tasks."""
    tasks = series.tasks(data)
    shape: dict[str, Any] = {"sharey": True}
    if letter == "b":  # the task with an inset is wider
        inset = series.richest(data)
        shape = {"width_ratios": [1.6 if task == inset else 1 for task in tasks]}
    row = part.subplots(1, len(tasks), squeeze=False, **shape)[0].tolist()
    for axes, task in zip(row, tasks, strict=True):
        if axes is row[0]:
            style.letter(axes, letter, series.task_label(task))
        else:
            axes.set_title(series.task_label(task))
    return row


def _key(part: SubFigure, handles: list[Line2D]) -> None:
    columns = -(-len(handles) // 2)
    part.legend(
        handles=handles,
        loc="outside upper center",
        ncols=columns,
        fontsize=6.5,
        columnspacing=1.2,
    )


def _ratio(rows: xr.Dataset, errors: np.ndarray, known: str) -> np.ndarray:
    """Errors of cells over the linear model's on the same data."""
    linear = rows[known].sel(control="linear").mean(("step", "feature")).values
    return errors / (linear[:, None] if errors.ndim > 1 else linear)


def _courses(part: SubFigure, data: xr.Dataset) -> None:
    """Draw validation errors during training, one curve for each setting."""
    ratios = _ratio(data, data["validation_mse"].values, "control_validation_mse")
    row = _row(part, data, "a")
    for axes, task in zip(row, series.tasks(data), strict=True):
        for cell in np.flatnonzero(_cells(data, task)):
            training = data.isel(cell=cell)
            setting = str(training["channels"].item()), str(training["centre"].item())
            axes.plot(training["looked"], ratios[cell], color=COLOURS[setting][0])
        axes.axhline(1, color=style.GREY, linewidth=0.6)
        axes.set_xlabel("training step")
    style.plain_log(row[0])
    low, high = row[0].get_ylim()
    row[0].set_yticks([tick for tick in TICKS if low < tick < high])
    row[0].yaxis.set_minor_locator(NullLocator())
    row[0].set_ylabel("validation error / linear")
    _key(
        part,
        [
            Line2D([], [], color=colour, label=label)
            for colour, label in COLOURS.values()
        ],
    )


def _tests(part: SubFigure, data: xr.Dataset, settings: xr.Dataset | None) -> None:
    """Draw test errors against validation errors at each training's best step."""
    row = _row(part, data, "b")
    for axes, task in zip(row, series.tasks(data), strict=True):
        _points(axes, data, task)
        if settings is not None:
            _settings(axes, settings, task)
        axes.axline((1, 1), slope=1, color=style.GREY, linewidth=0.6, zorder=0)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axes.set_xlabel("validation error / linear")
        if task == series.richest(data):
            _enlarge(axes, data, task, settings)
    row[0].set_ylabel("test error / linear")
    own = [(label, colour) for label, colour, _ in series.MODELS.values()]
    keys = [
        Line2D([], [], color=colour, label=label + CHOSEN.get(label, ""), **TRAINED)
        for label, colour in own
    ]
    present = set(data["model"].values.tolist())
    keys += [
        Line2D([], [], color=style.BLACK, label=label, **LOOKS[fill])
        for fill, label in OTHERS.items()
        if present & set(_models(fill))
    ]
    if settings is not None:
        keys.append(Line2D([], [], color=style.GREY, label="settings of A", **DIAMOND))
    _key(part, keys)


def _enlarge(
    axes: Axes, data: xr.Dataset, task: tuple[str, int], settings: xr.Dataset | None
) -> None:
    """Draw the part of a panel with the LRU and BLUR again, in its lower right corner."""
    inset = axes.inset_axes(INSET)
    _points(inset, data, task)
    if settings is not None:
        _settings(inset, settings, task)
    here = _cells(data, task) & np.isin(data["model"].values, [*series.MODELS])
    pairs = (
        (inset.set_xlim, "best_mse", "control_validation_mse"),
        (inset.set_ylim, "test_mse", "control_mse"),
    )
    for limit, name, linear in pairs:
        errors = _ratio(data, data[name].values, linear)[here]
        limit(errors.min() - AROUND, errors.max() + AROUND)
    inset.tick_params(labelsize=5, length=1.5, pad=1)
    for axis in (inset.xaxis, inset.yaxis):
        axis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    axes.indicate_inset_zoom(inset, edgecolor=style.GREY, linewidth=0.5)


def _models(fill: str) -> list[str]:
    """Other layers that are drawn with full or with hollow marks."""
    return [name for name, (*_, own) in series.OTHERS.items() if own == fill]


def _points(axes: Axes, data: xr.Dataset, task: tuple[str, int]) -> None:
    validation = _ratio(data, data["best_mse"].values, "control_validation_mse")
    test = _ratio(data, data["test_mse"].values, "control_mse")
    groups = [(_models(fill), style.BLACK, LOOKS[fill]) for fill in OTHERS]
    groups += [
        ([model], colour, TRAINED) for model, (_, colour, _) in series.MODELS.items()
    ]
    for models, colour, look in groups:
        here = _cells(data, task) & np.isin(data["model"].values, models)
        if here.any():
            axes.plot(validation[here], test[here], color=colour, **look)


def _settings(axes: Axes, data: xr.Dataset, task: tuple[str, int]) -> None:
    """Draw the trainings of panel A as diamonds."""
    validation = _ratio(data, data["best_mse"].values, "control_validation_mse")
    test = _ratio(data, data["test_mse"].values, "control_mse")
    for setting, (colour, _) in COLOURS.items():
        here = _cells(data, task) & (data["channels"].values == setting[0])
        here &= data["centre"].values == setting[1]
        axes.plot(validation[here], test[here], color=colour, **DIAMOND)


def _cells(data: xr.Dataset, task: tuple[str, int]) -> np.ndarray:
    return (data["data"].values == task[0]) & (data["horizon"].values == task[1])


def shown(results: style.Results) -> str:
    """The best setting on the validation set, and errors on the test set in that setting."""
    chosen, main = results[ENTRY.studies["a"]], results[ENTRY.studies["b"]]
    known = "control_validation_mse", "control_mse"
    validation, test = (
        _by_setting(chosen, _ratio(chosen, chosen[name].values, linear))
        for name, linear in zip(("best_mse", "test_mse"), known, strict=True)
    )
    means = {
        setting: np.mean(list(own.values())) for setting, own in validation.items()
    }
    best = min(means, key=lambda setting: means[setting])
    tasks = series.tasks(chosen)
    first, also = (
        sum(min(by, key=lambda setting: by[setting][task]) == best for task in tasks)
        for by in (validation, test)
    )
    means_of = [_means(main, task) for task in series.tasks(main)]
    lru, blur = (
        phrases.span((ratios[label] for ratios in means_of), ".2f")
        for label in ("LRU", "BLUR")
    )
    return (
        f"The setting '{COLOURS[best][1]}' has the smallest mean validation error, "
        f"{means[best]:.2f} times the linear model's, and is best on {first} of {len(tasks)} "
        f"tasks (test: {also} of {len(tasks)}). On the test set the LRU's mean error is {lru} "
        f"times the linear model's, and BLUR's mean error is {blur} times.{_span(main)}"
    )


def _by_setting(
    data: xr.Dataset, ratios: np.ndarray
) -> dict[tuple[str, str], dict[tuple[str, int], float]]:
    """Mean ratios by setting and task."""
    channels, centres = data["channels"].values, data["centre"].values
    return {
        setting: {
            task: float(ratios[_cells(data, task) & here].mean())
            for task in series.tasks(data)
        }
        for setting in COLOURS
        for here in [(channels == setting[0]) & (centres == setting[1])]
        if here.any()
    }


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
