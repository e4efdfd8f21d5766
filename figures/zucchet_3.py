"""Zucchet & Orvieto (2024), Figure 3: RNN and LRU learn a long memory, and why."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import losses, style

STUDIES = {"a": "memory_gap", "b": "ablation", "c": "starts"}
WIDTH = 0.5  # of the seeds of a design, in designs


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Final losses of tuned networks, by the teacher's memory and by design.

    ``LRU`` starts as the paper prints it; in panel C, which is ours, ``released LRU`` starts
    as the authors' code draws it.
    Every seed is a point; bars are 95 % intervals for the median, see
    ``sigprop.figures.losses``.
    In panel B grey lines join the seeds, each a teacher that all networks learn.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    datasets = {letter: results[STUDIES[letter]] for letter in letters}
    with style.styled():
        if len(letters) == 1:
            drawn = style.figure(2.75, 3.4)
            places: Any = {letters[0]: drawn.add_gridspec(1, 1)[0]}
        else:
            drawn = style.figure(4.6)
            grid = drawn.add_gridspec(2, 2, width_ratios=(3, 2))
            places = {"a": grid[0, 0], "b": grid[:, 1], "c": grid[1, 0]}
        for letter in letters:
            axes = drawn.add_subplot(places[letter])
            losses.axis(axes, *datasets.values())
            show, title = PANELS[letter]
            show(axes, datasets[letter])
            style.letter(axes, letter, title)
        style.caption(drawn, losses.caption(*datasets.values()))
    return drawn


def _memories(axes: Axes, data: xr.Dataset) -> None:
    nu0 = data["condition"].values
    x = -np.log10(1 - nu0)
    losses.compare(axes, x, data, 0.1)
    axes.set_xticks(x, [f"{modulus:g}" for modulus in nu0])
    axes.set_xlabel(r"teacher's least modulus $\nu_0$ (memory →)")


def _designs(axes: Axes, data: xr.Dataset) -> None:
    tuned = data.isel(condition=0)
    names = [str(name) for name in tuned["student"].values]
    best = np.where(np.isfinite(tuned["best"]), tuned["best"], np.nan)
    x = np.arange(len(names))
    places = losses.spread(x, best.shape[1], WIDTH)
    axes.plot(places, best, color=style.GREY, linewidth=0.4, alpha=0.5)
    for i, name in enumerate(names):
        chosen = tuned[["best", "extreme"]].isel(student=[i])
        losses.draw(axes, x[[i]], chosen, losses.COLOURS[name], WIDTH)
    axes.set_xticks(x, [name.replace(" ", "\n") for name in names], rotation=90)
    axes.tick_params(axis="x", bottom=False)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_xlabel(rf"at $\nu_0 = {float(tuned['condition']):g}$")


PANELS = {
    "a": (_memories, "longer memories"),
    "b": (_designs, "designs"),
    "c": (_memories, "two starts of the LRU"),
}


def shown(results: style.Results) -> str:
    """By how much the LRU's loss is lower, from which memory on, and what the designs do."""
    median = losses.decades(results["memory_gap"])
    lead = (median.sel(student="RNN") - median.sel(student="LRU")).transpose(
        "condition"
    )
    nu0, ahead = lead["condition"].values, lead.values > 0
    since = len(ahead) - int(np.argmin([*ahead[::-1], False]))
    designs = losses.decades(results["ablation"]).isel(condition=0)
    gains = ", ".join(
        f"{name} {float(designs[0] - designs.sel(student=name)):.1f}"
        for name in designs["student"].values[1:]
    )
    first = (
        f"The LRU has the lower median loss from nu0 = {nu0[since]:g} on, by "
        f"{lead.values[-1]:.1f} decades at {nu0[-1]:g}"
        if since < len(ahead)
        else f"The LRU does not have the lower median loss at nu0 = {nu0[-1]:g}"
    )
    return (
        f"{first}. In B the median loss is below the RNN's by these decades: {gains}."
    )
