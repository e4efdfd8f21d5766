"""Zucchet & Orvieto (2024), Figure 8: similarity of pairs of eigenvalues in the Hessian."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sigprop.figures import curves, style
from sigprop.figures.entry import Entry

STUDY = "similarity"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Pairs of eigenvalues that the Hessian couples, for four input correlations",
    rows=("zucchet:fig8",),
)
COLOURS = (style.PURPLE, style.BLUE, style.GREEN, style.VERMILION)
TICKS = (-np.pi, -np.pi / 2, 0, np.pi / 2, np.pi)
TICK_LABELS = ("$-\\pi$", "$-\\pi/2$", "0", "$\\pi/2$", "$\\pi$")
TURN = 0.05  # radians: ticks beside zero in C
FLOOR, SPARED = 1e-1, 2  # similarities below, and in the top decades, have one colour


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the similarity of each eigenvalue with λ0 for four input correlations.

    The similarity of two eigenvalues is the size of the Hessian entry that couples them, and
    λ0 is one fixed eigenvalue. Panel B shows the similarity on the circle through λ0, and
    panel C the normalised similarity near the conjugate of λ0.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    cuts = {"b": _circle, "c": _alignment}
    below = [letter for letter in letters if letter in cuts]
    with style.styled():
        heights = [1.5] * ("a" in letters) + [2.4] * bool(below)
        figure = style.figure(sum(heights) + 0.3 + 0.2 * bool(below))
        specs = figure.add_gridspec(len(heights), 1, height_ratios=heights)
        if "a" in letters:
            _discs(figure, specs[0], data)
        if below:
            grid = specs[len(heights) - 1].subgridspec(1, len(below), wspace=0.08)
            for column, letter in enumerate(below):
                cuts[letter](figure.add_subplot(grid[column]), data)
            figure.legend(
                handles=_key(data, below),
                loc="outside upper center",
                ncols=len(data["rho"]) + 1 + len(below),
                handlelength=1,
                columnspacing=1.2,
            )
        modulus, turn = data.attrs["modulus"], data.attrs["angle"] / np.pi
        style.caption(
            figure,
            rf"The star is $\lambda_0 = {modulus:g}\,e^{{{turn:g} i\pi}}$, and the ring is "
            r"$\bar\lambda_0$.  Lines are closed forms.",
            r"The authors' code of this figure computes $S$ as Eq. 134 is printed, with "
            r"$1-\rho$ for $1-\rho^2$: the peak of $S$ is too low by a factor of $1+\rho$.",
            "Open circles are second derivatives of the loss of two neurons.",
            "Dots, moved apart, are simulated sensitivities $s$: means and standard errors of "
            f"{data.attrs['draws']} trajectories.",
            *(["The lines of panel C coincide."] if "c" in letters else []),
        )
    return figure


def _key(data: xr.Dataset, letters: list[str]) -> list[Line2D]:
    """The colours of correlations, and the marks of these panels."""
    line, simulated, autodiff = curves.key(autodiff="autodiff")
    colours = [
        Line2D([], [], color=colour, label=rf"$\rho = {rho:g}$")
        for rho, colour in zip(data["rho"].values, COLOURS, strict=False)
    ]
    marks = {"b": autodiff, "c": simulated}
    return [*colours, line, *(marks[letter] for letter in letters)]


def _discs(figure: Figure, spec, data: xr.Dataset) -> None:
    """``|S|`` by colour, a disc for each correlation of the input."""
    rhos = data["rho"].values
    row = spec.subgridspec(1, len(rhos), wspace=0.05)
    top = 10 ** (np.ceil(np.log10(float(data["disc"].max()))) - SPARED)
    norm = LogNorm(FLOOR, top)
    axes = [figure.add_subplot(row[column]) for column in range(len(rhos))]
    for panel, rho in zip(axes, rhos, strict=True):
        _disc(panel, data.sel(rho=rho), norm)
        panel.set_title(rf"$\rho = {rho:g}$", loc="center")
    style.letter(axes[0], "a", "in the unit disc", above=1)
    colours = ScalarMappable(norm, "magma")
    bar = figure.colorbar(
        colours, ax=axes, pad=0.01, aspect=16, shrink=0.9, extend="both"
    )
    bar.set_label(r"$|S(\lambda, \lambda_0)|$")


def _disc(axes: Axes, data: xr.Dataset, norm: LogNorm) -> QuadMesh:
    radius, turn = data["radius"].values[:, None], data["turn"].values[None]
    mesh = axes.pcolormesh(
        radius * np.cos(turn),
        radius * np.sin(turn),
        np.maximum(data["disc"].values, FLOOR),
        norm=norm,
        cmap="magma",
        shading="gouraud",
        rasterized=True,
    )
    modulus, angle = data.attrs["modulus"], data.attrs["angle"]
    xy = modulus * np.cos(angle), modulus * np.sin(angle)
    edge = {"markeredgecolor": style.BLACK, "markeredgewidth": 0.4, "clip_on": False}
    axes.plot(*xy, "*", color="white", markersize=6, **edge)
    axes.plot(xy[0], -xy[1], "o", color="none", markersize=6, markeredgecolor=style.SKY)
    for sign, name in ((1, r"$\lambda_0$"), (-1, r"$\bar\lambda_0$")):
        axes.text(0.82 * xy[0], 0.8 * sign * xy[1], name, color="white", ha="right")
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set(xlim=(-1.06, 1.06), ylim=(-1.06, 1.06))
    return mesh


def _circle(axes: Axes, data: xr.Dataset) -> None:
    """``|S|`` at the modulus of ``lam0`` by the angle, on a log axis."""
    offset = np.abs(data["marked"].values + data.attrs["angle"])
    shown = (offset > 1.02 * data.attrs["near"]) | (offset < 1e-9)
    for rho, colour in zip(data["rho"].values, COLOURS, strict=False):
        curve = data.sel(rho=rho)
        axes.plot(curve["along"], curve["circle"], color=colour, linewidth=0.9)
        axes.plot(
            curve["marked"].values[shown],
            curve["autodiff"].values[shown],
            "o",
            markersize=2.6,
            markerfacecolor="white",
            markeredgecolor=colour,
            markeredgewidth=0.7,
        )
    axes.set_yscale("log")
    axes.set_xticks(TICKS, TICK_LABELS)
    axes.set_xlim(-np.pi, np.pi)
    axes.set_xlabel(rf"angle of $\lambda$, $|\lambda| = {data.attrs['modulus']:g}$")
    axes.set_ylabel(r"$|S(\lambda, \lambda_0)|$")
    for sign, name in ((-1, r"$\bar\lambda_0$"), (1, r"$\lambda_0$")):
        angle = sign * data.attrs["angle"]
        axes.axvline(angle, color=style.GREY, linewidth=0.5, zorder=0)
        axes.annotate(
            name,
            (angle, 1),
            (3 * sign, -1),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            color=style.GREY,
            va="top",
            ha="right" if sign < 0 else "left",
        )
    style.letter(axes, "b", "similarity on the circle")


def _alignment(axes: Axes, data: xr.Dataset) -> None:
    """The normalised similarity near the conjugate of ``lam0``, with simulated points."""
    near, centre = data.attrs["near"], -data.attrs["angle"]
    marked = data["marked"].values - centre
    inside = np.abs(marked) < 1.02 * near
    gap = np.median(np.diff(marked[inside]))
    rhos = data["rho"].values
    for i, (rho, colour) in enumerate(zip(rhos, COLOURS, strict=False)):
        curve = data.sel(rho=rho)
        along = curve["along"].values - centre
        visible = np.abs(along) < 1.001 * near
        axes.plot(
            along[visible], curve["alignment"].values[visible], color=colour, lw=0.9
        )
        shift = 0.1 * gap * (i - (len(rhos) - 1) / 2)
        axes.errorbar(
            marked[inside] + shift,
            curve["simulated"].values[inside],
            curve["sem"].values[inside],
            fmt="o",
            markersize=1.7,
            capsize=0,
            linewidth=0.8,
            color=colour,
        )
    axes.set(xlim=(-1.08 * near, 1.08 * near), ylim=(-0.08, 1.12))
    axes.set_xlabel(r"angle of $\lambda\lambda_0$ (radians)")
    axes.set_xticks(np.linspace(-1, 1, 3) * TURN)
    axes.set_ylabel(r"$|S|\,/\,\sqrt{\mathbb{E}|s|^2\,\mathbb{E}|s_0|^2}$")
    style.letter(axes, "c", r"normalised, near $\bar\lambda_0$")


def shown(results: style.Results) -> str:
    """Compare the conjugate with the real eigenvalue of its modulus, by correlation."""
    data = results[STUDY]
    ratio = _ratio(data)
    falls = "falls" if (ratio.diff("rho") < 0).all() else "does not always fall"
    (few, first), *_, (many, last) = zip(data["rho"].values, ratio.values, strict=True)
    return (
        f"At input correlation ρ = {few:g}, λ0 is {style.number(first)} times as similar to "
        f"its conjugate as to the real eigenvalue {data.attrs['modulus']:g}. At ρ = {many:g} "
        f"this factor is {style.number(last)}. The factor {falls} as the input correlation "
        "grows."
    )


def details(results: style.Results) -> style.Cells:
    """The similarity of the conjugate eigenvalue relative to the real eigenvalue's."""
    ratio = _ratio(results[STUDY])
    modulus = results[STUDY].attrs["modulus"]
    return (
        (
            "input correlation ρ",
            f"similarity of λ0 with its conjugate / similarity with {modulus:g}",
        ),
        *(
            (f"{rho:g}", style.number(value))
            for rho, value in zip(ratio["rho"].values, ratio.values, strict=True)
        ),
    )


def _ratio(data: xr.Dataset) -> xr.DataArray:
    conjugate, real = (
        data["circle"].interp(along=angle) for angle in (-data.attrs["angle"], 0.0)
    )
    return conjugate / real


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-8")
