"""A figure of sigprop, not from a paper: moments of the layers of 2024 to 2026."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

STUDY = "newer_layers"
PANELS = {
    "a": "Mamba-2",
    "b": "Mamba-3",
    "c": "gated DeltaNet",
    "d": "DeltaNet",
    "e": "DeltaProduct",
    "f": "RWKV-7",
    "g": "mLSTM",
    "h": "LinOSS",
    "i": "HGRN2",
}
"""The layer of each panel."""
ENTRY = Entry(
    dict.fromkeys(PANELS, STUDY),
    "Moments of nine layers of 2024 to 2026 against the time constant",
    rows=("sigprop:delta-state", "sigprop:linoss-implicit"),
)
LOOKS: dict[str, dict[str, Any]] = {
    "state": {"color": style.BLUE, "linestyle": "-", "marker": "o"},
    "gate": {"color": style.VERMILION, "linestyle": "--", "marker": "s"},
}
COLUMNS = 3


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Each panel shows a layer: exact curves and simulated points of both moments.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    rows, columns = -(-len(letters) // COLUMNS), min(COLUMNS, len(letters))
    with style.styled():
        figure = style.figure(
            0.9 + 1.35 * rows + 0.6 * (rows == 1), 5.5 if columns > 1 else 3.4
        )
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for axes, letter in zip(grid.ravel(), letters, strict=True):
            _panel(axes, data.sel(layer=PANELS[letter]))
            style.letter(axes, letter, PANELS[letter])
        for axes in grid[-1]:
            axes.set_xlabel("time constant, steps")
        for axes in grid[:, 0]:
            axes.set_ylabel("second moment")
        _key(figure, columns)
        named = [
            f"{PANELS[letter]} {data['parameter'].sel(layer=PANELS[letter]).item()}"
            for letter in letters
        ]
        style.caption(
            figure,
            f"Points are means over {data.attrs['sequences']} sequences of Gaussian inputs "
            f"({data.attrs['inputs']} channels), from the zero state. A sequence is as long as "
            f"{data.attrs['spans']:g} time constants, of the gates at zero input. Bars of two "
            "standard errors are mostly shorter than the points. Gradients are with respect "
            f"to {phrases.listed(named)}. The sum over the state's entries is shown. In "
            "DeltaNet and DeltaProduct, which have no decay, the upper bound of the writing "
            "rate sets the time constant.",
        )
    return figure


def _panel(axes: Axes, data: Any) -> None:
    memory = data["memory"].values
    for moment, look in LOOKS.items():
        curve = data.sel(moment=moment)
        axes.plot(
            memory,
            curve["predicted"],
            color=look["color"],
            linestyle=look["linestyle"],
            label=moment,
        )
        axes.errorbar(
            memory,
            curve["measured"],
            yerr=2 * curve["sem"].values,
            fmt=look["marker"],
            color=look["color"],
            markersize=2.8,
            elinewidth=0.6,
        )
    axes.set(xscale="log", yscale="log")
    axes.set_xticks([4, 16, 64, 256], ["4", "16", "64", "256"])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(LogLocator(numticks=5))
    axes.yaxis.set_minor_locator(NullLocator())


def _key(figure: Figure, columns: int) -> None:
    """Explain colours and marks above the panels."""
    keys = [
        Line2D([], [], color=look["color"], linestyle=look["linestyle"], label=label)
        for look, label in zip(
            LOOKS.values(),
            ("squared state, exact", "gate gradient, exact"),
            strict=True,
        )
    ]
    keys += [
        Line2D(
            [],
            [],
            color=look["color"],
            marker=look["marker"],
            linestyle="",
            label=label,
        )
        for look, label in zip(LOOKS.values(), ("simulated", "simulated "), strict=True)
    ]
    figure.legend(
        handles=[keys[0], keys[2], keys[1], keys[3]],
        loc="outside upper center",
        ncols=4 if columns > 1 else 2,
        columnspacing=1.4,
    )


def shown(results: style.Results) -> str:
    """The distance of moments from theory, and the layers whose moments grow most."""
    data = results[STUDY]
    apart = abs(data["measured"] - data["predicted"]) - data["error"]
    near = (apart <= 2 * data["sem"]).values
    ratio = (data["measured"] / data["predicted"]).values
    error = float((data["error"] / data["predicted"]).max())
    memory = data["memory"].values
    return (
        f"{near.sum()} of {near.size} simulated moments lie within two standard errors of "
        f"the predicted moments and their error of at most {100 * error:.1f} %; all are "
        f"{phrases.span(ratio.ravel(), '.2f')} times as large. "
        f"From {memory[0]:g} to {memory[-1]:g} steps the {_growth(data, 'state')} "
        f"The {_growth(data, 'gate')}"
    )


def _growth(data: Any, moment: str) -> str:
    """The end of a sentence: the largest and the smallest growth, with their layers."""
    curve = data["measured"].sel(moment=moment)
    factor = curve.isel(memory=-1) / curve.isel(memory=0)
    most, least = int(np.argmax(factor.values)), int(np.argmin(factor.values))
    names = factor["layer"].values
    what = {"state": "squared state", "gate": "squared gradient"}[moment]
    return (
        f"{what} becomes {style.number(factor.values[most])} times as large in "
        f"{names[most]}, the most, and {style.number(factor.values[least])} times in "
        f"{names[least]}, the least."
    )


def details(results: style.Results) -> style.Cells:
    """Ratios of both moments at the longest and the shortest time constant, by layer."""
    data = results[STUDY]
    ends = data["measured"].isel(memory=-1) / data["measured"].isel(memory=0)
    header = (
        "layer",
        "squared state, longest over shortest time constant",
        "squared gradient of the gate, longest over shortest",
    )
    rows = [
        (
            str(name),
            *(style.number(float(ends.sel(layer=name, moment=m))) for m in LOOKS),
        )
        for name in data["layer"].values
    ]
    return (header, *rows)


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-newer-layers")
