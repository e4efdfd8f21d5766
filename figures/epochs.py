"""Time of an epoch and memory of a training step, for networks with different layers."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sigprop.figures import phrases, series, style

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
TITLES = {"a": "time per epoch", "b": "memory per step"}
DODGE = 0.25  # rows between a bar's middle and its outer dots
FREE = 1.3  # times the longest bar, which leaves room for its label
CAPTION = (
    "The task is {description}, on inputs of random numbers. Networks have {depth} blocks of "
    "{width} features and {states} states; times are measured on {machine}. An epoch has "
    "{steps} steps of {batch} examples; its time is the median of {repeats} timed steps times "
    "their number. Dots are single steps. The bar of the LRU has its own cost beside it; other "
    "bars have the cost relative to the LRU, in A the median of ratios within a repeat."
)


def draw(
    data: xr.Dataset, task: str, description: str, batch: int, letters: tuple[str, ...]
) -> Figure:
    """Draw a bar for each layer, the smallest time relative to the LRU on top.

    Args:
        data: Result of the study ``forecast_speed``.
        task: ``image`` or ``forecast``.
        description: The task in words.
        batch: Examples in a step.
        letters: Panels: ``a`` for minutes, ``b`` for memory.
    """
    timings = data.sel(task=task)
    order = _relative(data, task).median("repeat").values.argsort()
    timings = timings.isel(trained=order)
    with style.styled():
        figure = style.figure(
            0.8 + 0.25 * timings.sizes["trained"], 1.5 + 2 * len(letters)
        )
        row = figure.subplots(1, len(letters), sharey=True, squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            {"a": _minutes, "b": _memory}[letter](axes, timings)
            axes.set_xlim(0, FREE * axes.get_xlim()[1])
            style.letter(axes, letter, TITLES[letter])
        names = [NAMES[name] for name in timings["trained"].values.tolist()]
        row[0].set_yticks(range(len(names)), names)
        row[0].set_ylim(len(names) - 0.5, -0.5)
        about = {name: timings.attrs[name] for name in ("depth", "width", "states")}
        about["machine"] = phrases.machine(timings.attrs)
        counts = {"steps": int(timings["steps"]), "repeats": timings.sizes["repeat"]}
        style.caption(
            figure,
            CAPTION.format(description=description, batch=batch, **about, **counts),
        )
    return figure


def _minutes(axes: Axes, timings: xr.Dataset) -> None:
    seconds = timings["step_seconds"] * timings["steps"] / 60
    times = (seconds / seconds.sel(trained="lru")).median("repeat").values
    seconds = seconds.transpose("trained", "repeat").values
    _bars(axes, timings, np.median(seconds, 1), times, "min", seconds.max(1))
    rows = np.arange(len(seconds))[:, None] + DODGE * np.linspace(
        -1, 1, seconds.shape[1]
    )
    axes.plot(seconds.ravel(), rows.ravel(), "o", color=style.BLACK, ms=2, mew=0)
    axes.set_xlabel("minutes, estimated")
    axes.xaxis.set_major_locator(MaxNLocator(5))


def _memory(axes: Axes, timings: xr.Dataset) -> None:
    memory = timings["step_memory"] / 2**20
    times = (memory / memory.sel(trained="lru")).values
    _bars(axes, timings, memory.values, times, "MiB")
    axes.set_xlabel("temporary memory (MiB)")


def _bars(
    axes: Axes,
    timings: xr.Dataset,
    values: np.ndarray,
    times: np.ndarray,
    unit: str,
    ends: np.ndarray | None = None,
) -> None:
    """Draw a bar for each layer and its ratio to the LRU's beyond ``ends``."""
    models = timings["trained"].values.tolist()
    colours = [COLOURS.get(name, style.GREY) for name in models]
    axes.barh(np.arange(len(models)), values, 0.7, color=colours)
    ends = values if ends is None else ends
    for row, (name, end, value, factor) in enumerate(
        zip(models, ends, values, times, strict=True)
    ):
        text = f"{value:.3g} {unit}" if name == "lru" else f"{factor:.2f} × LRU"
        axes.annotate(
            text,
            (end, row),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=6,
        )


def shown(data: xr.Dataset, task: str) -> str:
    """The time of BLUR's step over the LRU's, of other layers, and BLUR's memory."""
    times = _relative(data, task).median("repeat")
    others = sorted(
        (float(time), NAMES[name])
        for name, time in zip(times["trained"].values.tolist(), times, strict=True)
        if name not in ("lru", "blur")
    )
    sentence = (
        f"In the median of {data.sizes['repeat']} repeats, a training step of BLUR takes "
        f"{float(times.sel(trained='blur')):.2f} times as long as a step of the LRU."
    )
    memory = data["step_memory"].sel(task=task)
    ratio = float(memory.sel(trained="blur") / memory.sel(trained="lru"))
    takes = f"A step of BLUR takes {ratio:.2f} times the LRU's memory."
    if len(others) < 2:
        return f"{sentence} {takes}"
    (least, fast), *_, (most, slow) = others
    return (
        f"{sentence} Of the other layers, {fast} takes the shortest time, {least:.2f} times "
        f"the LRU's, and {slow} the longest, {most:.2f} times. {takes}"
    )


def details(data: xr.Dataset, task: str) -> style.Cells:
    """The time of each layer's step over the LRU's: its median and range over repeats."""
    times = _relative(data, task)
    return (
        ("time of a step relative to the LRU", "median", "smallest", "largest"),
        *(
            (
                NAMES[name],
                f"{float(ratios.median()):.2f}",
                f"{float(ratios.min()):.2f}",
                f"{float(ratios.max()):.2f}",
            )
            for name, ratios in zip(
                times["trained"].values.tolist(), times, strict=True
            )
            if name != "lru"
        ),
    )


def _relative(data: xr.Dataset, task: str) -> xr.DataArray:
    """Seconds of each layer's step over the LRU's in the same repeat."""
    seconds = data["step_seconds"].sel(task=task)
    return seconds / seconds.sel(trained="lru")
