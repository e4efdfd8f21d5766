"""Advice: where the modes of a layer begin, by default and as advised."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from sigprop.figures import style

PANELS = {"a": "eigenvalues", "b": "time constants", "c": "states"}
CAPTION = (
    "Modes at initialisation. A: each eigenvalue is drawn in the upper half plane, because it "
    "and its conjugate give the same real part of the output. Dashed: the phase below which "
    "the input has 95 % of its power. C: second moment of each mode's state for this input."
)
GATED = (
    "States at initialisation, without inputs to the gates. A: share of the state that a "
    "step keeps. C: second moment of each state for an AR(1) input. At most "
    "64 states are shown."
)


def draw(data: xr.Dataset, title: str) -> Figure:
    """Draw eigenvalues, time constants and squared states of both initialisations.

    Args:
        data: By ``start`` and ``mode``: ``memory`` in steps, ``phase`` in radians and
            ``state``; the attributes ``length``, ``memory``, ``phase`` and ``gated``.
        title: What was advised on.
    """
    with style.styled():
        figure = style.figure(2.6, 7.2)
        axes = figure.subplots(1, 3, width_ratios=(1.3, 1, 1))
        for start, colour in style.STARTS.items():
            modes = data.sel(start=start)
            radius, phase = 1 - 1 / modes["memory"].values, modes["phase"].values
            dots = {"color": colour, "markersize": 2, "linestyle": "", "label": start}
            axes[0].plot(
                radius * np.cos(phase), abs(radius * np.sin(phase)), marker="o", **dots
            )
            ordered = np.sort(modes["memory"].values)
            beyond = 1 - np.arange(len(ordered)) / len(ordered)
            axes[1].plot(ordered, beyond, color=colour, drawstyle="steps-pre")
            axes[2].plot(modes["memory"], modes["state"], marker="o", **dots)
        _disc(axes[0], float(data.attrs["phase"]), bool(data.attrs["gated"]))
        for panel, (letter, about) in zip(axes, PANELS.items(), strict=True):
            folded = letter == "a" and not data.attrs["gated"]
            style.letter(
                panel, letter, f"{about}, up to conjugates" if folded else about
            )
        axes[1].axvline(data.attrs["memory"], color=style.GREY, linestyle="--")
        axes[1].annotate(
            *("longest advised", (data.attrs["memory"], 0.98), (-3, 0)),
            textcoords="offset points",
            rotation=90,
            ha="right",
            va="top",
            color=style.GREY,
            fontsize=6.5,
        )
        axes[2].axhline(1, color=style.GREY, linewidth=0.6)
        axes[1].set(xscale="log", ylabel="share of longer ones")
        axes[2].set(xscale="log", ylabel=r"$\mathrm{E}|h|^2$")
        style.plain_log(axes[2])
        for panel in axes[1:]:
            panel.set_xlabel("time constant, steps")
            panel.xaxis.set_minor_locator(NullLocator())
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside right upper", title="initialisation"
        )
        figure.suptitle(title, fontsize=8)
        style.caption(figure, GATED if data.attrs["gated"] else CAPTION)
    return figure


def _disc(axes: Axes, phase: float, gated: bool) -> None:
    turn = np.linspace(0, np.pi, 100)
    axes.plot(np.cos(turn), np.sin(turn), color=style.GREY, linewidth=0.6)
    if not gated:
        end = np.cos(phase), np.sin(phase)
        axes.plot([0, end[0]], [0, end[1]], "--", color=style.BLACK, linewidth=0.8)
        side = np.sign(end[0])
        line: dict[str, Any] = {
            "arrowstyle": "-",
            "color": style.GREY,
            "lw": 0.5,
            "shrinkA": 0,
        }
        axes.annotate(
            "95 % of the input's power",
            *(end, (0, 1.3)),
            ha="center",
            color=style.GREY,
            fontsize=6.5,
            arrowprops=line | {"relpos": (0.5 + 0.5 * side, 0)},
        )
    axes.set_aspect("equal")
    axes.set(xlabel=r"Re $\lambda$", ylabel=r"|Im $\lambda$|")
    axes.set(xlim=(-1.15, 1.15), ylim=(-0.05, 1.45), yticks=(0, 0.5, 1))
