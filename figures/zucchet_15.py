"""Zucchet & Orvieto (2024), Figure 15: moments of gated neurons by time constant."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "gated_neurons"
QUANTITIES = {"a": "state", "b": "bias sensitivity"}
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "Moments of gated neurons against the time constant",
    differs="Inputs are random, with the autocovariance of Figure 12; the paper uses "
    "embeddings.",
    rows=("zucchet:fig15", "zucchet:fig15:samples"),
)
TITLES = {
    "a": r"$\mathbb{E}\,[h^2]$",
    "b": r"$\mathbb{E}\,[(\mathrm{d}h/\mathrm{d}b_f)^2]$",
}
COLOURS = {"constant": style.BLUE, "input and state": style.VERMILION}
SHOWN = tuple(COLOURS)  # the gates of the paper
DOTS = 6  # one sample in so many is drawn
ROOM = 12  # factor on the axis above and below all means
KERNEL = 100.0  # of the paper's mean, exp(-(a - b)^2 / 100)
THEORY: dict[str, dict[str, Any]] = {
    "finite": {"ls": "-", "label": "theory"},
    "smooth": {"ls": ":", "label": "theory, smoothed as the means"},
    "limit": {"ls": "--", "label": "theory of endless sequences"},
}
NOTE = (
    "One neuron in {dots} is shown, if it is inside the panel; many are below.  Means use "
    "the paper's kernel, and bands are two standard errors.  Theory is of constant gates after "
    "{steps} steps from the zero state, and interpolated on logarithmic axes."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows squared states of gated neurons against their time constants.

    Panel B shows their squared sensitivities to the bias.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY].assign(smooth=_smoothed(results[STUDY]))
    with style.styled():
        figure = style.figure(0.8 + 2.0 * len(letters))
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
            axes.set_xlabel("time constant $T$ (steps)")
        figure.legend(
            handles=_key(), loc="outside upper center", ncols=2, handlelength=1.4
        )
        steps = data.attrs["steps"]
        style.caption(figure, NOTE.format(dots=DOTS, steps=steps))
    return figure


def _moments(axes: Axes, data: xr.Dataset, gates: str) -> None:
    own = data.sel(gates=gates)
    time, square = own["time"].values.ravel(), own["square"].values.ravel()
    some = slice(None, None, DOTS)
    axes.plot(
        time[some],
        square[some],
        ".",
        color=style.GREY,
        markersize=1.6,
        alpha=0.7,
        markeredgewidth=0,
        rasterized=True,
    )
    positions, colour = data["place"].values, COLOURS[gates]
    mean, error = own["mean"].values, own["sem"].values
    axes.fill_between(
        positions,
        mean - 2 * error,
        mean + 2 * error,
        color=colour,
        alpha=0.3,
        linewidth=0,
    )
    axes.plot(positions, mean, color=colour, linewidth=1.2)
    for name, how in THEORY.items():
        where, values = _denser(positions, own[name].values)
        axes.plot(where, values, color=style.BLACK, linewidth=0.7, **how)
    axes.set_yscale("log")
    axes.set_ylim(float(data["mean"].min()) / ROOM, ROOM * float(data["mean"].max()))


def _denser(positions: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Theory at the integers between the time constants, too."""
    where = np.union1d(positions, np.arange(np.ceil(positions[0]), positions[-1]))
    return where, _interpolated(where, positions, values)


def _interpolated(
    where: np.ndarray, positions: np.ndarray, values: np.ndarray
) -> np.ndarray:
    """Theory at these time constants, interpolated on logarithmic axes."""
    return np.exp(np.interp(np.log(where), np.log(positions), np.log(values)))


def _key() -> list[Line2D]:
    dot: dict[str, Any] = {
        "ls": "",
        "marker": ".",
        "color": style.GREY,
        "markersize": 3,
    }
    means = [
        Line2D([], [], color=COLOURS[gates], label=f"mean, gates: {gates}")
        for gates in SHOWN
    ]
    theories = [Line2D([], [], color=style.BLACK, **how) for how in THEORY.values()]
    return [Line2D([], [], label="neuron", **dot), *means, *theories]


def _smoothed(data: xr.Dataset) -> xr.DataArray:
    """Theory at every neuron's time constant, averaged as the measured means are.

    The kernel of the paper, exp(-(a - b)^2 / 100), flattens steep curves.  Theory between
    the stored time constants is interpolated on logarithmic axes.
    """
    positions = data["place"].values
    smooth = xr.zeros_like(data["mean"])
    for gates in data["gates"].values:
        time = data["time"].sel(gates=gates).values.ravel()
        weights = np.exp(-((time - positions[:, None]) ** 2) / KERNEL)
        for quantity in data["quantity"].values:
            theory = data["finite"].sel(quantity=quantity).values
            values = _interpolated(time, positions, theory)
            where = {"gates": gates, "quantity": quantity}
            smooth.loc[where] = weights @ values / weights.sum(1)
    return smooth


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
        f"With {SHOWN[0]} gates, measured means differ from smoothed theory by "
        f"{percentages[0]} on average over time constants. With gates that read {SHOWN[1]}, "
        f"measured means differ by {percentages[1]}. Over all time constants the theory "
        f"itself varies by the factors {factors}."
    )


def details(results: style.Results) -> style.Cells:
    """Mean, least and largest difference from theory, by kind of gate and moment."""
    off = _off(results[STUDY])
    rows = []
    for gates in results[STUDY]["gates"].values:
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
    """Relative differences of measured means from theory under the same kernel."""
    return data["mean"] / _smoothed(data) - 1


def _percent(value: xr.DataArray, decimals: int = 0) -> str:
    return f"{round(100 * float(value), decimals) + 0.0:+.{decimals}f} %"


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-15")
