"""An audit of a forecaster: state power over the position, and what fails of theory."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style

RUNGS = {
    "stationary": style.BLUE,
    "infinite": style.SKY,
    "independent": style.ORANGE,
    "white": style.VERMILION,
}
ROW, HEAD = 1.25, 1.2  # inches of a recurrence, and of all above and below
CAPTION = (
    "Left: power of the state over the position in the window, measured with a 95 % "
    "interval over {blocks} blocks of time, and predicted under one assumption more each. "
    "Right: predicted over measured over the whole window, and of the first at its edges, "
    "with intervals; grey: {percent:g} % off."
)


def draw(data: xr.Dataset, title: str, tolerance: float) -> Figure:
    """A row for each recurrence: power over position, and ratios with intervals.

    Args:
        data: By ``recurrence``: ``measured`` over ``position`` and ``end``, ``predicted``
            over ``rung`` and ``position``, ``ratio`` by ``rung`` and ``edges`` by
            ``edge``, with an ``end``; the attribute ``blocks``.
        title: What was audited.
        tolerance: Of the ratio.

    Raises:
        ValueError: If no recurrence has a closed form.
    """
    if "recurrence" not in data.dims:
        raise ValueError("need a recurrence with a closed form, got none")
    with style.styled():
        rows = data.sizes["recurrence"]
        figure = style.figure(HEAD + ROW * rows, 6.5)
        grid = figure.subplots(
            rows, 2, squeeze=False, width_ratios=(2, 1), sharex="col", sharey="col"
        )
        for row, name in zip(grid, data["recurrence"].values, strict=True):
            recurrence = data.sel(recurrence=name)
            _power(row[0], recurrence)
            _ratios(row[1], recurrence, tolerance)
            row[0].set_title(str(name))
        for row in grid:
            style.plain_log(row[0])
        grid[-1, 0].set_xlabel("position in the window")
        lines = grid[0, 0].get_legend_handles_labels()
        figure.legend(
            *lines, loc="outside upper center", ncols=len(lines[0]), title=title
        )
        figure.supylabel(r"$\mathbb{E}\,\|h\|^2$", fontsize=8)
        about = {"blocks": data.attrs["blocks"], "percent": 100 * tolerance}
        style.caption(figure, CAPTION.format(**about))
    return figure


def _power(axes: Axes, recurrence: xr.Dataset) -> None:
    low, middle, high = (
        recurrence["measured"].sel(end=end) for end in ("low", "middle", "high")
    )
    least = 0.5 * float(middle.where(middle > 0).min())
    position = recurrence["position"]
    axes.fill_between(
        position, np.maximum(low, least), high, color=style.GREY, alpha=0.4, linewidth=0
    )
    axes.plot(position, middle, color=style.BLACK, linewidth=1.4, label="measured")
    for rung, colour in RUNGS.items():
        values = recurrence["predicted"].sel(rung=rung)
        if values.notnull().any():
            axes.plot(position, values, color=colour, linewidth=0.9, label=rung)


def _ratios(axes: Axes, recurrence: xr.Dataset, tolerance: float) -> None:
    names = [*RUNGS, "start", "end"]
    ratios = [recurrence["ratio"].sel(rung=rung) for rung in RUNGS]
    ratios += [recurrence["edges"].sel(edge=edge) for edge in ("start", "end")]
    colours = [*RUNGS.values(), style.BLUE, style.BLUE]
    axes.axvspan(1 - tolerance, 1 + tolerance, color=style.GREY, alpha=0.3, linewidth=0)
    for row, (values, colour) in enumerate(zip(ratios, colours, strict=True)):
        low, middle, high = (
            float(values.sel(end=end)) for end in ("low", "middle", "high")
        )
        if np.isfinite(middle) and middle > 0:
            reach = [[middle - max(low, 0.1 * middle)], [high - middle]]
            axes.errorbar(middle, row, xerr=reach, fmt="o", color=colour)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names, fontsize=6)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xticks([0.5, 1, 2, 5, 10], ["½", "1", "2", "5", "10"])
    axes.minorticks_off()
