"""A figure of sigprop, not from a paper: loss landscapes of trained layers."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import LightSource
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from sigprop.figures import losses, phrases, style
from sigprop.figures.entry import Entry

STUDY = "network_landscapes"
ENTRY = Entry(
    dict.fromkeys("abcde", STUDY),
    "Loss landscapes of trained layers in three planes",
)
NETWORKS = {"a": "LRU", "b": "RotRNN", "c": "dense RNN"}
COLOURS = {
    "LRU": losses.COLOURS["LRU"],
    "RotRNN": style.ORANGE,
    "dense RNN": losses.COLOURS["RNN"],
}
SHOWN = "default"  # start of the training whose end is the middle of the planes
RUNS = {"default": style.BLACK, "advised": style.VERMILION}
LINES = {"default": "-", "advised": "--"}
FLOOR, TOP = -3, 1  # decades of the colours
LEVELS = np.linspace(FLOOR, TOP, 4 * (TOP - FLOOR) + 1)
MAP = "viridis_r"
SURFACE = "dense RNN"


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A to C show the loss of one trained layer each on three planes.

    The planes go along the two sharpest Hessian eigenvectors, along two random directions,
    and through the start and two minima. Panel D shows the last plane of the dense RNN as a
    surface. Panel E shows the largest curvature during training.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    rows = [letter for letter in letters if letter in NETWORKS]
    below = [letter for letter in letters if letter not in NETWORKS]
    heights = [1.65] * len(rows) + [2.2] * bool(below)
    width = style.WIDTH if rows or len(below) > 1 else 3.4
    with style.styled():
        figure = style.figure(sum(heights) + 0.3 + 0.25 * bool(rows), width)
        grid = figure.add_gridspec(len(heights), 6, height_ratios=heights)
        maps = []
        for at, letter in enumerate(rows):
            row = [figure.add_subplot(grid[at, i : i + 2]) for i in (0, 2, 4)]
            _planes(row, data, letter)
            maps += row
        if rows:
            _scale(figure, maps)
            _key(figure)
        for i, letter in enumerate(below):
            side = slice(3 * i, 3 * i + 3) if len(below) > 1 else slice(None)
            if letter == "d":
                axes = figure.add_subplot(grid[-1, side], projection="3d")
                _surface(axes, data)
                style.letter(axes, letter, f"{SURFACE}, a surface")
            else:
                axes = figure.add_subplot(grid[-1, side])
                _sharpness(axes, data)
                style.letter(axes, letter, "sharpness")
        style.caption(figure, *(NOTES[letter] for letter in _noted(letters)))
    return figure


NOTES = {
    "a": "In A to C the parameters are those that are trained, and all of them move. A student "
    "without an output has the loss 0.5. In each corner stands the share of the squared "
    "distance from the default start to the end that lies in the plane.",
    "d": "D is the right map of C as a surface.",
    "e": "In E, lines are solid for default starts and dashed for advised ones. Plain gradient "
    "descent at Adam's peak learning rate would diverge above the grey line.",
}


def _noted(letters: tuple[str, ...]) -> list[str]:
    maps = ["a"] if {*letters} & {*NETWORKS} else []
    return maps + [letter for letter in ("d", "e") if letter in letters]


def _height(loss: Any) -> np.ndarray:
    """Decades of a loss, within the colours."""
    return np.clip(np.log10(np.maximum(loss, 1e-30)), FLOOR, TOP)


def _planes(row: list[Axes], data: xr.Dataset, letter: str) -> None:
    network = NETWORKS[letter]
    case = data.sel(network=network, start=SHOWN)
    bent = case["curvature"].sel(plane="sharpest").values
    first, second = map(style.number, bent)
    labels = {
        "sharpest": (f"sharpest, curvature {first}", f"second, curvature {second}"),
        "random": ("random direction", "another random direction"),
        "optima": ("to the advised minimum", "to the start"),
    }
    for axes, (plane, (across, up)) in zip(row, labels.items(), strict=True):
        one = case.sel(plane=plane)
        _map(axes, one, RUNS if plane == "optima" else {SHOWN: RUNS[SHOWN]})
        axes.set_xlabel(across, fontsize=6.5, labelpad=1.5)
        axes.set_ylabel(up, fontsize=6.5, labelpad=1.5)
        share = float(one["share"].sel(run=SHOWN).isel(record=0))
        axes.annotate(
            f"{100 * share:.2g} %" if share < 0.995 else "100 %",
            (0.97, 0.04),
            xycoords="axes fraction",
            ha="right",
            fontsize=6,
            path_effects=style.halo(0.6),
        )
    style.letter(row[0], letter, network)


def _scale(figure: Figure, maps: list[Axes]) -> None:
    """One bar for the colours of all maps."""
    aspect = 12 * len(maps)
    bar = figure.colorbar(maps[0].collections[0], ax=maps, pad=0.01, aspect=aspect)
    bar.set_ticks(range(FLOOR, TOP + 1), labels=_decades())
    bar.ax.set_title("loss", fontsize=7)
    bar.ax.tick_params(labelsize=6.5)


def _decades() -> list[str]:
    middle = [f"$10^{{{power}}}$" for power in range(FLOOR + 1, TOP)]
    return [f"$<10^{{{FLOOR}}}$", *middle, f"$>10^{{{TOP}}}$"]


def _map(axes: Axes, data: xr.Dataset, runs: dict[str, str]) -> None:
    """Filled contours of the loss, and each trajectory from a square to a disc."""
    across, up = data["grid"].values
    height = _height(data["loss"].values).T
    filled = axes.contourf(across, up, height, LEVELS, cmap=MAP)
    filled.set_rasterized(True)
    axes.contour(
        across, up, height, LEVELS[1:-1:2], colors="white", linewidths=0.3, alpha=0.6
    )
    for name, colour in runs.items():
        x, y = data["path"].sel(run=name).values.T
        axes.plot(x, y, color=colour, lw=0.9, path_effects=style.halo(0.9))
        for marker, at in (("s", slice(1)), ("o", slice(-1, None))):
            axes.plot(
                *(x[at], y[at], marker),
                color=colour,
                markeredgecolor="white",
                markeredgewidth=0.6,
            )
    axes.set(xlim=across[[0, -1]], ylim=up[[0, -1]])
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(3))
    axes.tick_params(labelsize=6, pad=1.5, length=2)


def _surface(axes: Any, data: xr.Dataset) -> None:
    """The decades of the loss as heights, contours on them, and the trajectory."""
    case = data.sel(network=SURFACE, start=SHOWN, plane="optima")
    across, up = np.meshgrid(*case["grid"].values)
    height = _height(case["loss"].values).T
    shades = colormaps[MAP]((height - FLOOR) / (TOP - FLOOR))
    axes.computed_zorder = False
    axes.plot_surface(
        *(across, up, height),
        facecolors=shades,
        lightsource=LightSource(225, 50),
        rcount=len(height),
        ccount=len(height),
        linewidth=0,
        antialiased=False,
        rasterized=True,
    )
    look = {"colors": "white", "linewidths": 0.3, "alpha": 0.8, "zorder": 4}
    axes.contour(across, up, height, LEVELS[1:-1:2], **look)
    x, y = case["path"].sel(run=SHOWN).values.T
    z = _height(case["projected_loss"].values)
    axes.plot(x, y, z, color=RUNS[SHOWN], lw=0.9, zorder=6)
    axes.plot(x[:1], y[:1], z[:1], "s", color=RUNS[SHOWN], zorder=7)
    axes.view_init(42, -60)
    axes.set_axis_off()
    axes.set_box_aspect((1, 1, 0.6), zoom=1.35)


def _sharpness(axes: Axes, data: xr.Dataset) -> None:
    for network, colour in COLOURS.items():
        for begun, line in LINES.items():
            largest = data["largest"].sel(network=network, start=begun)
            label = network if begun == SHOWN else None
            axes.plot(data["look"], largest, line, color=colour, lw=1, label=label)
    axes.axhline(2 / data.attrs["rate"], color=style.GREY, lw=0.8)
    axes.set_yscale("log")
    axes.set(xlabel="steps of Adam", ylabel="largest curvature")
    axes.legend(loc="lower right", fontsize=6.5)


def _key(figure: Figure) -> None:
    """Explain colours and markers of trajectories above the panels."""
    look = {"markeredgecolor": "white", "markeredgewidth": 0.6}
    keys = [
        Line2D([], [], color=colour, lw=0.9, label=f"training from {name} start")
        for name, colour in RUNS.items()
    ]
    keys += [
        Line2D([], [], ls="", marker=marker, color=style.BLACK, label=label, **look)
        for marker, label in (("s", "start"), ("o", "end"))
    ]
    figure.legend(handles=keys, loc="outside upper center", ncols=len(keys))


def shown(results: style.Results) -> str:
    """The curvatures, what the planes hold of a training, and the barriers of the loss."""
    data = results[STUDY]
    names = data["network"].values.tolist()
    largest = data["largest"].isel(look=-1)
    own, advised = (largest.sel(start=start).values for start in RUNS)
    ends = phrases.listed(
        [
            f"{style.number(one)} to {style.number(other)} ({name})"
            for name, one, other in zip(names, own, advised, strict=True)
        ]
    )
    shares = 100 * data["share"].sel(start=SHOWN, run=SHOWN).isel(record=0)
    sharp, random = (
        phrases.span(shares.sel(plane=plane).values.tolist(), ".2g")
        for plane in ("sharpest", "random")
    )
    tops = phrases.listed(
        [
            f"{style.number(top)} ({name})"
            for name, top in zip(names, _barriers(data), strict=True)
        ]
    )
    return (
        f"From default to advised start, the largest curvature at the end changes from {ends}. "
        f"The sharpest planes hold {sharp} % of the squared distance between start and end, "
        f"the random planes {random} %. "
        f"On the line between the two minima the loss rises to {tops}."
    )


def _barriers(data: xr.Dataset) -> list[float]:
    """The highest loss between two minima, by network."""
    inside = (data["position"] >= 0) & (data["position"] <= 1)
    return data["line"].where(inside, 0).max("position").values.tolist()


def details(results: style.Results) -> style.Cells:
    """Loss, curvature and largest stable learning rate at the end of each training."""
    data = results[STUDY]
    rows = []
    for name in data["network"].values.tolist():
        for begun in data["start"].values.tolist():
            one = data.sel(network=name, start=begun)
            largest = float(one["largest"][-1])
            numbers = float(one["record_loss"][-1]), largest, 2 / largest
            rows.append((f"{name}, {begun} start", *map(style.number, numbers)))
    heads = ("loss", "largest curvature", "largest stable rate of gradient descent")
    return (("end of training", *heads), *rows)


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-landscapes")
