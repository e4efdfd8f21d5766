"""A figure of sigprop, not from a paper: layers with gates and their linearisation."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

STUDY = "gated_neurons"
ENTRY = Entry(
    {"a": STUDY},
    "States of gated layers compared with linearised layers",
)
COLOURS = {
    "unit, input": style.GREEN,
    "unit, input and state": style.VERMILION,
    "GRU": style.BLUE,
    "LSTM": style.PURPLE,
}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """The panel shows states of gated layers relative to their linearisation, by input size.

    Raises:
        ValueError: If there is no such panel.
    """
    import seaborn as sns  # slow to import

    ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(2.6)
        axes = figure.subplots()
        axes.axhline(1, color=style.BLACK, linewidth=0.8)
        sns.lineplot(
            data["ratio"].to_dataframe(),
            x="size",
            y="ratio",
            hue="layer",
            palette=COLOURS,
            errorbar=("se", 2),
            err_style="bars",
            marker="o",
            markeredgewidth=0,
            ax=axes,
        )
        axes.set_xscale("log", base=2)
        style.plain_log(axes)
        axes.set(
            xlabel="input size, relative to the sampled embeddings",
            ylabel=r"$\mathrm{E}|h|^2$ relative to linearised layer",
        )
        axes.legend(handlelength=1.2)
        style.letter(axes, "a", "gated layers against effective eigenvalues")
        style.caption(
            figure,
            "Effective eigenvalues are those of the layer's Jacobian at zero input and state, "
            "and belong to the linearised layer. Unit: simplified gated unit, with the "
            "variables that its gates read. Bars: two standard errors over layers.",
        )
    return figure


def shown(results: style.Results) -> str:
    """The range of differences from the linearised layer, for full and small inputs."""
    data = results[STUDY]
    full, small = zip(*_differences(data).values(), strict=True)
    return (
        "The mean square of the states differs from that of the linearised layer by "
        f"{phrases.span(full, '+.1%')}, depending on the layer. With inputs of "
        f"{float(data['size'].min()):g} times the amplitude, the difference is "
        f"{phrases.span(small, '+.1%')}."
    )


def details(results: style.Results) -> style.Cells:
    """The difference of each layer from its linearisation, for full and small inputs."""
    data = results[STUDY]
    smallest = float(data["size"].min())
    return (
        (
            "mean square of states: difference from the linearised layer",
            "full input size",
            f"{smallest:g} of the input size",
        ),
        *(
            (name, f"{full:+.1%}", f"{small:+.1%}")
            for name, (full, small) in _differences(data).items()
        ),
    )


def _differences(data: xr.Dataset) -> dict[str, tuple[float, float]]:
    """Relative differences at input size one, and at the smallest size, by layer."""
    mean = data["ratio"].mean("draw") - 1
    own = mean.sel(size=1.0, method="nearest")
    least = mean.isel(size=int(np.argmin(data["size"].values)))
    return {
        name: (float(own.sel(layer=name)), float(least.sel(layer=name)))
        for name in COLOURS
    }


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-effective-eigenvalues")
