"""Zucchet & Orvieto (2024), Figures 1B and 1C: the loss sharpens as λ* approaches 1."""

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
    dict.fromkeys("bc", STUDY),
    "The loss of one linear unit sharpens as the teacher's time constant grows",
    rows=("zucchet:fig1:sharpness-real", "zucchet:fig1:sharpness-circle"),
)
COLOURS = (style.PURPLE, style.BLUE, style.GREEN, style.VERMILION)
NOUGHT = 1e-12  # in place of no loss at all, far below the axis
NEAR = 0.02  # radians: far smaller angles are on a linear axis


class Panel(NamedTuple):
    """A line through the teachers, its names in the result, and its texts."""

    line: str
    axis: str
    kind: str
    title: str
    label: str
    symbol: str


PANELS = {
    "b": Panel(
        "real",
        "real",
        "modulus",
        "student on the real axis",
        r"$\lambda$ (time constant →)",
        r"\lambda",
    ),
    "c": Panel(
        "circle",
        "turn",
        "angle",
        r"student with the teacher's modulus",
        r"$\theta$,   $\lambda = \lambda^* e^{i\theta}$",
        r"\theta",
    ),
}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Upper panels show the loss against the student's eigenvalue.

    Lower panels show the curvature at the minimum against the teacher's eigenvalue.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(4.7, 0.4 + 2.55 * len(letters))
        rows = figure.add_gridspec(2, len(letters), height_ratios=(5, 3))
        for column, letter in enumerate(letters):
            chosen = PANELS[letter]
            above, below = (figure.add_subplot(rows[row, column]) for row in (0, 1))
            _losses(above, data, chosen)
            _curvatures(below, data, chosen)
            style.letter(above, letter, chosen.title)
            if column == 0:
                above.set_ylabel("loss / Var[$x$]")
        teachers = [
            Line2D([], [], color=colour, label=rf"$\lambda^* = {teacher:g}$")
            for teacher, colour in zip(data["teacher"].values, COLOURS, strict=False)
        ]
        figure.legend(
            handles=[*teachers, *curves.key(autodiff="autodiff")],
            loc="outside upper center",
            ncols=3 if len(letters) == 1 else 7,
            handlelength=1.2,
            columnspacing=1,
        )
        style.caption(
            figure,
            r"Teachers $\lambda^*$ are real, inputs are white, and nothing is normalised.",
            "Lines are closed forms.  Dots are simulated means with standard errors, of "
            f"{data.attrs['draws']} trajectories.  Open circles are second derivatives by "
            "automatic differentiation.  Coloured dots in the lower panels mark the teachers "
            "of the upper panels.  On the axis of B, logarithmic in 1 − λ, valleys that look "
            "equally wide have true widths proportional to 1 − λ*.",
            *(
                [f"Angles are linear below {NEAR:g} in size, and logarithmic beyond."]
                if "c" in letters
                else []
            ),
        )
    return figure


def _losses(axes: Axes, data: xr.Dataset, panel: Panel) -> None:
    """A line and points for each teacher, on a log axis."""
    angle = panel.kind == "angle"
    across = data[panel.axis].values if angle else 1 - data[panel.axis].values
    for teacher, colour in zip(data["teacher"].values, COLOURS, strict=False):
        row = data.sel(teacher=teacher)
        loss = row[f"{panel.line}_loss"].values
        axes.plot(across, np.maximum(loss, NOUGHT), color=colour, linewidth=1)
        student = row[f"{panel.line}_student"]
        axes.errorbar(
            student if angle else 1 - student,
            row[f"{panel.line}_simulated"],
            row[f"{panel.line}_sem"],
            fmt="o",
            markersize=3,
            color=colour,
            markeredgecolor="white",
            markeredgewidth=0.4,
            zorder=3,
        )
    axes.set(yscale="log", ylim=(1e-3, 3e2))
    axes.set_xlabel(panel.label)
    if angle:
        axes.set_xscale("asinh", linear_width=NEAR)
        axes.set_xlim(across[0], across[-1])
        ends = {-np.pi: "$-\\pi$", np.pi: "$\\pi$"}
        near = (-0.5, -0.1, 0, 0.1, 0.5)
        ticks = {tick: f"{tick:g}".replace("-", "−") for tick in near} | ends
        axes.set_xticks([*ticks], [*ticks.values()])
        axes.minorticks_off()
    else:
        style.memory_axis(axes, float(across[-1]))


def _curvatures(axes: Axes, data: xr.Dataset, panel: Panel) -> None:
    """The curvature at the minimum, by the teacher's eigenvalue."""
    row = data.sel(kind=panel.kind)
    gap = data["gap"].values
    axes.loglog(gap, row["bare_curvature"], color=style.BLACK, linewidth=1)
    axes.plot(
        data["marked"],
        row["bare_autodiff"],
        "o",
        markerfacecolor="white",
        markeredgecolor=style.BLACK,
        markeredgewidth=0.8,
    )
    for teacher, colour in zip(data["teacher"].values, COLOURS, strict=False):
        height = np.interp(
            np.log(1 - teacher), np.log(gap[::-1]), np.log(row["bare_curvature"][::-1])
        )
        axes.plot(1 - teacher, np.exp(height), "o", color=colour, zorder=3)
    axes.set_yscale("log")
    style.memory_axis(axes, float(gap.min()))
    axes.set_xlim(0.6, float(gap.min()) / 1.3)
    axes.set_xlabel(r"teacher $\lambda^*$ (time constant →)")
    axes.set_ylabel(
        rf"$\mathrm{{d}}^2 L\,/\,\mathrm{{d}}{panel.symbol}^2$ at $\lambda^*$"
    )
    axes.annotate(
        r"$\propto (1-\lambda^*)^{-3}$",
        (0.52, 0.3),
        xycoords="axes fraction",
        color=style.GREY,
    )


def shown(results: style.Results) -> str:
    """Give the powers with which the curvature at the teacher grows near the boundary."""
    data = results[STUDY]
    fitted = curves.power(data["bare_curvature"])
    line, circle = (float(fitted.sel(kind=panel.kind)) for panel in PANELS.values())
    sharper = min(line, circle) > 0
    powers = [
        f"(1−|λ*|){phrases.raised(-float(f'{power:.2g}'))}" for power in (line, circle)
    ]
    grows = (
        f"{powers[0]} along the real axis and along the circle"
        if powers[0] == powers[1]
        else f"{powers[0]} along the real axis and as {powers[1]} along the circle"
    )
    return (
        f"The loss {'sharpens' if sharper else 'does not sharpen'} as the teacher's time "
        "constant grows. Near the stability boundary the curvature at the minimum grows as "
        f"{grows}, where λ* is the teacher's eigenvalue."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-1bc")
