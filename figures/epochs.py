"""Time of an epoch and memory of a training step, for networks with different layers."""

from collections.abc import Sequence

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
ROOM = 1.05  # times the farthest bar or dot: where the axis ends and the labels stand
CAPTION = (
    "The task is {description}, on inputs of random numbers. Networks have {depth} blocks of "
    "{width} features and {states} states; times are measured on {machine}. An epoch has "
    "{steps} steps of {batch} examples; its time is {steps} times the median time of {repeats} "
    "steps. Dots are single steps. On the LRU's row stands its own cost, and on other rows the "
    "ratio to it. Brackets in A have the smallest and the largest ratio in one repeat."
)


def draw(
    data: xr.Dataset, task: str, description: str, batch: int, letters: tuple[str, ...]
) -> Figure:
    """Draw a bar for each layer, the shortest median time on top.

    Args:
        data: Result of the study ``forecast_speed``.
        task: ``image`` or ``forecast``.
        description: The task in words.
        batch: Examples in a step.
        letters: Panels: ``a`` for minutes, ``b`` for memory.
    """
    timings = data.sel(task=task)
    order = timings["step_seconds"].median("repeat").values.argsort()
    timings = timings.isel(trained=order)
    with style.styled():
        figure = style.figure(
            0.8 + 0.25 * timings.sizes["trained"], 1.5 + 2 * len(letters)
        )
        row = figure.subplots(1, len(letters), sharey=True, squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            {"a": _minutes, "b": _memory}[letter](axes, timings)
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
    within = [
        f"{ratios.min():.2f} to {ratios.max():.2f}"
        for ratios in (seconds / seconds.sel(trained="lru"))
        .transpose("trained", ...)
        .values
    ]
    middle = seconds.median("repeat")
    seconds = seconds.transpose("trained", "repeat").values
    _bars(axes, middle, "min", within)
    axes.set_xlim(0, ROOM * seconds.max())
    rows = np.arange(len(seconds))[:, None] + DODGE * np.linspace(
        -1, 1, seconds.shape[1]
    )
    axes.plot(seconds.ravel(), rows.ravel(), "o", color=style.BLACK, ms=2, mew=0)
    axes.set_xlabel("minutes, estimated")
    axes.xaxis.set_major_locator(MaxNLocator(5))


def _memory(axes: Axes, timings: xr.Dataset) -> None:
    memory = timings["step_memory"] / 2**20
    _bars(axes, memory, "MiB")
    axes.set_xlim(0, ROOM * float(memory.max()))
    axes.set_xlabel("temporary memory (MiB)")


def _bars(
    axes: Axes, costs: xr.DataArray, unit: str, ranges: Sequence[str] = ()
) -> None:
    """Draw a bar for each layer, and right of the axis its ratio to the LRU's."""
    models = costs["trained"].values.tolist()
    colours = [COLOURS.get(name, style.GREY) for name in models]
    axes.barh(np.arange(len(models)), costs.values, 0.7, color=colours)
    lru = float(costs.sel(trained="lru"))
    for row, (name, cost) in enumerate(zip(models, costs.values, strict=True)):
        text = f"{cost / lru:.2f} × LRU" + (f" ({ranges[row]})" if ranges else "")
        text = f"{lru:.3g} {unit}" if name == "lru" else text
        axes.annotate(
            text,
            (1, row),
            (2, 0),
            xycoords=axes.get_yaxis_transform(),
            textcoords="offset points",
            va="center",
            fontsize=6,
        )


def shown(data: xr.Dataset, task: str) -> str:
    """The time of BLUR's step over the LRU's, of other layers, and BLUR's memory."""
    middle = data["step_seconds"].sel(task=task).median("repeat")
    times = middle / middle.sel(trained="lru")
    within = _relative(data, task).sel(trained="blur").values
    others = sorted(
        (float(time), NAMES[name])
        for name, time in zip(times["trained"].values.tolist(), times, strict=True)
        if name not in ("lru", "blur")
    )
    sentence = (
        f"The median training step of BLUR takes {float(times.sel(trained='blur')):.2f} times "
        f"as long as the LRU's, and {phrases.span(within, '.2f')} times in "
        f"the {data.sizes['repeat']} repeats{_unresolved(within)}."
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


def _unresolved(ratios: np.ndarray) -> str:
    """Say that neither layer is always faster, if so."""
    if ratios.min() < 1 < ratios.max():
        return ": neither is always faster"
    return ""


def details(data: xr.Dataset, task: str) -> style.Cells:
    """The time of each layer's step over the LRU's: of medians, and the range in repeats."""
    middle = data["step_seconds"].sel(task=task).median("repeat")
    times, within = middle / middle.sel(trained="lru"), _relative(data, task)
    return (
        ("time of a step relative to the LRU", "of medians", "smallest", "largest"),
        *(
            (
                NAMES[name],
                f"{float(times.sel(trained=name)):.2f}",
                f"{float(within.sel(trained=name).min()):.2f}",
                f"{float(within.sel(trained=name).max()):.2f}",
            )
            for name in times["trained"].values.tolist()
            if name != "lru"
        ),
    )


def _relative(data: xr.Dataset, task: str) -> xr.DataArray:
    """Seconds of each layer's step over the LRU's in the same repeat."""
    seconds = data["step_seconds"].sel(task=task)
    return seconds / seconds.sel(trained="lru")
