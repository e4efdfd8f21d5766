"""What an epoch of training takes by model: minutes and memory, side by side."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sigprop.figures import series, style

NAMES = {
    "lru": "LRU",
    "blur": "BLUR",
    "s4": "S4",
    "s5": "S5",
    "rotrnn": "RotRNN",
    "gru": "GRU",
    "lstm": "LSTM",
}
COLOURS = {model: colour for model, (_, colour, _) in series.MODELS.items()}
TITLES = {"a": "an epoch", "b": "memory of a step"}
FREE = 1.7  # of the longest bar, so that what is said of it has room
CAPTION = (
    "{what}, {depth} blocks of {width} features and {states} states, made-up numbers. "
    "An epoch: {steps} steps of {batch}, each as long as the median of {repeats} that "
    "were timed; bars at their ends: shortest and longest. Numbers: how many times what "
    "an LRU takes in the same turn, and what the LRU takes."
)


def draw(
    data: xr.Dataset, task: str, what: str, batch: int, letters: tuple[str, ...]
) -> Figure:
    """Bars of a task's models, the quickest on top.

    Args:
        data: Of the study ``forecast_speed``.
        task: Which training.
        what: The same in words.
        batch: Examples of a step.
        letters: Panels: ``a`` for minutes, ``b`` for memory.
    """
    one = data.sel(task=task)
    order = one["step_seconds"].median("repeat").values.argsort()
    one = one.isel(trained=order)
    with style.styled():
        drawn = style.figure(0.8 + 0.25 * one.sizes["trained"], 1.5 + 2 * len(letters))
        row = drawn.subplots(1, len(letters), sharey=True, squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            {"a": _minutes, "b": _memory}[letter](axes, one)
            axes.set_xlim(0, FREE * axes.get_xlim()[1])
            style.letter(axes, letter, TITLES[letter])
        names = [NAMES[name] for name in one["trained"].values.tolist()]
        row[0].set_yticks(range(len(names)), names)
        row[0].set_ylim(len(names) - 0.5, -0.5)
        about = {name: one.attrs[name] for name in ("depth", "width", "states")}
        counts = {"steps": int(one["steps"]), "repeats": one.sizes["repeat"]}
        style.caption(drawn, CAPTION.format(what=what, batch=batch, **about, **counts))
    return drawn


def _minutes(axes: Axes, one: xr.Dataset) -> None:
    seconds = one["step_seconds"] * one["steps"] / 60
    times = (seconds / seconds.sel(trained="lru")).median("repeat").values
    middle = seconds.median("repeat").values
    reach = [
        middle - seconds.min("repeat").values,
        seconds.max("repeat").values - middle,
    ]
    _bars(axes, one, middle, times, "min", reach)
    axes.set_xlabel("minutes")
    axes.xaxis.set_major_locator(MaxNLocator(5))


def _memory(axes: Axes, one: xr.Dataset) -> None:
    memory = one["step_memory"] / 2**20
    times = (memory / memory.sel(trained="lru")).values
    _bars(axes, one, memory.values, times, "MiB")
    axes.set_xlabel("MiB of temporaries")


def _bars(
    axes: Axes,
    one: xr.Dataset,
    values: np.ndarray,
    times: np.ndarray,
    unit: str,
    reach: list[np.ndarray] | None = None,
) -> None:
    """A bar a model, with what it is in those of the LRU at its end."""
    models = one["trained"].values.tolist()
    colours = [COLOURS.get(name, style.GREY) for name in models]
    places = np.arange(len(models))
    axes.barh(
        places, values, 0.7, xerr=reach, color=colours, error_kw={"elinewidth": 0.6}
    )
    ends = values if reach is None else values + reach[1]
    for place, (name, end, value, factor) in enumerate(
        zip(models, ends, values, times, strict=True)
    ):
        text = f"{value:.3g} {unit}" if name == "lru" else f"{factor:.2g} LRUs"
        axes.annotate(
            text,
            (end, place),
            (3, 0),
            textcoords="offset points",
            va="center",
            fontsize=6,
        )


def shown(data: xr.Dataset, task: str) -> str:
    """How many times as long as an LRU's every model's step takes."""
    seconds = data["step_seconds"].sel(task=task)
    times = seconds / seconds.sel(trained="lru")
    said = "; ".join(
        f"{NAMES[name]} {float(one.median()):.2f} ({float(one.min()):.2f} to "
        f"{float(one.max()):.2f})"
        for name, one in zip(times["trained"].values.tolist(), times, strict=True)
        if name != "lru"
    )
    return (
        f"Relative to the LRU, a training step takes this many times as long: {said}."
    )
