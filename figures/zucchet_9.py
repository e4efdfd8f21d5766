"""Zucchet & Orvieto (2024), Figure 9: the panels of Figure 4 for the LRU and S4."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from sigprop.figures import hessians, style
from sigprop.figures.entry import Entry

ENTRY = Entry(
    hessians.STUDIES,
    "Hessians and effective learning rates of the LRU and S4",
    rows=("zucchet:fig9", "zucchet:fig9:magnitude", "zucchet:fig9:unit-step"),
)
NETWORKS = ("LRU", "S4")


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show the Hessians at optimality of the LRU and S4.

    Panels C and D show Adam's effective learning rates in these networks.  S4 has the step
    Δ = 0.01 in panel B, and Δ = 1 when training starts in panel D.

    Raises:
        ValueError: If there is no such panel.
    """
    return hessians.draw(results, panel, *NETWORKS)


def shown(results: style.Results) -> str:
    """Compare curvatures and Adam's rates along the blocks of recurrent parameters."""
    data = results["hessian_structure"]
    angle, magnitude = (_sharpest(data, "LRU", of) for of in ("theta_log", "nu_log"))
    step = _sharpest(data, "S4", "omega_delta")
    other = max(_sharpest(data, "S4", of) for of in ("w_re", "w_im"))
    limited = (
        "only the curvature along magnitudes"
        if angle > magnitude
        else "the curvatures along magnitudes and angles"
    )
    adam = results["adaptive_rates"]
    radii, angles = (_rate(adam, "LRU", of) for of in ("nu_log", "theta_log"))
    steps, real, imaginary = (
        _rate(adam, "S4", of) for of in ("omega_delta", "w_re", "w_im")
    )
    return (
        f"In the LRU, the largest curvature along an angle is {style.number(angle / magnitude)}"
        " times the largest along a magnitude; the parametrisation limits "
        f"{limited}. In S4, the largest curvature along a step ω_Δ is "
        f"{style.number(step / other)} times the largest along ω_A. For the seed drawn "
        "in C and D, Adam's median rates are "
        f"{radii} (ω_ν) and {angles} (ω_θ) for the LRU, "
        f"{steps} (ω_Δ), {real} (ω_A^re) and {imaginary} (ω_A^im) for S4."
    )


def _sharpest(data: xr.Dataset, network: str, parameter: str) -> float:
    """The largest curvature along one parameter of this name."""
    own = data.sel(network=network)
    entries = np.diag(own["hessian"].values)
    return float(entries[own["parameter"].values == parameter].max())


def _rate(data: xr.Dataset, network: str, parameter: str) -> str:
    """The median effective learning rate of the parameters of this name of one seed."""
    own = data.isel(entry=data["entry_network"].values == network)
    chosen = own["entry_parameter"].values == parameter
    return style.number(float(np.median(own["effective"].values[chosen])))


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-9")
