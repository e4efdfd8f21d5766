"""Zucchet & Orvieto (2024), Figure 11: from one dense matrix to many small blocks."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullLocator

from sigprop.figures import losses, phrases, style
from sigprop.figures.entry import Entry

STUDY = "heads"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "Final loss and effective learning rates against the number of heads",
    rows=("zucchet:fig11", "zucchet:fig11:performance"),
)
COLUMNS = 3  # of small panels in B
SHOWN = 0.9  # of a training: the cosine then takes every rate to zero
CAPTION = (
    "An effective learning rate is the step that Adam makes for a gradient of one.  In B a "
    "band contains 80 % of the entries of $A$; its ends are medians over seeds.  Grey "
    "lines are the tuned learning rates at their peak; at the end the schedule falls to zero."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the final loss against the number of heads.

    Heads are the diagonal blocks of the recurrent matrix. Panel B shows Adam's effective
    learning rates for this matrix during training.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    widths = [{"a": 2.2, "b": 3.3}[letter] for letter in letters]
    captions = {"a": losses.caption(data), "b": CAPTION}
    with style.styled():
        figure = style.figure(3.1, max(sum(widths), 3))
        parts = figure.subfigures(1, len(letters), width_ratios=widths, squeeze=False)
        for part, letter in zip(parts[0], letters, strict=True):
            {"a": _losses, "b": _rates}[letter](part, data)
        style.caption(figure, *(captions[letter] for letter in letters))
    return figure


def _losses(part: SubFigure, data: xr.Dataset) -> None:
    axes = part.subplots()
    heads = data["student"].values
    x = np.log2(heads.astype(float))
    losses.axis(axes, data)
    tuned = data[["best", "extreme"]].isel(condition=0)
    losses.draw(axes, x, tuned, losses.COLOURS["RNN"], 0.4)
    axes.set_xticks(x, heads)
    axes.set_xlabel("heads (diagonal blocks of $A$)")
    _key(part, losses.key(data, colour=losses.COLOURS["RNN"]))
    modulus = float(tuned["condition"])
    style.letter(axes, "a", rf"losses, $\nu_0 = {modulus:g}$")


def _rates(part: SubFigure, data: xr.Dataset) -> None:
    """Draw a small panel for each number of heads, with shared axes.

    A thin line is a seed's median over the entries of ``A``, and the thick line is the
    median of the seeds.  The ends of the band, which contains 80 % of the entries, are
    also medians over seeds.
    """
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
    colour = losses.COLOURS["RNN"]
    entries = [
        Line2D([], [], color=colour, label="median of seeds"),
        Line2D([], [], color=colour, linewidth=0.3, label="one seed"),
        Patch(color=colour, alpha=0.18, linewidth=0, label="80 % of entries"),
        Line2D([], [], color=style.GREY, label="tuned rate\nof Adam"),
    ]
    _key(part, entries)
    part.supylabel("effective learning rate of $A$", fontsize=8)
    part.supxlabel("training step (thousands)", fontsize=8)


def _key(part: SubFigure, entries: Sequence[Artist]) -> None:
    part.legend(handles=entries, loc="outside upper center", ncols=2, handlelength=1.2)


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
    """The rates of one network; runs that diverged are only counted."""
    colour = losses.COLOURS["RNN"]
    axes.axhline(10 ** float(runs["log_rate"][0]), color=style.GREY, zorder=1)
    sound = runs["rate"].isel(cell=runs["diverged"] < 0)
    lost = runs.sizes["cell"] - sound.sizes["cell"]
    if lost:
        text = f"{lost} of {runs.sizes['cell']}\ndiverged"
        axes.annotate(text, (0.05, 0.05), xycoords="axes fraction", fontsize=6)
    if not sound.sizes["cell"]:
        return
    step = runs["record"] / 1000
    low, middle, high = sound.median("cell").transpose("quantile", "record").values
    axes.fill_between(step, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.plot(step, sound.isel(quantile=1).T, color=colour, linewidth=0.3, alpha=0.5)
    axes.plot(step, middle, color=colour)


def shown(results: style.Results) -> str:
    """Compare losses of few and of many heads, and effective rates in mid-training."""
    data = results[STUDY]
    loss = {n: 10**decade for n, decade in _decades(data).items()}
    few, *_, many, most = loss
    rates = {n: _middle(_runs(data, str(n))) for n in (few, most)}
    tuned = {n: 10 ** float(_runs(data, str(n))["log_rate"][0]) for n in (few, most)}
    return (
        f"The median loss is {style.number(loss[few])} with {_heads(few)} and "
        f"{style.number(loss[most])} with {_heads(most)}; with {_heads(many)} it is "
        f"{style.number(loss[many] / loss[most])} times that with {_heads(most)}. "
        f"From {_heads(few)} to {_heads(most)} the median effective learning rate in "
        f"mid-training goes from {style.number(rates[few])} to {style.number(rates[most])}, "
        f"and the tuned rate from {style.number(tuned[few])} to {style.number(tuned[most])}. "
        f"{_rises(loss)}"
    )


def _rises(loss: dict[int, float]) -> str:
    """Where the loss does not fall with the number of heads."""
    rises = [f"{a} to {_heads(b)}" for a, b in pairwise(loss) if loss[b] > loss[a]]
    if not rises:
        return "The median loss rises nowhere with the number of heads."
    return f"The median loss rises from {phrases.listed(rises)}."


def _middle(runs: xr.Dataset) -> float:
    """The median over seeds of the rates of ``A`` in the middle of training."""
    sound = runs["rate"].isel(cell=runs["diverged"] < 0, quantile=1)
    return float(sound.isel(record=sound.sizes["record"] // 2).median("cell"))


def details(results: style.Results) -> style.Cells:
    """The logarithm of the median loss for each number of heads."""
    rows = _decades(results[STUDY]).items()
    return ("heads", "log10 of the median loss"), *(
        (f"{n}", f"{x:.1f}") for n, x in rows
    )


def _decades(data: xr.Dataset) -> dict[int, float]:
    """The logarithm of the median loss by the number of heads, in rising order."""
    best = losses.decades(data).isel(condition=0)
    return {
        n: float(best.sel(student=str(n))) for n in sorted(map(int, best["student"]))
    }


def _heads(count: int) -> str:
    return f"{count} head{'s' * (count > 1)}"


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-11")
