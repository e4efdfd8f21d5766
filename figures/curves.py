"""Curves of moments against the eigenvalue, simulated points, and their difference."""

from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.gridspec import SubplotSpec
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from sigprop.figures import style

MOMENTS = {
    "state": r"$\mathbb{E}[h^2]$",
    "sensitivity": r"$\mathbb{E}[(\mathrm{d}_\lambda h)^2]$",
}
LEAST, ROOM = 0.02, 10  # of a panel that a curve leaves: bottom, and factor on top
CLOSE = 0.045  # of an axis, between the names at its right
SPREAD = 1.05  # factor in the gap between neighbouring points of the lower strip


class Names(NamedTuple):
    """The variables of the result that one panel draws."""

    theory: str
    simulated: str
    sem: str


def power(curve: xr.DataArray) -> xr.DataArray:
    """The power of the inverse gap by which a curve grows in its last twentieth."""
    gap = curve["gap"].values
    ends = [-1 - len(gap) // 20, -1]
    before, last = (curve.isel(gap=index, drop=True) for index in ends)
    span = np.log(gap[ends[0]] / gap[ends[1]])
    return xr.apply_ufunc(np.log, last / before) / span


def stacked(figure: Figure | SubFigure, spec: SubplotSpec) -> tuple[Axes, Axes]:
    """A tall panel and, below it, a strip with the same x axis."""
    (pair,) = side_by_side(figure, spec, 1)
    return pair


def side_by_side(
    figure: Figure | SubFigure, spec: SubplotSpec, columns: int
) -> list[tuple[Axes, Axes]]:
    """Tall panels in a row, each with a strip below it that has the same x axis."""
    grid = spec.subgridspec(2, columns, height_ratios=(4, 1), hspace=0.04)
    pairs = []
    for column in range(columns):
        axes = figure.add_subplot(grid[0, column])
        strip = figure.add_subplot(grid[1, column], sharex=axes)
        axes.tick_params(labelbottom=False)
        pairs.append((axes, strip))
    return pairs


def caption(data: xr.Dataset) -> str:
    """Describe the computation of lines and points."""
    least, most = int(data["draws"].min()), int(data["draws"].max())
    return (
        "Lines are closed forms.  Points are simulated means with standard errors, of "
        f"{least} (longest time constant) to {most} trajectories, and are moved apart in the "
        "lower strips."
    )


def key(colour: str = style.BLACK, autodiff: str = "") -> list[Line2D]:
    """Legend entries of the routes: closed form, simulation and, if named, autodiff."""
    point: dict[str, Any] = {"ls": "", "marker": "o", "color": colour}
    entries = [
        Line2D([], [], color=colour, label="closed form"),
        Line2D([], [], label="simulated", markeredgecolor="white", **point),
    ]
    if autodiff:
        entries.append(Line2D([], [], label=autodiff, markerfacecolor="white", **point))
    return entries


def draw(
    axes: Axes,
    strip: Axes,
    data: xr.Dataset,
    names: Names,
    grey: xr.DataArray,
    grey_text: str,
    zoom: bool = False,
) -> None:
    """One curve for each decay of the autocorrelation, and one in grey.

    Args:
        axes: For curves and points.
        strip: For simulated over exact, less one.
        data: One quantity of ``curse_of_memory``.
        names: Which variables to draw.
        grey: The curve to compare with.
        grey_text: Its label.
        zoom: Whether the grey curve may leave the panel, whose range is then that of the
            other curves.
    """
    gap, simulated_gap = data["gap"].values, data["simulated_gap"].values
    decays = data["rho"].values
    step = (len(style.SEQUENCE) - 1) / max(len(decays) - 1, 1)
    colours = [style.SEQUENCE[round(i * step)] for i in range(len(decays))]
    axes.plot(gap, grey, color=style.GREY, linewidth=2.2, zorder=1)
    for i, (decay, colour) in enumerate(zip(decays, colours, strict=True)):
        curve = data.sel(rho=decay)
        axes.plot(gap, curve[names.theory], color=colour)
        axes.errorbar(
            simulated_gap,
            curve[names.simulated],
            curve[names.sem],
            fmt="o",
            color=colour,
            markeredgecolor="white",
            markeredgewidth=0.4,
            ecolor=colour,
            zorder=3,
        )
        shift = SPREAD ** (i - (len(decays) - 1) / 2)
        strip.errorbar(
            simulated_gap * shift,
            100 * (curve["simulated"] / curve["exact"] - 1),
            100 * curve["sem"] / curve["exact"],
            fmt="o",
            markersize=1.8,
            capsize=0,
            linewidth=0.8,
            color=colour,
        )
    strip.axhline(0, color=style.BLACK, linewidth=0.6, zorder=1)
    strip.set_ylabel("simulated /\ntheory − 1 (%)", fontsize=7)
    strip.set_xlabel(r"eigenvalue $\lambda$ (time constant →)")
    axes.set_yscale("log")
    axes.yaxis.set_minor_locator(NullLocator())
    style.memory_axis(axes, float(gap.min()))
    heights = [float(data[names.theory].sel(rho=decay)[-1]) for decay in decays]
    texts = [rf"$\rho = {decay:g}$" for decay in decays]
    if zoom:
        _leave(axes, max(heights), grey, grey_text)
    else:
        heights, texts = [*heights, float(grey[-1])], [*texts, grey_text]
    end = float(gap.min())
    shades = [*colours, style.GREY][: len(texts)]
    style.end_labels(axes, end, heights, texts, shades, CLOSE)


def _leave(axes: Axes, highest: float, grey: xr.DataArray, text: str) -> None:
    """Cut the panel above this height, and write there where the grey curve goes."""
    top = 10 ** np.ceil(np.log10(ROOM * highest))
    axes.set_ylim(LEAST, top)
    out = grey["gap"].values[np.argmax(grey.values > top)]
    power = np.log10(float(grey[-1]))
    axes.annotate(
        f"{text}:\n$10^{{{power:.0f}}}$ at $\\lambda = {1 - float(grey['gap'][-1]):g}$",
        (out, top),
        (5, -2),
        textcoords="offset points",
        va="top",
        color=style.GREY,
        fontsize=7,
    )
