"""Zucchet & Orvieto (2024), Figure 15: moments behind gates over their time constants."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style

STUDY = "gated_neurons"
QUANTITIES = {"a": "state", "b": "bias sensitivity"}
STUDIES = dict.fromkeys("ab", STUDY)
TITLES = {
    "a": r"$\mathrm{E}\,[h^2]$",
    "b": r"$\mathrm{E}\,[(\mathrm{d}h/\mathrm{d}b_f)^2]$",
}
COLOURS = {
    "constant": style.BLUE,
    "input": style.GREEN,
    "input and state": style.VERMILION,
}
SHOWN = ("constant", "input and state")  # those of the paper
DOTS = 6  # one sample in so many is drawn
NOTE = (
    "dots: neurons, one in {dots}; lines: kernel means, bands two standard errors; black: "
    "theory of constant gates after {steps} steps from the zero state, dashed in the limit; "
    "the kernel, seven steps wide, also flattens what is steep near T = 1"
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Squares of neurons over time constants, a row a moment, their means and theory.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    with style.styled():
        drawn = style.figure(0.5 + 2.0 * len(letters))
        rows = drawn.subplots(
            len(letters), len(SHOWN), sharex=True, sharey="row", squeeze=False
        )
        for letter, row in zip(letters, rows, strict=True):
            for axes, gates in zip(row, SHOWN, strict=True):
                one = data.sel(quantity=QUANTITIES[letter])
                _moments(axes, one, gates)
                axes.set_title(f"gates: {gates}", loc="right", fontsize=7)
            style.letter(row[0], letter, TITLES[letter])
        for axes in rows[-1]:
            axes.set_xlabel("time constant $T$")
        rows[0, -1].legend(loc="lower right", fontsize=6, handlelength=1.2)
        steps = data.attrs["steps"]
        style.caption(drawn, NOTE.format(dots=DOTS, steps=steps))
    return drawn


def _moments(axes: Axes, data: xr.Dataset, gates: str) -> None:
    one = data.sel(gates=gates)
    time, square = one["time"].values.ravel(), one["square"].values.ravel()
    some = slice(None, None, DOTS)
    axes.plot(
        time[some],
        square[some],
        ".",
        color=style.GREY,
        markersize=0.8,
        alpha=0.5,
        markeredgewidth=0,
        rasterized=True,
    )
    place = one["place"].values
    names = (gates, "input") if gates != "constant" else (gates,)
    for name in names:
        curve = data.sel(gates=name)
        mean, error = curve["mean"].values, curve["sem"].values
        colour = COLOURS[name]
        axes.fill_between(
            place,
            mean - 2 * error,
            mean + 2 * error,
            color=colour,
            alpha=0.2,
            linewidth=0,
        )
        axes.plot(place, mean, color=colour, linewidth=1, label=f"gates see {name}")
    axes.plot(place, data["finite"], color=style.BLACK, linewidth=0.8, label="theory")
    axes.plot(place, data["limit"], "--", color=style.BLACK, linewidth=0.8)
    axes.set_yscale("log")
    low = float(min(data["mean"].min(), data["finite"].min()))
    high = float(max(data["mean"].max(), data["limit"].max()))
    axes.set_ylim(low / 30, 10 * high)


def shown(results: style.Results) -> str:
    """How far the means are from theory, in all and at most, for each kind of gate."""
    data = results[STUDY]
    said = []
    for gates in COLOURS:
        one = data.sel(gates=gates)
        off = one["mean"] / one["finite"] - 1
        parts = [
            f"{name} {float(off.sel(quantity=name).mean()):+.1%} (from "
            f"{float(off.sel(quantity=name).min()):+.0%} to "
            f"{float(off.sel(quantity=name).max()):+.0%})"
            for name in QUANTITIES.values()
        ]
        said.append(f"gates that read {gates}: {', '.join(parts)}")
    spread = data["finite"].max("place") / data["finite"].min("place")
    told = " and ".join(f"{float(x):.1f}" for x in spread)
    return (
        f"Relative difference of measured means from theory: {'; '.join(said)}. Over all "
        f"time constants the theory itself varies by the factors {told}."
    )
