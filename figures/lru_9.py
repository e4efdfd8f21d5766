"""Orvieto et al. (2023), Figure 9: the gain of a layer with eigenvalues on a ring."""

from typing import Any

import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
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
WHISKERS = (0.05, 0.95)  # quantiles of the runs
WIDE = 0.13  # a box, as a share of its gap 1 - r_max
TICKS = (0.1, 0.03, 0.01, 0.003, 0.001)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show the gain against the outer radius, for white and constant input.

    A column has one inner radius.  Boxes are simulations, and lines are the closed form.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(0.6 + 1.6 * len(letters))
        columns = data.sizes["inner"]
        grid = figure.subplots(
            len(letters), columns, sharex=True, sharey=True, squeeze=False
        )
        for row, letter in zip(grid, letters, strict=True):
            for axes, inner in zip(row, data["inner"].values, strict=True):
                _gains(axes, data.sel(input=INPUT[letter], inner=inner))
                _axes(axes, data)
            style.letter(row[0], letter, TITLE[letter])
            row[0].set_ylabel(r"gain $\mathbb{E}\|x_L\|^2 / \mathbb{E}\|Bu\|^2$")
        for axes in grid[-1]:
            axes.set_xlabel(r"outer radius $r_\mathrm{max}$")
        figure.legend(handles=_handles(), ncols=5, loc="outside upper center")
        style.caption(
            figure,
            "The gain is the mean squared state at the last step over the mean squared input. "
            f"Boxes are quartiles of {data.sizes['run']} independent runs. The closed form "
            "predicts their mean. Values beyond the whiskers are not shown.",
        )
    return figure


def _handles() -> list[Artist]:
    """The key of lines, boxes and marks."""
    black: dict[str, Any] = {"color": style.BLACK}
    ends = " to ".join(f"{100 * end:g}" for end in WHISKERS)
    return [
        Line2D([], [], color=style.BLUE, label="closed form"),
        Line2D(
            [], [], marker="D", markersize=1.2, linestyle="none", label="mean", **black
        ),
        Line2D([], [], color=style.VERMILION, linewidth=1.4, label="median"),
        Patch(facecolor="none", edgecolor=style.GREY, linewidth=0.6, label="quartiles"),
        Line2D([], [], color=style.GREY, linewidth=0.6, label=f"percentiles {ends}"),
    ]


def _gains(axes: Axes, ring: xr.Dataset) -> None:
    """The closed form and the boxes of one inner radius."""
    positions = ring["simulated_gap"].values
    axes.plot(ring["gap"], ring["theory"], color=style.BLUE, zorder=4)
    boxes = axes.boxplot(
        ring["measured"].values.T,
        positions=positions,
        widths=positions * WIDE,
        whis=(100 * WHISKERS[0], 100 * WHISKERS[1]),
        manage_ticks=False,
        showfliers=False,
        showmeans=True,
        zorder=3,
    )
    for part in ("boxes", "whiskers", "caps"):
        for artist in boxes[part]:
            artist.set(color=style.GREY, linewidth=0.6)
    for median in boxes["medians"]:
        median.set(color=style.VERMILION, linewidth=1.4)
    for mean in boxes["means"]:
        mean.set(
            marker="D",
            markersize=1.2,
            markerfacecolor=style.BLACK,
            markeredgewidth=0,
            zorder=5,
        )
    axes.annotate(
        rf"$r_\mathrm{{min}} = {float(ring['inner']):g}$",
        (0.04, 0.97),
        xycoords="axes fraction",
        va="top",
        fontsize=7,
    )


def _axes(axes: Axes, data: xr.Dataset) -> None:
    gap = data["gap"].values
    axes.set(xscale="log", yscale="log")
    axes.set_xlim(gap[0] * 1.25, gap[-1] / 1.2)
    ticks = [tick for tick in TICKS if gap[-1] / 1.1 <= tick <= gap[0] * 1.2]
    axes.set_xticks(ticks, [f"{1 - tick:g}" for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yticks(
        (1, 2, 5, 10, 20, 50, 100), ("1", "2", "5", "10", "20", "50", "100")
    )
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(*_limits(data))


def _limits(data: xr.Dataset) -> tuple[float, float]:
    """Limits that both inputs share, wide enough for whiskers, means and curves."""
    measured, theory = data["measured"], data["theory"]
    bottom = measured.quantile(WHISKERS[0], "run", method="higher")
    top = measured.quantile(WHISKERS[1], "run", method="lower")
    low = min(float(bottom.min()), float(theory.min()))
    high = max(float(of.max()) for of in (top, measured.mean("run"), theory))
    return low / 1.15, high * 1.15


def shown(results: style.Results) -> str:
    """Compare the closed form with the means and with the whiskers."""
    data = results[STUDY]
    low, high = data["measured"].quantile(WHISKERS, "run")
    inside = (low <= data["exact"]) & (data["exact"] <= high)
    counts = [
        f"{int(inside.sel(input=name).sum())} of {inside.sel(input=name).size} points for "
        f"{name} input"
        for name in INPUT.values()
    ]
    off = abs(data["measured"].mean("run") / data["exact"] - 1)
    apart = [
        f"{100 * float(off.sel(input=name).mean()):.1f} %" for name in INPUT.values()
    ]
    ends = " and ".join(f"{100 * end:g}th" for end in WHISKERS)
    return (
        f"The means of {data.sizes['run']} runs differ from the closed form by {apart[0]} on "
        f"average for white input and by {apart[1]} for constant input. "
        f"At {' and '.join(counts)}, the closed form lies between the {ends} percentiles of "
        f"{data.sizes['run']} runs."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-9")
