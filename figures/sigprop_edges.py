"""A figure of sigprop, not from a paper: moments of BLUR's states and gradients."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "edges"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Moments of BLUR's merged states at each position of a window",
    rows=("sigprop:moments",),
)
PANELS = {
    "a": ("states, white inputs", ("forward", "backward"), ("white",)),
    "b": ("merged state", ("merged",), ("white", "rho=0.9")),
    "c": ("gradients", ("recurrent", "readout"), ("white", "rho=0.9")),
}
NAMED = {
    "forward": ((0.13, 0.4), "left"),
    "backward": ((0.9, 0.3), "right"),
    "recurrent": ((0.03, 0.475), "left"),
    "readout": ((0.5, 0.83), "center"),
}
UP = {"a": r"E$|h|^2$", "b": r"E$|y|^2$", "c": "ratio to endless sequence"}
DIRECTIONS = {"forward": style.GREEN, "backward": style.PURPLE}
COLOURS = {"white": style.BLUE, "rho=0.9": style.VERMILION}
INPUT_LABELS = {"white": "white inputs", "rho=0.9": r"$\rho = 0.9$"}
MOMENTS = {
    "forward": "forward state",
    "backward": "backward state",
    "merged": "merged state",
    "recurrent": "recurrent gradient",
    "readout": "readout gradient",
}
INPUTS = {"white": "white inputs", "rho=0.9": "inputs with ρ = 0.9"}
STEPS = "first step", "middle", "last step"
CENTRAL = ("merged", "recurrent")
"""Moments in the sentences."""


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows second moments of the forward and backward states by position.

    Panel B shows those of the merged states, and panel C those of the gradients.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(
            2.6 if len(letters) > 1 else 3.6, 0.4 + 1.7 * len(letters)
        )
        row = figure.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            _moments(axes, data, letter)
            style.letter(axes, letter, PANELS[letter][0])
        _key(figure, data, letters)
        style.caption(
            figure,
            f"Points are means over {data.attrs['sequences']} windows of "
            f"{data.attrs['steps']} steps, with bars of two standard errors; points of a curve "
            "share their windows, so they stray together. In A, dashed lines have the "
            "colours of the directions. The layer has "
            f"{data.attrs['sizes']}, and ρ is the correlation of neighbouring inputs. In C, "
            "moments are divided by their values in an endless sequence. Gradients are with "
            "respect to the recurrent parameters and to the readout, i.e. the output weights.",
        )
    return figure


def _moments(axes: Axes, data: xr.Dataset, letter: str) -> None:
    _, moments, inputs = PANELS[letter]
    position = data["position"].values
    for moment in moments:
        for source in inputs:
            curve = data.sel(moment=moment, input=source)
            unit = float(curve["limit"]) if letter == "c" else 1.0
            colour = DIRECTIONS.get(moment, COLOURS[source])
            axes.errorbar(
                position,
                curve["measured"] / unit,
                yerr=2 * curve["sem"].values / unit,
                fmt="o",
                color=colour,
                markerfacecolor="white",
                markeredgewidth=0.5,
                markersize=2.5,
                elinewidth=0.5,
                capsize=0,
            )
            axes.plot(
                position,
                curve["predicted"] / unit,
                color=colour,
                label=moment,
                linewidth=0.9,
                zorder=3,
            )
            limit = float(curve["limit"]) / unit
            grey = DIRECTIONS.get(moment, style.GREY)
            axes.axhline(limit, color=grey, linestyle="--", linewidth=0.6, zorder=0)
        if letter != "b":
            _name(axes, moment)
    axes.set(xlabel="position in the window", xlim=(-2, data.attrs["steps"] + 1))
    axes.set_ylabel(UP[letter])
    axes.set_ylim(0, None)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5)))


def _name(axes: Axes, moment: str) -> None:
    """Write the name of a moment beside its curves."""
    position, anchor = NAMED[moment]
    axes.text(
        *position,
        moment,
        color=DIRECTIONS.get(moment, style.BLACK),
        fontsize=7,
        ha=anchor,
        transform=axes.transAxes,
    )


def _key(figure: Figure, data: xr.Dataset, letters: tuple[str, ...]) -> None:
    """Explain marks and colours above the panels."""
    keys = [
        Line2D([], [], color=style.BLACK, label="exact", linewidth=0.9),
        Line2D(
            *([], []),
            color=style.BLACK,
            marker="o",
            linestyle="",
            markerfacecolor="white",
            markersize=3,
            markeredgewidth=0.6,
            label="simulated",
        ),
        Line2D([], [], color=style.GREY, ls="--", lw=0.6, label="endless sequence"),
    ]
    if letters != ("a",):
        keys += [
            Line2D([], [], color=COLOURS[source], linewidth=3, label=label)
            for source, label in INPUT_LABELS.items()
        ]
    figure.legend(
        handles=keys,
        loc="outside upper center",
        ncols=1 if len(letters) == 1 else len(keys),
        handlelength=1.4,
        columnspacing=1.4,
    )


def shown(results: style.Results) -> str:
    """The moments at the first, middle and last step, and how near simulations are."""
    data = results[STUDY]
    source = str(data["input"].values[0])
    merged, gradient = (_ends(data, moment, source) for moment in CENTRAL)
    apart = abs(data["measured"] - data["predicted"]) / data["sem"]
    beyond = {
        (moment, source): int((apart.sel(moment=moment, input=source) > 2).sum())
        for _, moments, inputs in PANELS.values()
        for moment in moments
        for source in inputs
    }
    size, total = len(beyond) * apart.sizes["position"], sum(beyond.values())
    return (
        f"Relative to an endless sequence with {source} inputs, the merged state's second "
        f"moment is {merged[0]} at the first step, {merged[1]} in the middle and {merged[2]} "
        "at the last. Relative to the same sequence, the recurrent gradient's second moment "
        f"is {gradient[0]} at the first step, {gradient[1]} in the middle and {gradient[2]} at "
        "the last. "
        f"{size - total} of the {size} simulated moments lie within two standard errors of the "
        f"exact ones{_strays(beyond)}."
    )


def _strays(beyond: dict[tuple[str, str], int]) -> str:
    """Say which curve has the most points beyond two standard errors, if there are any."""
    moment, source = most = max(beyond, key=lambda curve: beyond[curve])
    if not beyond[most]:
        return ""
    return (
        f"; {beyond[most]} of the {sum(beyond.values())} others belong to one curve "
        f"({MOMENTS[moment]}, {INPUTS[source]})"
    )


def details(results: style.Results) -> style.Cells:
    """Moments at the first, middle and last step relative to an endless sequence."""
    data = results[STUDY]
    return (
        ("second moment over its value in an endless sequence", *STEPS),
        *(
            (f"{MOMENTS[moment]}, {INPUTS[source]}", *_ends(data, moment, source))
            for moment in MOMENTS
            for source in data["input"].values.tolist()
        ),
    )


def _ends(data: xr.Dataset, moment: str, source: str) -> tuple[str, ...]:
    """A moment over its limit at the first, middle and last position."""
    curve = data.sel(moment=moment, input=source)
    share = (curve["predicted"] / curve["limit"]).values
    return tuple(f"{share[at]:.2f}" for at in (0, len(share) // 2, -1))


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-edges")
