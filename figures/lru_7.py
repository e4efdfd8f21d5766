"""Orvieto et al. (2023), Figure 7: a convolution learnt by linear and tanh RNNs."""

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
    dict.fromkeys("abc", STUDY),
    "A convolution learnt by linear and tanh RNNs",
    differs="The paper gives no learning rates, so ours are five half decades.",
    rows=("lru:fig7",),
)
NAMES = {"identity": ("linear", style.BLUE), "tanh": ("tanh", style.VERMILION)}
HIGHEST = 1e3  # losses above are cut off
SMALL = 0.1  # weights of the kernel below are on a linear axis
EARLY = 100  # iterations
BESIDE = 0.15  # of a step between rates, from a rate to each network's dots


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show a learnt kernel, and outputs for a new input.

    Panel C shows the losses of a linear and a tanh RNN against Adam's learning rate.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    rows = [row for row in ("ab", "c") if set(row) & set(letters)]
    heights = {"ab": 1.8, "c": 2.0}
    with style.styled():
        wide = style.WIDTH if panel in (None, "c") else 3.2
        figure = style.figure(0.6 + sum(heights[row] for row in rows), wide)
        grid = figure.add_gridspec(
            len(rows), 1, height_ratios=[heights[row] for row in rows]
        )
        for index, row in enumerate(rows):
            spec = grid[index]
            if row == "c":
                _losses(spec, data)
                continue
            drawn = [letter for letter in row if letter in letters]
            panels = spec.subgridspec(1, len(drawn)).subplots(squeeze=False)[0]
            for axes, letter in zip(panels, drawn, strict=True):
                {"a": _kernels, "b": _outputs}[letter](axes, data)
        handles = [
            Line2D([], [], color=style.BLACK, linestyle="--", label="target"),
            *(
                Line2D(
                    [],
                    [],
                    color=colour,
                    marker="o",
                    label=f"{name} RNN",
                    markersize=2.5,
                )
                for name, colour in NAMES.values()
            ),
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=3)
        seeds = data.sizes["seed"]
        style.caption(figure, *(NOTES[row].format(seeds=seeds) for row in rows))
    return figure


NOTES = {
    "ab": "A has a linear network, and B one network of each kind. Each has the rate of its "
    "smallest median loss and the seed of the linear network's smallest loss. In A, weights "
    "are linear from −0.1 to 0.1 and logarithmic beyond. Inputs change little in a step, so "
    "weights that alternate in sign nearly cancel in B.",
    "c": "In C, lines join the medians of {seeds} networks of each kind, at five rates half a "
    "decade apart. Dots are single networks, drawn left (linear) and right (tanh) of their "
    "rate. Losses are relative to the mean square of the target. Triangles mark losses above "
    "1000, and numbers count these networks.",
}


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


def _kernels(axes: Axes, data: xr.Dataset) -> None:
    """The true kernel, and the linear network's."""
    network = _chosen(data, "identity")
    age = data["age"].values
    axes.plot(age, network["learnt"], color=NAMES["identity"][1], linewidth=0.9)
    axes.plot(age, data["kernel"], "--", color=style.BLACK)
    axes.set(xlim=(0, age[-1]), xlabel="age of the input (steps)")
    axes.set_yscale("symlog", linthresh=SMALL, linscale=2)
    axes.set_yticks([-1, -SMALL, 0, SMALL, 1], ["−1", "−0.1", "0", "0.1", "1"])
    axes.minorticks_off()
    axes.set_ylabel("weight of the kernel")
    style.letter(axes, "a", f"kernel, {_heading(float(data['scale'][-1]))}")


def _outputs(axes: Axes, data: xr.Dataset) -> None:
    """Outputs of both networks for a new input, and the target."""
    age = data["age"].values
    networks = {activation: _chosen(data, activation) for activation in NAMES}
    for activation, network in networks.items():
        axes.plot(age, network["answer"], color=NAMES[activation][1])
    axes.plot(age, networks["identity"]["wanted"], "--", color=style.BLACK)
    axes.set(xlim=(0, age[-1]), xlabel="step", ylabel="output")
    style.letter(axes, "b", "output for a new input")


def _chosen(data: xr.Dataset, activation: str) -> xr.Dataset:
    """The network of A and B: at its best rate, with the linear network's best seed."""
    scale = float(data["scale"][-1])
    rate, seed = best(data, activation, scale), best_seed(data, scale)
    return data.sel(activation=activation, scale=scale, log_rate=rate, seed=seed)


def _median(runs: np.ndarray) -> np.ndarray:
    """The median over runs; one that diverged counts as above all others."""
    return np.median(np.where(np.isfinite(runs), runs, np.inf), axis=0)


def _heading(scale: float) -> str:
    return "Glorot's matrix" if scale == 1 else f"Glorot's matrix × {scale:g}"


def _losses(spec: SubplotSpec, data: xr.Dataset) -> None:
    """A plot for each scale, early and at the end: dots are networks, lines medians."""
    steps = [early(data), int(data["step"][-1])]
    cases = [(float(scale), step) for scale in data["scale"] for step in steps]
    row = spec.subgridspec(1, len(cases)).subplots(sharey=True, squeeze=False)[0]
    lowest = float(data["loss"].sel(step=steps).min())
    for axes, (scale, step) in zip(row, cases, strict=True):
        axes.set(yscale="log", ylim=(lowest / 2, HIGHEST))
        axes.yaxis.set_minor_locator(NullLocator())
        _against_rates(axes, data["loss"].sel(scale=scale, step=step))
        heading = f"{_heading(scale)}\niteration {step}"
        axes.set_title(heading, loc="center", fontsize=6.5, pad=11)
        axes.set_xlabel("Adam's learning rate", fontsize=7)
    row[0].set_ylabel("relative loss")
    style.letter(row[0], "c", "loss", above=2)


def _against_rates(axes: Axes, loss: xr.DataArray) -> None:
    """Draw losses of both networks against the learning rate: every run, and medians."""
    rates = loss["log_rate"].values
    for side, (activation, (_, colour)) in zip((-1, 1), NAMES.items(), strict=True):
        runs = loss.sel(activation=activation).transpose("log_rate", "seed").values
        ticks = np.arange(len(rates))
        axes.plot(ticks, _median(runs.T), color=colour, linewidth=1)
        at = ticks + side * BESIDE
        axes.plot(at, runs, "o", color=colour, markersize=2.5, mew=0, alpha=0.7)
        counts = (~(runs <= HIGHEST)).sum(1)
        for position, count in zip(at[counts > 0], counts[counts > 0], strict=True):
            _above(axes, position, int(count), colour)
    labels = [rf"$10^{{{rate:g}}}$" if rate % 1 == 0 else "" for rate in rates]
    axes.set_xticks(np.arange(len(rates)), labels)
    axes.set_xlim(-0.5, len(rates) - 0.5)


def _above(axes: Axes, position: float, count: int, colour: str) -> None:
    """Mark a number of losses above the panel."""
    axes.plot(position, HIGHEST, "^", color=colour, markersize=4, mew=0, clip_on=False)
    axes.annotate(
        str(count),
        (position, HIGHEST),
        (0, 3),
        textcoords="offset points",
        ha="center",
        fontsize=6,
        color=colour,
        annotation_clip=False,
    )


def early(data: xr.Dataset) -> int:
    """The recorded iteration next to ``EARLY``."""
    return int(data["step"].sel(step=EARLY, method="nearest"))


def shown(results: style.Results) -> str:
    """Count the settings at which the linear network has the lower loss, early and late."""
    loss = results[STUDY]["loss"].fillna(np.inf)
    step = early(results[STUDY])
    first, late = (_linear_wins(loss.sel(step=at)) for at in (step, loss["step"][-1]))
    won, of = int(late.sum()), late.size
    return (
        "The linear network ends with a lower median loss than the tanh network at "
        f"{_of(won, of)} pairs of initial scale and learning rate{_named(late)}. After {step} "
        f"iterations its median loss is lower at {_of(int(first.sum()), of)} pairs"
        f"{_by(loss.sel(step=step))}. "
        "The paper says that the linear one is faster at every rate, but not at which rates."
    )


def _linear_wins(loss: xr.DataArray) -> xr.DataArray:
    median = loss.median("seed")
    return median.sel(activation="identity") < median.sel(activation="tanh")


def _by(loss: xr.DataArray) -> str:
    """The ratios of median losses where the linear network has the lower one."""
    wins = _linear_wins(loss).values
    if not wins.any():
        return ""
    median = loss.median("seed")
    ratios = median.sel(activation="identity") / median.sel(activation="tanh")
    return f", at {phrases.span(ratios.values[wins].tolist(), '.2f')} times the tanh network's"


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
