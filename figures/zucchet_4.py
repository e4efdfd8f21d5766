"""Zucchet & Orvieto (2024), Figure 4: Hessians at optimality and Adam's learning rates."""

import numpy as np
from matplotlib.figure import Figure

from sigprop.figures import hessians, rates, style
from sigprop.figures.entry import Entry

ENTRY = Entry(
    hessians.STUDIES,
    "Hessians and effective learning rates of a dense and a complex diagonal RNN",
    rows=(
        "zucchet:fig4",
        "zucchet:fig4:rank",
        "zucchet:fig4:concentration",
        "zucchet:fig4:adam",
        "zucchet:fig4:learning-rate",
    ),
)
DIRECTIONS = 10  # of the caption
NETWORKS = ("RNN", "complex diagonal")


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show the Hessians at optimality of a dense and a complex diagonal RNN.

    Panels C and D show Adam's effective learning rates in these networks.

    Raises:
        ValueError: If there is no such panel.
    """
    return hessians.draw(results, panel, *NETWORKS)


def shown(results: style.Results) -> str:
    """Count the directions of large curvature; compare the spectra and Adam's rates."""
    data = results["hessian_structure"].sel(network=list(NETWORKS))
    ranks = [
        int(hessians.rank(eigenvalues).sum())
        for eigenvalues in data["eigenvalue"].values
    ]
    top = data["eigenvalue"].max("rank").values
    enough = min(ranks) >= DIRECTIONS
    medians = rates.medians(results["adaptive_rates"], NETWORKS)
    spread = [1 / np.nansum(vector**4) for vector in data["eigenvector"].values[:, 0]]
    return (
        f"The Hessian has {ranks[0]} nonzero eigenvalues for the {NETWORKS[0]} and {ranks[1]} "
        f"for the {NETWORKS[1]} network, {'at least' if enough else 'fewer than'} the "
        f"{DIRECTIONS} that the paper's caption names. The {NETWORKS[0]}'s largest eigenvalue "
        f"is {style.number(top[0] / top[1])} times the {NETWORKS[1]} network's, and its "
        f"eigenvector spreads over {spread[0]:.1f} parameters instead of {spread[1]:.1f} "
        "(1 / Σv⁴). Over the seeds, Adam's median effective learning rate for recurrent "
        "parameters is "
        f"{style.number(medians[0])} ({NETWORKS[0]}) and {style.number(medians[1])} "
        f"({NETWORKS[1]})."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-4")
