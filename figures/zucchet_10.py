"""Zucchet & Orvieto (2024), Figure 10: Hessian and loss as the eigenvalues concentrate."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure, SubFigure

from sigprop.figures import hessians, losses, style
from sigprop.figures.entry import Entry

ENTRY = Entry(
    dict.fromkeys("abc", "hessian_structure") | {"d": "concentration"},
    "Hessian and final loss as the eigenvalue phases concentrate",
    rows=("zucchet:fig10", "zucchet:fig10:gap", "zucchet:fig10:numerical"),
)
DECADES = 3
CAPTION = (
    "Rows and columns of A to C are the real and the imaginary parts of ten eigenvalues, "
    "in the order of their real parts. Colours are linear near zero and logarithmic beyond."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A to C show the loss's Hessian in the eigenvalues for three values of θ0.

    The phases of the eigenvalues are at most θ0.  Panel D shows final losses
    against θ0.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    maps = [letter for letter in letters if letter in "abc"]
    heights = ([2.6] if maps else []) + ([2.75] if "d" in letters else [])
    width = style.WIDTH if len(letters) > 1 else 3.4
    with style.styled():
        figure = style.figure(sum(heights), width)
        rows = style.stacked(figure, heights)
        notes = []
        if maps:
            _maps(rows[0], results["hessian_structure"], maps)
            notes.append(CAPTION)
        if "d" in letters:
            _losses(rows[-1], results["concentration"])
            notes.append(losses.caption(results["concentration"]))
            notes.append("In D networks stand side by side at each value of θ0.")
        style.caption(figure, *notes)
    return figure


def _maps(figure: SubFigure, data: xr.Dataset, letters: list[str]) -> None:
    panels = np.atleast_1d(figure.subplots(1, len(letters)))
    most = float(np.abs(data["concentrated"]).max())
    for axes, letter in zip(panels, letters, strict=True):
        block = data["concentrated"].isel(phase="abc".index(letter))
        image = hessians.matrix(axes, block.values, DECADES, most)
        hessians.scale(figure, axes, image, DECADES, location="bottom")
        half = block.sizes["entry"] // 2
        hessians.gaps(axes, [half, 2 * half])
        parts = (half / 2, 3 * half / 2), (r"Re $\lambda$", r"Im $\lambda$")
        axes.set_xticks(*parts)
        axes.set_yticks(*parts, rotation=90, va="center")
        phase = float(block["phase"])
        turn = rf"{phase:g}\,\pi" if phase != 1 else r"\pi"
        style.letter(axes, letter, rf"$\theta_0 = {turn}$")


def _losses(figure: SubFigure, data: xr.Dataset) -> None:
    phases = data["condition"].values
    x = np.log10(phases)
    axes = figure.subplots()
    losses.axis(axes, data)
    losses.compare(axes, x, data, apart=0.07)
    key, beside = losses.key(data), (1, 1)
    axes.legend(handles=key, bbox_to_anchor=beside, loc="upper left", handlelength=1.2)
    axes.set_xticks(x, [f"{phase:.2g}" for phase in phases])
    axes.set_xlabel(r"largest phase $\theta_0 / \pi$ of the teacher's eigenvalues")
    style.letter(axes, "d", "eigenvalues concentrate to the left")


def shown(results: style.Results) -> str:
    """Give the coupling of eigenvalues, and compare the LRU's loss at both ends."""
    (wide_phase, first), *_, (narrow_phase, last) = _couplings(results)
    median = losses.decades(results["concentration"]).sortby("condition")
    lead = median.sel(student="complex diagonal") - median.sel(student="LRU")
    narrow, wide = lead.isel(condition=0).item(), lead.isel(condition=-1).item()
    return (
        "Hessian entries between two eigenvalues are on average "
        f"{style.number(first)} times those of one eigenvalue at θ0 = {_over_pi(wide_phase)} "
        f"and {style.number(last)} times at {_over_pi(narrow_phase)}, in absolute value. "
        f"The LRU's median loss is {abs(narrow):.1f} decades "
        f"{'below' if narrow > 0 else 'above'} the complex diagonal network's at "
        f"{_over_pi(lead['condition'][0].item())} and {abs(wide):.1f} decades "
        f"{'below' if wide > 0 else 'above'} it at {_over_pi(lead['condition'][-1].item())}. "
        f"The LRU's loss {'falls' if narrow > wide else 'does not fall'} relative to the "
        "complex diagonal network's as the phases concentrate."
    )


def details(results: style.Results) -> style.Cells:
    """The coupling of eigenvalues at each largest phase."""
    return (
        (
            "largest phase θ0",
            "mean absolute entry between two eigenvalues / of one eigenvalue",
        ),
        *(
            (_over_pi(phase), style.number(value))
            for phase, value in _couplings(results)
        ),
    )


def _over_pi(phase: float) -> str:
    return "π" if phase == 1 else f"{phase:g} π"


def _couplings(results: style.Results) -> list[tuple[float, float]]:
    """Each largest phase over π, and the coupling of eigenvalues there."""
    blocks = results["hessian_structure"]["concentrated"]
    return [
        (phase, coupling(blocks.isel(phase=i).values))
        for i, phase in enumerate(blocks["phase"].values)
    ]


def coupling(block: np.ndarray) -> float:
    """Mean size of a Hessian's entries between eigenvalues over that of their own."""
    half = len(block) // 2
    sizes = np.abs(block).reshape(2, half, 2, half).mean((0, 2))
    own = np.eye(half, dtype=bool)
    return float(sizes[~own].mean() / sizes[own].mean())


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-10")
