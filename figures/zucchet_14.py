"""Zucchet & Orvieto (2024), Figure 14: the recurrent Jacobian of a GRU over delays."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from sigprop.figures import style

STUDY = "gru_jacobian"
STUDIES = dict.fromkeys("abc", STUDY)
TITLES = {
    "a": "constant gates",
    "b": "gates that see input and state",
    "c": r"weights on the state scaled by $\sigma_h$",
}
COLOURS = {"diagonal": style.BLUE, "beside": style.VERMILION}
MEMORIES = 8  # of the slowest gate, after which nothing is left to see
SPAN = (-1.1, 1.6)  # of the axis of a Jacobian that does not explode


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Entries on the diagonal, and some beside it, over the delay; a row a panel.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    with style.styled():
        drawn = style.figure(0.35 + 1.55 * len(letters))
        parts = style.stacked(drawn, [1.0] * len(letters))
        for letter, part in zip(letters, parts, strict=True):
            _row(part, letter, data)
        note = (
            "one sequence; blue: all entries on the diagonal, red: some beside it; "
            "axes are linear up to 1 and logarithmic beyond; dotted in B: gates as constant"
        )
        style.caption(drawn, note)
    return drawn


def _row(part: SubFigure, letter: str, data: xr.Dataset) -> None:
    chosen = data.isel(case=np.flatnonzero(data["panel"] == letter))
    row = part.subplots(1, chosen.sizes["case"], squeeze=False, sharey=letter != "c")[0]
    for place, axes in enumerate(row):
        one = chosen.isel(case=place)
        _entries(axes, one)
        gain, most = float(one["gain"]), float(one["t_max"])
        if letter == "b":
            _constant(axes, one)
        title = rf"$\sigma_h = {gain:g}$" if letter == "c" else rf"$T \leq {most:g}$"
        axes.set_title(title, loc="center", fontsize=7)
    style.letter(row[0], letter, "", above=0)
    part.suptitle(
        rf"$\bf{{{letter.upper()}}}$   {TITLES[letter]}", x=0.01, ha="left", fontsize=8
    )
    row[0].set_title("")
    row[0].set_ylabel(r"$\mathrm{d}h_\Delta/\mathrm{d}h_0$", labelpad=1)
    part.supxlabel(r"delay $\Delta$", fontsize=7)


def _entries(axes: Axes, one: xr.Dataset) -> None:
    delay = np.append(0, one["kept_delay"].values)
    for name in ("diagonal", "beside"):
        start = float(name == "diagonal")
        values = one[name].values
        lines = np.vstack([np.full(values.shape[1], start), values])
        axes.plot(delay, lines, color=COLOURS[name], linewidth=0.3, alpha=0.4)
    axes.set_yscale("symlog", linthresh=1.0)
    most = float(np.abs(np.concatenate([one["beside"].values.ravel(), [0]])).max())
    far = max(most, float(np.abs(one["diagonal"]).max()))
    ticks, labels = [-1.0, 0.0, 1.0], ["-1", "0", "1"]
    if far < SPAN[1]:
        axes.set_ylim(*SPAN)
    else:
        axes.set_ylim(-2 * far, 2 * far)
        power = int(np.log10(far))
        ticks = [-(10.0**power), 0.0, 10.0**power]
        labels = [f"$-10^{{{power}}}$", "0", f"$10^{{{power}}}$"]
    axes.set_yticks(ticks, labels)
    axes.minorticks_off()
    if one["panel"] != "c":
        axes.set_xlim(0, min(delay[-1], MEMORIES * float(one["t_max"])))


def _constant(axes: Axes, one: xr.Dataset) -> None:
    """The median gate's powers, as if it saw nothing."""
    delay = np.append(0, one["kept_delay"].values)
    for share in (0.1, 0.5, 0.9):
        gate = float(np.quantile(one["gate"], share))
        axes.plot(delay, gate**delay, ":", color=style.BLACK, linewidth=0.8)


def shown(results: style.Results) -> str:
    """Root mean squares beside the diagonal over those on it, and where it explodes."""
    data = results[STUDY]
    last = int(data["delay"].max())
    when = min(16, last)
    ratio = 10 ** (
        data["log_size"].sel(where="beside") - data["log_size"].sel(where="diagonal")
    )
    cases = data["case"].isel(case=np.flatnonzero(data["panel"] != "a")).values
    said = "; ".join(
        f"{name} {float(ratio.sel(case=name, delay=when)):.2g}, "
        f"{float(ratio.sel(case=name, delay=last)):.2g}"
        for name in cases
    )
    size = data["log_size"].sel(delay=last).max("where")
    exploded = [str(name) for name in cases if float(size.sel(case=name)) > 0]
    told = f"for {' and '.join(exploded)}" if exploded else "in no case"
    return (
        f"The root mean square off the diagonal, relative to the diagonal, after {when} and "
        f"{last} steps is, for {said}. After {last} steps the Jacobian exceeds 1 {told}."
    )
