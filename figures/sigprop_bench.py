"""A figure of sigprop, not from a paper: speed compared with alternatives."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import NullLocator

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

ENTRY = Entry(
    {"a": "speed_moments", "b": "speed_layers"} | dict.fromkeys("cd", "speed_sizes"),
    "Speed of moments and layers compared with alternatives",
)
NAMES = {
    "kernel": "our kernel",
    "streaming": "streaming scan",
    "associative": "associative scan",
    "one_by_one": "one sequence\nat a time",
}
OTHERS = {
    "usual": ("associative scan", style.SKY),
    "scan": ("lax.scan", style.VERMILION),
}
TASKS = {
    "moments": style.BLUE,
    "layer": style.GREEN,
    "loss": style.ORANGE,
    "Hessian": style.PURPLE,
}
GROWN = {
    "c": ("seconds", "time of a call, s", 1.0),
    "d": ("memory", "memory of a call, MB", 1e-6),
}
TITLES = {"c": "time", "d": "memory"}
AXES = {"length": "steps $T$", "neurons": "neurons $n$"}
LETTER = {"length": "T", "neurons": "n"}
ROOM = 2  # times the upper limit, for a name beside it and below the heading
FLAT = 0.15  # powers below it are called constant


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B compare the speed of methods, C and D show time and memory against size.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    rows = [row for row in ("ab", "c", "d") if set(row) & set(letters)]
    with style.styled():
        figure = style.figure(2.2 * len(rows) + 0.3)
        for part, row in zip(style.stacked(figure, [1] * len(rows)), rows, strict=True):
            wanted = [letter for letter in row if letter in letters]
            if row == "ab":
                _compared(part, wanted, results)
            else:
                _grown(part, row, results[ENTRY.studies[row]])
        notes = [NOTES[letter] for letter in letters]
        about = results[ENTRY.studies[letters[0]]].attrs
        if "a" in letters:
            notes[0] = notes[0].format(**about)
        style.caption(
            figure,
            " ".join([f"Times are measured on {phrases.machine(about)}.", *notes]),
        )
    return figure


NOTES = {
    "a": "A: time averages of {sequences} sequences of {length} steps through {neurons} "
    "neurons. Our kernel is one compiled loop that keeps running sums, and a streaming scan is "
    "the same loop in JAX. Points are repeats, and numbers are medians of times relative to "
    "the kernel's.",
    "b": "B: loss and gradients of an LRU, with medians and ranges over repeats. Our scan has "
    "its own backward pass.",
    "c": "C and D: moments of 64 sequences, gradients of a layer, and the closed-form loss of "
    "a student and its Hessian. Moments and layers have 256 neurons at the left and 2048 steps "
    "at the right. Students have 64 neurons at the left and 300 steps at the right. Exponents "
    "are fitted to the larger half of the sizes.",
    "d": "D has the memory minus the memory for two neurons and two steps.",
}


def _compared(part: SubFigure, letters: list[str], results: style.Results) -> None:
    panels = {"a": _rates, "b": _ratios}
    row = part.subplots(1, len(letters), squeeze=False)[0]
    for axes, letter in zip(row, letters, strict=True):
        panels[letter](axes, results[ENTRY.studies[letter]])


def _rates(axes: Axes, data: xr.Dataset) -> None:
    """Draw a row of points for each method, the fastest on top."""
    times = data["seconds"] / data["seconds"].sel(way="kernel")
    middle = times.median("repeat")
    seconds = data["seconds"] / data["seconds"].sel(way="kernel").median("repeat")
    ways = sorted(NAMES, key=lambda way: float(middle.sel(way=way)))
    for row, way in enumerate(ways):
        own = seconds.sel(way=way).values
        colour = style.BLUE if way == "kernel" else style.GREY
        axes.scatter(own, np.full(own.shape, row), s=8, color=colour)
        if way != "kernel":
            axes.annotate(
                f"{style.number(float(middle.sel(way=way)))} ×",
                (float(np.median(own)), row),
                (0, 5),
                textcoords="offset points",
                fontsize=6.5,
                ha="center",
            )
    axes.set_xscale("log")
    axes.set_xlim(0.4, 2.5 * float(seconds.max()))
    axes.set_ylim(len(NAMES) - 0.5, -0.8)
    axes.set_yticks(range(len(ways)), [NAMES[way] for way in ways])
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("time relative to our kernel")
    style.letter(axes, "a", "moments")


def _ratios(axes: Axes, data: xr.Dataset) -> None:
    """Draw the time of other methods over ours, at the lengths at which they ran."""
    for way, (name, colour) in OTHERS.items():
        times = data["seconds"].sel(way=way) / data["seconds"].sel(way="engine")
        times = times.dropna("length", how="all")
        length = times["length"].values
        low, high = times.min("repeat"), times.max("repeat")
        axes.fill_between(length, low, high, color=colour, alpha=0.2, linewidth=0)
        middle = times.median("repeat")
        axes.plot(length, middle, "o-", color=colour, label=name)
        axes.annotate(
            *(name, (length[-1], float(high[-1])), (0, 3)),
            textcoords="offset points",
            ha="right",
            color=colour,
            fontsize=7,
        )
    axes.axhline(1, color=style.BLACK, linewidth=0.6)
    axes.set(xscale="log", xlabel="steps", ylabel="time relative to our scan")
    marked = data["length"].values[::2]
    axes.set_xticks(marked, [f"{length}" for length in marked])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0, 1.12 * axes.get_ylim()[1])
    style.letter(axes, "b", "a layer, forward and backward")


def _grown(part: SubFigure, letter: str, data: xr.Dataset) -> None:
    """Draw one cost against both sizes, side by side."""
    cost, unit, scale = GROWN[letter]
    row = part.subplots(1, len(AXES), sharey=True, squeeze=False)[0]
    ends_of = []
    for axes, (axis, name) in zip(row, AXES.items(), strict=True):
        series = data.sel(axis=axis)
        ends: list[tuple[float, float, str, str]] = []
        for task, colour in TASKS.items():
            power = float(series[f"{cost}_power"].sel(task=task))
            costs = scale * series[cost].sel(task=task)
            costs = costs.where(costs > 0)
            label = _label(task, power, LETTER[axis])
            axes.plot(
                series["size"], costs, "o-", color=colour, label=label, markersize=3
            )
            last = np.flatnonzero(np.isfinite(costs.values))[-1]
            end = float(series["size"][last]), float(costs[last])
            ends.append((*end, label, colour))
        axes.set(xscale="log", yscale="log", xlabel=name)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_minor_locator(NullLocator())
        axes.margins(x=0.02)
        ends_of.append((axes, ends))
    low, high = row[0].get_ylim()
    row[0].set_ylim(low, ROOM * high)
    for axes, ends in ends_of:
        _ends(axes, ends)
    row[0].set_ylabel(unit)
    style.letter(row[0], letter, TITLES[letter])


def _label(task: str, power: float, letter: str) -> str:
    """A task and the power by which its cost grows, of one digit after the point."""
    if np.isnan(power):
        return task
    if abs(power) < FLAT:
        return f"{task}, constant"
    return rf"{task}, $\propto {letter}^{{{power:.1f}}}$"


def _ends(axes: Axes, ends: list[tuple[float, float, str, str]]) -> None:
    """Name lines right of their ends, above the end of a line that ends early."""
    longest = max(end[0] for end in ends)
    highest = max(end[1] for end in ends)
    whole = [end for end in ends if end[0] == longest]
    for x, y, label, colour in ends:
        if x < longest:
            axes.annotate(
                *(label, (x, y), (4, 6 if y == highest else 2)),
                textcoords="offset points",
                color=colour,
                fontsize=7,
                annotation_clip=False,
            )
    heights = [y for _, y, _, _ in whole]
    labels = [label for _, _, label, _ in whole]
    colours = [colour for _, _, _, colour in whole]
    style.end_labels(axes, longest, heights, labels, colours, 0.12)


def shown(results: style.Results) -> str:
    """The times of other methods over ours, and the growth of times with the length."""
    moments, layers = (results[ENTRY.studies[letter]]["seconds"] for letter in "ab")
    ratio = (moments / moments.sel(way="kernel")).median("repeat")
    streaming, associative, single = (
        style.number(float(ratio.sel(way=way))) for way in NAMES if way != "kernel"
    )
    times = (layers / layers.sel(way="engine")).median("repeat")
    usual, scan = (
        phrases.span(times.sel(way=way).dropna("length").values, ".1f")
        for way in OTHERS
    )
    powers = results[ENTRY.studies["c"]]["seconds_power"].sel(axis="length")
    grown = phrases.listed(
        [
            f"{float(powers.sel(task=task)):.1f} ({task})"
            for task in TASKS
            if np.isfinite(powers.sel(task=task))
        ]
    )
    return (
        f"Computing moments takes {streaming} times as long with a streaming scan as with our "
        f"kernel, {associative} times with an associative scan, and {single} times one "
        f"sequence at a time. Loss and gradients of a layer take {usual} times as long with an "
        f"associative scan as with our scan, and {scan} times as long with lax.scan. Times "
        f"grow as the length to the power {grown}."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-bench")
