"""A figure of sigprop, not from a paper: validation and test errors of forecasts."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

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
    "All errors are mean squared errors divided by the least-squares linear model's on the "
    "same data. "
)
PANELS = {
    "a": "The setting with the smallest mean error at the best step is used for all other "
    "trainings. ",
    "b": "B has every training at its best step. ",
}
OTHERS = "Crosses are other layers on {task}, in the chosen setting. "
CHOSEN = {"BLUR": ", chosen setting"}
INSET = "The inset enlarges the crowded part."
CROWDED = (0.98, 1.12), (1.02, 1.32)  # validation and test errors of the inset
TICKS = (0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the validation error during training, for each setting.

    Panel B shows the test error against the validation error.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    with style.styled():
        figure = style.figure(3.4 if panel is None else 5.4, 0.4 + 2.55 * len(letters))
        row = figure.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            if letter == "a":
                _courses(axes, results[ENTRY.studies["a"]])
            else:
                settings = results.get(ENTRY.studies["a"])
                _tests(axes, results[ENTRY.studies["b"]], settings)
        _key(figure, results, letters)
        style.caption(figure, _caption(results, letters))
    return figure


def _caption(results: style.Results, letters: tuple[str, ...]) -> str:
    words = [CAPTION, *(PANELS[letter] for letter in letters)]
    if "b" in letters:
        data = results[ENTRY.studies["b"]]
        task = series.richest(data)
        words += [OTHERS.format(task=_named(task))] * bool(series.others(data, task))
        words.append(INSET)
    return "".join(words).strip()


def _key(figure: Figure, results: style.Results, letters: tuple[str, ...]) -> None:
    """Explain colours, dashes and markers above the panels."""
    keys = []
    if "a" in letters:
        keys += [
            Line2D([], [], color=colour, linewidth=3, label=f"BLUR, {label}")
            for colour, label in COLOURS.values()
        ]
    dot: dict[str, Any] = {"marker": "o", "linestyle": ""}
    if letters == ("a", "b"):
        hollow = {"fillstyle": "none", "mew": 0.8, "label": "BLUR, settings of A"}
        keys.append(Line2D([], [], color=style.GREY, **hollow, **dot))
    tasks = series.tasks(results[ENTRY.studies[letters[-1]]])
    for task, dashes, marker in zip(tasks, DASHES, MARKERS, strict=False):
        look: dict[str, Any] = {
            "a": {"linestyle": dashes},
            "b": {"linestyle": "", "marker": marker},
            "ab": {"linestyle": dashes, "marker": marker},
        }["".join(letters)]
        keys.append(Line2D([], [], color=style.GREY, label=_named(task), **look))
    if "b" in letters:
        keys += [
            Line2D([], [], color=colour, label=label + CHOSEN.get(label, ""), **dot)
            for label, colour, _ in series.MODELS.values()
        ]
        present = set(results[ENTRY.studies["b"]]["model"].values.tolist())
        keys += [
            Line2D([], [], color=style.BLACK, marker=marker, linestyle="", label=label)
            for fill, (marker, label) in ENDS.items()
            if present
            & {name for name, (*_, own) in series.OTHERS.items() if own == fill}
        ]
    figure.legend(
        handles=keys,
        loc="outside upper center",
        ncols=3 if len(letters) > 1 else 1,
        fontsize=6.5,
        handlelength=2.4,
        columnspacing=1.2,
    )


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
        colour, _ = COLOURS[setting]
        dashes = DASHES[tasks.index(task) % len(DASHES)]
        axes.plot(training["looked"], ratios[cell], dashes, color=colour)
    axes.axhline(1, color=style.BLACK, linewidth=0.6)
    style.plain_log(axes)
    low, high = axes.get_ylim()
    axes.set_yticks([tick for tick in TICKS if low < tick < high])
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set(xlabel="training step", ylabel="validation error / linear")
    style.letter(axes, "a", "BLUR during training")


def _named(task: tuple[str, int]) -> str:
    return f"{series.SETS.get(task[0], task[0])} {task[1]}"


def _tests(axes: Axes, data: xr.Dataset, settings: xr.Dataset | None) -> None:
    """Draw test errors against validation errors, and an inset of the crowded part."""
    _points(axes, data, settings)
    ends = [*axes.get_xlim(), *axes.get_ylim()]
    low, high = min(ends), max(ends)
    axes.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    axes.annotate(
        *("test = validation", (high, high), (-3, -9)),
        textcoords="offset points",
        ha="right",
        va="top",
        color=style.GREY,
        fontsize=6.5,
        rotation=45,
        rotation_mode="anchor",
    )
    axes.set(xlabel="validation error / linear", ylabel="test error / linear")
    style.letter(axes, "b", "test and validation error")
    inset = axes.inset_axes((0.56, 0.07, 0.42, 0.42))
    _points(inset, data, settings)
    across, up = CROWDED
    inset.set(xlim=across, ylim=up, xticks=[1.0, 1.1], yticks=[1.1, 1.2, 1.3])
    inset.tick_params(labelsize=5, length=1.5, pad=1)
    axes.indicate_inset_zoom(inset, linewidth=0.5)
    for each in (axes, inset):
        each.axline((1, 1), slope=1, color=style.GREY, linewidth=0.6, zorder=0)


def _points(axes: Axes, data: xr.Dataset, settings: xr.Dataset | None) -> None:
    validation = _ratio(data, data["best_mse"].values, "control_validation_mse")
    test = _ratio(data, data["test_mse"].values, "control_mse")
    tasks = series.tasks(data)
    for model, (_, colour, _) in series.MODELS.items():
        for task, marker in zip(tasks, MARKERS, strict=False):
            here = _cells(data, task) & (data["model"].values == model)
            axes.plot(
                *(validation[here], test[here], marker), color=colour, ms=4, mew=0
            )
    for fill, (marker, _) in ENDS.items():
        models = [name for name, (*_, own) in series.OTHERS.items() if own == fill]
        here = np.isin(data["model"].values, models)
        if here.any():
            look = {"color": style.BLACK, "ms": 3.5, "mew": 0.8}
            axes.plot(validation[here], test[here], marker, **look)
    if settings is not None:
        _rings(axes, settings)


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
                mew=0.8,
                fillstyle="none",
            )


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
        f"tasks (test: {also} of {len(tasks)}). On the test set the LRU's error is {lru} times "
        f"the linear model's, and BLUR's error is {blur} times.{_span(main)}"
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
