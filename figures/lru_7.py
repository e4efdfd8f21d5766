"""Orvieto et al. (2023), Figure 7: a convolution learnt by linear and tanh RNNs."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

STUDY = "convolution_kernel"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "A convolution learnt by linear and tanh RNNs",
    rows=("lru:fig7",),
)
NAMES = {"identity": ("linear", style.BLUE), "tanh": ("tanh", style.VERMILION)}
HIGHEST = 1e3  # losses above are cut off
SMALL = 0.1  # weights of the kernel below are on a linear axis
EARLY = 100  # iterations


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the true and the learnt kernels, and outputs for a new input.

    Panel B shows loss curves for each learning rate and initial scale.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    heights = {"a": 1.9, "b": 0.75 + 1.5 * data.sizes["scale"]}
    with style.styled():
        sizes = [heights[letter] for letter in letters]
        figure = style.figure(sum(sizes) + 0.3)
        grid = figure.add_gridspec(len(letters), 1, height_ratios=sizes)
        panels = {"a": _kernels, "b": _losses}
        for index, letter in enumerate(letters):
            panels[letter](figure, grid[index], data)
        leaving = [LEAVING] if "b" in letters else []
        style.caption(figure, *(NOTES[letter] for letter in letters), *leaving)
    return figure


NOTES = {
    "a": "Panel A has one network of each kind, at the learning rate of the smallest median "
    "loss and with the seed of the linear network's smallest final loss. Weights are linear "
    "from −0.1 to 0.1 and logarithmic beyond. Inputs change little in a step, so weights that "
    "alternate in sign nearly cancel in the output.",
    "b": "In panel B, losses are relative to the mean square of the target. A row has one "
    "scale of the initial matrix.",
}
LEAVING = (
    "Triangles mark where runs leave a panel or diverge, and numbers count these runs. "
    'The words "median above" mark panels whose median ends above the axis.'
)


def best(data: xr.Dataset, activation: str, scale: float) -> float:
    """The learning rate with the smallest final loss, by the seeds' median."""
    final = data["loss"].sel(activation=activation, scale=scale).isel(step=-1)
    median = final.fillna(np.inf).median("seed")
    return float(data["log_rate"][np.argmin(median.values)])


def best_seed(data: xr.Dataset, scale: float) -> int:
    """The seed with the linear network's smallest final loss at its best learning rate."""
    linear = data["loss"].sel(activation="identity", scale=scale)
    final = linear.sel(log_rate=best(data, "identity", scale)).isel(step=-1)
    return int(data["seed"][np.argmin(final.fillna(np.inf).values)])


def _kernels(figure: Figure, spec: SubplotSpec, data: xr.Dataset) -> None:
    """The true and the learnt kernels, and outputs of both networks for a new input."""
    row = spec.subgridspec(1, 2).subplots(squeeze=False)[0]
    scale = float(data["scale"][-1])
    seed = best_seed(data, scale)
    age, kernel = data["age"].values, data["kernel"].values
    for activation, (name, colour) in NAMES.items():
        rate = best(data, activation, scale)
        network = data.sel(activation=activation, scale=scale, log_rate=rate, seed=seed)
        label = rf"{name}, rate $10^{{{rate:g}}}$"
        row[1].plot(age, network["answer"], color=colour, label=label)
        if activation == "identity":
            row[0].plot(age, network["learnt"], color=colour, linewidth=0.9)
    for axes, black in zip(row, (kernel, data["wanted"].sel(seed=seed)), strict=True):
        axes.plot(age, black, color=style.BLACK, linewidth=1.2, label="target")
        axes.set(xlim=(0, age[-1]))
    row[0].set_yscale("symlog", linthresh=SMALL, linscale=2)
    row[0].set_yticks([-1, -SMALL, 0, SMALL, 1], ["−1", "−0.1", "0", "0.1", "1"])
    row[0].minorticks_off()
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
    axes: Axes, x: np.ndarray, runs: np.ndarray, colour: str, line: int
) -> None:
    """Mark the runs that leave a panel, and write their number in one of its lines."""
    count = style.mark_leaving(axes, x, runs, colour)
    above = _median(runs)[-1] > HIGHEST
    if count:
        axes.annotate(
            f"{count} of {len(runs)}" + ("\nmedian above" if above else ""),
            (0, 0),
            (4, 3 + 7 * line),
            xycoords="axes fraction",
            textcoords="offset points",
            va="bottom",
            color=colour,
            fontsize=6,
        )


def _median(runs: np.ndarray) -> np.ndarray:
    """The median over runs; one that diverged counts as above all others."""
    return np.median(np.where(np.isfinite(runs), runs, np.inf), axis=0)


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
        row[0].set_ylabel("relative loss")
        row[-1].annotate(
            _heading(scale),
            (1, 0.5),
            (5, 0),
            xycoords="axes fraction",
            textcoords="offset points",
            va="center",
            rotation=270,
            fontsize=7,
        )
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
        bbox_to_anchor=(1, 1.17),
        borderaxespad=0,
        borderpad=0,
    )
    legend.set_in_layout(False)  # it is wider than its panel


def _curves(axes: Axes, loss: xr.DataArray) -> None:
    """Draw losses of both networks: every run, and the median."""
    step = loss["step"].values
    for line, (activation, (name, colour)) in enumerate(NAMES.items()):
        runs = loss.sel(activation=activation).transpose("seed", "step").values
        for values in runs:
            axes.plot(step, values, color=colour, linewidth=0.5, alpha=0.6)
        axes.plot(step, _median(runs), color=colour, linewidth=1.4, label=name)
        _leaving(axes, step, runs, colour, line)
    axes.set(xlim=(0, step[-1]), xticks=np.linspace(0, 0.8, 3) * (step[-1] + step[1]))


def shown(results: style.Results) -> str:
    """Count the settings at which the linear network has the lower loss, early and late."""
    loss = results[STUDY]["loss"].fillna(np.inf)
    step = int(loss["step"].sel(step=EARLY, method="nearest"))
    early, late = (_linear_wins(loss.sel(step=at)) for at in (step, loss["step"][-1]))
    won, of = int(late.sum()), late.size
    return (
        "The linear network ends with a lower median loss than the tanh network at "
        f"{_of(won, of)} pairs of initial scale and learning rate{_named(late)}. After {step} "
        f"iterations its median loss is lower at {_of(int(early.sum()), of)} pairs."
    )


def _linear_wins(loss: xr.DataArray) -> xr.DataArray:
    median = loss.median("seed")
    return median.sel(activation="identity") < median.sel(activation="tanh")


def _of(count: int, size: int) -> str:
    return {0: f"none of {size}", size: f"all {size}"}.get(count, f"{count} of {size}")


def _named(wins: xr.DataArray) -> str:
    """The scale and the rate, if there is one such pair."""
    if wins.sum() != 1:
        return ""
    pair = wins.stack(pair=("scale", "log_rate")).pipe(lambda each: each[each])
    scale, rate = float(pair["scale"][0]), float(pair["log_rate"][0])
    return f" ({_heading(scale)}, rate 10{phrases.raised(rate)})"


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-7")
