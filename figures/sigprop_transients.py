"""Norms of states from the zero state: RotRNN's and the LRU's on their exact transients."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style

STUDY = "transients"
STUDIES = dict.fromkeys("abcd", STUDY)
PLACES = {
    "a": ("RotRNN", "white"),
    "b": ("LRU", "white"),
    "c": ("RotRNN", "rho=0.9"),
    "d": ("LRU", "rho=0.9"),
}
SAID = {"white": "white inputs", "rho=0.9": r"$\rho = 0.9$"}
COLOURS = (style.BLUE, style.GREEN, style.ORANGE, style.VERMILION)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Squared norms of heads, and of neurons by groups, over the inputs seen.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    rows = max(1, len(letters) // 2)
    with style.styled():
        drawn = style.figure(1.75 * rows + 0.6)
        grid = drawn.subplots(rows, -(-len(letters) // rows), squeeze=False)
        for axes, letter in zip(grid.ravel(), letters, strict=True):
            _norms(axes, data, letter)
            layer, source = PLACES[letter]
            style.letter(axes, letter, f"{layer}, {SAID[source]}")
        grid[0, 0].legend(loc="lower right", handlelength=1, borderaxespad=0.2)
        notes = [
            f"Lines: exact; points: {data.attrs['sequences']} sequences, with bars of two "
            f"standard errors; {data.attrs['sizes']}, phases up to π/10. LRU: mean of the "
            "neurons of a group."
        ]
        if "a" in letters:
            notes.append("A, open: a start of norm one, which the paper supposes.")
        style.caption(drawn, *notes)
    return drawn


def _norms(axes: Axes, data: xr.Dataset, letter: str) -> None:
    layer, source = PLACES[letter]
    time = data["time"].values
    for decay, colour in zip(data["decay"].values, COLOURS, strict=False):
        one = data.sel(layer=layer, input=source, decay=decay)
        label = rf"$\gamma = {decay:g}$"
        axes.plot(time, one["predicted"], color=colour, label=label)
        look = {"color": colour, "linestyle": "none", "elinewidth": 0.6}
        bars = 2 * one["sem"].values
        axes.errorbar(
            time, one["measured"], yerr=bars, marker="o", markersize=2, **look
        )
        if letter == "a":
            axes.errorbar(
                time,
                one["started"],
                yerr=2 * one["started_sem"].values,
                marker="o",
                markersize=2.5,
                markerfacecolor="white",
                markeredgewidth=0.6,
                **look,
            )
    axes.axhline(1, color=style.GREY, linewidth=0.6, zorder=0)
    axes.set(xscale="log", yscale="log", xlabel="inputs seen")
    axes.set_ylabel(r"E$|h|^2$")
    lowest = float(data["predicted"].sel(input=source).min())
    axes.set_ylim(lowest / 2, 3 * float(data["predicted"].sel(input=source).max()))


def shown(results: style.Results) -> str:
    """How full the slowest head is after a thousand steps, and what correlation does."""
    data = results[STUDY]
    slowest = data.isel(decay=int(np.argmax(data["decay"].values)))
    time = data["time"].values
    seen = int(time[np.argmin(np.abs(np.log(time / 1024)))])
    white = slowest.sel(layer="RotRNN", input="white", time=seen)
    end = data.sel(input="rho=0.9").isel(time=-1)["predicted"]
    apart = np.abs(data["measured"] - data["predicted"]) / data["sem"]
    held = int((apart <= 2).sum())
    most = ", ".join(
        f"{name} {float(end.sel(layer=name).max()):.2g}"
        for name in data["layer"].values
    )
    return (
        f"After {seen} white inputs from the zero state, a RotRNN head of decay "
        f"{float(slowest['decay']):g} has {float(white['measured']):.3f} of its stationary "
        f"norm; the closed form gives {float(white['predicted']):.3f}. Started at norm one, "
        f"it has {float(white['started']):.2f}. With correlated inputs the largest final "
        f"norms are {most}. {held} of {apart.size} points lie within two standard errors."
    )
