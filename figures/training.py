"""Training curves: loss, accuracy, norm of the gradient and mean squared states."""

from typing import Any

import matplotlib as mpl
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sigprop.figures import style

CAPTION = (
    "A and C: faint lines have every step, others are means over the {segment} steps of a "
    "segment. A, B and D: points are of the validation set. A ring in B is the accuracy on the "
    "test set at the best validation. D: E|h|² of each layer's states, with one line for each "
    "seed."
)

VALIDATION: dict[str, Any] = {"marker": "o", "linewidth": 0.8, "label": "validation"}
TITLES = {
    "a": "loss (nats)",
    "b": "accuracy (%)",
    "c": "norm of the gradient",
    "d": "power of the states",
}


def draw(data: xr.Dataset, title: str) -> Figure:
    """Curves of every seed of a training.

    Args:
        data: By ``seed`` and ``update``: ``loss`` and ``gradient_norm``; by ``seed`` and
            ``look`` at the validation: ``step``, ``validation_loss``,
            ``validation_accuracy`` and, by ``layer`` too, ``state_power``; by ``seed``:
            ``segment``, ``best_step`` and ``test_accuracy``.
        title: What was trained.
    """
    with style.styled():
        figure = style.figure(4.4)
        losses, accuracies, norms, powers = figure.subplots(2, 2).ravel()
        for number, colour in enumerate(shades(data.sizes["seed"])):
            run = data.isel(seed=number)
            _updates(losses, run, "loss", colour)
            _looks(losses, run, run["validation_loss"], colour)
            _updates(norms, run, "gradient_norm", colour)
            seed = f"seed {int(run['seed'])}"
            _looks(accuracies, run, 100 * run["validation_accuracy"], colour, seed)
            _ring(accuracies, run, colour)
        for number, colour in enumerate(shades(data.sizes["layer"])):
            layer = data.isel(layer=number)
            name = f"layer {int(layer['layer'])}"
            for seed in range(data.sizes["seed"]):
                run = layer.isel(seed=seed)
                _looks(powers, run, run["state_power"], colour, "" if seed else name)
        last = float(data["update"][-1])
        for axes, letter in zip(figure.axes, TITLES, strict=True):
            style.letter(axes, letter, TITLES[letter])
            axes.set_xlim(0, 1.03 * last)
        for axes in (losses, norms, powers):
            style.plain_log(axes)
        look: dict[str, Any] = {"color": style.GREY, "label": "training"}
        lines = [Line2D([], [], **look), Line2D([], [], **look | VALIDATION)]
        losses.legend(handles=lines, loc="upper right")
        for axes in (norms, powers):
            axes.set_xlabel("training step")
        _key(accuracies)
        _key(powers)
        figure.suptitle(title, fontsize=8)
        segments = np.unique(data["segment"].values.astype(int))
        style.caption(figure, CAPTION.format(segment=" or ".join(map(str, segments))))
    return figure


def shades(count: int) -> list[str]:
    """Colours from the first to the last of so many."""
    if count <= len(style.SEQUENCE):
        return [*style.SEQUENCE[:count]]
    colours = mpl.colormaps["viridis"](np.linspace(0, 0.9, count))
    return [to_hex(colour) for colour in colours]


def _updates(axes: Axes, run: xr.Dataset, name: str, colour: str) -> None:
    """Every step, and the mean of each segment at its middle."""
    ended = run[name].dropna("update")
    shape = -1, int(run["segment"])
    step, values = ended["update"].values, ended.values
    axes.plot(step, values, color=colour, linewidth=0.3, alpha=0.4, zorder=1)
    step, values = (curve.reshape(shape).mean(1) for curve in (step, values))
    axes.plot(step, values, color=colour)


def _looks(
    axes: Axes, run: xr.Dataset, values: xr.DataArray, colour: str, label: str = ""
) -> None:
    axes.plot(run["step"], values, "o-", color=colour, label=label, linewidth=0.8)


def _ring(axes: Axes, run: xr.Dataset, colour: str) -> None:
    point = [run["best_step"]], [100 * run["test_accuracy"]]
    axes.plot(*point, "o", markeredgecolor=colour, markerfacecolor="none", markersize=6)


def _key(axes: Axes) -> None:
    """Names of the curves, or of the first and the last of a long row of colours."""
    handles, labels = axes.get_legend_handles_labels()
    step = 1 if len(labels) <= len(style.SEQUENCE) else len(labels) - 1
    axes.margins(y=0.25)
    axes.legend(handles[::step], labels[::step], loc="upper left", ncols=3)
