"""Whether advice is worth following: networks that begin as advised, and by default."""

import math
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import LogLocator, NullLocator

from sigprop.figures import style

STUDIES = {"a": "advice", "b": "advice", "c": "advice_rates", "d": "advice_phases"}
NAMES = {
    "white": "teacher, white input",
    "correlated": "teacher, correlated",
    "smnist-10k": "sMNIST, 10k",
    "listops-short": "ListOps, short",
    "ETTh1": "ETTh1, 24 hours",
    "WTH": "WTH, 24 hours",
    "psmnist-10k": "psMNIST, 10k",
    "fsdd": "spoken digits",
    "digits": "digits, 8 x 8",
}
MEASURES = {
    "last validation loss": (("mean", "low", "high"), style.BLUE, "o", 0.14),
    "training loss along the way": (
        ("area", "area_low", "area_high"),
        style.ORANGE,
        "s",
        -0.14,
    ),
}
COLOURS = {"default": style.VERMILION, "advised": style.BLUE}
WAYS = {
    "advised": ("spread: half and half", style.BLUE, "o", 0.22),
    "input": ("input: where its power is", style.GREEN, "v", 0.0),
    "all": ("all: anywhere", style.PURPLE, "^", -0.22),
}
# In inches; at 3.1 places in B lie halfway between two numbers of ten decimals, and how the
# layout rounds decides which of them a PDF has.
HEIGHTS, BELOW = {"a": 2.2, "b": 3.13, "c": 1.8, "d": 1.8}, 0.75
QUOTIENTS = {
    "a": ("advised", "advised / default", "advised initialisation"),
    "c": (
        "rates",
        "with lower rates / without",
        "lower recurrent learning rates in addition",
    ),
}
BETTER, WORSE = "better", "worse"
SPARED = 1  # tasks on which advice may be worse
CAPTION = (
    "A, C, D: ratios of losses with equal seeds: geometric means with 95 % intervals "
    "(Student's t of the logarithms), over ten seeds of quick trainings and five of the "
    "others. The axis is linear from 0.9 to 1.1 and compressed beyond. Words at the right "
    "refer to the last validation loss. B: training loss over the share of the steps; thin: "
    "seeds; thick: geometric means. C: recurrent learning rates lowered to the largest "
    "stable ones, where these are below half the default. D: last validation losses for "
    "three ranges of phases, on the tasks on which one range was chosen with other seeds."
)
NEAR = 0.1  # logarithms of quotients are drawn evenly below
FAR = math.log(10_000)  # and not shown above
TICKS = (0.001, 0.1, 0.4, 0.7, 0.9, 0.95, 1, 1.05, 1.1, 1.4, 2.5, 10, 1000)
DECADES = 100.0  # from which an axis is labelled by powers of ten
SMOOTH = 0.1  # of the records that a curve is averaged over


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Quotients of losses by task, and losses along the way.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    heights = [HEIGHTS[one] for one in letters]
    heights[-1] += BELOW
    with style.styled():
        drawn = style.figure(sum(heights))
        parts = style.stacked(drawn, heights)
        for part, one in zip(parts, letters, strict=True):
            data = results[STUDIES[one]]
            if one == "b":
                _curves(part, data)
            elif one == "d":
                _choices(part.subplots(), data)
            else:
                quotients(part.subplots(), data, one)
        style.caption(parts[-1], CAPTION)
    return drawn


def quotients(
    axes: Axes, data: xr.Dataset, panel: str, letter: str | None = None
) -> None:
    """Both measures of each task, first task on top, and the word."""
    contrast, over, title = QUOTIENTS[panel]
    chosen = data.sel(contrast=contrast)
    for label, (names, colour, marker, up) in MEASURES.items():
        _bars(axes, chosen, names, up, fmt=marker, color=colour, label=label)
    places = _tasks(axes, chosen, over)
    words = axes.secondary_yaxis("right")
    words.set_yticks(places, chosen["word"].values.tolist())
    words.tick_params(length=0, labelsize=6.5)
    if panel == "a":
        axes.legend(loc="lower right", fontsize=5.5)
    style.letter(axes, letter or panel, title)


def _choices(axes: Axes, data: xr.Dataset) -> None:
    """The last losses of each way to draw phases."""
    for contrast, (label, colour, marker, up) in WAYS.items():
        chosen = data.sel(contrast=contrast)
        names = ("mean", "low", "high")
        _bars(axes, chosen, names, up, fmt=marker, color=colour, label=label)
    _tasks(axes, data, "advised / default")
    axes.legend(loc="upper right", fontsize=5.5)
    style.letter(axes, "d", "choice of phases")


def _bars(
    axes: Axes, data: xr.Dataset, names: tuple[str, str, str], up: float, **marks: Any
) -> None:
    """Middles with their intervals, first task on top."""
    middle, low, high = (data[name].values for name in names)
    places = -np.arange(data.sizes["of"])
    reach = [middle - low, high - middle]
    axes.errorbar(middle, places + up, xerr=reach, markersize=3, linewidth=1, **marks)


def _tasks(axes: Axes, data: xr.Dataset, over: str) -> np.ndarray:
    """Quotients along the axis, tasks beside it; returns where they are."""
    places = -np.arange(data.sizes["of"])
    axes.axvline(0, color=style.BLACK, linewidth=0.6)
    axes.set_xscale("symlog", base=math.e, linthresh=NEAR, linscale=1)
    axes.set_xlim(-FAR, FAR)
    axes.set_xticks(np.log(TICKS), [f"{one:g}" for one in TICKS])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yticks(places, [NAMES[one] for one in data["of"].values.tolist()])
    axes.set_ylim(places[-1] - 0.6, 0.6)
    axes.tick_params(labelsize=6.5)
    axes.set_xlabel(f"loss, {over}", fontsize=7)
    return places


def smoothed(values: np.ndarray) -> np.ndarray:
    """Running means over a tenth of the records, from the first whole one on."""
    width = max(1, round(SMOOTH * len(values)))
    return np.convolve(values, np.full(width, 1 / width), "valid")


def _curves(part: SubFigure, data: xr.Dataset) -> None:
    tasks = list(dict.fromkeys(data["task"].values.tolist()))
    columns = min(4, len(tasks) + 1)
    rows = -(-(len(tasks) + 1) // columns)
    cut = part.add_gridspec(rows, columns)
    grid = [part.add_subplot(cut[place]) for place in range(len(tasks) + 1)]
    for place, (axes, task) in enumerate(zip(grid, tasks, strict=False)):
        for arm, colour in COLOURS.items():
            _arm(axes, rows_of(data, task, arm), colour)
        _log(axes)
        axes.set_xticks([0, 0.5, 1])
        axes.tick_params(labelsize=5.5)
        if place == 0:
            style.letter(axes, "b", NAMES[task], size=6.5)
        else:
            axes.set_title(NAMES[task], fontsize=6.5)
    grid[len(tasks)].set_axis_off()
    for arm, colour in COLOURS.items():
        grid[len(tasks)].plot([], [], color=colour, label=arm)
    grid[len(tasks)].legend(loc="center", title="initialisation", fontsize=6.5)
    part.supxlabel("share of the steps", fontsize=7)
    part.supylabel("training loss", fontsize=7)


def _log(axes: Axes) -> None:
    """A log axis: plain numbers within two decades, powers of ten beyond."""
    low, high = axes.dataLim.intervaly
    if high < DECADES * low:
        style.plain_log(axes)
        return
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(numticks=5))
    axes.yaxis.set_minor_locator(NullLocator())


def rows_of(data: xr.Dataset, task: str, arm: str) -> np.ndarray:
    """Training losses of a way to begin on a task, a row a seed."""
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
    """On which tasks the advice is better and worse, whether that is enough, and rates."""
    words = _words(results[STUDIES["a"]], "advised")
    better = [NAMES[task] for task, word in words.items() if word == BETTER]
    worse = [NAMES[task] for task, word in words.items() if word == WORSE]
    same = [NAMES[task] for task, word in words.items() if word not in (BETTER, WORSE)]
    asked = len(worse) <= SPARED and 2 * len(better) >= len(words)
    told = (
        f"Advised networks end with a lower validation loss than default ones on "
        f"{_listed(better)} of {len(words)} tasks, with a higher loss on {_listed(worse)}. "
        f"There is no clear difference on {_listed(same)}. The aim, lower on half of the "
        f"tasks and higher on at most one, is {'reached' if asked else 'not reached'}."
    )
    rates = [*_words(results[STUDIES["c"]], "rates").values()]
    ways = {name: _words(results[STUDIES["d"]], name) for name in WAYS}
    counts = "; ".join(
        f"{WAYS[name][0].partition(':')[0]} {[*words.values()].count(BETTER)} and "
        f"{[*words.values()].count(WORSE)}"
        for name, words in ways.items()
    )
    return (
        f"{told} Lower recurrent learning rates help on {rates.count(BETTER)} and harm on "
        f"{rates.count(WORSE)} of {len(rates)} tasks. Of {len(ways['all'])} tasks, these "
        f"choices of phases help and harm: {counts}."
    )


def _listed(names: list[str]) -> str:
    return f"{len(names)} ({'; '.join(names)})" if names else "none"


def _words(data: xr.Dataset, contrast: str) -> dict[str, str]:
    chosen = data["word"].sel(contrast=contrast)
    return dict(zip(data["of"].values.tolist(), chosen.values.tolist(), strict=True))
