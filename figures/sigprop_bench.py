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
    "kernel": "kernel",
    "streaming": "streaming scan",
    "associative": "associative scan",
    "one_by_one": "one sequence at a time",
}
OTHERS = {
    "usual": ("associative scan", style.ORANGE),
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
        style.caption(figure, " ".join(NOTES[letter] for letter in letters))
    return figure


NOTES = {
    "a": "Points in A are repeats, with the time relative to the kernel's.",
    "b": "B has loss and gradients of an LRU, with medians and ranges over repeats.",
    "c": "Exponents in C and D are fitted to the larger half of the sizes.",
    "d": "D has the memory minus the memory for two neurons and two steps.",
}


def _compared(part: SubFigure, letters: list[str], results: style.Results) -> None:
    panels = {"a": _rates, "b": _ratios}
    row = part.subplots(1, len(letters), squeeze=False)[0]
    for axes, letter in zip(row, letters, strict=True):
        panels[letter](axes, results[ENTRY.studies[letter]])


def _rates(axes: Axes, data: xr.Dataset) -> None:
    """Draw a row of points for each method, the fastest on top."""
    steps = data.attrs["neurons"] * data.attrs["sequences"] * data.attrs["length"]
    fastest = data["seconds"].sel(way="kernel")
    for row, (way, name) in enumerate(NAMES.items()):
        seconds = data["seconds"].sel(way=way)
        rates = (steps / seconds).values
        colour = style.BLUE if way == "kernel" else style.GREY
        axes.scatter(rates, np.full(rates.shape, row), s=8, color=colour)
        text = name
        if way != "kernel":
            text += f", {float((seconds / fastest).median()):.3g} times as long"
        where = float(np.median(rates)), row
        axes.annotate(
            text,
            where,
            (0, 5),
            textcoords="offset points",
            fontsize=6,
            color=colour,
            ha="right" if row < len(NAMES) / 2 else "left",
        )
    axes.set_xscale("log")
    axes.set_ylim(len(NAMES) - 0.5, -0.8)
    axes.set_yticks([])
    axes.set_xlabel("neuron-steps per second")
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
    axes.set_ylim(0, 1.12 * axes.get_ylim()[1])
    style.letter(axes, "b", "a layer, forward and backward")


def _grown(part: SubFigure, letter: str, data: xr.Dataset) -> None:
    """Draw one cost against both sizes, side by side."""
    cost, unit, scale = GROWN[letter]
    row = part.subplots(1, len(AXES), sharey=True, squeeze=False)[0]
    for axes, (axis, name) in zip(row, AXES.items(), strict=True):
        series = data.sel(axis=axis)
        ends: list[tuple[float, str, str]] = []
        for task, colour in TASKS.items():
            power = float(series[f"{cost}_power"].sel(task=task))
            costs = scale * series[cost].sel(task=task)
            costs = costs.where(costs > 0)
            label = (
                task
                if np.isnan(power)
                else rf"{task}, $\propto {LETTER[axis]}^{{{power:.2f}}}$"
            )
            axes.plot(
                series["size"], costs, "o-", color=colour, label=label, markersize=3
            )
            ends.append((float(costs.values[np.isfinite(costs)][-1]), label, colour))
        axes.set(xscale="log", yscale="log", xlabel=name)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_minor_locator(NullLocator())
        axes.margins(x=0.02)
        heights, labels, colours = map(list, zip(*ends, strict=True))
        style.end_labels(
            axes, float(series["size"].max()), heights, labels, colours, 0.12
        )
    row[0].set_ylabel(unit)
    style.letter(row[0], letter, TITLES[letter])


def shown(results: style.Results) -> str:
    """The times of other methods over ours, for moments and for a layer."""
    moments, layers = (results[ENTRY.studies[letter]]["seconds"] for letter in "ab")
    ratio = (moments / moments.sel(way="kernel")).median("repeat")
    streaming, associative, single = (
        f"{float(ratio.sel(way=way)):.3g}" for way in NAMES if way != "kernel"
    )
    times = (layers / layers.sel(way="engine")).median("repeat")
    usual, scan = (
        phrases.span(times.sel(way=way).dropna("length").values, ".2g")
        for way in OTHERS
    )
    return (
        f"Computing moments takes {streaming} times as long with a streaming scan as with our "
        f"kernel, and {associative} times with an associative scan. Simulating one sequence "
        f"at a time takes {single} times as long as the kernel. Loss and gradients of a layer "
        f"take {usual} times as long with an associative scan as with our scan, and {scan} "
        "times as long with lax.scan."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-bench")
