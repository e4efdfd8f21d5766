"""A figure of sigprop, not from a paper: state norms from the zero state."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "transients"
ENTRY = Entry(
    dict.fromkeys("abcd", STUDY),
    "State norms over time from the zero state",
    rows=("rotrnn:text:constant-norm",),
)
PANELS = {
    "a": ("RotRNN", "white"),
    "b": ("LRU", "white"),
    "c": ("RotRNN", "rho=0.9"),
    "d": ("LRU", "rho=0.9"),
}
INPUT_LABELS = {"white": "white inputs", "rho=0.9": r"$\rho = 0.9$"}
INPUTS = {"white": "white inputs", "rho=0.9": "inputs with ρ = 0.9"}
COLOURS = (style.BLUE, style.GREEN, style.ORANGE, style.VERMILION)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Each panel shows squared norms of heads or neurons against the number of inputs.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    rows = max(1, len(letters) // 2)
    with style.styled():
        figure = style.figure(1.75 * rows + 0.9)
        grid = figure.subplots(rows, -(-len(letters) // rows), squeeze=False)
        for axes, letter in zip(grid.ravel(), letters, strict=True):
            _norms(axes, data, letter)
            layer, source = PANELS[letter]
            style.letter(axes, letter, f"{layer}, {INPUT_LABELS[source]}")
        lines, labels = grid[0, 0].get_legend_handles_labels()
        look: dict[str, Any] = {
            "color": style.BLACK,
            "marker": "o",
            "linestyle": "",
            "markersize": 3,
        }
        keys = [Line2D([], [], label="simulated from zero", **look)]
        if "a" in letters:
            look |= {"markerfacecolor": "white", "markeredgewidth": 0.6}
            look["label"] = r"from norm one, each $\gamma$ (A)"
            keys.append(Line2D([], [], **look))
        keys.append(Line2D([], [], color=style.GREY, lw=0.6, label="norm one"))
        keys.insert(
            0, Line2D([], [], color=style.BLACK, label="closed form, from zero")
        )
        figure.legend(
            [*lines, *keys],
            [*labels, *(str(key.get_label()) for key in keys)],
            loc="outside upper center",
            ncols=len(lines),
            handlelength=1.4,
        )
        sizes = data.attrs["sizes"].replace("a decay", "for each γ")
        style.caption(
            figure,
            f"Points are means over {data.attrs['sequences']} sequences, with bars of two "
            f"standard errors. Layers have {sizes} and phases up to π/10. A RotRNN head has "
            "one norm and one decay γ; for the LRU the norm is the mean over the neurons of "
            "modulus γ. In C and D, ρ is the correlation of neighbouring inputs. Open circles "
            "coincide for all four γ. The paper assumes that the "
            "first state has norm one.",
        )
    return figure


def _norms(axes: Axes, data: xr.Dataset, letter: str) -> None:
    layer, source = PANELS[letter]
    time = data["time"].values
    for decay, colour in zip(data["decay"].values, COLOURS, strict=False):
        curve = data.sel(layer=layer, input=source, decay=decay)
        label = rf"$\gamma = {decay:g}$"
        axes.plot(time, curve["predicted"], color=colour, label=label)
        look: dict[str, Any] = {"color": colour, "linestyle": "none", "elinewidth": 0.6}
        bars = 2 * curve["sem"].values
        axes.errorbar(
            time, curve["measured"], yerr=bars, marker="o", markersize=2, **look
        )
        if letter == "a":
            axes.errorbar(
                time,
                curve["started"],
                yerr=2 * curve["started_sem"].values,
                marker="o",
                markersize=2.5,
                markerfacecolor="white",
                markeredgewidth=0.6,
                **{**look, "color": style.BLACK},
            )
    axes.axhline(1, color=style.GREY, linewidth=0.6, zorder=0)
    axes.set(xscale="log", yscale="log", xlabel="number of inputs")
    axes.set_ylabel(r"E$|h|^2$")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    lowest = float(data["predicted"].sel(input=source).min())
    axes.set_ylim(lowest / 2, 3 * float(data["predicted"].sel(input=source).max()))


def shown(results: style.Results) -> str:
    """The norm of the slowest head after about a thousand inputs, from both starts."""
    data = results[STUDY]
    slowest = data.isel(decay=int(np.argmax(data["decay"].values)))
    time = data["time"].values
    count = int(time[np.argmin(np.abs(np.log(time / 1024)))])
    white = slowest.sel(layer="RotRNN", input="white", time=count)
    apart = np.abs(data["measured"] - data["predicted"]) / data["sem"]
    return (
        f"After {count} white inputs from the zero state, the squared norm of a RotRNN head "
        f"with γ = {float(slowest['decay']):g} is {float(white['measured']):.3f}; the "
        f"closed form gives {float(white['predicted']):.3f}. From a state of norm one, the "
        f"squared norm after the same inputs is {float(white['started']):.2f}. "
        f"{int((apart <= 2).sum())} of {apart.size} simulated points lie within two standard "
        "errors of the closed form."
    )


def details(results: style.Results) -> style.Cells:
    """The closed form of each squared norm after all inputs, by decay."""
    data = results[STUDY]
    end = data["predicted"].isel(time=-1)
    decays = data["decay"].values.tolist()
    return (
        (
            f"squared norm after {int(data['time'].values[-1])} inputs, closed form",
            *(f"decay {decay:g}" for decay in decays),
        ),
        *(
            (
                f"{layer}, {INPUTS[source]}",
                *(
                    f"{float(end.sel(layer=layer, input=source, decay=decay)):.2g}"
                    for decay in decays
                ),
            )
            for layer, source in PANELS.values()
        ),
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-transients")
