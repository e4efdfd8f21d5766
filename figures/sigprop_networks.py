"""Curvature of deep networks at initialisation: spectra, and whose parameters bend most."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style

STUDY = "network_curvature"
STUDIES = dict.fromkeys("abc", STUDY)
TITLES = {"a": "spectrum", "b": "share of curvature", "c": "sharpest directions"}
COLOURS = {
    "LRU": style.BLUE,
    "BLUR": style.GREEN,
    "RotRNN": style.ORANGE,
    "tanh": style.PURPLE,
}
SHARE = ("share", "share_sem")
LEAST = 0.5  # eigenvalues, fewer than which are no longer counted
SPAN = 200  # of the axis of eigenvalues; a quadrature of few nodes resolves no smaller ones


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """How many eigenvalues are how large, which groups make them, and how localised.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    panels = {"a": _spectrum, "b": _groups, "c": _directions}
    with style.styled():
        drawn = style.figure(2.9, 0.4 + 1.7 * len(letters))
        row = drawn.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            panels[letter](axes, data)
            style.letter(axes, letter, TITLES[letter])
        place = "upper center" if letters[0] == "b" else "upper right"
        row[0].legend(loc=place, handlelength=1.2, borderaxespad=0.2)
        style.caption(drawn, *(NOTES[letter] for letter in letters))
    return drawn


NOTES = {
    "a": "A: numbers of eigenvalues above x, solid, and below -x, dashed; bands, two "
    "standard errors over random starts.",
    "b": "B: of the sum of squares of the Hessian's entries, by the group of the row; "
    "bars, two standard errors.",
    "c": "C: the outermost eigenvalues, positive as dots and negative as open triangles, and "
    "the number of parameters over which each eigenvector is spread; bars, residuals.",
}


def _colours(data: xr.Dataset) -> dict[str, str]:
    """Those of the networks that were looked at."""
    return {name: COLOURS[name] for name in data["network"].values.tolist()}


def _spectrum(axes: Axes, data: xr.Dataset) -> None:
    """Counts on two logarithmic axes, a band where they are known."""
    largest = float(abs(data["extreme"]).max())
    for name, colour in _colours(data).items():
        for end, line in (("largest", "-"), ("smallest", "--")):
            counts = data.sel(network=name, end=end)
            count, sem = counts["count"].values, counts["count_sem"].values
            seen = (count > LEAST) & (counts["threshold"].values > largest / SPAN)
            x = counts["threshold"].values[seen]
            low = np.maximum(count - 2 * sem, LEAST)[seen]
            label = name if end == "largest" else None
            axes.fill_between(
                x, low, (count + 2 * sem)[seen], color=colour, alpha=0.2, linewidth=0
            )
            axes.plot(x, count[seen], line, color=colour, linewidth=1, label=label)
    axes.set(xscale="log", yscale="log", xlabel="|eigenvalue|", ylabel="number beyond")
    axes.set_xlim(largest / SPAN, 1.5 * largest)
    axes.set_ylim(LEAST, None)


def _groups(axes: Axes, data: xr.Dataset) -> None:
    """A bar a network, with its groups side by side."""
    groups = [str(name) for name in data["group"].values]
    colours = _colours(data)
    width = 0.8 / len(colours)
    for i, (name, colour) in enumerate(colours.items()):
        share, sem = (data[one].sel(network=name).values for one in SHARE)
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
    """Every outermost eigenvector, a dot; the sign is the marker."""
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
    """Whose parameters bend the loss of each network most."""
    data = results[STUDY]
    share = data["share"]
    said = ", ".join(
        f"{name} {share.sel(network=name).idxmax('group').item()} "
        f"({float(share.sel(network=name).max()):.2f})"
        for name in data["network"].values
    )
    return f"The largest share of the curvature belongs to these parameters: {said}."
