"""Final losses of tuned networks: a point a seed, the median, an interval for it.

The interval goes from one order statistic to another.  It holds the median over all
seeds there could be at a level of 95 %, whatever the distribution, or is the whole
range where there are too few seeds for that.  A seed that diverged, or ended above
``FAR``, is a cross above the panel; where half of them or more do at every learning
rate, the median is missing and the panel says so.  An open circle says that the best
learning rate is an end of the scan, so that a better one may lie beyond.
"""

import json
import math
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from sigprop.figures import style

LEVEL = 0.95
FAR = 1e4  # losses above are shown as crosses
LABEL = "final loss\n(½ mean squared error)"
COLOURS = {
    "RNN": style.VERMILION,
    "block diagonal": style.ORANGE,
    "more neurons": style.PURPLE,
    "complex diagonal": style.GREEN,
    "LRU": style.BLUE,
    "released LRU": style.SKY,
    "S4": style.PURPLE,
}
PRINTED = "sigprop.layers.lru.zucchet_lru"
STARTS = {
    PRINTED: "initialised as printed (phases of one sign, weights by fan-in)",
    "sigprop.layers.lru.released_zucchet_lru": "initialised as in the authors' code "
    "(phases of both signs, weights by fan-out)",
}


def interval(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the interval for the median over the last axis.

    With ``n`` values, the ``k`` least and the ``k`` greatest are left out, where ``k`` is
    the most for which the chance that ``k`` coin tosses or fewer of ``n`` are heads is at
    most half of what ``LEVEL`` leaves.
    """
    count = values.shape[-1]
    chances = np.cumsum([math.comb(count, k) for k in range(count)]) / 2**count
    out = max(int(np.sum(chances <= (1 - LEVEL) / 2)) - 1, 0)
    ordered = np.sort(values, axis=-1)
    return ordered[..., out], ordered[..., count - 1 - out]


def decades(tuned: xr.Dataset) -> xr.DataArray:
    """Log to base ten of the seeds' median loss, by the other dimensions."""
    return xr.apply_ufunc(np.log10, tuned["best"].median("run"))


def axis(axes: Axes, *tuned: xr.Dataset) -> None:
    """A logarithmic axis of losses, wide enough for every seed of these results."""
    values = np.concatenate([table["best"].values.ravel() for table in tuned])
    finite = values[values < FAR]
    low, high = (finite.min(), finite.max()) if finite.size else (1.0, 1.0)
    axes.set_yscale("log")
    room = 4 if (values >= FAR).any() else 1.6  # for crosses at the upper edge
    axes.set_ylim(low / 1.6, high * room)
    axes.yaxis.set_major_locator(LogLocator(numticks=8))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylabel(LABEL)


def spread(x: np.ndarray, runs: int, width: float) -> np.ndarray:
    """Return the x coordinates (position, run) of runs side by side at each position."""
    return x[:, None] + width * np.linspace(-0.5, 0.5, runs)


def draw(
    axes: Axes, x: np.ndarray, tuned: xr.Dataset, colour: str, width: float
) -> np.ndarray:
    """Draw all runs of one network at each position, and a line through the medians.

    Args:
        axes: After ``axis``.
        x: Positions.
        tuned: ``best`` by position and run, and ``extreme`` by position.
        colour: Of points, bars and line.
        width: Width over which the seeds spread around their position.

    Returns:
        The medians, infinite where there is a gap.
    """
    best, extreme = tuned["best"].values, tuned["extreme"].values.astype(bool)
    median, (low, high) = np.median(best, axis=1), interval(best)
    top = axes.get_ylim()[1]
    aside = spread(x, best.shape[1], width)
    sound = best < FAR
    axes.plot(
        aside[sound], best[sound], ".", color=colour, markersize=3, alpha=0.6, mew=0
    )
    crosses(axes, aside[~sound], colour)
    shown = median < FAR
    axes.plot(x, np.where(shown, median, np.nan), color=colour, linewidth=0.9)
    if best.shape[1] > 1:
        axes.vlines(x[shown], low[shown], np.minimum(high, top)[shown], colour, lw=1.4)
    for face, which in ((colour, shown & ~extreme), ("white", shown & extreme)):
        axes.plot(
            x[which],
            median[which],
            "o",
            markersize=3.2,
            markerfacecolor=face,
            markeredgecolor=colour,
            markeredgewidth=0.8,
        )
    for position in x[~shown]:
        axes.annotate(
            "diverges at\nevery rate",
            (position, 1),
            (0, -4),
            xycoords=axes.get_xaxis_transform(),
            textcoords="offset points",
            ha="center",
            va="top",
            color=colour,
            fontsize=6,
        )
    return median


def crosses(axes: Axes, x: np.ndarray, colour: str) -> None:
    """Draw a cross above the panel at the position of each seed outside the panel."""
    if x.size:
        axes.plot(
            x,
            np.ones(x.size),
            "x",
            color=colour,
            markersize=2.5,
            markeredgewidth=0.6,
            clip_on=False,
            transform=axes.get_xaxis_transform(),
        )


def compare(
    axes: Axes, x: np.ndarray, tuned: xr.Dataset, apart: float = style.APART
) -> None:
    """Every network side by side at every condition, each named at its right end.

    Args:
        axes: After ``axis``.
        x: Places of the conditions, from left to right.
        tuned: A gathered sweep of several conditions.
        apart: Of names at the right, see ``style.end_labels``.
    """
    step = np.diff(x).min()
    names = [str(name) for name in tuned["student"].values]
    ends = []
    for i, name in enumerate(names):
        shift = 0.2 * step * (i - (len(names) - 1) / 2)
        student = tuned[["best", "extreme"]].sel(student=name)
        median = draw(axes, x + shift, student, COLOURS[name], 0.16 * step)
        shown = median[np.isfinite(median)]
        ends.append(float(shown[-1] if shown.size else axes.get_ylim()[1]))
    axes.set_xlim(x[0] - 0.4 * step, x[-1] + 0.4 * step)
    style.end_labels(
        axes,
        x[-1] + 0.4 * step,
        ends,
        names,
        [COLOURS[name] for name in names],
        apart,
    )


def key(*tuned: xr.Dataset, colour: str = style.BLACK) -> list[Line2D]:
    """Legend entries of the marks that these results need."""
    runs = tuned[0].sizes["run"]
    mark: dict[str, Any] = {"ls": "", "color": colour}
    circle: dict[str, Any] = {"marker": "o", "markersize": 3.2, **mark}
    entries = [Line2D([], [], label="median" if runs > 1 else "one seed", **circle)]
    if runs > 1:
        entries += [
            Line2D([], [], marker=".", markersize=3, label="one seed", mew=0, **mark),
            Line2D([], [], color=colour, lw=1.4, label=_bars(runs)),
        ]
    if any(table["extreme"].values.any() for table in tuned):
        label = "best rate at an\nend of the scan"
        entries.append(Line2D([], [], markerfacecolor="white", label=label, **circle))
    if _lost(*tuned):
        entries.append(Line2D([], [], marker="x", ms=2.5, label="diverged", **mark))
    return entries


def _bars(runs: int) -> str:
    sure = 2 ** (1 - runs) <= 1 - LEVEL
    return f"{100 * LEVEL:g} % interval" if sure else "range"


def _lost(*tuned: xr.Dataset) -> int:
    return sum(int((table["best"].values >= FAR).sum()) for table in tuned)


def caption(*tuned: xr.Dataset) -> str:
    """Caption that explains points, circles and bars of these results."""
    runs, lost = tuned[0].sizes["run"], _lost(*tuned)
    sentences = [
        f"Points are {runs} seeds, circles their medians, and bars the {_bars(runs)}"
        f"{' of the median' if 'interval' in _bars(runs) else ''}."
        if runs > 1
        else "Circles are one seed."
    ]
    if lost:
        crosses = (
            "The cross is a seed" if lost == 1 else f"The {lost} crosses are seeds"
        )
        sentences.append(f"{crosses} that diverged or ended above {FAR:g}.")
    if any(table["extreme"].values.any() for table in tuned):
        sentences.append(
            "At open circles the best learning rate is an end of the scan "
            f"({_ends(*tuned)}), so a lower loss may be possible."
        )
    return " ".join([*sentences, *starts(*tuned)])


def _ends(*tuned: xr.Dataset) -> str:
    """Name the networks that are best at the highest rate of their scan, and at the lowest."""
    names: dict[str, dict[str, None]] = {}
    for table in tuned:
        for name in map(str, table["student"].values):
            own = table.sel(student=name)
            scan = table["log_rate"].values[table["network"].values == name]
            for rate in own["best_log_rate"].values[own["extreme"].values != 0]:
                end = "lowest" if rate < scan.max() else "highest"
                names.setdefault(end, {})[name] = None
    return "; ".join(f"the {end} for {', '.join(of)}" for end, of in names.items())


def starts(*tuned: xr.Dataset) -> list[str]:
    """Name the initialisation of each LRU; results without a name used the printed one."""
    labels: dict[str, str] = {}
    for table in tuned:
        initialisations = json.loads(table.attrs.get("drawn_by", "{}"))
        for name in map(str, table["student"].values):
            of = initialisations.get(name, PRINTED if name == "LRU" else "")
            if of in STARTS:
                labels[name] = STARTS[of]
    return [f"The {name} is {how}." for name, how in labels.items()]
