"""Names, colours and panels that the figures of forecasts share."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from sigprop.figures import phrases, style
from sigprop.figures.entry import chosen_panels

MODELS: dict[str, tuple[str, str, Any]] = {
    "lru": ("LRU", style.VERMILION, "--"),
    "blur": ("BLUR", style.PURPLE, "-"),
}
"""Names, and colours as in the paper."""
OTHERS = {
    "rotrnn": ("RotRNN", style.BLUE, "full"),
    "s4": ("S4", style.SKY, "full"),
    "gru": ("GRU", style.GREEN, "full"),
    "lstm": ("LSTM", style.ORANGE, "full"),
    "bidirectional_lru": ("bidirectional LRU", style.VERMILION, "none"),
    "bidirectional_rotrnn": ("bidirectional RotRNN", style.BLUE, "none"),
    "bidirectional_s4": ("bidirectional S4", style.SKY, "none"),
    "bgru": ("bidirectional GRU", style.GREEN, "none"),
    "blstm": ("bidirectional LSTM", style.ORANGE, "none"),
    "brnn": ("bidirectional tanh RNN", style.GREY, "none"),
}
"""Names, colours, and hollow markers of bidirectional layers."""

SIZES = "have two blocks and 32 features and are trained for 800 steps from three seeds"
SMALLER = f"Networks {SIZES}."
"""What is smaller than in BLUR's paper."""

SETS = {"ETTh1": "ETTh1", "WTH": "Weather"}
TARGETS = {"OT": "the oil temperature", "WetBulbCelsius": "the wet-bulb temperature"}
AXES = {"OT": "oil temperature (°C)", "WetBulbCelsius": "wet-bulb temperature (°C)"}
UNITS = dict.fromkeys(AXES, " (°C)")
CONTROLS = {
    "linear": ("linear, least squares", style.BLACK),
    "season": ("last season's value", style.GREEN),
    "last value": ("last value", style.SKY),
    "climatology": ("training mean", style.GREY),
}
HEIGHTS = {"a": (1.15, 1.0), "b": (1.75,)}  # inches of the axes in each panel
NEAR = 50  # rows on either side of a place that the text speaks of
WEEK = 168  # rows over which errors are averaged, of an hour each
ZERO = 1e-5  # larger than what scaling and its inverse leave of a zero
CAPTION = (
    "Every {horizon} rows, each network forecasts the next {horizon} rows; these forecasts do "
    "not overlap. Below the truth, A has BLUR's root mean squared error divided by the LRU's, "
    "both in the {width} rows around each row. The line is the mean of {seeds} trainings, "
    "and the band their range. B has the forecasts with seed {seed} near a row that the "
    "paper's text speaks of. Of {rows} true values, "
    "{zeros} are exactly zero in the data. They count as missing: the line has gaps there, "
    "and errors leave them out."
)


def cells(data: xr.Dataset, name: str, horizon: int, model: str) -> xr.Dataset:
    """The trainings of a model on a task, one seed after another."""
    here = (
        (data["data"].values == name)
        & (data["horizon"].values == horizon)
        & (data["model"].values == model)
    )
    return data.isel(cell=np.flatnonzero(here))


def tasks(data: xr.Dataset) -> list[tuple[str, int]]:
    """Data sets and horizons, in their order."""
    pairs = zip(data["data"].values.tolist(), data["horizon"].values, strict=True)
    return list(dict.fromkeys((name, int(horizon)) for name, horizon in pairs))


def others(data: xr.Dataset, task: tuple[str, int]) -> dict[str, xr.Dataset]:
    """The trainings of ``OTHERS`` on a task, of those that there are."""
    trainings = {model: cells(data, *task, model) for model in OTHERS}
    return {model: rows for model, rows in trainings.items() if rows.sizes["cell"]}


def richest(data: xr.Dataset) -> tuple[str, int]:
    """Return the first task among those on which the most models were trained."""
    return max(tasks(data), key=lambda task: len(others(data, task)))


def task_label(task: tuple[str, int]) -> str:
    """Return the label of a task: its data set and horizon."""
    return f"{SETS.get(task[0], task[0])}, horizon {task[1]}"


def task_of(data: xr.Dataset, name: str) -> tuple[str, int]:
    """The task on a data set with the shortest horizon; the first task if it has none."""
    every = tasks(data)
    named = [task for task in every if task[0] == name]
    return min(named) if named else every[0]


def controls(rows: xr.Dataset) -> dict[str, float]:
    """Mean squared errors on the test set of the forecasts without a network."""
    means = rows["control_mse"].isel(cell=0).mean(("step", "feature"))
    return {name: float(means.sel(control=name)) for name in CONTROLS}


def line(data: xr.Dataset, task: tuple[str, int], model: str) -> xr.Dataset:
    """Rows of the test, truth and forecast of the first seed."""
    training = cells(data, *task, model).isel(cell=0)
    return training.isel(row=np.isfinite(training["line"].values))


def spans(count: int, row: int) -> slice:
    """Return the rows near ``row``, or the middle rows of a test that is shorter."""
    middle = row if row < count else count // 2
    return slice(max(0, middle - NEAR), middle + NEAR)


def full_test(
    results: style.Results, panel: str | None, study: str, name: str, row: int
) -> Figure:
    """Draw truth and errors of the target over the whole test, and forecasts near one row.

    Args:
        results: With the result of the study.
        panel: ``a`` or ``b``; both if left out.
        study: Name of the study.
        name: Of the data.
        row: Row of the test that the paper's text speaks of.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = chosen_panels(panel, "ab")
    data = results[study]
    task = task_of(data, name)
    heights = [height for letter in letters for height in HEIGHTS[letter]]
    with style.styled():
        figure = style.figure(1.0 + sum(heights))
        column = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)
        panels = column[:, 0].tolist()
        if "a" in letters:
            _whole(panels[0], panels[1], data, task)
        if "b" in letters:
            _near(panels[-1], data, task, row)
        panels[-1].set_xlabel("row of the test set")
        figure.align_ylabels(panels)
        keys = [Line2D([], [], color=style.BLACK, label="truth")]
        keys += [
            Line2D([], [], color=colour, linestyle=dashes, label=label)
            for label, colour, dashes in MODELS.values()
        ]
        figure.legend(handles=keys, loc="outside upper center", ncols=3)
        style.caption(figure, _about(data, task))
    return figure


def _about(data: xr.Dataset, task: tuple[str, int]) -> str:
    """The caption of ``full_test``."""
    truth = line(data, task, "blur")["truth"]
    seeds = cells(data, *task, "blur")["seed"].values
    return CAPTION.format(
        horizon=task[1],
        seed=int(seeds[0]),
        seeds=len(seeds),
        width=width(truth.size),
        rows=truth.size,
        zeros=int((abs(truth) < ZERO).sum()),
    )


def _whole(above: Axes, below: Axes, data: xr.Dataset, task: tuple[str, int]) -> None:
    """Draw the truth, and below it BLUR's running error over the LRU's."""
    test = line(data, task, "blur")
    above.plot(test["line"], known(test["truth"]), color=style.BLACK, lw=0.5)
    above.sharex(below)
    above.tick_params(labelbottom=False)
    count = width(test.sizes["row"])
    errors = {
        model: np.sqrt(
            [running(row, count) for row in squares(data, task, model).values]
        )
        for model in MODELS
    }
    ratios = errors["blur"] / errors["lru"]
    rows = running(test["line"].values, count)
    colour = MODELS["blur"][1]
    band = {"color": colour, "alpha": 0.3, "linewidth": 0}
    below.fill_between(rows, ratios.min(0), ratios.max(0), **band)
    below.plot(rows, ratios.mean(0), color=colour, lw=1)
    below.axhline(1, color=MODELS["lru"][1], ls=MODELS["lru"][2], lw=1)
    for axes in (above, below):
        axes.margins(x=0.01, y=0.05)
        axes.yaxis.set_major_locator(MaxNLocator(4))
    below.set(ylabel="error\nBLUR / LRU", xlabel="row of the test set")
    above.set_ylabel(axis_label(data, task).replace(" ", "\n", 1))
    style.letter(above, "a", f"{SETS.get(task[0], task[0])}, whole test set")


def _near(axes: Axes, data: xr.Dataset, task: tuple[str, int], row: int) -> None:
    """Draw truth and forecasts of the first seed near a row."""
    tests = {model: line(data, task, model) for model in MODELS}
    tests = {
        model: test.isel(row=spans(test.sizes["row"], row))
        for model, test in tests.items()
    }
    for model, (_, colour, dashes) in reversed(MODELS.items()):
        test = tests[model]
        axes.plot(test["line"], test["forecast"], dashes, color=colour, lw=1)
    test = tests["lru"]
    axes.plot(test["line"], known(test["truth"]), color=style.BLACK, lw=1)
    mark_starts(axes, test["line"].values, task[1])
    axes.margins(x=0.01, y=0.05)
    axes.set_ylabel(axis_label(data, task).replace(" ", "\n", 1))
    about = f"{SETS.get(task[0], task[0])}, near row {row}"
    style.letter(axes, "b", f"{about} (vertical lines: new forecasts)")


def known(truth: xr.DataArray) -> xr.DataArray:
    """True values, not-a-number where the data have an exact zero for a missing one."""
    return truth.where(abs(truth) > ZERO)


def squares(data: xr.Dataset, task: tuple[str, int], model: str) -> xr.DataArray:
    """Squared errors of a model by training and row; not-a-number where no truth is known."""
    trainings = cells(data, *task, model)
    finite = np.isfinite(trainings["line"].values).all(0)
    trainings = trainings.isel(row=finite)
    return (trainings["forecast"] - known(trainings["truth"])).astype(float) ** 2


def width(rows: int) -> int:
    """The number of rows over which an error is averaged: a week, or less of a short test."""
    return max(1, min(WEEK, rows // 4))


def running(values: np.ndarray, count: int) -> np.ndarray:
    """Means over so many neighbouring values, of those that are finite."""
    finite, ones = np.isfinite(values), np.ones(count)
    total = np.convolve(np.where(finite, values, 0), ones, "valid")
    with np.errstate(invalid="ignore"):  # none is finite
        return total / np.convolve(finite, ones, "valid")


def axis_label(data: xr.Dataset, task: tuple[str, int]) -> str:
    """The name of the feature that the lines of a task show, with its unit."""
    target = str(cells(data, *task, "blur")["target"].values[0])
    return AXES.get(target, target)


def mark_starts(axes: Axes, rows: np.ndarray, horizon: int) -> None:
    """A vertical line at each row of these at which a new forecast starts."""
    for row in rows[rows % horizon == 0]:
        axes.axvline(row, color=style.GREY, linewidth=0.4, zorder=0)


def on(task: tuple[str, int]) -> str:
    """A task in words, as a sentence has them.

    Example:
        >>> on(("WTH", 24))
        'on Weather at horizon 24'
    """
    return f"on {SETS.get(task[0], task[0])} at horizon {task[1]}"


def compared(data: xr.Dataset, name: str, row: int) -> str:
    """Mean errors over the test set and near a row, and the ratios of both networks' errors."""
    task = task_of(data, name)
    target = str(cells(data, *task, "blur")["target"].values[0])
    means, ratios = [], []
    for near in (False, True):
        off = {}
        for model in MODELS:
            square = squares(data, task, model)
            rows = spans(square.sizes["row"], row) if near else slice(None)
            off[model] = np.sqrt(square.isel(row=rows).mean("row").values)
        lru, blur = (f"{off[model].mean():.2f}" for model in ("lru", "blur"))
        means.append(f"{lru} for the LRU and {blur} for BLUR")
        ratios.append(phrases.span(off["blur"] / off["lru"], ".2f"))
    return (
        f"Over the whole test set, the root mean squared error of "
        f"{TARGETS.get(target, target)}{UNITS.get(target, '')} is {means[0]}, means over "
        f"{len(off['lru'])} trainings, zeros excepted. "
        f"Within {NEAR} rows of row {row}, it is {means[1]}. "
        f"In single trainings, BLUR's error is {ratios[0]} times the LRU's over the whole test "
        f"set, and {ratios[1]} times near row {row}."
    )
