"""A figure of sigprop, not from a paper: starts from which training succeeds."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

STUDY = "basins"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "Initial eigenvalues from which training reaches the teacher",
)
OPTIMISER = {"a": "Adam", "b": "gradient descent"}
TEACHERS = 2  # rows of maps in each panel
NAMES = {
    "polar": "polar",
    "LRU": "LRU",
    "tanh": "tanh",
    "exact": "exact",
    "scaled": "tanh,\nangle\nscaled",
    "best angle": "tanh,\nbest\nangle",
    "best angle, held": "best\nangle,\ndetached",
}
COLOURS = "viridis"
MISSED = "#DADADA"
STAR = "#F0E442"  # of the same palette; too pale for lines


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Each map shows the starts that reach the teacher; the colour is the number of steps.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    data = data.isel(teacher=slice(TEACHERS))
    rows = [(letter, i) for letter in letters for i in range(data.sizes["teacher"])]
    parametrisations = list(data["chart"].values)
    with style.styled():
        figure = style.figure(1.3 + 0.9 * len(rows))
        grid = figure.subplots(len(rows), len(parametrisations), squeeze=False)
        for (letter, teacher), line in zip(rows, grid, strict=True):
            basins = data.isel(teacher=teacher).sel(optimiser=OPTIMISER[letter])
            for axes, name in zip(line, parametrisations, strict=True):
                _map(axes, basins.sel(chart=name), data.attrs)
            line[0].set_ylabel(_eigenvalue_label(basins), fontsize=7)
            if not teacher:
                style.letter(line[0], letter, OPTIMISER[letter])
        for axes, name in zip(grid[0], parametrisations, strict=True):
            axes.text(
                *(0.5, 1.55, NAMES[name]),
                transform=axes.transAxes,
                ha="center",
                va="center",
                fontsize=6.5,
            )
        scale = ScalarMappable(Normalize(0, data.attrs["steps"]), COLOURS)
        bar = figure.colorbar(scale, ax=grid, pad=0.01, aspect=40, shrink=0.8)
        bar.set_label("steps until it stays near the teacher")
        _key(figure, data.attrs)
        style.caption(
            figure,
            "The position in a map is the initial eigenvalue; the radius is logarithmic in the "
            "gap, up to a modulus of 0.9999. Numbers are the share of the disc's area that "
            "reaches the teacher at the best learning rate, and one standard error to either "
            "side. Detached means that no gradient flows from the angle to the modulus.",
        )
    return figure


def _key(figure: Figure, about: dict) -> None:
    """Explain star, grey and circles below the maps."""
    low, high = about["ring"]
    star = {"color": STAR, "markersize": 6, "markeredgecolor": "black"}
    keys = [
        Line2D([], [], marker="*", linestyle="", mew=0.4, label="teacher", **star),
        Patch(color=MISSED, label=f"not reached in {about['steps']} steps"),
        Line2D(
            *([], []),
            marker="o",
            linestyle="",
            markerfacecolor=MISSED,
            markeredgecolor="white",
            markersize=7,
            label=f"moduli {low:g} and {high:g}",
        ),
    ]
    figure.legend(handles=keys, loc="outside upper center", ncols=len(keys))


def _eigenvalue_label(data: xr.Dataset) -> str:
    turn = float(data["teacher_angle"]) / np.pi
    return rf"${float(data['teacher_modulus']):g}\,e^{{{turn:g}\pi i}}$"


def _map(axes: Axes, data: xr.Dataset, about: dict) -> None:
    depth = -np.log10(data["gap_edge"].values)
    turn = np.linspace(0, 2 * np.pi, data.sizes["column"] + 1)
    span = about["steps"] / about["records"]
    late = np.where(data["reached"] == 1, (data["arrival"].values + 1) * span, np.nan)
    axes.set_facecolor("white")
    angle = np.linspace(0, 2 * np.pi, 181)
    axes.fill(depth[-1] * np.cos(angle), depth[-1] * np.sin(angle), MISSED, zorder=0)
    fine = np.linspace(turn[0], turn[-1], 12 * (len(turn) - 1) + 1)
    axes.pcolormesh(
        depth[:, None] * np.cos(fine),
        depth[:, None] * np.sin(fine),
        np.repeat(np.ma.masked_invalid(late), 12, 1),
        cmap=COLOURS,
        vmin=0,
        vmax=about["steps"],
        rasterized=True,
        linewidth=0,
    )
    for modulus in about["ring"]:
        radius = -np.log10(1 - modulus)
        axes.plot(radius * np.cos(angle), radius * np.sin(angle), "w", lw=0.4)
    radius = -np.log10(1 - float(data["teacher_modulus"]))
    teacher = radius * np.exp(1j * float(data["teacher_angle"]))
    axes.plot(teacher.real, teacher.imag, "*", color=STAR, ms=5.5, mec="black", mew=0.4)
    axes.set_aspect("equal")
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    best = int(data["best"])
    share, error = (
        100 * float(data[name].sel(measure="disc")[best])
        for name in ("fraction", "error")
    )
    low, high = max(share - error, 0), min(share + error, 100)
    text = f"{share:.1f} %\n{low:.1f} to {high:.1f}"
    axes.set_xlabel(text, fontsize=6, labelpad=1)


def shown(results: style.Results) -> str:
    """The largest share of the disc that reaches each teacher, by optimiser."""
    sentences = []
    for optimiser in OPTIMISER.values():
        shares = _shares(results[STUDY], optimiser)
        parts = [
            f"{float(share.max()):.0f} % (teacher at {turn:g} π)"
            for turn, share in shares
        ]
        sentences.append(
            f"With {optimiser} and the best parametrisation, training reaches the teacher from "
            f"{phrases.listed(parts)} of the unit disc."
        )
    return " ".join(sentences)


def details(results: style.Results) -> style.Cells:
    """The share of the disc that reaches the teacher in each parametrisation."""
    data = results[STUDY]
    names = [NAMES[name].replace("\n", " ") for name in data["chart"].values.tolist()]
    return (
        ("share of the unit disc that reaches the teacher, %", *names),
        *(
            (
                f"{optimiser}, angle {turn:g} π",
                *(f"{share:.3g}" for share in shares.values),
            )
            for optimiser in OPTIMISER.values()
            for turn, shares in _shares(data, optimiser)
        ),
    )


def _shares(data: xr.Dataset, optimiser: str) -> list[tuple[float, xr.DataArray]]:
    """By teacher: its angle over pi, and percent of the disc by parametrisation."""
    disc = data.isel(teacher=slice(TEACHERS)).sel(measure="disc", optimiser=optimiser)
    share = 100 * disc["fraction"].isel(rate_index=disc["best"])
    turns = disc["teacher_angle"].values / np.pi
    return [(float(turn), share.isel(teacher=at)) for at, turn in enumerate(turns)]


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-basins")
