"""RotRNN (2024), Figure 3: state norms during training, measured and in theory."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "lists"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "State norms during training, measured and in closed form",
    reduced="Networks are smaller and are trained for 2000 steps from three seeds, on "
    "expressions of up to 127 tokens.",
    full="sigprop train listops --model rotrnn --preset paper",
    rows=("rotrnn:fig3",),
)
MODELS = {"lru": ("LRU", style.BLUE), "rotrnn": ("RotRNN", style.VERMILION)}
DASHES = ("-", "--", ":", "-.")
STEADY = 0.1  # largest relative change of a norm that is called constant
RUNG = 1  # of the audit's ladder: the autocovariance that each mode sees
TICKS = (1, 2, 5, 10, 20, 50, 100)
CAPTION = (
    "Lines are the closed form at the learnt parameters, from the autocovariance of each "
    "layer's inputs. Dots are measured on held-out expressions."
)
BARS = "Panel B has means of {} networks, with standard errors of the measured norms."


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the state norms of every layer of an LRU and a RotRNN during training.

    Panel B shows the norm of the last layer, averaged over seeds.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = _one_way(results[STUDY])
    with style.styled():
        figure = style.figure(2.7, 1.3 + 2.1 * len(letters))
        row = figure.subplots(1, len(letters), sharey=True, squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            {"a": _layers, "b": _seeds}[letter](axes, data)
            axes.set_yscale("log")
            axes.set_xlabel("training step")
        row[0].yaxis.set_major_locator(FixedLocator(TICKS))
        row[0].yaxis.set_major_formatter("{x:g}")
        row[0].yaxis.set_minor_locator(NullLocator())
        row[0].set_ylabel(r"state norm $\sqrt{\mathbb{E}\,\|h\|^2}$")
        layers = data.sizes["recurrence"] if "a" in letters else 0
        figure.legend(
            handles=_handles(layers),
            ncols=2 * len(letters),
            handlelength=2.6,
            loc="outside upper center",
        )
        seeds = len(_cells(data, "lru"))
        bars = [BARS.format(seeds)] if "b" in letters and seeds > 1 else []
        style.caption(figure, CAPTION, *bars)
    return figure


def _one_way(data: xr.Dataset) -> xr.Dataset:
    """The networks of the figure, whose layers have one recurrence each."""
    shown = data.isel(cell=np.isin(data["model"].values, list(MODELS)))
    return shown.dropna("recurrence", how="all", subset=["measured"])


def _layers(axes: Axes, data: xr.Dataset) -> None:
    for model, (_, colour) in MODELS.items():
        run = data.isel(cell=_cells(data, model)[0])
        for layer in range(data.sizes["recurrence"]):
            recurrence = run.isel(recurrence=layer)
            measured, theory = _norms(recurrence)
            dashes = DASHES[layer % len(DASHES)]
            axes.plot(recurrence["step"], theory, dashes, color=colour, linewidth=0.9)
            axes.plot(recurrence["step"], measured, "o", color=colour, markersize=2)
    style.letter(axes, "a", "layers of one network")


def _handles(layers: int) -> list[Line2D]:
    """The key of the colours, of the marks and of the dashes of so many layers."""
    grey: dict[str, Any] = {"color": style.GREY}
    return [
        *(Line2D([], [], color=colour, label=name) for name, colour in MODELS.values()),
        Line2D([], [], marker="o", ms=2, linestyle="none", label="measured", **grey),
        Line2D([], [], label="closed form" + ", layer 1" * bool(layers), **grey),
        *(
            Line2D(
                [], [], linestyle=DASHES[layer % 4], label=f"layer {1 + layer}", **grey
            )
            for layer in range(1, layers)
        ),
    ]


def _seeds(axes: Axes, data: xr.Dataset) -> None:
    last = data.sizes["recurrence"] - 1
    for model, (_, colour) in MODELS.items():
        runs = data.isel(cell=_cells(data, model), recurrence=last)
        step = runs["step"].values[0]
        measured, theory = _norms(runs)
        error = style.standard_error(measured) if len(measured) > 1 else None
        axes.plot(step, theory.mean(0), color=colour, linewidth=0.9)
        axes.errorbar(
            step, measured.mean(0), error, fmt="o", color=colour, markersize=2, lw=0.8
        )
    style.letter(axes, "b", f"last layer, {len(_cells(data, 'lru'))} networks")


def _cells(data: xr.Dataset, model: str) -> np.ndarray:
    return np.flatnonzero(data["model"].values == model)


def _norms(runs: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Measured, and in closed form."""
    predicted = runs["predicted"].isel(rung=RUNG)
    return np.sqrt(runs["measured"].values), np.sqrt(predicted.values)


def shown(results: style.Results) -> str:
    """The growth of the norms of each network, and the error of the closed form."""
    data = _one_way(results[STUDY])
    power = data["measured"].transpose("cell", ...)
    growth = {
        name: np.sqrt(power.isel(look=-1) / power.isel(look=0))[_cells(data, model)]
        for model, (name, _) in MODELS.items()
    }
    off = np.abs(np.sqrt(data["predicted"].isel(rung=RUNG) / data["measured"]) - 1)
    ranges = " and ".join(
        f"the {name}'s state norms by {float(values.min()):.2g} to {float(values.max()):.2g}"
        for name, values in growth.items()
    )
    steady = (np.abs(growth[MODELS["rotrnn"][0]] - 1) < STEADY).all()
    constant = (
        f"stay constant within {100 * STEADY:g} %" if steady else "do not stay constant"
    )
    return (
        f"Training multiplies {ranges}. The RotRNN's norms {constant}. The "
        f"closed form differs from the measured norms by at most "
        f"{100 * float(off.max()):.0f} %."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("rotrnn-3")
