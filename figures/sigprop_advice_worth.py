"""A figure of sigprop, not from a paper: advised and default initialisations."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from sigprop.figures import phrases, ratios, style
from sigprop.figures.entry import Entry

STUDY = "advice"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY), "Final losses of advised and default initialisations"
)
HEIGHTS, BELOW = {"a": 2.2, "b": 2.7}, 0.2  # inches
SPARED = 1  # largest number of tasks on which advice may be worse
DEFAULT = (
    "Default: eigenvalues on the whole disc. Advised: time constants and phases are drawn for "
    "the length of the sequences and the spectrum of the inputs, and states have a mean square "
    "of one."
)
CURVES = (
    "In B, thin curves are seeds and thick curves are geometric means. All are running means "
    "over a tenth of the steps, and start at its end."
)
DECADES = 100.0  # from which an axis is labelled by powers of ten
SMOOTH = 0.1  # share of the records over which a curve is averaged


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows ratios of losses by task, and panel B the training losses.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    panels = {"a": _quotients, "b": _curves}
    data = results[STUDY]
    with style.styled():
        heights = [HEIGHTS[letter] for letter in letters]
        figure = style.figure(sum(heights) + BELOW)
        parts = style.stacked(figure, heights)
        for part, letter in zip(parts, letters, strict=True):
            panels[letter](part, data)
        words = [DEFAULT, ratios.caption(data)] if "a" in letters else [DEFAULT]
        style.caption(figure, " ".join(words + [CURVES] * ("b" in letters)))
    return figure


def _quotients(part: SubFigure, data: xr.Dataset) -> None:
    """Draw both ratios of each task, the smallest on top, and the verdict."""
    axes = part.subplots()
    chosen = ratios.ascending(data.sel(contrast="advised"))
    ratios.both_losses(axes, chosen, "advised / default")
    axes.legend(loc="lower left", fontsize=6.5, handlelength=1, labelspacing=0.2)
    style.letter(axes, "a", "advised initialisation")


def smoothed(values: np.ndarray) -> np.ndarray:
    """Running means over a tenth of the records, from the first whole one on."""
    width = max(1, round(SMOOTH * len(values)))
    return np.convolve(values, np.full(width, 1 / width), "valid")


def _curves(part: SubFigure, data: xr.Dataset) -> None:
    """Draw the training losses of each task, in the order of A."""
    tasks = ratios.ascending(data.sel(contrast="advised"))["of"].values.tolist()
    columns = min(5, len(tasks) + 1)
    rows = -(-(len(tasks) + 1) // columns)
    cut = part.add_gridspec(rows, columns)
    grid = [part.add_subplot(cut[index]) for index in range(len(tasks) + 1)]
    for axes, task in zip(grid, tasks, strict=False):
        for arm, colour in style.STARTS.items():
            _arm(axes, rows_of(data, task, arm), colour)
        _log(axes)
        axes.set_xticks([0, 0.5, 1])
        axes.tick_params(labelsize=6)
        axes.set_title(ratios.NAMES[task], fontsize=6)
    grid[len(tasks)].set_axis_off()
    for arm, colour in style.STARTS.items():
        grid[len(tasks)].plot([], [], color=colour, label=arm)
    grid[len(tasks)].legend(loc="center", title="initialisation", fontsize=6.5)
    heading = r"$\bf{B}$   training curves"
    part.suptitle(heading, x=0.09, ha="left", fontsize=8)
    part.supxlabel("share of the training steps", fontsize=7)
    part.supylabel("training loss", fontsize=7)


def _log(axes: Axes) -> None:
    """A log axis: plain numbers within two decades, powers of ten beyond."""
    low, high = axes.dataLim.intervaly
    if high < DECADES * low:
        style.plain_log(axes)
        if high < 10 * low:  # low panels have room for few numbers
            axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        return
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(numticks=5))
    axes.yaxis.set_minor_locator(NullLocator())


def rows_of(data: xr.Dataset, task: str, arm: str) -> np.ndarray:
    """Training losses with one initialisation on a task, a row for each seed."""
    here = (data["task"].values == task) & (data["arm"].values == arm)
    rows = data["loss"].values[here]
    return rows[:, np.isfinite(rows).any(0)]


def _arm(axes: Axes, rows: np.ndarray, colour: Any) -> None:
    curves = np.array([smoothed(row) for row in rows])
    share = np.linspace(0, 1, rows.shape[1] + 1)[-curves.shape[1] :]
    for curve in curves:
        axes.plot(share, curve, color=colour, linewidth=0.4, alpha=0.45)
    whole = curves[np.isfinite(curves).all(1)]
    axes.plot(share, np.exp(np.log(whole).mean(0)), color=colour, linewidth=1.4)


def shown(results: style.Results) -> str:
    """The numbers of tasks on which the advice is better and worse, and the aim."""
    verdicts = [*ratios.verdicts(results[STUDY], "advised").values()]
    better, worse = verdicts.count(ratios.BETTER), verdicts.count(ratios.WORSE)
    reached = worse <= SPARED and 2 * better >= len(verdicts)
    chosen = results[STUDY].sel(contrast="advised")
    gained = np.exp(chosen["mean"].values[chosen["word"].values == ratios.BETTER])
    span = ""
    if better:
        times = phrases.span(gained, ".3f")
        span = f"Where the loss is lower, it is {times} times the default's. "
    return (
        f"The advised initialisation ends with a lower validation loss than the default on "
        f"{better} of {len(verdicts)} tasks, and with a higher loss on {worse}. "
        f"{span}The aim, set before these trainings, was a lower loss on half of the tasks "
        f"and a higher loss on at most one; it is {'reached' if reached else 'not reached'}."
    )


def details(results: style.Results) -> style.Cells:
    """The verdict on the last validation loss, by task."""
    return (
        ("last validation loss of", "advised / default"),
        *(
            (ratios.NAMES[task], verdict)
            for task, verdict in ratios.verdicts(results[STUDY], "advised").items()
        ),
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-advice-worth")
