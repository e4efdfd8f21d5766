"""Scores of a paper's table beside ours, row by row, and where the orders are contrary."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style

WIDTH, NAMES, ROW = 1.9, 1.5, 0.19  # inches of a panel, of the rows' names, of a row
CAPTION = (
    "Scores: {unit}. Bars are standard errors, where there are any. Each column of the paper "
    "stands before ours on similar tasks. Our data and sizes differ, so compare orders, not "
    "numbers. A cross at the left means that the training fails. A bracket joins two rows "
    "whose orders differ, both by over two standard errors ({pairs})."
)


def draw(data: xr.Dataset, title: str) -> Figure:
    """A panel for each column of the paper, then one for each of ours nearest to it.

    Args:
        data: From ``sigprop.experiments.charts.chart``: by ``column`` and ``row``
            ``theirs`` and ``ours``, with ``theirs_error`` and ``ours_error``; ``nearest``
            by ``column``; ``of``, ``first`` and ``second`` by ``pair``; the attribute ``unit``.
        title: What the table is about.

    Raises:
        ValueError: If there is no column of ours.
    """
    count, rows = data.sizes["column"], data.sizes["row"]
    if not count:
        raise ValueError("need a column of ours that a published one is nearest to")
    with style.styled():
        nearest = data["nearest"].values.tolist()
        groups = {
            name: [i for i in range(count) if nearest[i] == name] for name in nearest
        }
        number = count + len(groups)
        figure = style.figure(1.9 + ROW * rows, NAMES + WIDTH / 2 * number)
        panels = figure.subplots(1, number, sharey=True, squeeze=False)[0]
        rest = iter(panels)
        for name, columns in groups.items():
            theirs = data.isel(column=columns[0])
            left = next(rest)
            _scores(left, theirs["theirs"], theirs["theirs_error"], style.GREY)
            left.set_title(f"paper\n{name}")
            for index in columns:
                column, right = data.isel(column=index), next(rest)
                _scores(right, column["ours"], column["ours_error"], style.BLUE)
                right.set_title(f"ours\n{column['column'].item()}")
                pairs = data.isel(pair=data["of"].values == index)
                _brackets(right, pairs["first"].values, pairs["second"].values)
        panels[0].set_yticks(range(rows), [str(row) for row in data["row"].values])
        panels[0].set_ylim(rows - 0.5, -0.5)
        figure.suptitle(title, fontsize=8)
        caption = CAPTION.format(unit=data.attrs["unit"], pairs=data.sizes["pair"])
        style.caption(figure, caption)
    return figure


def _scores(axes: Axes, means: xr.DataArray, errors: xr.DataArray, colour: str) -> None:
    mean, error = means.values, np.nan_to_num(errors.values)
    row = np.arange(len(mean))
    finite = np.isfinite(mean)
    axes.errorbar(mean[finite], row[finite], xerr=error[finite], fmt="o", color=colour)
    for fails in row[np.isneginf(mean)]:
        transform = axes.get_yaxis_transform()
        axes.plot(0, fails, "x", color=style.BLACK, transform=transform, clip_on=False)
    axes.grid(axis="y", color="#E4E4E4", linewidth=0.5)
    axes.margins(x=0.12)
    axes.tick_params(axis="y", length=0)


def _brackets(axes: Axes, first: np.ndarray, second: np.ndarray) -> None:
    """Draw brackets right of a panel, each further out than the bracket before."""
    transform = axes.get_yaxis_transform()
    for number, (top, bottom) in enumerate(zip(first, second, strict=True)):
        out = 1.05 + 0.05 * number
        axes.plot(
            [out - 0.03, out, out, out - 0.03],
            [top, top, bottom, bottom],
            color=style.VERMILION,
            linewidth=1,
            transform=transform,
            clip_on=False,
        )
