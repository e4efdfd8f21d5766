"""Zucchet & Orvieto (2024), Figure 10: concentrated eigenvalues couple, and learn badly."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure, SubFigure

from figures import hessians, losses, style

STUDIES = dict.fromkeys("abc", "hessian_structure") | {"d": "concentration"}
DECADES = 3
CAPTION = (
    "A to C: entries by the real and the imaginary parts of ten eigenvalues in the order "
    "of their real parts; red up, blue down"
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Hessians of the eigenvalues at three largest phases, and final losses over phases.

    Every seed is a point; bars are 95 % intervals for the median, see ``figures.losses``.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    maps = [letter for letter in letters if letter in "abc"]
    heights = ([2.2] if maps else []) + ([2.75] if "d" in letters else [])
    width = 1.8 * len(maps) if maps else 3.4
    with style.styled():
        drawn = style.figure(sum(heights), max(width, 2.2))
        rows = style.stacked(drawn, heights)
        if maps:
            _maps(rows[0], results["hessian_structure"], maps)
        if "d" in letters:
            _losses(rows[-1], results["concentration"])
    return drawn


def _maps(drawn: SubFigure, data: xr.Dataset, letters: list[str]) -> None:
    panels = np.atleast_1d(drawn.subplots(1, len(letters)))
    for axes, letter in zip(panels, letters, strict=True):
        block = data["concentrated"].isel(phase="abc".index(letter))
        hessians.matrix(axes, block.values, DECADES)
        half = block.sizes["entry"] // 2
        hessians.gaps(axes, [half, 2 * half])
        parts = (half / 2, 3 * half / 2), (r"Re $\lambda$", r"Im $\lambda$")
        axes.set_xticks(*parts)
        axes.set_yticks(*parts, rotation=90, va="center")
        style.letter(axes, letter, rf"$\theta_0 = {float(block['phase']):g}\,\pi$")
    style.caption(drawn, CAPTION)


def _losses(drawn: SubFigure, data: xr.Dataset) -> None:
    phases = data["condition"].values
    x = np.log10(phases)
    axes = drawn.subplots()
    losses.axis(axes, data)
    losses.compare(axes, x, data)
    style.caption(drawn, losses.caption(data))
    axes.set_xticks(x, [f"{phase:.2g}" for phase in phases])
    axes.set_xlabel(r"largest phase $\theta_0 / \pi$ of the teacher's eigenvalues")
    style.letter(axes, "d", "eigenvalues concentrate to the left")
