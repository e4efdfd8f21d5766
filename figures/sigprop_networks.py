"""A figure of sigprop, not from a paper: curvature of deep networks."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

STUDY = "network_curvature"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Curvature of deep networks at initialisation",
)
TITLES = {"a": "spectrum", "b": "share of curvature", "c": "sharpest directions"}
COLOURS = {
    "LRU": style.BLUE,
    "BLUR": style.GREEN,
    "RotRNN": style.ORANGE,
    "tanh": style.PURPLE,
}
SHARE = ("share", "share_sem")
GROUPS = {
    "recurrent": "recurrent parameters",
    "input": "input parameters of the recurrent layers",
    "readout": "readout parameters of the recurrent layers",
    "other": "parameters outside the recurrent layers",
}
LEAST = 0.5  # smallest number of eigenvalues that is drawn
SPAN = (
    200  # ratio of the ends of the axis; the quadrature resolves no smaller eigenvalues
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A counts the Hessian's eigenvalues by size.

    Panel B shows each parameter group's share of the curvature. Panel C shows the
    participation, the number of parameters over which an eigenvector spreads.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    panels = {"a": _spectrum, "b": _groups, "c": _directions}
    with style.styled():
        figure = style.figure(2.9, 0.4 + 1.7 * len(letters))
        row = figure.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            panels[letter](axes, data)
            style.letter(axes, letter, TITLES[letter])
        location = "upper center" if letters[0] == "b" else "upper right"
        row[0].legend(loc=location, handlelength=1.2, borderaxespad=0.2)
        style.caption(figure, *(NOTES[letter] for letter in letters))
    return figure


NOTES = {
    "a": "A: number of eigenvalues above x (solid) and below -x (dashed); bands: two "
    "standard errors over random probe vectors.",
    "b": "B: share of the sum of squares of the Hessian's entries in the rows of each "
    "parameter group; bars: two standard errors. Other: parameters outside the recurrent "
    "layers.",
    "c": "C: participation, the number of parameters over which an eigenvector is spread, "
    "of the outermost positive (dots) and negative (open triangles) eigenvalues; bars: "
    "residuals.",
}


def _colours(data: xr.Dataset) -> dict[str, str]:
    """Colours of the networks that were measured."""
    return {name: COLOURS[name] for name in data["network"].values.tolist()}


def _spectrum(axes: Axes, data: xr.Dataset) -> None:
    """Draw counts with bands on two logarithmic axes."""
    largest = float(abs(data["extreme"]).max())
    for name, colour in _colours(data).items():
        for end, line in (("largest", "-"), ("smallest", "--")):
            counts = data.sel(network=name, end=end)
            count, sem = counts["count"].values, counts["count_sem"].values
            visible = (count > LEAST) & (counts["threshold"].values > largest / SPAN)
            x = counts["threshold"].values[visible]
            low = np.maximum(count - 2 * sem, LEAST)[visible]
            label = name if end == "largest" else None
            axes.fill_between(
                x, low, (count + 2 * sem)[visible], color=colour, alpha=0.2, linewidth=0
            )
            axes.plot(x, count[visible], line, color=colour, linewidth=1, label=label)
    axes.set(xscale="log", yscale="log", xlabel="|eigenvalue|", ylabel="number beyond")
    axes.set_xlim(largest / SPAN, 1.5 * largest)
    axes.set_ylim(LEAST, None)


def _groups(axes: Axes, data: xr.Dataset) -> None:
    """Draw a bar for each network in each group."""
    groups = [str(name) for name in data["group"].values]
    colours = _colours(data)
    width = 0.8 / len(colours)
    for i, (name, colour) in enumerate(colours.items()):
        share, sem = (data[variable].sel(network=name).values for variable in SHARE)
        axes.bar(
            np.arange(len(groups)) + (i - (len(colours) - 1) / 2) * width,
            share,
            width,
            yerr=style.within(share, 2 * sem, 0, 1),
            color=colour,
            error_kw={"elinewidth": 0.6},
            label=name,
        )
    axes.set_xticks(range(len(groups)), groups, rotation=90)
    axes.set_ylim(0, 1)
    axes.set_ylabel("fraction")


def _directions(axes: Axes, data: xr.Dataset) -> None:
    """Draw a point for each outermost eigenvector; the marker is the sign."""
    for name, colour in _colours(data).items():
        for end, marker in (("largest", "o"), ("smallest", "v")):
            vectors = data.sel(network=name, end=end)
            value = abs(vectors["extreme"])
            axes.errorbar(
                value,
                vectors["participation"],
                xerr=np.minimum(vectors["extreme_residual"], 0.99 * value),
                fmt=marker,
                color=colour,
                markerfacecolor=colour if end == "largest" else "white",
                elinewidth=0.6,
                label=name if end == "largest" else None,
            )
    axes.set(xscale="log", yscale="log", xlabel="|eigenvalue|", ylabel="participation")
    axes.set_ylim(0.8, None)


def shown(results: style.Results) -> str:
    """The parameter groups with the largest share of the curvature."""
    share = results[STUDY]["share"]
    leading: dict[str, list[str]] = {}
    for name in share["network"].values.tolist():
        own = share.sel(network=name)
        group = str(own.idxmax("group").item())
        leading.setdefault(group, []).append(f"{name} ({100 * float(own.max()):.0f} %)")
    return " ".join(
        f"The largest share of the curvature belongs to {GROUPS[group]} in "
        f"{phrases.listed(names)}."
        for group, names in leading.items()
    )


def details(results: style.Results) -> style.Cells:
    """The share of the curvature in each group of parameters, by network."""
    share = results[STUDY]["share"]
    groups = share["group"].values.tolist()
    return (
        ("share of the curvature", *groups),
        *(
            (
                name,
                *(
                    f"{float(share.sel(network=name, group=group)):.2f}"
                    for group in groups
                ),
            )
            for name in share["network"].values.tolist()
        ),
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-networks")
