"""Advice: where the modes of a layer begin, by default and as advised."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style

COLOURS = {"default": style.VERMILION, "advised": style.BLUE}
CAPTION = (
    "Modes at initialisation. Left: eigenvalues; lines: phases below which 95 % of the "
    "input's power lies. Middle: share of modes with at least this time constant; dashed: "
    "the longest advised one. Right: second moment of each mode's state for this input; "
    "line: one."
)
GATED = (
    "States at initialisation, without inputs to the gates. Left: share of the state that a "
    "step keeps. Middle: share of states with at least this time constant; dashed: the "
    "longest advised one. Right: mean second moment of the states for an AR(1) input; line: "
    "one."
)


def draw(data: xr.Dataset, title: str) -> Figure:
    """Draw eigenvalues, time constants and squared states of both initialisations.

    Args:
        data: By ``start`` and ``mode``: ``memory`` in steps, ``phase`` in radians and
            ``state``; the attributes ``length``, ``memory``, ``phase`` and ``gated``.
        title: What was advised on.
    """
    with style.styled():
        figure = style.figure(2.9, 7.2)
        axes = figure.subplots(1, 3)
        for start, colour in COLOURS.items():
            modes = data.sel(start=start)
            radius, phase = 1 - 1 / modes["memory"].values, modes["phase"].values
            dots = {"color": colour, "markersize": 2, "linestyle": "", "label": start}
            axes[0].plot(
                radius * np.cos(phase), radius * np.sin(phase), marker="o", **dots
            )
            ordered = np.sort(modes["memory"].values)
            beyond = 1 - np.arange(len(ordered)) / len(ordered)
            axes[1].plot(ordered, beyond, color=colour, drawstyle="steps-pre")
            axes[2].plot(modes["memory"], modes["state"], marker="o", **dots)
        _disc(axes[0], float(data.attrs["phase"]), bool(data.attrs["gated"]))
        axes[1].axvline(data.attrs["memory"], color=style.GREY, linestyle="--")
        axes[2].axhline(1, color=style.GREY, linewidth=0.6)
        axes[1].set(xscale="log", xlabel="memory, steps", ylabel="share of longer ones")
        axes[2].set(xscale="log", yscale="log", xlabel="memory, steps")
        axes[2].set_ylabel(r"$\mathrm{E}|h|^2$")
        axes[0].legend(
            loc="upper left", bbox_to_anchor=(0, 1.28), ncols=2, frameon=False
        )
        figure.suptitle(title, fontsize=8)
        style.caption(figure, GATED if data.attrs["gated"] else CAPTION)
    return figure


def _disc(axes: Axes, phase: float, gated: bool) -> None:
    turn = np.linspace(0, 2 * np.pi, 200)
    axes.plot(np.cos(turn), np.sin(turn), color=style.GREY, linewidth=0.6)
    if not gated:
        for at in (phase, -phase):
            ends = [0, np.cos(at)], [0, np.sin(at)]
            axes.plot(*ends, color=style.GREY, linewidth=0.6, linestyle="--")
    axes.set_aspect("equal")
    axes.set(xlabel=r"Re $\lambda$", ylabel=r"Im $\lambda$")
