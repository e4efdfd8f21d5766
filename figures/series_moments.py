"""The moments of neurons that a time series drives, beside three predictions."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style

MOST = 6  # features that are drawn
ROW, HEAD = 1.45, 1.0  # inches of a feature, and of all that is above and below
ASSUMPTIONS = {
    "toeplitz": ("stationary", style.BLUE, "o"),
    "stationary": ("and infinite past", style.GREEN, "^"),
    "white": ("and white", style.VERMILION, "D"),
}
TITLES = {
    "state": r"$E|h_T|^2$",
    "sensitivity": r"$E|\mathrm{d}h_T/\mathrm{d}\lambda|^2$",
}
CAPTION = (
    "Second moments of neurons at the end of windows of {steps} steps: predicted over "
    "measured. Each row is an eigenvalue λ; the grey bar is the 95 % interval of the measured "
    "moment. Each prediction adds an assumption on the input. {more}"
)


def draw(data: xr.Dataset, title: str) -> Figure:
    """Draw predictions over measurements, a row for each feature.

    Args:
        data: By ``feature``, ``quantity`` and ``eigenvalue``: ``low`` and ``high``, the ends
            of the interval over the measured moment, and by ``assumption`` too ``ratio``,
            predicted over measured, or NaN; ``gap`` and ``theta`` by ``eigenvalue``; the
            attribute ``steps``.
        title: Name of the series.
    """
    shown = data.isel(feature=slice(MOST))
    count, left = shown.sizes["feature"], data.sizes["feature"] - MOST
    more = f"{left} more features are in the table only." if left > 0 else ""
    with style.styled():
        figure = style.figure(HEAD + ROW * count, 7.2)
        table = figure.subplots(count, 2, squeeze=False, sharex="col", sharey=True)
        for row, feature in zip(table, shown["feature"].values, strict=True):
            for axes, quantity in zip(row, TITLES, strict=True):
                _moments(axes, shown.sel(feature=feature, quantity=quantity))
            if count > 1:
                row[0].set_ylabel(str(feature), fontsize=7)
        for axes, letter, quantity in zip(table[0], "ab", TITLES, strict=True):
            style.letter(axes, letter, f"{quantity}, {TITLES[quantity]}")
        for axes in table[-1]:
            axes.set_xlabel("predicted / measured")
        gaps, angles = data["gap"].values, data["theta"].values
        labels = [
            rf"$1-|\lambda| = {gap:g}$, $\theta = {theta:.3g}$"
            for gap, theta in zip(gaps, angles, strict=True)
        ]
        table[0, 0].set_yticks(range(len(labels)), labels, fontsize=6.5)
        table[0, 0].set_ylim(len(labels) - 0.5, -0.5)
        figure.legend(
            *table[0, 0].get_legend_handles_labels(),
            loc="outside upper right",
            ncols=4,
        )
        figure.suptitle(title, fontsize=8, x=0.01, ha="left")
        style.caption(
            figure, CAPTION.format(steps=data.attrs["steps"], more=more).strip()
        )
    return figure


def _moments(axes: Axes, data: xr.Dataset) -> None:
    """The predictions of one moment, an eigenvalue a row."""
    rows = np.arange(data.sizes["eigenvalue"])
    low, high = data["low"].values, data["high"].values
    look: dict[str, Any] = {"color": style.GREY, "linewidth": 5, "alpha": 0.4}
    axes.hlines(rows, low, high, **look, label="measured, 95 %")
    axes.axvline(1, zorder=0, color=style.GREY, linewidth=0.6)
    for name, (label, colour, marker) in ASSUMPTIONS.items():
        ratio = data["ratio"].sel(assumption=name).values
        positive = ratio > 0
        axes.plot(
            ratio[positive],
            rows[positive],
            marker,
            color=colour,
            markersize=6 if name == "stationary" else 3.5,
            markerfacecolor="none" if name == "stationary" else colour,
            label=label,
        )
    axes.set_xscale("log")
    axes.tick_params(axis="y", length=0)
