"""Zucchet & Orvieto (2024), Figure 3: final losses of the RNN and the LRU."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import losses, style
from sigprop.figures.entry import Entry

ENTRY = Entry(
    {"a": "memory_gap", "b": "ablation", "c": "starts"},
    "Final losses of RNN and LRU as the teacher's time constant grows",
    rows=("zucchet:fig3",),
)
WIDTH = 0.5  # of the seeds of a design, in designs


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """All panels show losses of networks that imitate a random linear network, the teacher.

    A and C have the teacher's smallest modulus on their x axes.  Panel B compares types of
    network; panel C, which is not in the paper, compares two initialisations of the LRU.  The
    block diagonal network has blocks of two neurons, and "more neurons" has twice as many of
    these blocks.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    datasets = {letter: results[ENTRY.studies[letter]] for letter in letters}
    with style.styled():
        if len(letters) == 1:
            figure = style.figure(3.1, 3.4)
            specs: Any = {letters[0]: figure.add_gridspec(1, 1)[0]}
        else:
            figure = style.figure(4.6)
            grid = figure.add_gridspec(2, 2, width_ratios=(3, 2))
            specs = {
                "a": grid[0, 0],
                "b": grid[0, 1],
                "c": grid[1, 0],
                "key": grid[1, 1],
            }
        for letter in letters:
            axes = figure.add_subplot(specs[letter])
            shared = [datasets[name] for name in letters if name in "ab"]
            losses.axis(axes, *([datasets["c"]] if letter == "c" else shared))
            show, title = PANELS[letter]
            show(axes, datasets[letter])
            style.letter(axes, letter, title)
        key: dict[str, Any] = {
            "handles": losses.key(*datasets.values()),
            "handlelength": 1.2,
        }
        if len(letters) == 1:
            figure.legend(**key, loc="outside upper center", ncols=2)
        else:
            empty = figure.add_subplot(specs["key"])
            empty.set_axis_off()
            empty.legend(**key, loc="center left")
        style.caption(figure, losses.caption(*datasets.values()))
    return figure


def _memories(axes: Axes, data: xr.Dataset) -> None:
    nu0 = data["condition"].values
    x = -np.log10(1 - nu0)
    losses.compare(axes, x, data, 0.1)
    axes.set_xticks(x, [f"{modulus:g}" for modulus in nu0])
    axes.set_xlabel(r"teacher's smallest modulus $\nu_0$ (time constant →)")


def _designs(axes: Axes, data: xr.Dataset) -> None:
    tuned = data.isel(condition=0)
    names = [str(name) for name in tuned["student"].values]
    x = np.arange(len(names))
    for i, name in enumerate(names):
        chosen = tuned[["best", "extreme"]].isel(student=[i])
        losses.draw(axes, x[[i]], chosen, losses.COLOURS[name], WIDTH)
    axes.set_xticks(x, [name.replace(" ", "\n") for name in names], rotation=90)
    axes.tick_params(axis="x", bottom=False)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_xlabel(rf"at $\nu_0 = {float(tuned['condition']):g}$")


PANELS = {
    "a": (_memories, "longer time constants"),
    "b": (_designs, "types of network"),
    "c": (_memories, "two LRU initialisations"),
}


def shown(results: style.Results) -> str:
    """Compare the LRU's loss with the RNN's by modulus, and with the other networks'."""
    median = losses.decades(results["memory_gap"])
    lead = (median.sel(student="RNN") - median.sel(student="LRU")).transpose(
        "condition"
    )
    nu0, ahead = lead["condition"].values, lead.values > 0
    since = len(ahead) - int(np.argmin([*ahead[::-1], False]))
    first = (
        f"If the teacher's smallest modulus ν₀ is {nu0[since]:g} or more, the LRU has a lower "
        f"median loss than the RNN. At ν₀ = {nu0[-1]:g} the difference is "
        f"{lead.values[-1]:.1f} decades (factors of ten)."
        if since < len(ahead)
        else f"The LRU does not have a lower median loss than the RNN at ν₀ = {nu0[-1]:g}."
    )
    gains = _gains(results["ablation"])
    return (
        f"{first} In panel B the median losses of the other {gains.size} networks are "
        f"{float(gains.min()):.1f} to {float(gains.max()):.1f} decades below the RNN's."
    )


def details(results: style.Results) -> style.Cells:
    """By how much the median loss of each network of panel B is below the RNN's."""
    gains = _gains(results["ablation"])
    return (
        ("network of panel B", "median loss below the RNN's (decades)"),
        *(
            (str(name), f"{float(gains.sel(student=name)):.1f}")
            for name in gains["student"].values
        ),
    )


def _gains(data: xr.Dataset) -> xr.DataArray:
    """Decades by which median losses are below that of the first network, an RNN."""
    designs = losses.decades(data).isel(condition=0)
    return designs[0].drop_vars("student") - designs[1:]


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-3")
