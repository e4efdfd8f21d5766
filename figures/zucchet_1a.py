"""Zucchet & Orvieto (2024), Figure 1A: the sensitivity explodes as λ approaches 1."""

import xarray as xr
from matplotlib.figure import Figure, SubFigure

from sigprop.figures import curves, phrases, style
from sigprop.figures.entry import Entry

STUDY = "curse_of_memory"
ENTRY = Entry(
    dict.fromkeys("a", STUDY),
    "The sensitivity explodes as the time constant grows",
    rows=(
        "zucchet:fig1:recurrence",
        "zucchet:fig1:correlation",
        "zucchet:fig1:grey-line",
    ),
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Curves show the mean squared sensitivity dh/dλ against λ, one for each correlation.

    The grey curve is the mean squared state.

    Raises:
        ValueError: If there is no such panel.
    """
    (letter,) = ENTRY.chosen(panel)
    with style.styled():
        figure = style.figure(3.8)
        moments(figure, results[STUDY], letter)
    return figure


def moments(figure: Figure | SubFigure, data: xr.Dataset, letter: str) -> None:
    """Draw the panel on a part of a page."""
    axes, strip = curves.stacked(figure, figure.add_gridspec(1, 1)[0])
    state = data["theory"].sel(quantity="state").isel(rho=-1)
    curves.draw(
        axes,
        strip,
        data.sel(quantity="sensitivity"),
        curves.Names("theory", "simulated", "sem"),
        state,
        rf"{curves.MOMENTS['state']}, $\rho = {float(state['rho']):g}$",
    )
    axes.legend(handles=curves.key(), loc="upper left")
    axes.set_ylabel(rf"{curves.MOMENTS['sensitivity']} / Var[$x$]")
    style.letter(axes, letter, r"$h_{t+1} = \lambda h_t + x_{t+1}$")
    style.caption(figure, curves.caption(data))


def shown(results: style.Results) -> str:
    """Give the powers with which both moments grow towards the stability boundary."""
    data = results[STUDY]
    moment, grey = _powers(data), data["theory"].sel(quantity="state").isel(rho=-1)
    state = float(curves.power(grey))
    slower = "more slowly" if (moment > state).all() else "not more slowly at every ρ"
    off = abs(data["simulated"] - data["exact"]) / data["sem"]
    powers = [_raised(float(power)) for power in moment]
    grows = phrases.listed(
        [
            f"as {power} at ρ = {_at(data, powers, power)}"
            for power in dict.fromkeys(powers)
        ]
    )
    return (
        "For inputs of correlation ρ, the mean squared sensitivity near the stability "
        f"boundary grows {grows}. The mean squared state at ρ = {float(grey['rho']):g} grows "
        f"as {_raised(state)}, {slower}. Simulated and exact sensitivities differ by at most "
        f"{float(off.sel(quantity='sensitivity').max()):.1f} standard errors."
    )


def _raised(power: float) -> str:
    """A power of the inverse gap."""
    return f"(1−λ){phrases.raised(-float(f'{power:.2g}'))}"


def _at(data: xr.Dataset, powers: list[str], power: str) -> str:
    """The correlations with this power: their range, or a list if others lie between."""
    indices = [index for index, other in enumerate(powers) if other == power]
    rhos = [f"{float(data['rho'][index]):g}" for index in indices]
    gapless = indices[-1] - indices[0] == len(indices) - 1
    return f"{rhos[0]} to {rhos[-1]}" if gapless and rhos[1:] else phrases.listed(rhos)


def details(results: style.Results) -> style.Cells:
    """The power of ``1 - λ`` with which the squared sensitivity grows."""
    powers = _powers(results[STUDY])
    return (
        ("input correlation ρ", "power of 1 - λ of the squared sensitivity"),
        *((f"{rho:g}", f"{-float(powers.sel(rho=rho)):.2g}") for rho in powers["rho"]),
    )


def _powers(data: xr.Dataset) -> xr.DataArray:
    return curves.power(data["theory"].sel(quantity="sensitivity"))


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-1a")
