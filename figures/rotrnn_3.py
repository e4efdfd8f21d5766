"""RotRNN (2024), Figure 3: state norms during training, measured and in theory."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

STUDY = "lists"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "State norms during training, measured and in closed form",
    reduced="Networks are smaller and are trained for 2000 steps from three seeds, on "
    "expressions of up to 127 tokens. Panel C has their last layer, where the paper has a "
    "network of one layer.",
    full="sigprop train listops --model rotrnn --preset paper",
    rows=("rotrnn:fig3",),
)
MODELS = {"lru": ("LRU", style.BLUE), "rotrnn": ("RotRNN", style.VERMILION)}
DASHES: tuple[Any, ...] = "-", "--", ":", "-."  # of the layers
MARKERS = "o", "s", "^", "D"
ALONE = {"a": "lru", "b": "rotrnn"}
STEADY = 0.1  # largest relative change of a norm that is called constant
RUNG = 1  # of the audit's ladder: the autocovariance that each mode sees
TICKS = (1, 2, 3, 5, 10, 20, 50, 100)
CAPTION = (
    "Lines are the closed form at the learnt parameters, from the autocovariance of each "
    "layer's inputs. Marks are measured on held-out expressions."
)
BARS = "Panel C has means of {} networks, with standard errors of the measured norms."


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show the state norms of all layers of an LRU and a RotRNN in training.

    Panel C shows the norm of the last layer, averaged over seeds.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = _one_way(results[STUDY])
    with style.styled():
        figure = style.figure(2.8, style.WIDTH if panel is None else 3.4)
        row = figure.subplots(1, len(letters), sharey=True, squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            {"a": _layers, "b": _layers, "c": _seeds}[letter](axes, data, letter)
            axes.set_yscale("log")
            axes.set_xlabel("training step")
        row[0].yaxis.set_major_locator(FixedLocator(TICKS))
        row[0].yaxis.set_major_formatter("{x:g}")
        row[0].yaxis.set_minor_locator(NullLocator())
        row[0].set_ylabel(r"state norm $\sqrt{\mathbb{E}\,\|h\|^2}$")
        layers = range(data.sizes["recurrence"])
        figure.legend(
            handles=_handles(layers[-1:] if panel == "c" else layers),
            ncols=4 if panel is None else 2,
            handlelength=3.2,
            loc="outside upper center",
        )
        seeds = len(_cells(data, "lru"))
        bars = [BARS.format(seeds)] if "c" in letters and seeds > 1 else []
        style.caption(figure, CAPTION, *bars)
    return figure


def _one_way(data: xr.Dataset) -> xr.Dataset:
    """The networks of the figure, whose layers have one recurrence each."""
    shown = data.isel(cell=np.isin(data["model"].values, list(MODELS)))
    return shown.dropna("recurrence", how="all", subset=["measured"])


def _layers(axes: Axes, data: xr.Dataset, letter: str) -> None:
    """All layers of the first network of a kind."""
    model = ALONE[letter]
    name, colour = MODELS[model]
    run = data.isel(cell=_cells(data, model)[0])
    for layer in range(data.sizes["recurrence"]):
        recurrence = run.isel(recurrence=layer)
        measured, theory = _norms(recurrence)
        look = {"color": colour, "markersize": 2.5}
        axes.plot(recurrence["step"], theory, DASHES[layer % 4], lw=0.9, **look)
        axes.plot(recurrence["step"], measured, MARKERS[layer % 4], **look)
    style.letter(axes, letter, f"one {name}")


def _handles(layers: Iterable[int]) -> list[Line2D]:
    """The key of the colours, and of these layers' marks and dashes."""
    return [
        *(Line2D([], [], color=colour, label=name) for name, colour in MODELS.values()),
        Line2D([], [], lw=0.9, color=style.BLACK, label="line: closed form"),
        Line2D(
            [], [], ls="", marker="o", ms=2.5, color=style.BLACK, label="mark: measured"
        ),
        *(
            Line2D(
                *([], []),
                linestyle=DASHES[layer % 4],
                linewidth=0.9,
                marker=MARKERS[layer % 4],
                markersize=2.5,
                color=style.GREY,
                label=f"layer {1 + layer}",
            )
            for layer in layers
        ),
    ]


def _seeds(axes: Axes, data: xr.Dataset, letter: str) -> None:
    last = data.sizes["recurrence"] - 1
    for model, (_, colour) in MODELS.items():
        runs = data.isel(cell=_cells(data, model), recurrence=last)
        step = runs["step"].values[0]
        measured, theory = _norms(runs)
        error = style.standard_error(measured) if len(measured) > 1 else None
        look = {"color": colour, "markersize": 2.5}
        axes.plot(step, theory.mean(0), DASHES[last % 4], lw=0.9, **look)
        axes.errorbar(
            step, measured.mean(0), error, fmt=MARKERS[last % 4], lw=0.8, **look
        )
    style.letter(axes, letter, f"last layer, {len(_cells(data, 'lru'))} networks")


def _cells(data: xr.Dataset, model: str) -> np.ndarray:
    return np.flatnonzero(data["model"].values == model)


def _norms(runs: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Measured, and in closed form."""
    predicted = runs["predicted"].isel(rung=RUNG)
    return np.sqrt(runs["measured"].values), np.sqrt(predicted.values)


def shown(results: style.Results) -> str:
    """The growth of the norms of each network, and the error of the closed form."""
    data = _one_way(results[STUDY])
    norms = data["measured"].transpose("cell", ...) ** 0.5
    growth = {
        model: (norms.isel(look=-1) / norms.isel(look=0))[_cells(data, model)]
        for model in MODELS
    }
    off = abs((data["predicted"].isel(rung=RUNG) / data["measured"]) ** 0.5 - 1)
    last = norms.isel(recurrence=-1, look=[0, -1])
    means = {model: last[_cells(data, model)].mean("cell").values for model in MODELS}
    moves = " and ".join(
        f"from {first:.1f} to {end:.1f} in the {MODELS[model][0]}"
        for model, (first, end) in means.items()
    )
    spans = {
        model: phrases.span(values.values.ravel(), ".1f")
        for model, values in growth.items()
    }
    steady = (np.abs(growth["rotrnn"] - 1) < STEADY).all()
    constant = (
        f"stay constant within {100 * STEADY:g} %" if steady else "do not stay constant"
    )
    begin, end = (int(data["step"].values[0][at]) for at in (0, -1))
    return (
        f"From step {begin} to {end}, the last layer's mean norm changes {moves}. Over all "
        f"layers and networks, norms grow {spans['lru']} times in the LRU and "
        f"{spans['rotrnn']} times in the RotRNN, whose norms {constant}. The closed form "
        f"differs from the measured norms by at most {100 * float(off.max()):.0f} %."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("rotrnn-3")
