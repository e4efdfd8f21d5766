"""A layer of a checkpoint: its modes in the complex plane, and theory against measurement."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.patches import Annulus
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from sigprop.figures import style
from sigprop.figures.entry import chosen_panels

PANELS = ("fails", "memory", "ratio")
LONGEST = 32  # letters of a layer's name
SIZE = 3.4, 3.1  # inches: a picture fills the width of a telephone
WIDE = 4.4  # of the picture of all layers
HALF = 0.7  # half a side of a square of modes from which on the whole disc is shown
TALL = 0.8  # of the distance of two rows: the highest bar of a histogram
RIM = 1e-3  # least width of the ring between the smallest and the largest modulus
TIMES = (
    (0.01, style.PURPLE, "o"),
    (0.1, style.BLUE, "s"),
    (1.0, style.GREEN, "D"),
    (np.inf, style.VERMILION, "^"),
)
"""Memory in windows below which a mode has a colour and a shape."""
MARKS = {
    "": (style.GREEN, "o"),
    "stationary": (style.VERMILION, "X"),
    "infinite": (style.ORANGE, "^"),
    "independent": (style.PURPLE, "s"),
    "white": (style.BLUE, "D"),
    "AR(1)": (style.VERMILION, "X"),
    "Gaussian, white": (style.BLUE, "D"),
}
"""Colour and shape by the first assumption that fails; none fails: a green dot."""
UNSEEN = (style.GREY, "x")
TITLES = {
    "fails": "first assumption to fail",
    "memory": "memory of each mode",
    "ratio": "predicted over measured",
}
QUANTITIES = {"state": style.BLUE, "dh/d": style.VERMILION}


def draw(data: xr.Dataset, panel: str, title: str = "") -> Figure:
    """One picture of a layer.

    Args:
        data: By ``mode``: ``re``, ``im``, ``memory``; by ``quantity`` too: ``fails``, the
            first assumption that is off or an empty text, ``none`` where there is no
            prediction; ``ratio``, predicted over measured, and ``low`` and ``high``, the
            same over the ends of the interval; the attributes ``steps`` and ``tolerance``.
        panel: One of ``PANELS``.
        title: Above the picture; what the panel shows if left out.

    Raises:
        ValueError: If there is no such panel.
    """
    (panel,) = chosen_panels(panel, PANELS)
    with style.styled():
        figure = style.figure(SIZE[1], SIZE[0])
        axes = figure.subplots()
        if panel == "ratio":
            _ratios(axes, data)
        else:
            _plane(axes, data)
            {"fails": _failing, "memory": _memories}[panel](axes, data)
        axes.set_title(_short(title) if title else TITLES[panel])
    return figure


def _is_real(data: xr.Dataset) -> bool:
    return bool(np.all(data["im"].values == 0) and np.all(data["re"].values >= 0))


def _coordinates(data: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Return coordinates in the complex plane; positive real modes are stacked in a column."""
    if _is_real(data):
        return data["re"].values, np.arange(data.sizes["mode"], 0, -1)
    return data["re"].values, data["im"].values


def _plane(axes: Axes, data: xr.Dataset) -> None:
    if _is_real(data):
        axes.axvline(1, color=style.GREY, linewidth=0.8)
        axes.set(xlabel=r"$\lambda$ at rest", ylabel="modes, the slowest on top")
        axes.set_yticks([])
        return
    modulus = np.hypot(data["re"].values, data["im"].values)
    width = max(float(np.ptp(modulus)), RIM)
    ring = Annulus((0, 0), modulus.max(), min(width, modulus.max()))
    ring.set(facecolor=style.GREY, alpha=0.15, linewidth=0, zorder=0)
    axes.add_patch(ring)
    turn = np.linspace(0, 2 * np.pi, 2400)
    axes.plot(np.cos(turn), np.sin(turn), color=style.GREY, linewidth=0.8)
    _close_up(axes, data)
    axes.set_aspect("equal")
    axes.set(xlabel=r"Re $\lambda$", ylabel=r"Im $\lambda$")


def _close_up(axes: Axes, data: xr.Dataset) -> None:
    """A square around all modes: the whole disc, or a piece of it."""
    x, y = data["re"].values, data["im"].values
    edges = (x.min(), max(x.max(), 1.0)), (y.min(), y.max())
    half = max(0.04, *(0.55 * (high - low) for low, high in edges))
    middle = [(low + high) / 2 for low, high in edges]
    if half > HALF:  # the modes are all around
        middle, half = [0.0, 0.0], max(1.1, 1.1 * np.abs(edges).max())
    axes.set(
        xlim=(middle[0] - half, middle[0] + half),
        ylim=(middle[1] - half, middle[1] + half),
    )


def _failing(axes: Axes, data: xr.Dataset) -> None:
    x, y = _coordinates(data)
    fails = data["fails"].sel(quantity="state").values.astype(str)
    for name in dict.fromkeys([*MARKS, "none"]):
        some = fails == name
        if some.any():
            colour, mark = MARKS.get(name, UNSEEN)
            label = {"": "none", "none": "no prediction"}.get(name, name)
            axes.plot(
                x[some],
                y[some],
                mark,
                color=colour,
                markersize=4,
                markeredgewidth=0.6,
                label=f"{label} ({int(some.sum())})",
            )
    _key(axes)


def _key(axes: Axes) -> None:
    """The legend below everything."""
    axes.figure.legend(
        loc="outside lower center", ncols=2, handletextpad=0.2, columnspacing=1
    )


def _plain(axis: Axis) -> None:
    """Numbers at 1, 2 and 5 of a logarithmic axis of few decades, at tens of many."""
    low, high = axis.get_view_interval()
    steps = (1,) if high > 500 * low else (1, 2, 5) if high < 40 * low else (1, 3)
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def _memories(axes: Axes, data: xr.Dataset) -> None:
    x, y = _coordinates(data)
    steps, below = float(data.attrs["steps"]), 0.0
    memory = data["memory"].values / steps
    for end, colour, mark in TIMES:
        some = (memory >= below) & (memory < end)
        least = f"{below * steps:.4g} to " if below else "below "
        label = f"{least}{end * steps:.4g}" if end < np.inf else f"{steps:g} and more"
        if some.any():
            legend_label = f"{label} steps ({int(some.sum())})"
            axes.plot(
                x[some], y[some], mark, color=colour, markersize=4, label=legend_label
            )
        below = end
    _key(axes)


def _ratios(axes: Axes, data: xr.Dataset) -> None:
    memory, tolerance = data["memory"].values, float(data.attrs["tolerance"])
    names = [str(name) for name in data["quantity"].values[:2]]
    for name in names:
        colour = QUANTITIES["state" if name == "state" else "dh/d"]
        modes = data.sel(quantity=name)
        ratio = modes["ratio"].values
        positive = ratio > 0
        ends = np.abs(np.stack([modes["low"].values, modes["high"].values]) - ratio)[
            :, positive
        ]
        axes.errorbar(
            memory[positive],
            ratio[positive],
            ends,
            fmt="o" if name == "state" else "s",
            color=colour,
            markersize=2.5,
            elinewidth=0.4,
            capsize=0,
            label=name,
        )
    for level in (1 - tolerance, 1, 1 + tolerance):
        axes.axhline(level, color=style.GREY, linewidth=0.5, zorder=0)
    axes.axvline(
        data.attrs["steps"],
        color=style.GREY,
        linewidth=0.6,
        linestyle="--",
        label="window",
    )
    axes.set(xscale="log", xlabel="time constant without inputs, steps")
    style.plain_log(axes)
    _plain(axes.xaxis)
    _key(axes)


def _short(name: str) -> str:
    """A name whose end is kept: it is there that layers differ."""
    return name if len(name) <= LONGEST else "…" + name[1 - LONGEST :]


def draw_margins(data: xr.Dataset) -> Figure:
    """Memories of every layer, from its fastest to its slowest mode, at rest.

    Args:
        data: By ``layer``: ``fastest``, ``median`` and ``slowest`` memory in steps,
            infinite where nothing is forgotten, and ``longest``, that of a modulus in the
            format of the file; the attribute ``steps``.
    """
    count = data.sizes["layer"]
    with style.styled():
        figure = style.figure(1.0 + 0.17 * count, WIDE)
        axes = figure.subplots()
        rows = np.arange(count)
        finite = data["slowest"].values[np.isfinite(data["slowest"].values)]
        beyond = 10 * max([*finite, float(data.attrs["steps"])])
        slow = np.where(np.isfinite(data["slowest"]), data["slowest"], beyond)
        fast = np.minimum(data["fastest"].values, slow)
        axes.hlines(rows, fast, slow, color=style.BLUE, linewidth=3, alpha=0.6)
        middle = np.minimum(data["median"].values, slow)
        axes.plot(middle, rows, "o", color=style.BLUE, label="median mode")
        near = data["longest"].values < beyond
        if near.any():
            axes.plot(
                data["longest"].values[near],
                rows[near],
                "|",
                color=style.VERMILION,
                markersize=7,
                markeredgewidth=1.5,
                label="where moduli of the format end",
            )
        endless = ~np.isfinite(data["slowest"].values)
        if endless.any():
            label = "|λ| = 1 or above: no end"
            axes.plot(slow[endless], rows[endless], ">", color=style.BLUE, label=label)
        steps = data.attrs["steps"]
        axes.axvline(steps, color=style.GREY, linestyle="--", label="window")
        axes.set(
            xscale="log",
            xlabel="time constant without inputs, steps",
            ylim=(count - 0.4, -0.6),
        )
        axes.set_yticks(rows, [_short(str(name)) for name in data["layer"].values])
        _plain(axes.xaxis)
        _key(axes)
    return figure


def draw_times(data: xr.Dataset) -> Figure:
    """Histograms of the time constants of every layer, one above the other.

    Args:
        data: By ``layer`` and ``bin``: ``share`` of the layer's modes; ``edge``, the ends
            of the bins in steps; by ``layer``: ``median`` in steps, infinite or no number
            where there is none, and ``endless``, the share of modes that do not decay;
            perhaps the attribute ``steps``, the length of the sequences.
    """
    count, edges = data.sizes["layer"], data["edge"].values
    rows = np.arange(count)
    with style.styled():
        figure = style.figure(1.0 + 0.23 * count, WIDE)
        axes = figure.subplots()
        for row, share in zip(rows, data["share"].values, strict=True):
            heights = row - TALL * share / max(share.max(), 1e-300)
            axes.stairs(
                heights, edges, baseline=row, fill=True, color=style.BLUE, alpha=0.6
            )
        axes.hlines(rows, edges[0], edges[-1], color=style.GREY, linewidth=0.4)
        median = data["median"].values
        inside = np.isfinite(median)
        axes.plot(median[inside], rows[inside], "|", color=style.BLACK, label="median")
        endless = data["endless"].values > 0
        if endless.any():
            end = np.full(endless.sum(), edges[-1])
            label = "some modes have |λ| = 1 or above"
            axes.plot(end, rows[endless], ">", color=style.VERMILION, label=label)
        if "steps" in data.attrs:
            axes.axvline(
                data.attrs["steps"],
                color=style.GREY,
                linestyle="--",
                label="sequence length",
            )
        axes.set(
            xscale="log",
            xlabel="time constant without inputs, steps",
            ylim=(count - 0.6, -1),
        )
        axes.set_yticks(rows, [_short(str(name)) for name in data["layer"].values])
        axes.tick_params(axis="y", length=0)
        _plain(axes.xaxis)
        _key(axes)
    return figure
