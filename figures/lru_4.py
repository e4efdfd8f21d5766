"""Orvieto et al. (2023), Figure 4: impulse responses with all phases and with small phases."""

from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from sigprop.figures import disk, style
from sigprop.figures.entry import Entry

STUDY = "impulse_responses"
ENTRY = Entry(
    dict.fromkeys("abcd", STUDY),
    "Impulse responses of modes with all phases and with small phases",
    rows=("lru:fig4", "lru:text:few-oscillations"),
)
COLOURS = (style.BLUE, style.ORANGE, style.GREEN)
RANGES = ((style.VERMILION, "o"), (style.PURPLE, "s"))
HEIGHTS = 3.0, 2.0  # inches of the responses and of the count


class Panel(NamedTuple):
    """The index of a range of phases in the result, and the number of steps shown."""

    phase_index: int
    length: int  # the whole responses if zero


FIRST = 32  # steps of the insets
SHORT = 1024  # steps, for which the paper has the first range
PANELS = {"a": Panel(0, 0), "b": Panel(1, 0), "c": Panel(0, SHORT)}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A to C show impulse responses of three modes, with all or small phases.

    Panel D shows the mean number of periods of a mode against the sequence length.  Phases are
    uniform.  A phase θ above π turns like 2π - θ, so that phases up to 2π give as many periods
    as phases up to π.  Lines join the values at successive steps, so fast oscillations seem to
    beat.  Above A and C are the first 32 steps, and grey lines are powers of the eigenvalue's
    modulus.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    columns = [letter for letter in letters if letter in PANELS]
    heights = [HEIGHTS[0]] * bool(columns) + [HEIGHTS[1]] * ("d" in letters)
    width = style.WIDTH * len(columns) / len(PANELS) if columns else 3.6
    with style.styled():
        figure = style.figure(sum(heights), max(width, 2.4))
        rows = style.stacked(figure, heights)
        if columns:
            _responses(rows[0], data, columns)
        if "d" in letters:
            _turns(rows[-1].subplots(), data)
    return figure


def _responses(part: SubFigure, data: xr.Dataset, letters: list[str]) -> None:
    """A column a panel, a row a mode."""
    modes = data.sizes["mode"]
    grid = part.subplots(modes, len(letters), squeeze=False, sharex="col", sharey=True)
    for column, letter in zip(grid.T, letters, strict=True):
        phase_index, length = PANELS[letter]
        responses = data.isel(max_phase=phase_index, age=slice(length or None))
        for mode, axes in enumerate(column):
            _mode(axes, responses, mode)
            if phase_index == 0:
                _first_steps(axes, responses, mode)
        column[-1].set_xlabel("age of the impulse (steps)")
        largest = disk.over_pi(float(responses["max_phase"]))
        title = rf"$\theta \leq {largest}$, {responses.sizes['age']} steps"
        style.letter(column[0], letter, title)
    grid[modes // 2, 0].set_ylabel(r"Re $x_k$")


def _mode(axes: Axes, data: xr.Dataset, mode: int) -> None:
    """One state, between the powers of its eigenvalue's modulus."""
    age, state = data["age"].values, data["state"].isel(mode=mode)
    colour = COLOURS[mode % len(COLOURS)]
    axes.plot(age, state, color=colour, linewidth=0.5, rasterized=True)
    for sign in (-1, 1):
        axes.plot(age, sign * data["envelope"], color=style.GREY, linewidth=0.7)
    axes.set(xlim=(0, age[-1] + 1), ylim=(-1.1, 3.4), yticks=(-1, 0, 1))
    axes.set_xticks((0, (age[-1] + 1) // 2, age[-1] + 1))
    phase = float(data["phase"][mode]) / np.pi
    axes.annotate(
        rf"$\theta = {phase:.2g}\,\pi$",
        (1, 1),
        xycoords="axes fraction",
        ha="right",
        va="top",
        color=colour,
        fontsize=6,
    )


def _first_steps(axes: Axes, data: xr.Dataset, mode: int) -> None:
    """The first steps of a fast mode, each step a dot."""
    first = data.isel(mode=mode, age=slice(FIRST))
    colour = COLOURS[mode % len(COLOURS)]
    inset = axes.inset_axes((0.0, 0.56, 0.6, 0.4))
    look = {"color": colour, "linewidth": 0.4, "markersize": 1.8, "mew": 0}
    inset.plot(first["age"], first["state"], "o-", **look)
    inset.axis("off")


def _turns(axes: Axes, data: xr.Dataset) -> None:
    """Mean number of periods within a length, in samples and in theory."""
    length = data["length"].values
    key: list[Line2D] = []
    for index, (colour, marker) in enumerate(RANGES):
        modes = data.isel(max_phase=index)
        turns = modes["turns"].transpose("draw", "length").values
        label = rf"$\theta \leq {disk.over_pi(float(modes['max_phase']))}$"
        axes.plot(length, modes["mean_turns"], color=colour)
        axes.errorbar(
            length,
            turns.mean(0),
            style.standard_error(turns),
            fmt=marker,
            color=colour,
        )
        key.append(Line2D([], [], color=colour, marker=marker, label=label))
    axes.set(xscale="log", yscale="log", xlabel="sequence length $L$")
    for index, steps in ((0, SHORT), (0, length[-1]), (1, length[-1])):
        mean = data["mean_turns"].isel(max_phase=index).sel(length=steps)
        axes.annotate(
            f"{float(mean):.0f}",
            (steps, float(mean)),
            (5, -4),
            textcoords="offset points",
            va="top",
            color=RANGES[index][0],
        )
    axes.set_xticks(length, [str(steps) for steps in length])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylabel("mean number of periods")
    points = f"mean of {data.sizes['draw']} modes"
    key += [
        Line2D([], [], color=style.BLACK, label="exact mean"),
        Line2D([], [], ls="", marker="o", color=style.BLACK, label=points),
    ]
    axes.legend(handles=key, loc="upper left", ncols=2)
    style.letter(axes, "d", "periods")


def shown(results: style.Results) -> str:
    """Exact mean numbers of periods, of both ranges and of the first in a short sequence."""
    data = results[STUDY]
    turns, steps = data["mean_turns"], int(data["length"][-1])
    first, second = (
        disk.over_pi(float(phase)).replace(r"\pi", "π") for phase in data["max_phase"]
    )
    short, full, small = (
        float(turns.isel(max_phase=index).sel(length=length))
        for index, length in ((0, SHORT), (0, steps), (1, steps))
    )
    return (
        f"In {steps} steps a mode completes {full:.0f} periods on average with phases up to "
        f"{first}, and {small:.0f} with phases up to {second}. Small phases give "
        f"{'fewer' if short > small else 'no fewer'} periods in {steps} steps ({small:.0f}) "
        f"than phases up to {first} in {SHORT} steps ({short:.0f})."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-4")
