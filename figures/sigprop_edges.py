"""A figure of sigprop, not from a paper: moments of BLUR's states and gradients."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
UP = {"a": r"E$|h|^2$", "b": r"E$|y|^2$", "c": "ratio to endless sequence"}
COLOURS = {
    "forward": style.BLUE,
    "backward": style.VERMILION,
    "merged": style.GREEN,
    "recurrent": style.PURPLE,
    "readout": style.ORANGE,
}
DASHES = {"white": "-", "rho=0.9": "--"}
INPUT_LABELS = {"white": "white", "rho=0.9": r"$\rho = 0.9$"}

MOMENTS = {
    "forward": "forward state",
    "backward": "backward state",
    "merged": "merged state",
    "recurrent": "recurrent gradient",
    "readout": "readout gradient",
}
INPUTS = {"white": "white inputs", "rho=0.9": "inputs with ρ = 0.9"}
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
        figure = style.figure(2.6, 0.4 + 1.7 * len(letters))
        row = figure.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            _moments(axes, data, letter)
            style.letter(axes, letter, PANELS[letter][0])
        notes = (
            f"Lines: exact moments; points: means over {data.attrs['sequences']} windows of "
            f"{data.attrs['steps']} steps, with bars of two standard errors; "
            f"{data.attrs['sizes']}.",
            "Grey: the moment in an endless sequence, by which moments in C are divided.",
        )
        style.caption(figure, *notes)
    return figure


def _moments(axes: Axes, data: xr.Dataset, letter: str) -> None:
    _, moments, inputs = PANELS[letter]
    position = data["position"].values
    for moment in moments:
        for source in inputs:
            curve = data.sel(moment=moment, input=source)
            unit = float(curve["limit"]) if letter == "c" else 1.0
            both = len(inputs) > 1
            label = f"{moment}, {INPUT_LABELS[source]}" if both else moment
            axes.plot(
                position,
                curve["predicted"] / unit,
                DASHES[source],
                color=COLOURS[moment],
                label=label,
            )
            axes.errorbar(
                position,
                curve["measured"] / unit,
                yerr=2 * curve["sem"].values / unit,
                fmt="o",
                color=COLOURS[moment],
                markersize=2,
                elinewidth=0.6,
            )
            axes.axhline(
                float(curve["limit"]) / unit, color=style.GREY, linewidth=0.5, zorder=0
            )
    axes.set(xlabel="position in the window", xlim=(-2, data.attrs["steps"] + 1))
    axes.set_ylabel(UP[letter])
    _, high = axes.get_ylim()
    axes.set_ylim(0, high * (1.15 + 0.12 * len(moments) * len(inputs)))
    axes.legend(loc="upper center", handlelength=1.8, borderaxespad=0.1, fontsize=6)


def shown(results: style.Results) -> str:
    """The moments at the first step and in the middle, and how near simulations are."""
    data = results[STUDY]
    source = str(data["input"].values[0])
    merged, gradient = (_ends(data, moment, source) for moment in CENTRAL)
    apart = abs(data["measured"] - data["predicted"]) / data["sem"]
    return (
        f"Relative to an endless sequence with {source} inputs, the merged state's second "
        f"moment is {merged[0]} at the first step and {merged[1]} in the middle. Relative to "
        f"the same sequence, the recurrent gradient's second moment is {gradient[0]} at the "
        f"first step and {gradient[1]} in the middle. "
        f"{int((apart <= 2).sum())} of {apart.size} simulated moments lie within two standard "
        "errors of the exact ones."
    )


def details(results: style.Results) -> style.Cells:
    """Moments at the first step and in the middle relative to an endless sequence."""
    data = results[STUDY]
    return (
        ("second moment over its value in an endless sequence", "first step", "middle"),
        *(
            (f"{MOMENTS[moment]}, {INPUTS[source]}", *_ends(data, moment, source))
            for moment in MOMENTS
            for source in data["input"].values.tolist()
        ),
    )


def _ends(data: xr.Dataset, moment: str, source: str) -> tuple[str, str]:
    """A moment over its limit at the first position and at the middle one."""
    curve = data.sel(moment=moment, input=source)
    share = (curve["predicted"] / curve["limit"]).values
    return f"{share[0]:.2f}", f"{share[len(share) // 2]:.2f}"


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-edges")
