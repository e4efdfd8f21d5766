"""BLUR's two states and their merge over the position in a window, edges and all."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style

STUDY = "edges"
STUDIES = dict.fromkeys("abc", STUDY)
PANELS = {
    "a": ("states, white inputs", ("forward", "backward"), ("white",)),
    "b": ("merged state", ("merged",), ("white", "rho=0.9")),
    "c": ("gradients", ("recurrent", "readout"), ("white", "rho=0.9")),
}
UP = {"a": r"E$|h|^2$", "b": r"E$|y|^2$", "c": "over that without edges"}
COLOURS = {
    "forward": style.BLUE,
    "backward": style.VERMILION,
    "merged": style.GREEN,
    "recurrent": style.PURPLE,
    "readout": style.ORANGE,
}
DASHES = {"white": "-", "rho=0.9": "--"}
SAID = {"white": "white", "rho=0.9": r"$\rho = 0.9$"}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Second moments over the position: both halves, their merge, and its gradients.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    with style.styled():
        drawn = style.figure(2.6, 0.4 + 1.7 * len(letters))
        row = drawn.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            _moments(axes, data, letter)
            style.letter(axes, letter, PANELS[letter][0])
        notes = (
            f"Lines: exact; points: {data.attrs['sequences']} windows of "
            f"{data.attrs['steps']} steps, with bars of two standard errors; "
            f"{data.attrs['sizes']}.",
            "Grey, and one in C: a window so long that no edge is felt.",
        )
        style.caption(drawn, *notes)
    return drawn


def _moments(axes: Axes, data: xr.Dataset, letter: str) -> None:
    _, moments, inputs = PANELS[letter]
    place = data["position"].values
    for moment in moments:
        for source in inputs:
            one = data.sel(moment=moment, input=source)
            unit = float(one["limit"]) if letter == "c" else 1.0
            both = len(inputs) > 1
            label = f"{moment}, {SAID[source]}" if both else moment
            axes.plot(
                place,
                one["predicted"] / unit,
                DASHES[source],
                color=COLOURS[moment],
                label=label,
            )
            axes.errorbar(
                place,
                one["measured"] / unit,
                yerr=2 * one["sem"].values / unit,
                fmt="o",
                color=COLOURS[moment],
                markersize=2,
                elinewidth=0.6,
            )
            axes.axhline(
                float(one["limit"]) / unit, color=style.GREY, linewidth=0.5, zorder=0
            )
    axes.set(xlabel="position in the window", xlim=(-2, data.attrs["steps"] + 1))
    axes.set_ylabel(UP[letter])
    _, high = axes.get_ylim()
    axes.set_ylim(0, high * (1.15 + 0.12 * len(moments) * len(inputs)))
    axes.legend(loc="upper center", handlelength=1.8, borderaxespad=0.1, fontsize=6)


def shown(results: style.Results) -> str:
    """What is left of the merged state at an edge, and of its gradient."""
    data = results[STUDY]
    share = data["predicted"] / data["limit"]
    first, middle = (
        share.isel(position=0),
        share.isel(position=data["position"].size // 2),
    )

    def said(moment: str) -> str:
        return " and ".join(
            f"{float(first.sel(moment=moment, input=source)):.2f} "
            f"({float(middle.sel(moment=moment, input=source)):.2f}) for {source}"
            for source in data["input"].values
        )

    apart = abs(data["measured"] - data["predicted"]) / data["sem"]
    return (
        "Relative to an endless sequence, the merged state's moment at the first step (in "
        f"the middle) is {said('merged')}. The recurrent gradient's moment is "
        f"{said('recurrent')}. "
        f"{int((apart <= 2).sum())} of {apart.size} points lie within two standard errors."
    )
