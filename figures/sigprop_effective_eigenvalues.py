"""A figure of sigprop, not from a paper: layers with gates and their linearisation."""

from fractions import Fraction

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

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

APART = 1.06  # ratio of the x positions of two layers' marks
TICKS = (0.2, 0.3, 0.5, 1, 2, 3, 5)
NAMES = {
    "unit, input": "gated unit (input)",
    "unit, input and state": "gated unit (input, state)",
    "GRU": "GRU",
    "LSTM": "LSTM",
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
        figure = style.figure(3.1)
        axes = figure.subplots()
        axes.axhline(1, color=style.BLACK, linewidth=0.8)
        ratios = data["ratio"].to_dataframe().reset_index()
        order = list(COLOURS)
        aside = np.array([order.index(name) - 1.5 for name in ratios["layer"]])
        ratios["size"] *= APART**aside
        sns.lineplot(
            ratios,
            x="size",
            y="ratio",
            hue="layer",
            palette=COLOURS,
            errorbar=("se", 2),
            err_style="bars",
            marker="o",
            markeredgewidth=0,
            legend=False,
            ax=axes,
        )
        axes.set_xscale("log", base=2)
        style.plain_log(axes)
        low, high = axes.get_ylim()
        axes.set_yticks([tick for tick in TICKS if low < tick < high])
        axes.yaxis.set_minor_locator(NullLocator())
        sizes = data["size"].values
        axes.set_xticks(sizes, [str(Fraction(size)) for size in sizes.tolist()])
        ends = data["ratio"].mean("draw").sel(size=sizes.max())
        style.end_labels(
            axes,
            sizes.max() * 1.03 * APART**1.5,
            [float(ends.sel(layer=name)) for name in COLOURS],
            [NAMES[name] for name in COLOURS],
            [*COLOURS.values()],
            apart=0.07,
        )
        axes.annotate(
            *("linearised layer", (1, 1), (3, 0)),
            xycoords=axes.get_yaxis_transform(),
            textcoords="offset points",
            va="center",
            fontsize=7,
            annotation_clip=False,
        )
        axes.set(
            xlabel="input amplitude, relative to the sampled embeddings",
            ylabel=r"$\mathrm{E}|h|^2$ relative to linearised layer",
        )
        axes.set_xlim(None, 1.15 * sizes.max())
        style.caption(
            figure,
            "The linearised layer has the Jacobian of the layer at zero input and state; its "
            "eigenvalues are the effective eigenvalues. Gated units are named after what their "
            "gates read. Sampled embeddings are Gaussian sequences with the autocovariance of "
            "text embeddings in Zucchet & Orvieto's Figure 12; amplitude 1 is theirs. Bars are "
            "two standard errors over random layers; marks are moved apart sideways.",
        )
    return figure


def shown(results: style.Results) -> str:
    """The range of differences from the linearised layer, for full, small, large inputs."""
    data = results[STUDY]
    full, small = zip(*_differences(data).values(), strict=True)
    large = data["ratio"].mean("draw").sel(size=data["size"].max())
    return (
        "At the amplitude of the sampled embeddings, the mean square of the states differs "
        f"from that of the linearised layer by {_percent(full)}, depending on the "
        f"layer. At {Fraction(float(data['size'].min()))} of the amplitude it differs by "
        f"{_percent(small)}. At {float(data['size'].max()):g} times the amplitude "
        f"it is {phrases.span([float(x) for x in large], '.1f')} times as large."
    )


def _percent(differences: tuple[float, ...]) -> str:
    """The smallest and the largest difference, in per cent with signs."""
    percent = phrases.span([100 * each for each in differences], "+.1f")
    return f"{percent.replace('-', '−')} %"


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
