"""Zucchet & Orvieto (2024), Figure 9: as Figure 4, of the LRU and S4."""

import numpy as np
from matplotlib.figure import Figure

from sigprop.figures import hessians, rates, style

STUDIES = hessians.STUDIES
NETWORKS = ("LRU", "S4")


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Two Hessians and what Adam makes of them, as ``sigprop.figures.hessians`` draws them.

    Raises:
        ValueError: If there is no such panel.
    """
    return hessians.draw(results, panel, *NETWORKS)


def shown(results: style.Results) -> str:
    """How much sharper the LRU's angles are than its magnitudes, and Adam's rates."""
    data = results["hessian_structure"].sel(network="LRU")
    entries = np.diag(data["hessian"].values)
    angle, magnitude = (
        float(entries[data["parameter"].values == name].max())
        for name in ("theta_log", "nu_log")
    )
    medians = rates.medians(results["adaptive_rates"], NETWORKS)
    tamed = (
        "only the magnitude is tamed" if angle > magnitude else "the angle is tamed too"
    )
    return (
        f"For the LRU, the largest curvature by an angle is {angle / magnitude:.2g} times "
        f"the largest by a magnitude: {tamed}. Adam's median learning rates for recurrent "
        f"parameters are {medians[0]:.1e} ({NETWORKS[0]}) and {medians[1]:.1e} ({NETWORKS[1]})."
    )
