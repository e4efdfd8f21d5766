"""Orvieto et al. (2023), Figure 7: a convolution learnt by linear and tanh RNNs."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "convolution_kernel"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "A convolution learnt by linear and tanh RNNs",
    rows=("lru:fig7",),
)
NAMES = {"identity": ("linear", style.BLUE), "tanh": ("tanh", style.VERMILION)}
HIGHEST = 1e3  # losses above are cut off


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the true and the learnt kernels, and outputs for a new input.

    Panel B shows loss curves for each learning rate and initial scale.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    heights = {"a": 1.9, "b": 0.6 + 1.5 * data.sizes["scale"]}
    with style.styled():
        sizes = [heights[letter] for letter in letters]
        figure = style.figure(sum(sizes) + 0.3)
        grid = figure.add_gridspec(len(letters), 1, height_ratios=sizes)
        panels = {"a": _kernels, "b": _losses}
        for index, letter in enumerate(letters):
            panels[letter](figure, grid[index], data)
        style.caption(figure, *(NOTES[letter] for letter in letters), LEAVING)
    return figure


NOTES = {
    "a": "Panel A has the kernels of the linear network with every seed, and the outputs of "
    "one network of each kind, at the learning rate of the smallest median loss.",
    "b": "In panel B, losses are relative to the mean square of the target.",
}
LEAVING = (
    "Triangles mark where runs leave a panel or diverge, and numbers count these runs."
)


def best(data: xr.Dataset, activation: str, scale: float) -> float:
    """The learning rate with the smallest final loss, by the seeds' median."""
    final = data["loss"].sel(activation=activation, scale=scale).isel(step=-1)
    median = final.fillna(np.inf).median("seed")
    return float(data["log_rate"][np.argmin(median.values)])


def _kernels(figure: Figure, spec: SubplotSpec, data: xr.Dataset) -> None:
    """The true and the learnt kernels, and outputs of both networks for a new input."""
    row = spec.subgridspec(1, 2).subplots(squeeze=False)[0]
    scale = float(data["scale"][-1])
    age, kernel = data["age"].values, data["kernel"].values
    for activation, (name, colour) in NAMES.items():
        rate = best(data, activation, scale)
        network = data.sel(activation=activation, scale=scale, log_rate=rate)
        label = rf"{name}, rate $10^{{{rate:g}}}$"
        row[1].plot(age, network["answer"][0], color=colour, label=label)
        if activation == "identity":
            learnt = network["learnt"].transpose("seed", "age").values
            row[0].plot(age, learnt.T, color=colour, linewidth=0.6)
            row[0].set(ylim=(-kernel.max(), 2 * kernel.max()))
            _leaving(row[0], age, learnt, colour, text=" runs leave the panel")
    for axes, black in zip(row, (kernel, data["wanted"][0]), strict=True):
        axes.plot(age, black, color=style.BLACK, linewidth=1.2, label="target")
        axes.set(xlim=(0, age[-1]))
    row[0].set_xlabel("age of the input (steps)")
    row[1].set_xlabel("step")
    row[1].legend(
        ncols=3,
        columnspacing=1,
        handlelength=1.2,
        loc="lower right",
        bbox_to_anchor=(1, 1),
        borderaxespad=0,
        fontsize=6,
    )
    row[0].set_ylabel("weight of the kernel")
    row[1].set_ylabel("output, new input")
    style.letter(row[0], "a", f"kernels, {_heading(scale)}")


def _leaving(
    axes: Axes,
    x: np.ndarray,
    runs: np.ndarray,
    colour: str,
    line: int = 0,
    text: str = "",
) -> None:
    """Mark the runs that leave a panel, and write their number in one of its lines."""
    count = style.mark_leaving(axes, x, runs, colour)
    if count:
        axes.annotate(
            f"{count} of {len(runs)}{text}",
            (1, 1),
            (0, -3 - 7 * line),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="right",
            va="top",
            color=colour,
            fontsize=6,
        )


def _heading(scale: float) -> str:
    return "Glorot's matrix" if scale == 1 else f"Glorot's matrix × {scale:g}"


def _losses(figure: Figure, spec: SubplotSpec, data: xr.Dataset) -> None:
    """A row for each scale, a column for each rate: thin lines seeds, bold their median."""
    scales, rates = data["scale"].values, data["log_rate"].values
    shape, lowest = (len(scales), len(rates)), float(data["loss"].min())
    grid = spec.subgridspec(*shape).subplots(squeeze=False, sharex=True, sharey=True)
    for row, scale in zip(grid, scales, strict=True):
        for axes, rate in zip(row, rates, strict=True):
            axes.set(yscale="log", ylim=(lowest / 1.5, HIGHEST))
            axes.yaxis.set_minor_locator(NullLocator())
            _curves(axes, data["loss"].sel(scale=scale, log_rate=rate))
        row[0].set_ylabel(f"relative loss\n{_heading(scale)}")
    for axes, rate in zip(grid[0], rates, strict=True):
        axes.set_title(rf"rate $10^{{{rate:g}}}$", loc="center", fontsize=7)
    for axes in grid[-1]:
        axes.set_xlabel("iterations")
    style.letter(grid[0][0], "b", "losses", above=1)
    handles, _ = grid[0][0].get_legend_handles_labels()
    grey: dict[str, Any] = {"color": style.GREY}
    handles += [
        Line2D([], [], linewidth=0.5, label="one seed", **grey),
        Line2D([], [], linewidth=1.4, label="median", **grey),
        Line2D(
            [], [], marker="^", linestyle="none", label="leaves or diverges", **grey
        ),
    ]
    legend = grid[0][-1].legend(
        handles=handles,
        ncols=5,
        columnspacing=1,
        handlelength=1.5,
        loc="lower right",
        bbox_to_anchor=(1, 1.14),
        borderaxespad=0,
        borderpad=0,
    )
    legend.set_in_layout(False)  # it is wider than its panel


def _curves(axes: Axes, loss: xr.DataArray) -> None:
    """A run that diverged counts as above all others in the median."""
    step = loss["step"].values
    for line, (activation, (name, colour)) in enumerate(NAMES.items()):
        runs = loss.sel(activation=activation).transpose("seed", "step").values
        for values in runs:
            axes.plot(step, values, color=colour, linewidth=0.5, alpha=0.6)
        middle = np.median(np.where(np.isfinite(runs), runs, np.inf), axis=0)
        axes.plot(step, middle, color=colour, linewidth=1.4, label=name)
        _leaving(axes, step, runs, colour, line)
    axes.set_xlim(0, step[-1])


def shown(results: style.Results) -> str:
    """Count the settings at which the linear network ends with the lower loss."""
    final = results[STUDY]["loss"].isel(step=-1).fillna(np.inf).median("seed")
    lower = final.sel(activation="identity") < final.sel(activation="tanh")
    won, of = int(lower.sum()), lower.size
    where = {0: f"none of {of}", of: f"all {of}"}.get(won, f"{won} of {of}")
    return (
        "The linear network ends with a lower median loss than the tanh network at "
        f"{where} pairs of initial scale and learning rate."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-7")
