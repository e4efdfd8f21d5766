"""Zucchet & Orvieto (2024), Figure 4: curvature at optimality, and what Adam makes of it."""

from matplotlib.figure import Figure

from figures import hessians, style

STUDIES = hessians.STUDIES


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Two Hessians and what Adam makes of them, as ``figures.hessians`` draws them.

    Raises:
        ValueError: If there is no such panel.
    """
    return hessians.draw(results, panel, "RNN", "complex diagonal")
