"""Layers whose gates see the state, against their effective eigenvalues."""

import numpy as np
from matplotlib.figure import Figure

from sigprop.figures import style

STUDY = "gated_neurons"
STUDIES = {"a": STUDY}
COLOURS = {
    "unit, input": style.GREEN,
    "unit, input and state": style.VERMILION,
    "GRU": style.BLUE,
    "LSTM": style.PURPLE,
}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """The mean square of states over that of the layer at rest, by size of the input.

    Raises:
        ValueError: If there is no such panel.
    """
    style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    with style.styled():
        drawn = style.figure(2.6)
        axes = drawn.subplots()
        axes.axhline(1, color=style.BLACK, linewidth=0.8)
        for name, colour in COLOURS.items():
            each = data["ratio"].sel(layer=name).transpose("draw", "size").values
            axes.errorbar(
                data["size"].values,
                each.mean(0),
                2 * style.standard_error(each),
                color=colour,
                marker="o",
                markersize=2.5,
                elinewidth=0.6,
                label=name,
            )
        axes.set_xscale("log", base=2)
        style.plain_log(axes)
        axes.set(
            xlabel="size of the inputs, over the stand-in's",
            ylabel=r"$\mathrm{E}|h|^2$ over that at rest",
        )
        axes.legend(handlelength=1.2)
        style.letter(axes, "a", "states against effective eigenvalues")
        style.caption(drawn, "bars: two standard errors over layers")
    return drawn


def shown(results: style.Results) -> str:
    """The error of the effective eigenvalues at the inputs' own size, and where it is least."""
    data = results[STUDY]
    mean = data["ratio"].mean("draw") - 1
    own = mean.sel(size=1.0, method="nearest")
    least = mean.isel(size=int(np.argmin(data["size"].values)))
    said = ", ".join(
        f"{name} {float(own.sel(layer=name)):+.1%} ({float(least.sel(layer=name)):+.1%})"
        for name in COLOURS
    )
    smallest = float(data["size"].min())
    return (
        "Effective eigenvalues predict the moments with an error. At full input size (at "
        f"{smallest:g} of it) it is {said}."
    )
