"""Zucchet & Orvieto (2024), Figure 7: learning the angle in three parametrisations."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.contour import QuadContourSet
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "angle_descent"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Adam learns the angle of one eigenvalue in three parametrisations",
    rows=(
        "zucchet:fig7",
        "zucchet:fig7-sharpness",
        "zucchet:fig7-granularity",
        "zucchet:fig7-valley",
    ),
)
PARAMETRISATIONS = {
    "a": ("plain", r"$\theta = \omega_\theta$"),
    "b": ("exponential", r"$\theta = e^{\omega_\theta}$"),
    "c": (
        "optimal",
        r"$\theta = \omega_\theta\,(1-\nu^2)/(\nu\sqrt{1+\nu^2})$",
    ),
}
EDGE: dict[str, Any] = {
    "color": style.BLACK,
    "markeredgecolor": "white",
    "markeredgewidth": 0.6,
}
STAR: dict[str, Any] = {
    "markersize": 13,
    "markeredgecolor": style.BLACK,
    "markeredgewidth": 0.5,
}
YELLOW = "#F0E442"  # of the same palette; too pale for lines
LINES = (0.8, 0.9, 0.95, 0.97, 0.98, 0.99)  # losses
FLOOR = 1e-3  # losses below have one colour
LEVELS = np.linspace(np.log10(FLOOR), 0.2, 33)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Each panel shows the loss over the parameters of one parametrisation.

    Black lines are the paths of Adam.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(2.9, 1 + 1.5 * len(letters))
        row = figure.subplots(1, len(letters), squeeze=False)[0]
        filled = [
            _landscape(axes, data.sel(chart=PARAMETRISATIONS[letter][0]))
            for axes, letter in zip(row, letters, strict=True)
        ]
        for axes, letter in zip(row, letters, strict=True):
            name, path = PARAMETRISATIONS[letter]
            style.letter(axes, letter, name)
            axes.set_xlabel(rf"$\omega_\theta$,  {path}", fontsize=6)
        row[0].set_ylabel(r"$\omega_\nu$,  $\nu = \tanh\,\omega_\nu$")
        bar = figure.colorbar(filled[0], ax=row, pad=0.01, aspect=30)
        bar.set_ticks([-3, -2, -1, 0], labels=[r"$<10^{-3}$", "0.01", "0.1", "1"])
        bar.ax.set_title("loss")
        figure.legend(
            handles=_key(int(data.attrs["steps"])),
            loc="outside upper center",
            ncols=len(letters) + 1,
            handlelength=1.6,
        )
        lines = ", ".join(f"{level:g}" for level in LINES)
        style.caption(
            figure,
            f"One linear unit learns the eigenvalue λ* = {data.attrs['modulus']:g} "
            f"exp({data.attrs['teacher'] / np.pi:.2g}πi) of another.  Adam's learning rate is "
            f"{data.attrs['rate']:g}.  Thin white lines are at the losses {lines}.",
        )
    return figure


def _key(steps: int) -> list[Line2D]:
    return [
        Line2D([], [], ls="", marker="s", label="start", **EDGE),
        Line2D([], [], lw=0.9, color=style.BLACK, label="path of Adam"),
        Line2D([], [], ls="", marker="o", label=f"after {steps} steps", **EDGE),
        Line2D([], [], ls="", marker="*", color=YELLOW, label="target", **STAR),
    ]


def _landscape(axes: Axes, data: xr.Dataset) -> QuadContourSet:
    """Filled contours, the path in black from a square, the target as a star."""
    column, row = data["column_omega_theta"].values, data["row_omega_nu"].values
    height = np.log10(np.maximum(data["landscape"].values, FLOOR))
    filled = axes.contourf(column, row, height, LEVELS, cmap="viridis_r", extend="max")
    filled.set_rasterized(True)
    axes.contour(
        column, row, data["landscape"], LINES, colors="white", linewidths=0.3, alpha=0.6
    )
    across, up = data["omega_theta"].values, data["omega_nu"].values
    axes.plot(
        across, up, color=style.BLACK, linewidth=0.9, path_effects=style.halo(0.9)
    )
    axes.plot(across[0], up[0], "s", **EDGE)
    axes.plot(across[-1], up[-1], "o", zorder=5, **EDGE)
    target = data["goal"].values[::-1]
    axes.plot(*target, "*", color=YELLOW, zorder=4, **STAR)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_locator(MaxNLocator(5))
    return filled


def shown(results: style.Results) -> str:
    """Give the distance from the target at which Adam ends in each parametrisation."""
    data = results[STUDY]
    goal = data.attrs["modulus"] * np.exp(1j * data.attrs["teacher"])
    last = data[["modulus", "angle"]].isel(step=-1)
    ends = last["modulus"] * np.exp(1j * last["angle"])
    off = {
        name: style.number(abs(complex(ends.sel(chart=name)) - goal), 1)
        for name, _ in PARAMETRISATIONS.values()
    }
    distances = ", ".join(
        f"{off[name]} ({name}, panel {letter.upper()})"
        for letter, (name, _) in PARAMETRISATIONS.items()
    )
    turns = last["angle"].sel(chart="optimal").item() - data.attrs["teacher"]
    return (
        f"After {data.attrs['steps']} steps of Adam the distance of the eigenvalue from its "
        f"target is {distances}. In panel C the angle ends {turns / (2 * np.pi):.2f} full "
        "turns from the target angle, and the modulus is "
        f"{last['modulus'].sel(chart='optimal').item():.3f} instead of "
        f"{data.attrs['modulus']:g}. A full turn does not change the eigenvalue."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-7")
