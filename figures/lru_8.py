"""Orvieto et al. (2023), Figure 8: learning the power of an eigenvalue."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.contour import QuadContourSet
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "power_descent"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Learning the power of an eigenvalue in two parametrisations",
    rows=("lru:fig8",),
)
PARAMETRISATIONS = {
    "a": (
        "cartesian",
        r"Re$(\lambda - \lambda^*)$",
        r"Im$(\lambda - \lambda^*)$",
        "real + imaginary",
    ),
    "b": ("exponential", r"$\nu - \nu^*$", r"$\theta - \theta^*$", "exponential"),
}
COLOURS = {"cartesian": style.VERMILION, "exponential": style.BLUE}
TITLES = {name: title for name, _, _, title in PARAMETRISATIONS.values()}
YELLOW = "#F0E442"
LEVELS = np.linspace(-3, 1, 25)
EDGE: dict[str, Any] = {"markeredgecolor": style.BLACK, "markeredgewidth": 0.5}
MARKS: dict[str, dict[str, Any]] = {
    "target": {"marker": "o", "color": "white", "markersize": 3},
    "start": {"marker": "s", "color": "white", "markersize": 4},
    "end": {"marker": "*", "color": YELLOW, "markersize": 8},
}
ELSEWHERE = 0.03  # from the target: half of what is between minima of the power 100


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show loss landscapes in two parametrisations, with Adam's paths.

    Panel C shows the number of iterations of Adam against the phase of the target.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    heights = {"a": 1.75, "b": 1.75, "c": 1.7}
    with style.styled():
        sizes = [heights[letter] for letter in letters]
        figure = style.figure(sum(sizes) + 0.35)
        parts = style.stacked(figure, sizes)
        for letter, part in zip(letters, parts, strict=True):
            if letter == "c":
                _iterations(part.subplots(), data)
            else:
                _row(part, letter, data, key=letter == letters[0])
        paths = [
            PATHS.format(**{name: data.attrs[name] for name in ("steps", "exponent")})
        ]
        times = [_times(data)] if "c" in letters else []
        style.caption(figure, *(paths if letters != ("c",) else []), *times)
    return figure


PATHS = (
    "Each network learns a λ whose power {exponent} is that of a target λ*. Black lines are "
    "paths of {steps} iterations, and stars mark where they end. A path that ends in another "
    "minimum has found another root of the target's power."
)


def _times(data: xr.Dataset) -> str:
    late = [_settled(data, name) >= data.attrs["steps"] for name in COLOURS]
    counts = " and ".join(
        f"{int(mask.sum()) or 'none'} of {mask.size} ({TITLES[name]})"
        for name, mask in zip(COLOURS, late, strict=True)
    )
    return (
        f"In panel C lines are means over {data.sizes['lag']} starts, and bands are their "
        f"ranges. Descents that do not settle, {counts}, count as {data.attrs['steps']} "
        "iterations."
    )


def _settled(data: xr.Dataset, name: str) -> xr.DataArray:
    """Iterations until settled at the rate that is best in this parametrisation."""
    descents = data.sel(chart=name)
    rate = np.log10(float(descents["best_rate"]))
    nearest = np.abs(data["log_rate"].values - rate).argmin()
    return descents["settled"].isel(log_rate=nearest)


def _row(part: SubFigure, letter: str, data: xr.Dataset, key: bool) -> None:
    name, across, up, title = PARAMETRISATIONS[letter]
    row = part.subplots(1, data.sizes["shown"], squeeze=False, sharey=True)[0]
    parametrisation = data.sel(chart=name)
    filled = [
        _landscape(axes, parametrisation.isel(shown=i)) for i, axes in enumerate(row)
    ]
    for axes, shown in zip(row, data["shown"].values, strict=True):
        axes.set_title(rf"$\theta^* = {shown:g}\,\pi$", loc="center", fontsize=7)
        axes.set_xlabel(across, labelpad=1)
    row[0].set_ylabel(up, labelpad=1)
    rate = float(parametrisation["best_rate"])
    part.suptitle(
        rf"$\bf{{{letter.upper()}}}$   {title}, learning rate {rate:.2g}",
        x=0.01,
        ha="left",
        fontsize=8,
    )
    marks = [
        Line2D([], [], linestyle="none", label=label, **EDGE | look)
        for label, look in MARKS.items()
    ]
    if key:
        part.legend(
            handles=marks,
            ncols=len(marks),
            columnspacing=1,
            handletextpad=0.2,
            loc="upper right",
            bbox_to_anchor=(0.87, 1),
            borderpad=0.2,
        )
    bar = part.colorbar(filled[0], ax=list(row), pad=0.01, aspect=20)
    bar.set_ticks([-3, -2, -1, 0, 1], labels=["0.001", "0.01", "0.1", "1", "10"])
    bar.set_label("relative loss")


def _landscape(axes: Axes, descent: xr.Dataset) -> QuadContourSet:
    """Loss over that of the power zero; a square at the start, a star at the end."""
    height = np.log10(np.maximum(descent["landscape"].values, 10 ** LEVELS[0]))
    across, up = descent["first"].values, descent["second"].values
    filled = axes.contourf(across, up, height.T, LEVELS, cmap="viridis_r", extend="max")
    filled.set_rasterized(True)
    path = descent["path"].values - descent["goal"].values
    axes.plot(*path.T, color=style.BLACK, linewidth=0.8, path_effects=style.halo(0.8))
    positions = {"target": np.zeros(2), "start": path[0], "end": path[-1]}
    for label, look in MARKS.items():
        zorder = 5 if label == "target" else 4
        axes.plot(*positions[label], zorder=zorder, **EDGE | look)
    if np.hypot(*path[-1]) > ELSEWHERE:
        axes.annotate(
            "ends in\nanother\nminimum",
            (0.97, 0.97),
            xycoords="axes fraction",
            ha="right",
            va="top",
            color="white",
            fontsize=6,
        )
    limit = across[-1]
    axes.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal")
    ticks, labels = (-0.05, 0, 0.05), ("−0.05", "0", "0.05")
    axes.set_xticks(ticks, labels)
    axes.set_yticks(ticks, labels)
    return filled


def _iterations(axes: Axes, data: xr.Dataset) -> None:
    """Iterations until settled against the target's phase: mean and range of starts."""
    import seaborn as sns  # slow to import

    for name, colour in COLOURS.items():
        sns.lineplot(
            _settled(data, name).to_dataframe("iterations"),
            x="phase",
            y="iterations",
            errorbar=("pi", 100),
            color=colour,
            label=TITLES[name],
            ax=axes,
        )
    steps = data.attrs["steps"]
    axes.set(xlim=(0, 0.5), ylim=(0, 1.05 * steps))
    axes.axhline(steps, color=style.GREY, linestyle=":", linewidth=0.8)
    axes.annotate(
        "not settled",
        (0, steps),
        (3, -2),
        textcoords="offset points",
        va="top",
        color=style.GREY,
        fontsize=6,
    )
    axes.set_xticks([0, 0.125, 0.25, 0.375, 0.5], ["0", "π/8", "π/4", "3π/8", "π/2"])
    axes.set_xlabel(r"target phase $\theta^*$")
    axes.set_ylabel("iterations")
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=2,
        borderpad=0.2,
        borderaxespad=0,
    )
    threshold = data.attrs["threshold"]
    style.letter(axes, "c", f"until the relative loss stays below {threshold:g}")


def shown(results: style.Results) -> str:
    """Adam's iterations in both parametrisations: range, maximum and at a right angle."""
    data = results[STUDY]
    phase = data["phase"].values
    sentences = []
    for name, _, _, title in PARAMETRISATIONS.values():
        mean = _settled(data, name).mean("lag").values
        most, begin = mean.argmax(), f"In the {title} parametrisation, Adam needs"
        sentences.append(
            f"{begin} {mean.min():.0f} to {mean[most]:.0f} iterations on average: "
            f"{mean[most]:.0f} at target phase {phase[most]:.2g} π and {mean[-1]:.0f} at "
            f"{phase[-1]:g} π."
            if np.ptp(mean) > 1
            else f"{begin} {mean[0]:.0f} iterations on average at every target phase."
        )
    below = f"the relative loss stays below {data.attrs['threshold']:g}"
    sentences.append(
        f"The paper expects Adam to slow down towards {phase[-1]:g} π; iterations are counted "
        f"until {below}."
    )
    return " ".join(sentences)


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-8")
