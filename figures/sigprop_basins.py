"""A figure of sigprop, not from a paper: starts from which training succeeds."""

from typing import Any

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
    "exact": "optimal modulus",
    "scaled": "tanh, scaled angle",
    "best angle": "tanh, angle by modulus",
    "best angle, held": "tanh, angle by modulus, detached",
}
HEADS = {
    "polar": r"polar" "\n" r"$\nu\,e^{i\theta}$",
    "LRU": r"LRU" "\n" r"$\exp(-e^\nu\!+\!ie^\theta)$",
    "tanh": r"tanh" "\n" r"$\tanh\nu\,e^{i\theta}$",
    "exact": "optimal\nmodulus\n" r"$m(\nu)\,e^{i\theta}$",
    "scaled": "scaled\nangle\n" r"$\tanh\nu\,e^{i\,c\,\theta}$",
    "best angle": "angle by\nmodulus\n" r"$\tanh\nu\,e^{i\,c(\nu)\,\theta}$",
    "best angle, held": "same,\ndetached\n" r"$\tanh\nu\,e^{i\,c(\nu)\,\theta}$",
}
WHOLE = 99  # per cent of the disc that count as all of it
CAPTION = (
    "Student and teacher are one linear unit each, with white inputs. The position in a map "
    "is the student's initial eigenvalue; the radius is −log(1 − |λ|), up to a "
    "modulus of 0.9999. Of the disc's area, {areas} % lie inside the circles, between them and "
    "outside. Numbers are the share of the disc's area that reaches the teacher at "
    "the best learning rate; standard errors are at most {error:.0f} points. A start reaches "
    "the teacher if it stays nearer than {tolerance:g} times the teacher's 1 - |λ|.",
    "The parameters are ν and θ, and the eigenvalue is above each column. The modulus m(ν) has "
    "its optimal parametrisation. The scale c is optimal at the teacher's modulus, and c(ν) at "
    "each modulus. Detached: no gradient flows from the angle to the modulus.",
)
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
        figure = style.figure((1.6 if panel is None else 2.6) + 0.88 * len(rows))
        grid = figure.subplots(len(rows), len(parametrisations), squeeze=False)
        for (letter, teacher), line in zip(rows, grid, strict=True):
            basins = data.isel(teacher=teacher).sel(optimiser=OPTIMISER[letter])
            for axes, name in zip(line, parametrisations, strict=True):
                _map(axes, basins.sel(chart=name), data.attrs)
            line[0].set_ylabel(_teacher_label(basins), fontsize=6.5)
            if not teacher:
                style.letter(line[0], letter, OPTIMISER[letter])
        for axes, name in zip(grid[0], parametrisations, strict=True):
            axes.text(
                *(0.5, 1.38, HEADS[name]),
                transform=axes.transAxes,
                ha="center",
                va="bottom",
                fontsize=6.5,
            )
        scale = ScalarMappable(Normalize(0, data.attrs["steps"]), COLOURS)
        bar = figure.colorbar(
            *(scale, None, grid),
            location="bottom",
            pad=0.01,
            aspect=50,
            shrink=0.6,
        )
        bar.set_label("steps until the student stays near the teacher")
        _key(figure, data.attrs)
        area, *definitions = CAPTION
        about = {"error": _largest_error(data, letters), "areas": _areas(data)}
        about |= data.attrs
        style.caption(figure, area.format(**about), *definitions)
    return figure


def _areas(data: xr.Dataset) -> str:
    """Per cent of the disc's area inside the circles, between them and outside."""
    low, high = data.attrs["ring"]
    ends = (0, low), (low, high), (high, 1)
    return phrases.listed([f"{100 * (b**2 - a**2):.2g}" for a, b in ends])


def _largest_error(data: xr.Dataset, letters: tuple[str, ...]) -> float:
    """The largest standard error of a share that is printed, in per cent of the disc."""
    disc = data.sel(measure="disc", optimiser=[OPTIMISER[letter] for letter in letters])
    return 100 * float(disc["error"].isel(rate_index=disc["best"]).max())


def _key(figure: Figure, about: dict) -> None:
    """Explain star, grey and circles above the maps."""
    low, high = about["ring"]
    star: dict[str, Any] = {"color": STAR, "markersize": 6, "markeredgecolor": "black"}
    dot: dict[str, Any] = {"marker": "o", "linestyle": "", "color": style.BLUE}
    ring: dict[str, Any] = {
        **dot,
        "markerfacecolor": "none",
        "markeredgecolor": "white",
        "mew": 0.7,
    }
    keys = {
        "teacher": Line2D([], [], marker="*", linestyle="", mew=0.4, **star),
        f"not reached in {about['steps']} steps": Patch(color=MISSED),
        f"moduli {low:g} and {high:g}": (
            Line2D([], [], markersize=10, **dot),
            Line2D([], [], markersize=3, **ring),
            Line2D([], [], markersize=7, **ring),
        ),
    }
    figure.legend(
        keys.values(),
        keys,
        loc="outside upper center",
        ncols=len(keys),
        columnspacing=1.4,
    )


def _teacher_label(data: xr.Dataset) -> str:
    turn = float(data["teacher_angle"]) / np.pi
    modulus = float(data["teacher_modulus"])
    return f"teacher: {modulus:g}\nat {turn:g} π"


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
    disc = data.sel(measure="disc").isel(rate_index=int(data["best"]))
    share = 100 * float(disc["fraction"])
    axes.set_xlabel(f"area {_percent(share)} %", fontsize=6.5, labelpad=1)


def _percent(share: float) -> str:
    return f"{share:.1f}" if share < 9.95 else f"{share:.0f}"


def shown(results: style.Results) -> str:
    """Return a sentence on where and how soon Adam succeeds, and on gradient descent."""
    data, (adam, descent) = results[STUDY], OPTIMISER.values()
    shares = xr.concat([share for _, share in _shares(data, adam)], "teacher")
    everywhere = (shares >= WHOLE).all("teacher")
    whole = data.sel(optimiser=adam, chart=everywhere.values)
    steps = [
        _median_steps(whole.sel(chart=name).isel(teacher=teacher))
        for name in whole["chart"].values
        for teacher in range(TEACHERS)
    ]
    soon = ""
    if steps:
        soon = f", and the median start takes {phrases.span(steps, '.0f')} steps"
    largest = [
        f"{float(share.max()):.0f} % in {_in_words(share.idxmax().item())} (teacher at "
        f"{turn:g} π)"
        for turn, share in _shares(data, descent)
    ]
    return (
        f"With {adam}, training reaches both teachers from at least {WHOLE} % of the unit disc "
        f"in {int(everywhere.sum())} of {everywhere.size} parametrisations{soon}. "
        f"With {descent}, the largest shares of the disc are "
        f"{phrases.listed(largest)}."
    )


def _in_words(parametrisation: str) -> str:
    return NAMES[parametrisation].replace("tanh, ", "tanh with ")


def _median_steps(case: xr.Dataset) -> float:
    """Steps after which half of the disc's area has reached the teacher for good."""
    steps = (case["arrival"] + 1) * (case.attrs["steps"] / case.attrs["records"])
    area = case["share"].sel(measure="disc").values.ravel()
    late = steps.where(case["reached"] == 1, np.inf).values.ravel()
    order = late.argsort()
    return float(late[order][np.searchsorted(area[order].cumsum(), area.sum() / 2)])


def details(results: style.Results) -> style.Cells:
    """The share of the disc that reaches the teacher in each parametrisation."""
    data = results[STUDY]
    names = [NAMES[name] for name in data["chart"].values.tolist()]
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
