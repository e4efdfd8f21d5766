"""Zucchet & Orvieto (2024), Figure 9: as Figure 4, of the LRU and S4."""

from matplotlib.figure import Figure

from figures import hessians, style

STUDIES = hessians.STUDIES


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Two Hessians and what Adam makes of them, as ``figures.hessians`` draws them.

    Raises:
        ValueError: If there is no such panel.
    """
    return hessians.draw(results, panel, "LRU", "S4")
