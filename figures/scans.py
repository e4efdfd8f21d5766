"""A sweep's final losses over the learning rate, for each network and each condition."""

import math
from collections.abc import Iterator

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import losses, style, training

SYMBOLS = {"nu0": r"$\nu_0$", "theta0": r"$\theta_0 / \pi$"}
COLUMNS = 4
CAPTION = (
    "points: the {seeds} seeds of each network at each rate, from the start whose median is "
    "least there; lines: their medians; rings: the best rate"
)
OUT = "; crosses: {out} that diverged or ended above {far:.0e}"


def draw(data: xr.Dataset, title: str) -> Figure:
    """Draw a panel for each value of the condition that varies, with shared axes.

    Args:
        data: By ``cell``: ``final`` loss, infinite where a training diverged,
            ``network``, ``start``, ``log_rate``, ``seed``, ``nu0`` and ``theta0``.
        title: What was run.

    Raises:
        ValueError: If every training had the same rate.
    """
    if len(np.unique(data["log_rate"])) < 2:
        raise ValueError("need two learning rates or more, got one")
    varies = max(SYMBOLS, key=lambda name: len(np.unique(data[name])))
    values = np.unique(data[varies])
    names = list(dict.fromkeys(map(str, data["network"].values)))
    colours = dict(zip(names, training.shades(len(names)), strict=True))
    colours |= {name: losses.COLOURS[name] for name in names if name in losses.COLOURS}
    columns = min(COLUMNS, len(values))
    rows = math.ceil(len(values) / columns)
    out = 0
    with style.styled():
        figure = style.figure(0.9 + 1.7 * rows, max(1 + 1.75 * columns, 3.6))
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        panels = grid.ravel()
        finite = data["final"].values[data["final"].values < losses.FAR]
        low, high = (finite.min(), finite.max()) if finite.size else (1.0, 1.0)
        for axes in panels:
            axes.set_yscale("log")
            axes.set_ylim(low / 1.6, high * 1.6)
        for axes, value in zip(panels, values, strict=False):
            own = data.isel(cell=data[varies].values == value)
            for name, colour in colours.items():
                network = own.isel(cell=own["network"].values == name)
                out += _network(axes, network, name, colour)
            if len(values) > 1:
                axes.set_title(f"{SYMBOLS[varies]} = {value:.3g}")
        for axes in panels[len(values) :]:
            axes.set_axis_off()
        for axes in grid[:, 0]:
            axes.set_ylabel("final loss")
        for axes in panels[max(len(values) - columns, 0) : len(values)]:
            axes.set_xlabel("learning rate (log10)")
            axes.tick_params(labelbottom=True)
        figure.legend(
            *panels[0].get_legend_handles_labels(),
            loc="outside upper center",
            ncols=int(figure.get_figwidth() / 1.3),
            title=title,
            title_fontsize=8,
        )
        caption = CAPTION.format(seeds=len(np.unique(data["seed"])))
        style.caption(
            figure, caption + (OUT.format(out=out, far=losses.FAR) if out else "")
        )
    return figure


def _network(axes: Axes, data: xr.Dataset, name: str, colour: str) -> int:
    """One network at one condition; how many of its trainings are off the panel."""
    results = list(_best_starts(data))
    rates = np.array([rate for rate, _ in results])
    medians = np.array([np.median(final) for _, final in results])
    out = 0
    for rate, final in results:
        sound = final < losses.FAR
        axes.plot(
            np.full(sound.sum(), rate),
            final[sound],
            ".",
            color=colour,
            markersize=3,
            alpha=0.5,
            markeredgewidth=0,
        )
        losses.crosses(axes, np.full((~sound).sum(), rate), colour)
        out += int((~sound).sum())
    shown = np.where(medians < losses.FAR, medians, np.nan)
    axes.plot(rates, shown, color=colour, linewidth=0.9, label=name)
    if np.isfinite(shown).any():
        best = int(np.nanargmin(shown))
        axes.plot(
            rates[[best]], shown[[best]], "o", color=colour, markerfacecolor="none"
        )
    return out


def _best_starts(data: xr.Dataset) -> Iterator[tuple[float, np.ndarray]]:
    """Each rate, and the final losses from the start with the least median there."""
    for rate in np.unique(data["log_rate"]):
        own = data.isel(cell=data["log_rate"].values == rate)
        starts = [
            own["final"].values[own["start"].values == start]
            for start in dict.fromkeys(own["start"].values.tolist())
        ]
        yield float(rate), min(starts, key=np.median)
