"""Zucchet & Orvieto (2024), Figure 1A: sensitivity explodes as memory lengthens."""

import xarray as xr
from matplotlib.figure import Figure, SubFigure

from sigprop.figures import curves, style

STUDY = "curse_of_memory"
STUDIES = dict.fromkeys("a", STUDY)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Curves of ``E[(dh/dlam)^2]`` with simulated points, and ``E[h^2]`` in grey.

    Raises:
        ValueError: If there is no such panel.
    """
    (letter,) = style.chosen_panels(panel, STUDIES)
    with style.styled():
        drawn = style.figure(3.8)
        moments(drawn, results[STUDY], letter)
    return drawn


def moments(drawn: Figure | SubFigure, data: xr.Dataset, letter: str) -> None:
    """The same on a part of a page."""
    axes, strip = curves.stacked(drawn, drawn.add_gridspec(1, 1)[0])
    state = data["theory"].sel(quantity="state").isel(rho=-1)
    curves.draw(
        axes,
        strip,
        data.sel(quantity="sensitivity"),
        curves.Names("theory", "simulated", "sem"),
        state,
        rf"{curves.MOMENTS['state']}, $\rho = {float(state['rho']):g}$",
    )
    axes.set_ylabel(rf"{curves.MOMENTS['sensitivity']} / Var[$x$]")
    style.letter(axes, letter, r"$h_{t+1} = \lambda h_t + x_{t+1}$")
    style.caption(drawn, curves.caption(data))


def shown(results: style.Results) -> str:
    """How fast both moments grow towards the edge."""
    data = results[STUDY]
    bare = data["theory"]
    moment = curves.power(bare.sel(quantity="sensitivity"))
    state = float(curves.power(bare.sel(quantity="state").isel(rho=-1)))
    faster = bool((moment > state).all())
    off = abs(data["simulated"] - data["exact"]) / data["sem"]
    powers = ", ".join(f"{float(moment.sel(rho=rho)):.2g}" for rho in data["rho"])
    return (
        f"Near the stability boundary the sensitivity grows as the gap to the powers "
        f"-({powers}), {'faster' if faster else 'not always faster'} than the state with "
        f"power -{state:.2g}. Simulated sensitivities are at most "
        f"{float(off.sel(quantity='sensitivity').max()):.1f} standard errors off."
    )
