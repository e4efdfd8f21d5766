"""A figure of sigprop, not from a paper: moments of layers with input gates."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

STUDY = "gated_moments"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Moments of input-gated layers against the time constant",
    rows=("sigprop:gates",),
)
TITLES = {"a": "states", "b": "gate gradient", "c": "measured / exact"}
COLOURS = (*style.SEQUENCE, style.SKY)
MARKERS = {"state": "o", "gate": "s"}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show moments of states and of gate gradients against the time constant.

    Panel C shows measured moments divided by predicted moments.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    panels = {"a": ("state",), "b": ("gate",), "c": ("state", "gate")}
    with style.styled():
        figure = style.figure(2.9, 0.4 + 1.7 * len(letters))
        row = figure.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            if letter == "c":
                _ratios(axes, data)
            else:
                _moments(axes, data, panels[letter][0])
            axes.set(xscale="log", xlabel="time constant, steps")
            style.letter(axes, letter, TITLES[letter])
        handles, labels = row[0].get_legend_handles_labels()
        figure.legend(
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
            figure,
            f"{data.attrs['sequences']} sequences of {data.attrs['spans']:g} time constants "
            f"from the zero state, with {data.attrs['sizes']}, Gaussian. Bars: two standard "
            "errors. The time constant is that of the gate at zero input. "
            f"Gradients are with respect to {gates}. C: circles: states; squares: gates.",
        )
    return figure


def _moments(axes: Axes, data: xr.Dataset, moment: str) -> None:
    memory = data["memory"].values
    for name, colour in zip(data["layer"].values, COLOURS, strict=False):
        curve = data.sel(layer=name, moment=moment)
        axes.plot(memory, curve["predicted"], color=colour, label=str(name))
        axes.errorbar(
            memory,
            curve["measured"],
            yerr=2 * curve["sem"].values,
            fmt=MARKERS[moment],
            color=colour,
            markersize=2.5,
            elinewidth=0.6,
        )
    axes.set_yscale("log")
    label = r"E$|h|^2$" if moment == "state" else r"E$|\partial h/\partial \theta|^2$"
    axes.set_ylabel(label)


def _ratios(axes: Axes, data: xr.Dataset) -> None:
    """Draw ratios at some time constants, moved apart so that no bar covers another."""
    data = data.isel(memory=slice(None, None, max(1, data["memory"].size // 4)))
    memory = data["memory"].values
    many = data["layer"].size * len(MARKERS)
    step = np.log(memory[1] / memory[0]) * 0.7 / many
    for i, (name, colour) in enumerate(
        zip(data["layer"].values, COLOURS, strict=False)
    ):
        for k, (moment, marker) in enumerate(MARKERS.items()):
            points = data.sel(layer=name, moment=moment)
            shift = np.exp(step * (2 * i + k - (many - 1) / 2))
            axes.errorbar(
                memory * shift,
                points["measured"] / points["predicted"],
                yerr=2 * (points["sem"] / points["predicted"]).values,
                fmt=marker,
                color=colour,
                markersize=1.8,
                elinewidth=0.5,
                label=str(name) if k == 0 else None,
            )
    axes.axhline(1, color=style.BLACK, linewidth=0.6, zorder=0)
    axes.set_ylabel("measured / exact")
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:.2f}"))


def shown(results: style.Results) -> str:
    """The share of moments near theory, the farthest ratios and the quadrature error."""
    data = results[STUDY]
    apart = np.abs(data["measured"] - data["predicted"]) / data["sem"]
    error = float((data["error"] / data["predicted"]).max())
    ratio = (data["measured"] / data["predicted"]).values.ravel()
    memory = data["memory"].values
    return (
        f"For time constants of {memory[0]:g} to {memory[-1]:g} steps, "
        f"{int((apart <= 2).sum())} of {apart.size} measured moments lie within two standard "
        f"errors of the predicted moments. The ratio of measured to predicted moments is "
        f"{phrases.span(ratio, '.3f')}. The predictions themselves have a relative error of "
        f"at most {error:.0e}."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-gates")
