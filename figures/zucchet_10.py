"""Zucchet & Orvieto (2024), Figure 10: concentrated eigenvalues couple, and learn badly."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure, SubFigure

from sigprop.figures import hessians, losses, style

STUDIES = dict.fromkeys("abc", "hessian_structure") | {"d": "concentration"}
DECADES = 3
CAPTION = (
    "A to C: entries by the real and the imaginary parts of ten eigenvalues in the order "
    "of their real parts; colours linear near nought and logarithmic beyond"
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Hessians of the eigenvalues at three largest phases, and final losses over phases.

    Every seed is a point; bars are 95 % intervals for the median, see
    ``sigprop.figures.losses``.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    maps = [letter for letter in letters if letter in "abc"]
    heights = ([2.7] if maps else []) + ([2.75] if "d" in letters else [])
    width = style.WIDTH if len(letters) > 1 else 3.4
    with style.styled():
        drawn = style.figure(sum(heights), width)
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
        image = hessians.matrix(axes, block.values, DECADES)
        hessians.scale(drawn, axes, image, DECADES, location="bottom")
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


def shown(results: style.Results) -> str:
    """How strongly eigenvalues couple, and whether the LRU's lead widens with it."""
    blocks = results["hessian_structure"]["concentrated"]
    couplings = [
        coupling(blocks.isel(phase=i).values) for i in range(blocks.sizes["phase"])
    ]
    said = ", ".join(
        f"{value:.2g} at {phase:g} π"
        for value, phase in zip(couplings, blocks["phase"].values, strict=True)
    )
    median = losses.decades(results["concentration"]).sortby("condition")
    lead = median.sel(student="complex diagonal") - median.sel(student="LRU")
    narrow, wide = lead.isel(condition=0).item(), lead.isel(condition=-1).item()
    return (
        "The mean Hessian entry between two eigenvalues, relative to the entries of one "
        f"eigenvalue, is {said}. The LRU's loss is {abs(narrow):.1f} decades "
        f"{'below' if narrow > 0 else 'above'} the complex network's at "
        f"{lead['condition'][0].item():g} π and {abs(wide):.1f} decades "
        f"{'below' if wide > 0 else 'above'} at {lead['condition'][-1].item():g} π. Its lead "
        f"{'widens' if narrow > wide else 'does not widen'} here."
    )


def coupling(block: np.ndarray) -> float:
    """Mean size of a Hessian's entries between eigenvalues over that of their own."""
    half = len(block) // 2
    sizes = np.abs(block).reshape(2, half, 2, half).mean((0, 2))
    own = np.eye(half, dtype=bool)
    return float(sizes[~own].mean() / sizes[own].mean())
