"""Ours: from where Adam and gradient descent reach the teacher, in every chart."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from sigprop.figures import style

STUDY = "basins"
STUDIES = dict.fromkeys("ab", STUDY)
OPTIMISER = {"a": "Adam", "b": "gradient descent"}
ALIKE = 1.0  # percent of the disc, apart and called as much
TEACHERS = 2  # as many rows a panel
NAMES = {
    "polar": "polar",
    "LRU": "LRU",
    "tanh": "tanh",
    "exact": "exact",
    "scaled": "tanh,\nangle\nscaled",
    "best angle": "tanh,\nbest\nangle",
    "best angle, held": "best\nangle,\nheld",
}
COLOURS = "viridis"
MISSED = "#DADADA"
STAR = "#F0E442"  # of the same palette; too pale for lines


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Maps of the starts: coloured where they reach the teacher, by how soon.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    data = data.isel(teacher=slice(TEACHERS))
    rows = [(letter, i) for letter in letters for i in range(data.sizes["teacher"])]
    charts = list(data["chart"].values)
    with style.styled():
        drawn = style.figure(1.1 + 0.9 * len(rows))
        grid = drawn.subplots(len(rows), len(charts), squeeze=False)
        for (letter, teacher), line in zip(rows, grid, strict=True):
            basins = data.isel(teacher=teacher).sel(optimiser=OPTIMISER[letter])
            for axes, name in zip(line, charts, strict=True):
                _map(axes, basins.sel(chart=name), data.attrs)
            line[0].set_ylabel(_place(basins), fontsize=7)
            if not teacher:
                style.letter(line[0], letter, OPTIMISER[letter])
        for axes, name in zip(grid[0], charts, strict=True):
            axes.text(
                *(0.5, 1.55, NAMES[name]),
                transform=axes.transAxes,
                ha="center",
                va="center",
                fontsize=6,
            )
        scale = ScalarMappable(Normalize(0, data.attrs["steps"]), COLOURS)
        bar = drawn.colorbar(scale, ax=grid, pad=0.01, aspect=40, shrink=0.8)
        bar.set_label("steps until it stays near the teacher")
        low, high = data.attrs["ring"]
        style.caption(
            drawn,
            "Radius: log of the gap, to a modulus of 0.9999; circles: moduli of "
            f"{low:g} and {high:g}; star: teacher; grey: not reached after "
            f"{data.attrs['steps']} steps.  Below each map, how much of the disc's area "
            "reaches the teacher, in percent, and a standard error to either side within "
            "0 and 100, at the best learning rate of the grid.",
        )
    return drawn


def _place(data: xr.Dataset) -> str:
    turn = float(data["teacher_angle"]) / np.pi
    return rf"${float(data['teacher_modulus']):g}\,e^{{{turn:g}\pi i}}$"


def _map(axes: Axes, data: xr.Dataset, about: dict) -> None:
    depth = -np.log10(data["gap_edge"].values)
    turn = np.linspace(0, 2 * np.pi, data.sizes["column"] + 1)
    span = about["steps"] / about["records"]
    late = np.where(data["reached"] == 1, (data["arrival"].values + 1) * span, np.nan)
    axes.set_facecolor("white")
    angle = np.linspace(0, 2 * np.pi, 181)
    axes.fill(depth[-1] * np.cos(angle), depth[-1] * np.sin(angle), MISSED, zorder=0)
    fine = np.linspace(turn[0], turn[-1], 12 * (len(turn) - 1) + 1)
    axes.pcolormesh(
        depth[:, None] * np.cos(fine),
        depth[:, None] * np.sin(fine),
        np.repeat(np.ma.masked_invalid(late), 12, 1),
        cmap=COLOURS,
        vmin=0,
        vmax=about["steps"],
        rasterized=True,
        linewidth=0,
    )
    for modulus in about["ring"]:
        radius = -np.log10(1 - modulus)
        axes.plot(radius * np.cos(angle), radius * np.sin(angle), "w", lw=0.4)
    radius = -np.log10(1 - float(data["teacher_modulus"]))
    place = radius * np.exp(1j * float(data["teacher_angle"]))
    axes.plot(place.real, place.imag, "*", color=STAR, ms=5.5, mec="black", mew=0.4)
    axes.set_aspect("equal")
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    best = int(data["best"])
    share, error = (
        100 * float(data[name].sel(measure="disc")[best])
        for name in ("fraction", "error")
    )
    low, high = max(share - error, 0), min(share + error, 100)
    text = f"{share:.1f}\n{low:.1f} to {high:.1f}"
    axes.set_xlabel(text, fontsize=5.5, labelpad=1)


def shown(results: style.Results) -> str:
    """From how much of the disc each optimiser arrives at best, and in which chart."""
    data = results[STUDY].isel(teacher=slice(TEACHERS)).sel(measure="disc")
    share = 100 * data["fraction"].isel(rate_index=data["best"])
    said = []
    for teacher in range(TEACHERS):
        parts = []
        for optimiser in OPTIMISER.values():
            shares = share.isel(teacher=teacher).sel(optimiser=optimiser)
            most = float(shares.max())
            charts = ", ".join(shares["chart"].values[shares.values > most - ALIKE])
            parts.append(f"{optimiser} {most:.0f} % ({charts})")
        turn = float(data["teacher_angle"][teacher]) / np.pi
        said.append(f"angle {turn:g} π: {', '.join(parts)}")
    return (
        "The largest shares of initial eigenvalues that reach the teacher are, at "
        f"{'; at '.join(said)}."
    )
