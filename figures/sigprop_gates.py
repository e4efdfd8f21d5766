"""Moments of layers whose gates see the input alone: measured points on exact lines."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from sigprop.figures import style

STUDY = "gated_moments"
STUDIES = dict.fromkeys("abc", STUDY)
TITLES = {"a": "states", "b": "gradient of a gate", "c": "over exact"}
COLOURS = (*style.SEQUENCE, style.SKY)
MARKERS = {"state": "o", "gate": "s"}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """States and gradients of gates over the gates' memory, and how near theory is.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    panels = {"a": ("state",), "b": ("gate",), "c": ("state", "gate")}
    with style.styled():
        drawn = style.figure(2.9, 0.4 + 1.7 * len(letters))
        row = drawn.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            if letter == "c":
                _ratios(axes, data)
            else:
                _moments(axes, data, panels[letter][0])
            axes.set(xscale="log", xlabel="memory, steps")
            style.letter(axes, letter, TITLES[letter])
        handles, labels = row[0].get_legend_handles_labels()
        drawn.legend(
            handles[: data["layer"].size],
            labels[: data["layer"].size],
            loc="outside upper center",
            ncols=6 if len(letters) == 3 else 2,
            handlelength=1,
            columnspacing=1,
        )
        gates = ", ".join(
            f"{name} {parameter}"
            for name, parameter in zip(
                data["layer"].values, data["parameter"].values, strict=True
            )
        )
        style.caption(
            drawn,
            f"{data.attrs['sequences']} sequences of {data.attrs['spans']:g} memories from "
            f"the zero state, {data.attrs['sizes']}, Gaussian; bars, two standard errors. "
            "Memory is that of a gate without input. "
            f"Gradients of {gates}. C: circles, states; squares, gates.",
        )
    return drawn


def _moments(axes: Axes, data: xr.Dataset, moment: str) -> None:
    memory = data["memory"].values
    for name, colour in zip(data["layer"].values, COLOURS, strict=False):
        one = data.sel(layer=name, moment=moment)
        axes.plot(memory, one["predicted"], color=colour, label=str(name))
        axes.errorbar(
            memory,
            one["measured"],
            yerr=2 * one["sem"].values,
            fmt=MARKERS[moment],
            color=colour,
            markersize=2.5,
            elinewidth=0.6,
        )
    axes.set_yscale("log")
    what = r"E$|h|^2$" if moment == "state" else r"E$|\partial h/\partial \theta|^2$"
    axes.set_ylabel(what)


def _ratios(axes: Axes, data: xr.Dataset) -> None:
    """Side by side at some memories, so that bars do not cover each other."""
    data = data.isel(memory=slice(None, None, max(1, data["memory"].size // 4)))
    memory = data["memory"].values
    many = data["layer"].size * len(MARKERS)
    step = np.log(memory[1] / memory[0]) * 0.7 / many
    for i, (name, colour) in enumerate(
        zip(data["layer"].values, COLOURS, strict=False)
    ):
        for k, (moment, marker) in enumerate(MARKERS.items()):
            one = data.sel(layer=name, moment=moment)
            shift = np.exp(step * (2 * i + k - (many - 1) / 2))
            axes.errorbar(
                memory * shift,
                one["measured"] / one["predicted"],
                yerr=2 * (one["sem"] / one["predicted"]).values,
                fmt=marker,
                color=colour,
                markersize=1.8,
                elinewidth=0.5,
                label=str(name) if k == 0 else None,
            )
    axes.axhline(1, color=style.BLACK, linewidth=0.6, zorder=0)
    axes.set_ylabel("measured over exact")
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:.2f}"))


def shown(results: style.Results) -> str:
    """How many moments are where theory has them, and how far the farthest is."""
    data = results[STUDY]
    apart = np.abs(data["measured"] - data["predicted"]) / data["sem"]
    error = float((data["error"] / data["predicted"]).max())
    ratio = data["measured"] / data["predicted"]
    memory = data["memory"].values
    return (
        f"For time constants of {memory[0]:g} to {memory[-1]:g} steps, "
        f"{int((apart <= 2).sum())} of {apart.size} measured moments lie within two standard "
        f"errors of the predicted ones. Measured over predicted is {float(ratio.min()):.3f} "
        f"to {float(ratio.max()):.3f}. The relative quadrature error is at most {error:.0e}."
    )
