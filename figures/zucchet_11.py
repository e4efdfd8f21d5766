"""Zucchet & Orvieto (2024), Figure 11: from one dense matrix to many small blocks."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import LogLocator, NullLocator

from sigprop.figures import losses, style

STUDY = "heads"
STUDIES = dict.fromkeys("ab", STUDY)
COLUMNS = 3  # of small panels in B
SHOWN = 0.9  # of a training: the cosine then takes every rate to zero
ALIKE = 0.3  # decades, a factor of two, apart and called about the same
CAPTION = (
    "thin lines: medians over $A$ of a seed; thick: their median; band: 80 % of $A$; "
    "grey: tuned rate at its peak; curves leave the panel where its schedule ends"
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Final losses by number of heads, and how Adam's rates for ``A`` evolve.

    In panel A every seed is a point; bars are 95 % intervals for the median, see
    ``sigprop.figures.losses``.  In panel B each thin line is a seed's median over the
    entries of ``A``, the thick one the median of those; the band holds 80 % of the
    entries, its ends again medians over seeds.  All networks run at their tuned rate,
    whose peak is grey; curves leave the panel where its cosine schedule goes to zero.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    widths = [{"a": 2.2, "b": 3.3}[letter] for letter in letters]
    captions = {"a": losses.caption(data), "b": CAPTION}
    with style.styled():
        drawn = style.figure(2.75, max(sum(widths), 3))
        parts = drawn.subfigures(1, len(letters), width_ratios=widths, squeeze=False)
        for part, letter in zip(parts[0], letters, strict=True):
            {"a": _losses, "b": _rates}[letter](part, data)
        style.caption(drawn, *(captions[letter] for letter in letters))
    return drawn


def _losses(part: SubFigure, data: xr.Dataset) -> None:
    axes = part.subplots()
    heads = data["student"].values
    x = np.log2(heads.astype(float))
    losses.axis(axes, data)
    tuned = data[["best", "extreme"]].isel(condition=0)
    losses.draw(axes, x, tuned, losses.COLOURS["RNN"], 0.4)
    axes.set_xticks(x, heads)
    axes.set_xlabel("heads (diagonal blocks of $A$)")
    modulus = float(tuned["condition"])
    style.letter(axes, "a", rf"losses, $\nu_0 = {modulus:g}$")


def _rates(part: SubFigure, data: xr.Dataset) -> None:
    """A small panel for each number of heads, all with the same axes."""
    heads = [str(count) for count in data["student"].values]
    columns = min(COLUMNS, len(heads))
    rows = -(-len(heads) // columns)
    grid = part.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    runs = {count: _runs(data, count) for count in heads}
    for axes, (count, seeds) in zip(grid.flat, runs.items(), strict=False):
        axes.set_title("1 head" if count == "1" else f"{count} heads")
        _rate(axes, seeds)
    for axes in grid.flat[len(heads) :]:
        axes.remove()
    first = grid[0, 0]
    first.set_yscale("log")
    first.set_ylim(*_limits(xr.concat([*runs.values()], "cell")))
    first.yaxis.set_major_locator(LogLocator(numticks=5))
    first.yaxis.set_minor_locator(NullLocator())
    style.letter(first, "b", first.get_title("left"))
    part.supylabel("effective learning rate of $A$", fontsize=8)
    part.supxlabel("training step (thousands)", fontsize=8)


def _runs(data: xr.Dataset, heads: str) -> xr.Dataset:
    """Every seed of one network where tuned: the rates of ``A`` by record."""
    tuned = data.sel(student=heads).isel(condition=0)
    same = [
        data["network"] == heads,
        data["log_rate"] == float(tuned["best_log_rate"]),
        data["start"] == str(tuned["best_start"].values),
    ]
    rates = data[["rate", "diverged", "log_rate"]].sel(group="recurrent")
    return rates.isel(cell=np.logical_and.reduce(same))


def _limits(runs: xr.Dataset) -> tuple[float, float]:
    shown = runs["record"] <= SHOWN * runs["record"].max()
    rate = runs["rate"].where(shown & (runs["diverged"] < 0))
    peak = 10 ** float(runs["log_rate"].max())
    low, high = float(rate.min()), max(float(rate.max()), peak)
    return (low / 1.5, high * 1.5) if np.isfinite(low) else (peak / 10, peak * 10)


def _rate(axes: Axes, runs: xr.Dataset) -> None:
    """The rates of one network; a run that diverged is counted and left out."""
    colour = losses.COLOURS["RNN"]
    axes.axhline(10 ** float(runs["log_rate"][0]), color=style.GREY, zorder=1)
    sound = runs["rate"].isel(cell=runs["diverged"] < 0)
    lost = runs.sizes["cell"] - sound.sizes["cell"]
    if lost:
        text = f"{lost} of {runs.sizes['cell']}\ndiverged"
        axes.annotate(text, (0.05, 0.05), xycoords="axes fraction", fontsize=5.5)
    if not sound.sizes["cell"]:
        return
    step = runs["record"] / 1000
    low, middle, high = sound.median("cell").transpose("quantile", "record").values
    axes.fill_between(step, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.plot(step, sound.isel(quantile=1).T, color=colour, linewidth=0.3, alpha=0.5)
    axes.plot(step, middle, color=colour)


def shown(results: style.Results) -> str:
    """From how few heads on the loss is about that of the most."""
    best = losses.decades(results[STUDY]).isel(condition=0)
    decades = {int(n): float(best.sel(student=n)) for n in best["student"].values}
    counts = sorted(decades)
    most = counts[-1]
    unlike = [n for n in counts if abs(decades[n] - decades[most]) >= ALIKE]
    since = next(n for n in counts if n > max(unlike, default=0))
    said = ", ".join(f"{decades[n]:.1f} with {n}" for n in counts)
    return (
        f"The logarithm (base 10) of the median loss is {said}. From {since} heads on it is "
        f"about the same as with {most} heads."
    )
