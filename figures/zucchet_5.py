"""Zucchet & Orvieto (2024), Figure 5: signals in deep networks at initialisation."""

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "deep_signals"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "States and gradients of deep networks against the time constant",
    reduced="Networks have 64 neurons and read 64 sequences.",
    full="sigprop figure zucchet-5 --preset full",
    differs="Inputs are random, with the autocovariance of Figure 12; the paper uses "
    "embeddings.",
    rows=(
        "zucchet:fig5",
        "zucchet:fig5:lru",
        "zucchet:fig5:recurrent",
        "zucchet:fig5:gru",
        "zucchet:fig5:normalisation",
    ),
)
TITLES = {
    "a": "mean square of states",
    "b": "mean square of gradients, all layers",
    "c": "cRNN with normalisations: mean square of gradients, all layers",
}
KINDS = {
    "cRNN": style.VERMILION,
    "LRU": style.BLUE,
    "GRU": style.GREEN,
    "LSTM": style.PURPLE,
}
COMPARED = ("cRNN", "LRU", "GRU")
NORMS = {
    "cRNN": "none",
    "cRNN, layer norm": "layer norm",
    "cRNN, batch norm": "batch norm",
}
GROUPS = {
    "recurrence": style.ORANGE,
    "angle": style.PURPLE,
    "projections": style.SKY,
    "feedforward": style.GREY,
}
GRADIENT = r"$\mathbb{E}\,[(\mathrm{d}_\theta L)^2]$"
MEMBERS = (
    "Recurrence: eigenvalues (cRNN), moduli (LRU) or gates (GRU); projections: B, C and D of "
    "a recurrence."
)
NOTES = {
    "a": "Bars are standard errors over networks.  Right of dotted lines, time constants "
    "are longer than the sequences.  States start at zero and do not reach their stationary "
    "values there, so the LRU's states shrink there although they are normalised.",
    "b": f"Gradients are means over the parameters of a group and over layers.  {MEMBERS}",
    "c": "In C a normalisation stands before the recurrence and before the GLU.",
}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the mean squared states of four recurrences against ν₀.

    Panels B and C show mean squared gradients by group of parameters: B for three
    recurrences, C for the complex diagonal RNN (cRNN) with normalisations. At initialisation
    ν₀ is the smallest modulus.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    panels = {"a": _states, "b": _gradients, "c": _normalised}
    with style.styled():
        figure = style.figure(0.5 + 1.75 * len(letters))
        parts = style.stacked(figure, [1.0] * len(letters))
        for letter, part in zip(letters, parts, strict=True):
            panels[letter](part, data)
        _share(
            [axes for part in parts[-2:] for axes in part.axes] if panel is None else []
        )
        style.caption(figure, *(NOTES[letter] for letter in letters))
    return figure


def _share(panels: list[Axes]) -> None:
    """Give panels of gradients one range."""
    limits = [limit for axes in panels for limit in axes.get_ylim()]
    for axes in panels:
        axes.set_ylim(min(limits), max(limits))


def over_memory(
    axes: Axes, values: xr.DataArray, colour: str, label: str, **how: object
) -> None:
    """A curve over ``nu0`` with standard errors over networks, on a logarithmic axis."""
    each = values.transpose("network", "gap").values
    mean, error = each.mean(0), style.standard_error(each)
    axes.errorbar(
        values["gap"].values,
        mean,
        np.stack([np.minimum(error, 0.9 * mean), error]),
        color=colour,
        label=label,
        **{"elinewidth": 0.6, "marker": "o", "markersize": 2.5, **how},
    )


def finish(axes: Axes, data: xr.Dataset) -> None:
    """The axes that all panels share; a line where T is the length of the sequences."""
    style.memory_axis(axes, float(data["gap"].min()))
    axes.set_yscale("log")
    axes.set_xlabel(r"$\nu_0$", labelpad=1)
    axes.tick_params(axis="x", labelsize=5.5)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.axvline(
        1 / data.attrs["steps"],
        color=style.GREY,
        linewidth=0.6,
        linestyle=":",
        zorder=0,
    )


def kinds(data: xr.Dataset, wanted: tuple[str, ...]) -> list[str]:
    """Those of the wanted kinds that were measured."""
    return [name for name in wanted if name in data["kind"].values]


def _states(part: SubFigure, data: xr.Dataset) -> None:
    row = part.subplots(1, 2, sharey=True)
    ends = (int(data["layer"].min()), int(data["layer"].max()))
    for axes, layer in zip(row, ends, strict=True):
        for name in kinds(data, tuple(KINDS)):
            moments = data.sel(kind=name, layer=layer)
            over_memory(axes, moments["state"], KINDS[name], name)
            if layer == ends[0]:
                exact = moments["predicted"].mean("network")
                axes.plot(exact["gap"], exact, "x", color=style.BLACK, zorder=5)
        finish(axes, data)
    style.letter(row[0], "a", f"{TITLES['a']}, layer {ends[0]}")
    row[1].set_title(f"layer {ends[1]}")
    row[0].set_ylabel(r"$\mathbb{E}\,|h|^2$")
    exact = Line2D([], [], ls="", marker="x", color=style.BLACK, label="exact")
    row[0].legend(handles=[exact], loc="lower left", handlelength=1.2)
    names, last = kinds(data, tuple(KINDS)), data["state"].sel(layer=ends[1])
    heights = last.sortby("gap").isel(gap=0).mean("network")
    style.end_labels(
        row[1],
        float(data["gap"].min()),
        [float(heights.sel(kind=name)) for name in names],
        names,
        [KINDS[name] for name in names],
        apart=0.09,
    )
    name_line(row[1], data)


def name_line(axes: Axes, data: xr.Dataset) -> None:
    """Say what the dotted line of ``finish`` is, at the bottom of a panel."""
    axes.annotate(
        f"time constant =\n{data.attrs['steps']} steps",
        (1 / data.attrs["steps"], 0.02),
        (-2, 0),
        xycoords=axes.get_xaxis_transform(),
        textcoords="offset points",
        ha="right",
        color=style.GREY,
        fontsize=6,
    )


def _gradients(part: SubFigure, data: xr.Dataset) -> None:
    shown = kinds(data, COMPARED)
    row = part.subplots(1, len(shown), sharey=True, squeeze=False)[0]
    _of_groups(row, data, dict(zip(shown, shown, strict=True)))
    _head(part, "b")


def _normalised(part: SubFigure, data: xr.Dataset) -> None:
    shown = kinds(data, tuple(NORMS))
    row = part.subplots(1, len(shown), sharey=True, squeeze=False)[0]
    _of_groups(row, data, {name: NORMS[name] for name in shown})
    _head(part, "c")


def _head(part: SubFigure, letter: str) -> None:
    title = rf"$\bf{{{letter.upper()}}}$   {TITLES[letter]}"
    part.suptitle(title, x=0.01, ha="left", fontsize=8)


def _of_groups(row: np.ndarray, data: xr.Dataset, names: dict[str, str]) -> None:
    for axes, (kind, title) in zip(row, names.items(), strict=True):
        for group, colour in GROUPS.items():
            values = data["gradient"].sel(kind=kind, group=group).mean("layer")
            if np.isfinite(values).all():
                over_memory(axes, values, colour, group)
        finish(axes, data)
        axes.set_title(title)
    row[0].set_ylabel(GRADIENT)
    key(row)


def key(row: np.ndarray, colours: Mapping[str, str] = GROUPS, title: str = "") -> None:
    """Explain the colours of all panels in the last, whose curves leave room above."""
    labels = {name for axes in row for name in axes.get_legend_handles_labels()[1]}
    row[-1].legend(
        handles=[
            Line2D([], [], color=colour, label=name, marker="o", markersize=2.5)
            for name, colour in colours.items()
            if name in labels
        ],
        title=title,
        title_fontsize=6,
        loc="upper left",
        handlelength=1.0,
        alignment="left",
        borderaxespad=0.1,
        fontsize=6,
    )


def growth(values: xr.DataArray) -> float:
    """The mean over networks at the largest ``nu0`` divided by that at the smallest."""
    mean = values.mean("network").sortby("gap")
    return float(mean.isel(gap=0) / mean.isel(gap=-1))


def shown(results: style.Results) -> str:
    """Factors of states and gradients from the smallest ``nu0`` to the largest."""
    data = results[STUDY]
    first, gradient = data["state"].isel(layer=0), data["gradient"].mean("layer")
    factors = _factors(first, kinds(data, tuple(KINDS)))
    names = [*kinds(data, COMPARED), *kinds(data, tuple(NORMS)[1:2])]
    recurrent = _factors(gradient.sel(group="recurrence"), names)
    own = gradient.sel(kind="LRU", group="angle")
    angle, peak = style.number(growth(own)), own.mean("network")
    top = peak / peak.sortby("gap").isel(gap=-1)
    where = 1 - float(peak["gap"][peak.values.argmax()])
    ratio = (first / data["predicted"]).dropna("kind")
    mean, error = ratio.mean("network"), ratio.std("network", ddof=1)
    index = abs(mean - 1).argmax(...)
    off, spread = 100 * abs(float(mean[index]) - 1), 100 * float(error[index])
    return (
        f"From {_ends(data)} the first layer's mean squared states change by these factors: "
        f"{factors}. Squared gradients of the recurrence change by {recurrent}, {angle} (LRU's "
        f"angle; {style.number(float(top.max()))} at {where:.4g}). Measured and exact mean "
        f"squares of linear recurrences differ by at most {off:.1f} %, with a standard error "
        f"of {spread / ratio.sizes['network'] ** 0.5:.1f} %."
    )


def _factors(values: xr.DataArray, names: list[str]) -> str:
    """The growth of each of these kinds, with its name."""
    return ", ".join(
        f"{style.number(growth(values.sel(kind=name)))} ({name.replace(', ', ' with ')})"
        for name in names
    )


def _ends(data: xr.Dataset) -> str:
    low, high = (
        f"{1 - float(gap):.4g}" for gap in (data["gap"].max(), data["gap"].min())
    )
    return f"ν₀ = {low} to {high}"


def details(results: style.Results) -> style.Cells:
    """The factor of each moment from the smallest ``nu0`` to the largest."""
    data = results[STUDY]
    first, gradient = data["state"].isel(layer=0), data["gradient"].mean("layer")
    header = (
        f"factor from {_ends(data)}",
        "squared states, first layer",
        *(f"squared gradients, {group}" for group in GROUPS),
    )
    return (
        header,
        *(
            (
                name,
                style.number(growth(first.sel(kind=name))),
                *(_growth_of(gradient.sel(kind=name, group=group)) for group in GROUPS),
            )
            for name in kinds(data, tuple(dict.fromkeys((*COMPARED, *NORMS))))
        ),
    )


def _growth_of(values: xr.DataArray) -> str:
    return style.number(growth(values)) if np.isfinite(values).all() else "–"


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-5")
