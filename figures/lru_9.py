"""Orvieto et al. (2023), Figure 9: the gain of a layer with eigenvalues on a ring."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "ring_gain"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "Gain of a layer with eigenvalues on a ring, simulated and predicted",
    rows=("lru:fig9",),
)
INPUT = {"a": "white", "b": "constant"}
TITLE = {"a": "white-noise input", "b": "constant input"}
DASHES = ("-", "--", ":")
WHISKERS = (0.05, 0.95)  # quantiles of the runs
COLOURS = (style.BLUE, style.GREEN, style.PURPLE)
APART = 1.16  # factor in the gap between the boxes of neighbouring rings


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show the gain against the outer radius, for white and constant input.

    Boxes are independent simulated runs, and lines are the closed form.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(2.9, 0.3 + 2.6 * len(letters))
        row = figure.subplots(1, len(letters), sharey=True, squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            for number, inner in enumerate(data["inner"].values):
                ring = data.sel(input=INPUT[letter], inner=inner)
                _gains(axes, ring, number, data.sizes["inner"])
            style.letter(axes, letter, TITLE[letter])
            _axes(axes, data)
        row[0].set_ylabel(r"gain $\mathbb{E}\|x_L\|^2 \,/\, \mathbb{E}\|Bu\|^2$")
        style.caption(
            figure,
            f"Lines: closed form.  Boxes: quartiles of {data.sizes['run']} runs, moved "
            "apart; red: median; diamonds: means, which the closed form predicts; "
            "whiskers: 5th to 95th percentile; values beyond are not shown.",
        )
    return figure


def _gains(axes: Axes, ring: xr.Dataset, number: int, rings: int) -> None:
    """The closed form and the boxes of one inner radius, moved a little aside."""
    gap = ring["gap"].values
    positions = ring["simulated_gap"].values * APART ** ((rings - 1) / 2 - number)
    colour, dashes = COLOURS[number % 3], DASHES[number % 3]
    axes.plot(gap, ring["theory"], color=colour, linestyle=dashes, zorder=4)
    boxes = axes.boxplot(
        ring["measured"].values.T,
        positions=positions,
        widths=positions * 0.13,
        whis=(100 * WHISKERS[0], 100 * WHISKERS[1]),
        manage_ticks=False,
        showfliers=False,
        showmeans=True,
        zorder=3,
    )
    for part in ("boxes", "whiskers", "caps"):
        for artist in boxes[part]:
            artist.set(color=colour, linewidth=0.6)
    for median in boxes["medians"]:
        median.set(color=style.VERMILION, linewidth=1.4)
    for mean in boxes["means"]:
        mean.set(
            marker="D",
            markersize=2.0,
            markerfacecolor=style.BLACK,
            markeredgewidth=0,
        )
    axes.annotate(
        rf"$r_\mathrm{{min}} = {float(ring['inner']):g}$",
        (gap[-1], float(ring["theory"][-1])),
        (9, 0),
        textcoords="offset points",
        va="center",
        color=colour,
        fontsize=7,
        annotation_clip=False,
    )


def _axes(axes: Axes, data: xr.Dataset) -> None:
    gap = data["gap"].values
    axes.set(xscale="log", yscale="log")
    axes.set_xlim(gap[0] * 1.35, gap[-1] / 1.3)
    ticks = [
        value
        for value in (0.1, 0.05, 0.02, 0.01, 0.005, 0.001)
        if gap[-1] / 1.1 <= value <= gap[0] * 1.2
    ]
    axes.set_xticks(ticks, [f"{1 - value:g}" for value in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yticks(
        (1, 2, 5, 10, 20, 50, 100), ("1", "2", "5", "10", "20", "50", "100")
    )
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(*_limits(data))
    axes.set_xlabel(r"outer radius $r_\mathrm{max}$")


def _limits(data: xr.Dataset) -> tuple[float, float]:
    """Limits that both inputs share, wide enough for whiskers and curves."""
    measured, theory = data["measured"], data["theory"]
    bottom = measured.quantile(WHISKERS[0], "run", method="higher")
    top = measured.quantile(WHISKERS[1], "run", method="lower")
    low = min(float(bottom.min()), float(theory.min()))
    high = max(float(top.max()), float(theory.max()))
    return low / 1.15, high * 1.15


def shown(results: style.Results) -> str:
    """Count the points at which the closed form lies between the whiskers."""
    data = results[STUDY]
    low, high = data["measured"].quantile(WHISKERS, "run")
    inside = (low <= data["exact"]) & (data["exact"] <= high)
    counts = [
        f"{int(inside.sel(input=name).sum())} of {inside.sel(input=name).size} points for "
        f"{name} input"
        for name in INPUT.values()
    ]
    ends = " and ".join(f"{100 * end:g}th" for end in WHISKERS)
    return (
        f"At {' and '.join(counts)}, the closed form lies between the {ends} percentiles of "
        f"{data.sizes['run']} runs."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-9")
