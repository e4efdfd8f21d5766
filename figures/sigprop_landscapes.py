"""A figure of sigprop, not from a paper: loss landscapes of trained layers."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

STUDY = "network_landscapes"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Loss landscapes and sharpness of trained layers",
)
NETWORKS = {"a": "LRU", "b": "RotRNN", "c": "dense RNN"}
SHOWN = "default"  # start of the training whose end is the middle of the planes
PLANES = {
    "sharpest": (SHOWN,),
    "optima": tuple(style.STARTS),
}  # and the trajectories on them
FLOOR, TOP = -2, 1  # decades of the colours
LEVELS = np.linspace(FLOOR, TOP, 4 * (TOP - FLOOR) + 1)
MAP = "viridis_r"


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Each column shows one trained layer: two maps of its loss, and its sharpness.

    The upper map goes along the two sharpest Hessian eigenvectors at the end of training.
    The middle map goes through the default start and both minima. The lowest panel shows
    the sharpness during training, i.e. the largest eigenvalue of the Hessian.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(5.6, style.WIDTH if panel is None else 2.7)
        heights = [1.2, 1.2, 1]
        rows = figure.subplots(3, len(letters), squeeze=False, height_ratios=heights)
        *maps, lowest = rows
        for column, letter in zip(rows.T, letters, strict=True):
            case = data.sel(network=NETWORKS[letter])
            for axes, plane in zip(column, PLANES, strict=False):
                _plane(axes, case.sel(start=SHOWN, plane=plane), plane)
            _sharpness(column[-1], case)
            style.letter(column[0], letter, NETWORKS[letter])
        _limits(lowest, data)
        _scale(figure, [*maps[0], *maps[1]])
        figure.align_ylabels(rows[:, 0])
        _key(figure, columns=2 if panel else 4)
        style.caption(figure, _caption(data))
    return figure


CAPTION = (
    "Paths are projected onto the planes: the colour beneath a path is not its loss. In each "
    "corner stands the share of the squared distance from a path's start to its end that lies "
    "in the plane. The middle maps are in units of the distance between the minima. All "
    "trainings end at losses below {end}. Where the map has another colour at an end, the "
    "valley is narrower than the grid of the map. A student without an output has the loss "
    "0.5. Plain gradient descent at Adam's peak learning rate would diverge above the grey "
    "line."
)


def _caption(data: xr.Dataset) -> str:
    worst = float(data["record_loss"].isel(record=-1).max())
    return CAPTION.format(end=f"10{phrases.raised(int(np.ceil(np.log10(worst))))}")


def _height(loss: Any) -> np.ndarray:
    """Decades of a loss, within the colours."""
    return np.clip(np.log10(np.maximum(loss, 1e-30)), FLOOR, TOP)


def _plane(axes: Axes, case: xr.Dataset, plane: str) -> None:
    """A map of the loss, and the share of the training's distance that lies in it."""
    first, second = map(style.number, case["curvature"].values)
    across, up = {
        "sharpest": (f"sharpest, curvature {first}", f"second, curvature {second}"),
        "optima": ("to the advised minimum", "orthogonal, to the default start"),
    }[plane]
    _map(axes, case, {run: style.STARTS[run] for run in PLANES[plane]})
    axes.set_xlabel(across, fontsize=6.5, labelpad=1.5)
    axes.set_ylabel(up, fontsize=6.5, labelpad=1.5)
    for line, run in enumerate(PLANES[plane]):
        share = float(case["share"].sel(run=run).isel(record=0))
        axes.annotate(
            f"{100 * share:.2g} %" if share < 0.995 else "100 %",
            (0.97, 0.97 - 0.1 * line),
            xycoords="axes fraction",
            ha="right",
            va="top",
            fontsize=6,
            color=style.STARTS[run],
            path_effects=style.halo(0.6),
        )


def _map(axes: Axes, data: xr.Dataset, runs: dict[str, str]) -> None:
    """Filled contours of the loss, and each trajectory from a square to a disc."""
    across, up = data["grid"].values
    height = _height(data["loss"].values).T
    filled = axes.contourf(across, up, height, LEVELS, cmap=MAP)
    filled.set_rasterized(True)
    look = {"colors": "white", "linewidths": 0.3, "linestyles": "solid", "alpha": 0.6}
    axes.contour(across, up, height, LEVELS[1:-1:2], **look)
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


def _sharpness(axes: Axes, case: xr.Dataset) -> None:
    for begun, colour in style.STARTS.items():
        axes.plot(case["look"], case["largest"].sel(start=begun), color=colour, lw=0.9)
    axes.set_yscale("log")
    axes.set_xlabel("step of Adam", fontsize=6.5, labelpad=1.5)
    axes.tick_params(labelsize=6, pad=1.5, length=2)


def _limits(lowest: np.ndarray, data: xr.Dataset) -> None:
    """Give the panels of sharpness one axis, and the limit of gradient descent."""
    largest, limit = data["largest"].values, 2 / data.attrs["rate"]
    for axes in lowest:
        axes.axhline(limit, color=style.GREY, lw=0.8)
        axes.set_ylim(largest.min() / 1.5, largest.max() * 1.5)
        axes.tick_params(labelleft=axes is lowest[0])
    lowest[0].set_ylabel("largest curvature", fontsize=6.5, labelpad=1.5)
    lowest[0].annotate(
        "2 / learning rate",
        (1, limit),
        (0, -3),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        va="top",
        color=style.GREY,
        fontsize=6,
    )


def _scale(figure: Figure, maps: list[Axes]) -> None:
    """One bar for the colours of all maps."""
    bar = figure.colorbar(maps[0].collections[0], ax=maps, pad=0.02, aspect=30)
    bar.set_ticks(range(FLOOR, TOP + 1), labels=_decades())
    bar.ax.set_title("loss", fontsize=7)
    bar.ax.tick_params(labelsize=6.5)


def _decades() -> list[str]:
    middle = [f"$10^{{{power}}}$" for power in range(FLOOR + 1, TOP)]
    return [f"$<10^{{{FLOOR}}}$", *middle, f"$>10^{{{TOP}}}$"]


def _key(figure: Figure, columns: int) -> None:
    """Explain colours and markers of trajectories above the panels."""
    look = {"markeredgecolor": "white", "markeredgewidth": 0.6}
    keys = [
        Line2D([], [], color=colour, lw=0.9, label=f"training from {name} start")
        for name, colour in style.STARTS.items()
    ]
    keys += [
        Line2D([], [], ls="", marker=marker, color=style.BLACK, label=label, **look)
        for marker, label in (("s", "start"), ("o", "end"))
    ]
    figure.legend(handles=keys, loc="outside upper center", ncols=columns)


def shown(results: style.Results) -> str:
    """The curvatures, what the planes hold of a training, and the barriers of the loss."""
    data = results[STUDY]
    names = data["network"].values.tolist()
    largest = data["largest"].isel(look=-1)
    own, advised = (largest.sel(start=start).values for start in style.STARTS)
    ends = phrases.listed(
        [
            f"{style.number(one)} to {style.number(other)} ({name})"
            for name, one, other in zip(names, own, advised, strict=True)
        ]
    )
    shares = 100 * data["share"].sel(start=SHOWN, run=SHOWN).isel(record=0)
    sharp = phrases.span(shares.sel(plane="sharpest").values.tolist(), ".2g")
    tops = phrases.listed(
        [
            f"{style.number(top)} ({name})"
            for name, top in zip(names, _barriers(data), strict=True)
        ]
    )
    return (
        f"From default to advised start, the largest curvature at the end changes from {ends}. "
        f"The sharpest planes hold {sharp} % of the squared distance between start and end. "
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
