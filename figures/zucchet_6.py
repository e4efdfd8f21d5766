"""Zucchet & Orvieto (2024), Figure 6: the normalised loss in three parametrisations.

The paper's caption does not explain the two columns of a pair.  Here the first shows the
loss and the second the curvature at its minimum.
"""

from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sigprop.figures import curves, phrases, style
from sigprop.figures.entry import Entry

STUDY = "one_dimensional"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "The loss of one normalised unit, and its curvature, in three parametrisations",
    rows=("zucchet:fig6", "zucchet:fig6-modulus", "zucchet:fig6-hessian"),
)
COLOURS = (style.PURPLE, style.BLUE, style.GREEN, style.VERMILION)


class Row(NamedTuple):
    """Name of a parametrisation in the result, and the maps of its two parameters."""

    name: str
    modulus: str
    angle: str


ROWS = {
    "a": Row("polar", r"\omega_\nu", r"\omega_\theta"),
    "b": Row("exp", r"e^{-e^{\omega_\nu}}", r"e^{\omega_\theta}"),
    "c": Row(
        "tanh",
        r"\tanh\,\omega_\nu",
        r"\omega_\theta\,(1-\nu^2)/(\nu\sqrt{1+\nu^2})",
    ),
}
LINES = {"modulus": ("nu", r"\nu"), "angle": ("theta", r"\theta")}
PARAMETRISATIONS = tuple(row.name for row in ROWS.values())
GROWS = 0.5  # the power of the inverse gap from which a curvature is not bounded
LIMITS = 2e-4, 4e6  # of the curvatures
ZOOM = {("polar", "angle"): 0.5, ("tanh", "angle"): 6.0}  # to either side of zero
WIDE = (
    "polar",
    "exp",
)  # the parametrisations of the angle and of the modulus in a sentence


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Each row shows one parametrisation, along the modulus and along the angle.

    For each of these two directions, the left column shows the loss, and the right column the
    curvature at the minimum against the teacher's modulus.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(max(2.7, 0.6 + 1.55 * len(letters)))
        table = figure.subplots(len(letters), 4, squeeze=False)
        for letter, axes in zip(letters, table, strict=True):
            row = ROWS[letter]
            landscape = data.sel(chart=row.name)
            for column, kind in enumerate(LINES):
                path = row.modulus if kind == "modulus" else row.angle
                _losses(
                    axes[2 * column], landscape, kind, path, ZOOM.get((row.name, kind))
                )
                _curvatures(axes[2 * column + 1], landscape, kind)
            style.letter(axes[0], letter, row.name)
        for axes in table[:, 1::2].flat:
            axes.set_xlabel(r"$|\lambda^*|$", labelpad=1)
        _legend(figure, data["teacher"].values)
        turn = data.attrs["angle"] / np.pi
        style.caption(
            figure,
            rf"The teacher is $\lambda^* = |\lambda^*|\,e^{{{turn:g} i\pi}}$.  Inputs are "
            r"white and normalised by $\gamma$.  The other coordinate is the teacher's.",
            "Lines are closed forms.  Dots are means over {data.attrs['draws']} "
            f"simulated trajectories, with standard errors.  Their students have "
            f"{_students(data)}.  "
            "Open circles are second derivatives by automatic differentiation, and coloured "
            "dots in the same panels mark the teachers of the loss panels.",
            *([_turns(data)] if "c" in letters else []),
        )
    return figure


def _students(data: xr.Dataset) -> str:
    """The ranges of moduli and of angles in which there are dots."""
    students = data["omega_student"].sel(chart="polar")
    least = float(students.sel(kind="modulus").min())
    angles = students.sel(kind="angle")
    return (
        f"moduli from {least:g} to half-way between the teacher's and one, and with angles "
        f"from {float(angles.min()):g} to {float(angles.max()):g}"
    )


def _turns(data: xr.Dataset) -> str:
    return (
        rf"In C the outer minima of $|\lambda^*| = {float(data['teacher'][0]):g}$ are full "
        "turns of the angle."
    )


def _legend(figure: Figure, teachers: np.ndarray) -> None:
    colours = [
        Line2D([], [], color=colour, label=rf"$|\lambda^*| = {teacher:g}$")
        for teacher, colour in zip(teachers, COLOURS, strict=False)
    ]
    routes = curves.key(autodiff="autodiff")
    figure.legend(
        handles=[*colours, *routes],
        loc="outside upper center",
        ncols=len(colours) + len(routes),
        handlelength=1.0,
        columnspacing=1.2,
    )


def _losses(
    axes: Axes, data: xr.Dataset, kind: str, path: str, zoom: float | None
) -> None:
    """A line and points for each teacher, to this distance from zero if there is one."""
    name, symbol = LINES[kind]
    lines = data.sel(kind=kind)
    omega, student = lines["omega"].values, lines["omega_student"]
    inside = (student >= omega[0]) & (student <= omega[-1])
    for teacher, colour in zip(data["teacher"].values, COLOURS, strict=False):
        line, shown = lines.sel(teacher=teacher), inside.sel(teacher=teacher).values
        axes.plot(omega, line[f"{name}_loss"], color=colour, linewidth=0.9)
        axes.errorbar(
            line["omega_student"].values[shown],
            line[f"{name}_simulated"].values[shown],
            line[f"{name}_sem"].values[shown],
            fmt="o",
            markersize=2,
            linewidth=0.8,
            capsize=0,
            color=colour,
            zorder=3,
        )
    low, high = (-zoom, zoom) if zoom else (omega[0], omega[-1])
    axes.set(xlim=(low, high), ylim=(-0.05, 1.1), yticks=(0, 0.5, 1))
    if kind == "modulus" and not low and high < 1:
        axes.set(xlim=(0, 1), xticks=(0, 0.5, 1))
    axes.set_xlabel(rf"$\omega_{symbol}$,  ${symbol} = {path}$", fontsize=6.5)
    axes.set_ylabel(f"loss along {kind}", labelpad=1)


def _curvatures(axes: Axes, data: xr.Dataset, kind: str) -> None:
    """The second derivative at the minimum, by the teacher's modulus."""
    line = data.sel(kind=kind)
    gap = data["gap"].values
    axes.loglog(gap, line["curvature"], color=style.BLACK, linewidth=1)
    axes.plot(
        data["marked"],
        line["autodiff"],
        "o",
        markersize=3,
        markerfacecolor="white",
        markeredgecolor=style.BLACK,
        markeredgewidth=0.7,
    )
    for teacher, colour in zip(data["teacher"].values, COLOURS, strict=False):
        log = np.interp(
            np.log(1 - teacher), np.log(gap[::-1]), np.log(line["curvature"][::-1])
        )
        axes.plot(1 - teacher, np.exp(log), "o", color=colour, markersize=3, zorder=3)
    style.memory_axis(axes, float(gap.min()))
    axes.set(xlim=(0.6, float(gap.min()) / 1.3), ylim=LIMITS, yscale="log")
    axes.set_yticks((1e-3, 1, 1e3, 1e6))
    axes.minorticks_off()
    axes.tick_params(axis="x", labelsize=6)
    axes.set_ylabel(f"curvature\nalong {kind}", labelpad=0, fontsize=7)


def shown(results: style.Results) -> str:
    """Name the parametrisations that bound the curvature; compare the widths of basins."""
    powers = curves.power(results[STUDY]["curvature"])
    sentences = []
    for kind in LINES:
        row = {
            name: float(powers.sel(chart=name, kind=kind)) for name in PARAMETRISATIONS
        }
        bounded = [name for name, power in row.items() if power < GROWS]
        powers_of_gap: dict[str, list[str]] = {}
        for name, power in row.items():
            if power >= GROWS:
                powers_of_gap.setdefault(f"{power:.2g}", []).append(name)
        grown = [
            f"(1−|λ*|){phrases.raised(-float(power))} for {phrases.listed(alike)}"
            for power, alike in powers_of_gap.items()
        ]
        sentences.append(
            f"Along the {kind}, the curvature at the teacher is bounded for "
            f"{phrases.listed(bounded or ['no parametrisation'])}"
            + (f" and grows as {phrases.listed(grown)}" if grown else "")
        )
    return f"{'. '.join(sentences)}. {_basins(results[STUDY])}"


def _basins(data: xr.Dataset) -> str:
    """By which factors the basins of the angle and of the modulus change with the teacher."""
    teachers = data["teacher"].values[[1, -1]]
    wide = {
        kind: _width(data, chart, LINES[kind][0], teachers)
        for kind, chart in zip(("angle", "modulus"), WIDE, strict=True)
    }
    angle, modulus = (widths[0] / widths[1] for widths in wide.values())
    return (
        f"From |λ*| = {teachers[0]:g} to {teachers[1]:g} the interval with losses below half "
        f"the maximum narrows {angle:.2g} times for the {WIDE[0]} angle and {modulus:.2g} "
        f"times for the {WIDE[1]} modulus."
    )


def _width(data: xr.Dataset, chart: str, name: str, teachers: np.ndarray) -> np.ndarray:
    """Fractions of a line on which losses are at most half the line's maximum."""
    loss = data[f"{name}_loss"].sel(chart=chart, teacher=teachers)
    return (loss <= loss.max("point") / 2).mean("point").values


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-6")
