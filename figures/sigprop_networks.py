"""A figure of sigprop, not from a paper: curvature of deep networks."""

import json
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import NullFormatter, NullLocator

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

STUDY = "network_curvature"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Curvature of deep networks at initialisation",
)
TITLES = {"a": "spectrum", "b": "share of curvature", "c": "outermost eigenvectors"}
SIGNS: dict[str, tuple[Any, str]] = {"largest": ("-", "> 0"), "smallest": ("--", "< 0")}
COLOURS = {
    "LRU": style.VERMILION,
    "BLUR": style.PURPLE,
    "RotRNN": style.BLUE,
    "tanh": style.BLACK,
}
SHARE = ("share", "share_sem")
GROUPS = {
    "recurrent": "recurrent parameters",
    "input": "input parameters of the recurrent layers",
    "readout": "readout parameters of the recurrent layers",
    "other": "parameters outside the recurrent layers",
}
TICKS = {
    "recurrent": "recurrence",
    "input": "its\ninput",
    "readout": "its\nreadout",
    "other": "other\nlayers",
}
MARKERS = {"largest": "o", "smallest": "v"}
LEAST = 1  # smallest number of eigenvalues that is drawn
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
    rows = [row for row in ("a", "bc") if set(row) & set(letters)]
    with style.styled():
        figure = style.figure(
            0.5 + 2.3 * len(rows), 3.4 if panel == "c" else style.WIDTH
        )
        for part, row in zip(style.stacked(figure, [1] * len(rows)), rows, strict=True):
            wanted = [letter for letter in row if letter in letters]
            if row == "a":
                _spectra(part, data)
                continue
            line = part.subplots(1, len(wanted), squeeze=False)[0]
            for axes, letter in zip(line, wanted, strict=True):
                {"b": _groups, "c": _directions}[letter](axes, data)
                style.letter(axes, letter, TITLES[letter])
        _key(figure, data, letters)
        style.caption(figure, _about(data, letters))
    return figure


ABOUT = (
    "Networks have the blocks of the papers' networks (tanh: the LRU's with a dense tanh "
    "recurrence), {parameters} million parameters, {states} features and states, and no "
    "dropout. The loss is the mean cross entropy of naming the pitch of noisy sinusoids, on "
    "{sequences} sequences of {steps} steps."
)
NOTES = {
    "a": "In A, counts up to {extremes} are of the outermost eigenvalues, and the mark is the "
    "outermost one. Larger counts are estimates from {probes} random vectors with {products} "
    "Lanczos steps each; their flat parts come from the estimate and are not gaps of the "
    "spectrum. Bands are two standard errors over these vectors.",
    "b": "The share in B is that of the sum of squares of the Hessian's entries in the rows "
    "of each parameter group, with bars of two standard errors. The recurrence, its "
    "input and its readout are the parts of the recurrent layers.",
    "c": "C has the {extremes} outermost eigenvalues of each sign, with bars of the length of "
    "residuals.",
}


def _about(data: xr.Dataset, letters: tuple[str, ...]) -> str:
    config = json.loads(data.attrs["config"])
    return " ".join([ABOUT, *(NOTES[letter] for letter in letters)]).format(
        parameters=phrases.span(data["parameters"].values / 1e6, ".1f"),
        sequences=config["batch"] * config["batches"],
        **config,
    )


def _key(figure: Figure, data: xr.Dataset, letters: tuple[str, ...]) -> None:
    """Explain colours, dashes and markers above the panels."""
    keys = [Patch(color=colour, label=name) for name, colour in _colours(data).items()]
    if letters != ("b",):
        look = {"color": style.BLACK, "linewidth": 1, "markersize": 3.5}
        keys += [
            Line2D(
                *([], []),
                linestyle=dashes,
                marker=MARKERS[end],
                markerfacecolor="white",
                label=f"eigenvalue {sign}",
                **look,
            )
            for end, (dashes, sign) in SIGNS.items()
        ]
    figure.legend(
        handles=keys,
        loc="outside upper center",
        ncols=len(keys) if letters != ("c",) else 2,
        handlelength=2,
        handleheight=0.5,
        columnspacing=1.4,
    )


def _colours(data: xr.Dataset) -> dict[str, str]:
    """Colours of the networks that were measured."""
    return {name: COLOURS[name] for name in data["network"].values.tolist()}


def _spectra(part: SubFigure, data: xr.Dataset) -> None:
    """Draw counts with bands, positive eigenvalues at the left."""
    largest = float(abs(data["extreme"]).max())
    row = part.subplots(1, len(SIGNS), sharex=True, sharey=True)
    for axes, (end, (dashes, sign)) in zip(row, SIGNS.items(), strict=True):
        for name, colour in _colours(data).items():
            counts = data.sel(network=name, end=end)
            count, sem = counts["count"].values, counts["count_sem"].values
            outermost = np.sort(abs(counts["extreme"].values))
            x = counts["threshold"].values
            visible = (x > largest / SPAN) & (x < outermost[0])
            low = np.maximum(count - 2 * sem, LEAST)[visible]
            high = (count + 2 * sem)[visible]
            axes.fill_between(
                x[visible], low, high, color=colour, alpha=0.2, linewidth=0
            )
            axes.plot(
                np.append(x[visible], outermost),
                np.append(count[visible], np.arange(len(outermost), 0, -1)),
                dashes,
                color=colour,
                linewidth=1,
                label=name,
            )
            look = {"markerfacecolor": "white", "markeredgewidth": 0.6, "zorder": 3}
            mark = outermost[-1], LEAST
            axes.plot(*mark, MARKERS[end], color=colour, clip_on=False, **look)
        axes.set(xscale="log", yscale="log", xlabel=r"threshold $\tau$")
        axes.set_xlim(largest / SPAN, 1.5 * largest)
        axes.set_ylim(LEAST, None)
        axes.set_ylabel(rf"eigenvalues ${sign[0]} {'-' * (end == 'smallest')}\tau$")
        _plain(axes)
    style.letter(row[0], "a", TITLES["a"])


def _plain(axes: Axes) -> None:
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_minor_locator(NullLocator())


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
    axes.set_xticks(range(len(groups)), [TICKS[group] for group in groups])
    axes.tick_params(axis="x", length=0)
    axes.set_ylim(0, 1)
    axes.set_ylabel("share of squared entries")


def _directions(axes: Axes, data: xr.Dataset) -> None:
    """Draw a point for each outermost eigenvector; the marker is the sign."""
    for name, colour in _colours(data).items():
        for end, marker in MARKERS.items():
            vectors = data.sel(network=name, end=end)
            value = abs(vectors["extreme"])
            axes.errorbar(
                value,
                vectors["participation"],
                xerr=np.minimum(vectors["extreme_residual"], 0.99 * value),
                fmt=marker,
                color=colour,
                markerfacecolor="none",
                markeredgewidth=0.6,
                markersize=3.5,
                capsize=0,
                elinewidth=0.6,
            )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="|eigenvalue|",
        ylabel="participation, of 10⁶ parameters",
    )
    axes.set_ylim(0.8, None)
    _plain(axes)


def shown(results: style.Results) -> str:
    """Groups with the largest share of the curvature, and how far directions spread."""
    share = results[STUDY]["share"]
    leading: dict[str, list[str]] = {}
    for name in share["network"].values.tolist():
        own = share.sel(network=name)
        group = str(own.idxmax("group").item())
        leading.setdefault(group, []).append(f"{name} ({100 * float(own.max()):.0f} %)")
    belongs = " ".join(
        f"The largest share of the curvature belongs to {GROUPS[group]} in "
        f"{phrases.listed(names)}."
        for group, names in leading.items()
    )
    return f"{belongs} {_spread(results[STUDY]['participation'])}"


def _spread(participation: xr.DataArray) -> str:
    """The participations in each network, the most concentrated network first."""
    middle = participation.median(("end", "rank"))
    names = middle["network"].values[middle.values.argsort()].tolist()
    spans = []
    for name in names:
        own = participation.sel(network=name).values
        rounded = [float(f"{value:.2g}") for value in (own.min(), own.max())]
        unit = "" if spans else " parameters"
        spans.append(f"{phrases.span(rounded, '.0f')}{unit} in {name}")
    return f"An outermost eigenvector spreads over {phrases.listed(spans)}."


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
