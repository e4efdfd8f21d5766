"""Names, colours and panels that the figures of forecasts share."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style
from sigprop.figures.entry import chosen_panels

MODELS = {
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
    "brnn": ("bidirectional tanh RNN", style.BLACK, "none"),
}
"""Names, colours, and hollow markers of bidirectional layers."""

SIZES = "have two blocks and 32 features and are trained for 800 steps from three seeds"
SMALLER = f"Networks {SIZES}."
"""What is smaller than in BLUR's paper."""

SETS = {"ETTh1": "ETTh1", "WTH": "Weather"}
TARGETS = {"OT": "the oil temperature", "WetBulbCelsius": "the wet-bulb temperature"}
AXES = {"OT": "oil temperature (°C)", "WetBulbCelsius": "wet-bulb temperature (°C)"}
CONTROLS = {
    "linear": ("linear, least squares", style.BLACK),
    "season": ("last season's value", style.GREEN),
    "last value": ("last value", style.SKY),
    "climatology": ("training mean", style.GREY),
}
NEAR = 50  # rows on either side of a place that the text speaks of
CAPTION = (
    "Every {horizon} rows, each network, trained with seed {seed}, forecasts the next "
    "{horizon} rows. The lines join these forecasts, which do not overlap."
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
    """Draw truth and forecasts of the target over the whole test and near one row.

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
    with style.styled():
        figure = style.figure(0.7 + 1.75 * len(letters))
        column = figure.subplots(len(letters), 1, squeeze=False)[:, 0]
        for axes, letter in zip(column, letters, strict=True):
            _line(axes, data, task, letter, row)
        column[-1].set_xlabel("row of the test set")
        figure.legend(
            *column[0].get_legend_handles_labels(),
            loc="outside upper center",
            ncols=3,
        )
        seed = int(cells(data, *task, "blur")["seed"].values[0])
        style.caption(figure, CAPTION.format(horizon=task[1], seed=seed))
    return figure


def _line(
    axes: Axes, data: xr.Dataset, task: tuple[str, int], letter: str, row: int
) -> None:
    thin = 0.5 if letter == "a" else 1.0
    for model in MODELS:
        test = line(data, task, model)
        near = slice(None) if letter == "a" else spans(test.sizes["row"], row)
        test = test.isel(row=near)
        if model == next(iter(MODELS)):
            axes.plot(
                test["line"], test["truth"], color=style.BLUE, lw=thin, label="truth"
            )
            if letter == "b":
                mark_starts(axes, test["line"].values, task[1])
        label, colour, dashes = MODELS[model]
        axes.plot(
            test["line"], test["forecast"], dashes, color=colour, lw=thin, label=label
        )
    axes.margins(x=0.01, y=0.05)
    axes.set_ylabel(axis_label(data, task))
    extent = (
        "whole test set"
        if letter == "a"
        else f"near row {row} (vertical lines: new forecasts)"
    )
    style.letter(axes, letter, f"{SETS.get(task[0], task[0])}, {extent}")


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
    """Errors of both networks, over the whole test set and near a row, and the lower one."""
    task = task_of(data, name)
    errors, lower = [], []
    for choose in (lambda count: slice(None), lambda count: spans(count, row)):
        off = {}
        for model, (label, *_) in MODELS.items():
            test = line(data, task, model)
            test = test.isel(row=choose(test.sizes["row"]))
            off[label] = float(
                np.sqrt(((test["forecast"] - test["truth"]) ** 2).mean())
            )
        lower.append(min(off, key=lambda label: off[label]))
        errors.append(f"{off['LRU']:.3g} for the LRU and {off['BLUR']:.3g} for BLUR")
    target = str(cells(data, *task, "blur")["target"].values[0])
    whole, near = lower
    first = "The LRU" if whole == "LRU" else whole
    best = (
        f"{first} has the lower error in both ranges."
        if whole == near
        else f"{first} has the lower error on the whole test set, and "
        f"{'the LRU' if near == 'LRU' else near} near row {row}."
    )
    return (
        f"On the whole test set, the root mean squared error of "
        f"{TARGETS.get(target, target)} is {errors[0]}, in the units of the data. Within "
        f"{NEAR} rows of row {row}, the error is {errors[1]}. {best}"
    )
