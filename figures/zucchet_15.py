"""Zucchet & Orvieto (2024), Figure 15: moments of gated neurons by time constant."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "gated_neurons"
QUANTITIES = {"a": "state", "b": "bias sensitivity"}
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "Moments of gated neurons against the time constant",
    reduced="Inputs are random, with the autocovariance of Figure 12; the paper uses "
    "embeddings.",
    rows=("zucchet:fig15", "zucchet:fig15:samples"),
)
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
    "the kernel, seven steps wide, also flattens the steep curves near T = 1"
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows squared states of gated neurons against their time constants.

    Panel B shows their squared sensitivities to the bias.  Dots are single neurons, and
    lines are their means and the theory.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(0.5 + 2.0 * len(letters))
        rows = figure.subplots(
            len(letters), len(SHOWN), sharex=True, sharey="row", squeeze=False
        )
        for letter, row in zip(letters, rows, strict=True):
            for axes, gates in zip(row, SHOWN, strict=True):
                moment = data.sel(quantity=QUANTITIES[letter])
                _moments(axes, moment, gates)
                axes.set_title(f"gates: {gates}", loc="right", fontsize=7)
            style.letter(row[0], letter, TITLES[letter])
        for axes in rows[-1]:
            axes.set_xlabel("time constant $T$")
        rows[0, -1].legend(loc="lower right", fontsize=6, handlelength=1.2)
        steps = data.attrs["steps"]
        style.caption(figure, NOTE.format(dots=DOTS, steps=steps))
    return figure


def _moments(axes: Axes, data: xr.Dataset, gates: str) -> None:
    neurons = data.sel(gates=gates)
    time, square = neurons["time"].values.ravel(), neurons["square"].values.ravel()
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
    positions = neurons["place"].values
    names = (gates, "input") if gates != "constant" else (gates,)
    for name in names:
        curve = data.sel(gates=name)
        mean, error = curve["mean"].values, curve["sem"].values
        colour = COLOURS[name]
        axes.fill_between(
            positions,
            mean - 2 * error,
            mean + 2 * error,
            color=colour,
            alpha=0.2,
            linewidth=0,
        )
        axes.plot(
            positions, mean, color=colour, linewidth=1, label=f"gates read {name}"
        )
    axes.plot(
        positions, data["finite"], color=style.BLACK, linewidth=0.8, label="theory"
    )
    axes.plot(positions, data["limit"], "--", color=style.BLACK, linewidth=0.8)
    axes.set_yscale("log")
    low = float(min(data["mean"].min(), data["finite"].min()))
    high = float(max(data["mean"].max(), data["limit"].max()))
    axes.set_ylim(low / 30, 10 * high)


def shown(results: style.Results) -> str:
    """Give the mean difference from theory over all time constants, for two kinds of gate."""
    data = results[STUDY]
    off, names = _off(data).mean("place"), QUANTITIES.values()
    percentages = [
        " and ".join(
            f"{_percent(off.sel(gates=gates, quantity=name), 1)} ({name})"
            for name in names
        )
        for gates in SHOWN
    ]
    spread = data["finite"].max("place") / data["finite"].min("place")
    factors = " and ".join(f"{float(spread.sel(quantity=q)):.1f} ({q})" for q in names)
    return (
        f"With {SHOWN[0]} gates, measured means differ from theory by {percentages[0]} on "
        f"average over time constants. With gates that read {SHOWN[1]}, measured means differ "
        f"by {percentages[1]}. Over all time constants the theory itself varies by the factors "
        f"{factors}."
    )


def details(results: style.Results) -> style.Cells:
    """Mean, least and largest difference from theory, by kind of gate and moment."""
    off = _off(results[STUDY])
    rows = []
    for gates in COLOURS:
        for name in QUANTITIES.values():
            difference = off.sel(gates=gates, quantity=name)
            rows.append(
                (
                    gates,
                    name,
                    _percent(difference.mean(), 1),
                    *map(_percent, (difference.min(), difference.max())),
                )
            )
    return (
        (
            *("gates read", "mean square of", "mean difference from theory"),
            *("lowest difference", "highest difference"),
        ),
        *rows,
    )


def _off(data: xr.Dataset) -> xr.DataArray:
    """Relative differences of measured means from theory, by time constant."""
    return data["mean"] / data["finite"] - 1


def _percent(value: xr.DataArray, decimals: int = 0) -> str:
    return f"{round(100 * float(value), decimals) + 0.0:+.{decimals}f} %"


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-15")
