"""Zucchet & Orvieto (2024), Figure 4: curvature at optimality, and what Adam makes of it."""

from matplotlib.figure import Figure

from sigprop.figures import hessians, rates, style

STUDIES = hessians.STUDIES
DIRECTIONS = 10  # of the caption
NETWORKS = ("RNN", "complex diagonal")


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Two Hessians and what Adam makes of them, as ``sigprop.figures.hessians`` draws them.

    Raises:
        ValueError: If there is no such panel.
    """
    return hessians.draw(results, panel, *NETWORKS)


def shown(results: style.Results) -> str:
    """How many directions are sharp, how alike the spectra are, and Adam's rates."""
    data = results["hessian_structure"].sel(network=list(NETWORKS))
    ranks = [int(hessians.rank(one).sum()) for one in data["eigenvalue"].values]
    top = data["eigenvalue"].max("rank").values
    enough = min(ranks) >= DIRECTIONS
    medians = rates.medians(results["adaptive_rates"], NETWORKS)
    return (
        f"The loss has {ranks[0]} and {ranks[1]} directions of large curvature, "
        f"{'as many as' if enough else 'fewer than'} the caption's {DIRECTIONS}. "
        f"The {NETWORKS[0]}'s largest eigenvalue is {top[0] / top[1]:.2g} times the other "
        "network's. Adam's median learning rates for recurrent parameters are "
        f"{medians[0]:.1e} and {medians[1]:.1e}."
    )
