"""How forecasts are learnt: errors on the validation, and what they are on the test."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import series, style

STUDIES = {"a": "forecast_settings", "b": "forecasts"}
COLOURS = {
    ("each", "last"): (style.GREEN, "each feature, from its last value"),
    ("mixed", "last"): (style.PURPLE, "features mixed, from their last values"),
    ("mixed", "none"): (style.ORANGE, "features mixed, as they are"),
}
ENDS = {"full": ("x", "others"), "none": ("+", "others, both ends")}
DASHES = ("-", "--", ":")
MARKERS = ("o", "s", "^")
CAPTION = (
    "All errors are mean squared ones over the exact linear model's on the same part. "
)
PANELS = {
    "a": "A: BLUR in every setting, on the validation; the setting of the least mean at the "
    "best steps is that of all other trainings. ",
    "b": "B: of every training, a marker a task, at its best step; below the dotted line it "
    "is within 10 % of the linear model.",
}
HOLLOW = " Filled, in the setting that was chosen."
OTHERS = " Crosses: other layers on {task}, in the same setting."
WITHIN = 1.1


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Courses of the validation by setting, and tests over validations.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    with style.styled():
        drawn = style.figure(3.4, 0.4 + 2.55 * len(letters))
        row = drawn.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            (_courses if letter == "a" else _tests)(axes, results[STUDIES[letter]])
            if letter == "b" and STUDIES["a"] in results:
                _rings(axes, results[STUDIES["a"]])
        if "a" in letters:
            lines = row[0].get_legend_handles_labels()
            drawn.legend(*lines, loc="outside upper center", ncols=len(letters))
        style.caption(drawn, _caption(results, letters))
    return drawn


def _caption(results: style.Results, letters: tuple[str, ...]) -> str:
    told = CAPTION + "".join(PANELS[letter] for letter in letters)
    if "b" not in letters:
        return told
    data = results[STUDIES["b"]]
    task = series.richest(data)
    crosses = [OTHERS.format(task=_named(task))] * bool(series.others(data, task))
    return "".join([told, *[HOLLOW] * (STUDIES["a"] in results), *crosses])


def _ratio(rows: xr.Dataset, errors: np.ndarray, known: str) -> np.ndarray:
    """Errors of cells over the linear model's on the same part."""
    linear = rows[known].sel(control="linear").mean(("step", "feature")).values
    return errors / (linear[:, None] if errors.ndim > 1 else linear)


def _courses(axes: Axes, data: xr.Dataset) -> None:
    found = series.tasks(data)
    ratios = _ratio(data, data["validation_mse"].values, "control_validation_mse")
    for cell in range(data.sizes["cell"]):
        one = data.isel(cell=cell)
        setting = str(one["channels"].item()), str(one["centre"].item())
        task = str(one["data"].item()), int(one["horizon"])
        colour, label = COLOURS[setting]
        dashes = DASHES[found.index(task) % len(DASHES)]
        first = found.index(task) == 0
        axes.plot(
            one["looked"],
            ratios[cell],
            dashes,
            color=colour,
            label=label if first else None,
        )
    for task, dashes in zip(found, DASHES, strict=False):
        axes.plot([], [], dashes, color=style.GREY, label=_named(task))
    axes.axhline(1, color=style.BLACK, linewidth=0.6)
    style.plain_log(axes)
    axes.set(xlabel="training step", ylabel="validation error / linear")
    style.letter(axes, "a", "learning, BLUR")


def _named(task: tuple[str, int]) -> str:
    return f"{series.SETS.get(task[0], task[0])} {task[1]}"


def _tests(axes: Axes, data: xr.Dataset) -> None:
    seen = _ratio(data, data["best_mse"].values, "control_validation_mse")
    test = _ratio(data, data["test_mse"].values, "control_mse")
    found = series.tasks(data)
    for model, (label, colour, _) in series.MODELS.items():
        for task, marker in zip(found, MARKERS, strict=False):
            here = _cells(data, task) & (data["model"].values == model)
            told = f"{label}, {_named(task)}"
            axes.plot(*(seen[here], test[here], marker), color=colour, ms=4, label=told)
    for fill, (marker, told) in ENDS.items():
        models = [name for name, (*_, own) in series.OTHERS.items() if own == fill]
        here = np.isin(data["model"].values, models)
        if here.any():
            axes.plot(
                *(seen[here], test[here], marker), color=style.BLACK, ms=4, label=told
            )
    ends = axes.get_xlim()
    axes.plot(ends, ends, color=style.GREY, linewidth=0.6)
    axes.axhline(WITHIN, color=style.BLACK, linewidth=0.8, linestyle=":")
    axes.set(xlabel="validation error / linear", ylabel="test error / linear")
    axes.legend(fontsize=5.5, labelspacing=0.3, borderaxespad=0)
    style.letter(axes, "b", "test over validation")


def _rings(axes: Axes, data: xr.Dataset) -> None:
    """The other settings, hollow."""
    seen = _ratio(data, data["best_mse"].values, "control_validation_mse")
    test = _ratio(data, data["test_mse"].values, "control_mse")
    for task, marker in zip(series.tasks(data), MARKERS, strict=False):
        for setting, (colour, _) in COLOURS.items():
            here = _cells(data, task) & (data["channels"].values == setting[0])
            here &= data["centre"].values == setting[1]
            axes.plot(
                *(seen[here], test[here], marker), color=colour, ms=5, fillstyle="none"
            )


def _cells(data: xr.Dataset, task: tuple[str, int]) -> np.ndarray:
    return (data["data"].values == task[0]) & (data["horizon"].values == task[1])


def shown(results: style.Results) -> str:
    """The setting that was chosen, and on which tasks the test is as good as that."""
    chosen, main = results[STUDIES["a"]], results[STUDIES["b"]]
    seen = _ratio(chosen, chosen["best_mse"].values, "control_validation_mse")
    pairs = [
        (str(a), str(b))
        for a, b in zip(chosen["channels"].values, chosen["centre"].values, strict=True)
    ]
    means = {
        setting: float(
            np.mean([r for r, one in zip(seen, pairs, strict=True) if one == setting])
        )
        for setting in dict.fromkeys(pairs)
    }
    best = min(means, key=lambda setting: means[setting])
    test = _ratio(main, main["test_mse"].values, "control_mse")
    parts = []
    for task in series.tasks(main):
        errors = [
            f"{label} {test[_cells(main, task) & (main['model'].values == model)].mean():.2f}"
            for model, (label, *_) in series.MODELS.items()
        ]
        parts.append(f"{_named(task)} {' and '.join(errors)}")
    return (
        f"On the validation set '{COLOURS[best][1]}' is best: on average its error is "
        f"{means[best]:.2f} times the linear model's. On the test set these ratios are "
        f"{'; '.join(parts)}."
        f"{_span(main, test)}"
    )


def _span(data: xr.Dataset, test: np.ndarray) -> str:
    """The least and the largest mean of other layers, on the task that most forecast."""
    task = series.richest(data)
    means = {
        series.OTHERS[model][0]: test[
            _cells(data, task) & (data["model"].values == model)
        ].mean()
        for model in series.others(data, task)
    }
    if not means:
        return ""
    least, most = (end(means, key=lambda name: means[name]) for end in (min, max))
    return (
        f" Other layers on {_named(task)}: from {means[least]:.2f} ({least}) to "
        f"{means[most]:.2f} ({most})."
    )
