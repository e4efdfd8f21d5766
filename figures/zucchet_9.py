"""Zucchet & Orvieto (2024), Figure 9: the panels of Figure 4 for the LRU and S4."""

import numpy as np
from matplotlib.figure import Figure

from sigprop.figures import hessians, rates, style
from sigprop.figures.entry import Entry

ENTRY = Entry(
    hessians.STUDIES,
    "Hessians and effective learning rates of the LRU and S4",
    rows=("zucchet:fig9", "zucchet:fig9:magnitude", "zucchet:fig9:unit-step"),
)
NETWORKS = ("LRU", "S4")


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show the Hessians at optimality of the LRU and S4.

    Panels C and D show Adam's effective learning rates in these networks.

    Raises:
        ValueError: If there is no such panel.
    """
    return hessians.draw(results, panel, *NETWORKS)


def shown(results: style.Results) -> str:
    """Compare curvatures along angles and magnitudes of the LRU, and Adam's rates."""
    data = results["hessian_structure"].sel(network="LRU")
    entries = np.diag(data["hessian"].values)
    angle, magnitude = (
        float(entries[data["parameter"].values == name].max())
        for name in ("theta_log", "nu_log")
    )
    medians = rates.medians(results["adaptive_rates"], NETWORKS)
    larger = style.number(angle / magnitude)
    limited = (
        "only the curvature along magnitudes"
        if angle > magnitude
        else "the curvatures along magnitudes and angles"
    )
    return (
        f"In the LRU, the largest curvature along an angle is {larger} times the "
        f"largest along a magnitude. The LRU's parametrisation limits {limited}. Adam's "
        "median learning rate for recurrent parameters is "
        f"{style.number(medians[0])} ({NETWORKS[0]}) and {style.number(medians[1])} "
        f"({NETWORKS[1]})."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-9")
