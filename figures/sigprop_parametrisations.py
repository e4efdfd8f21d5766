"""A figure of sigprop, not from a paper: usual and optimal parametrisations."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "parametrisations"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "LRU and tanh parametrisations compared with the optimal ones",
)
GAIN = {"a": "matched", "b": "loss"}
TITLE = {"a": "normalised state, fixed gain", "b": "loss at optimality"}
EFFECTS = {
    "a": r"$\gamma^2\,\mathbb{E}[(\mathrm{d}_\omega h)^2]$",
    "b": r"$\mathrm{d}^2 L / \mathrm{d}\omega^2$",
}
USUAL = {"LRU": (style.BLACK, (0, (1, 1))), "tanh": (style.BLACK, (0, (4, 1.5)))}
TICKS = (1, 1e-1, 1e-2, 1e-3, 1e-4)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """The upper row shows step sizes against the eigenvalue.

    The lower row shows how much a step changes the state or the loss.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(4.0, 0.4 + 2.55 * len(letters))
        grid = figure.add_gridspec(2, len(letters), height_ratios=(1, 1), hspace=0.05)
        for column, letter in enumerate(letters):
            above = figure.add_subplot(grid[0, column])
            below = figure.add_subplot(grid[1, column], sharex=above)
            above.tick_params(labelbottom=False)
            chosen = data.sel(gain=GAIN[letter])
            _grains(above, chosen)
            _moved(below, chosen)
            below.set_ylabel(EFFECTS[letter])
            style.letter(above, letter, TITLE[letter])
        _key(figure, data, letters)
        style.caption(
            figure,
            r"Inputs have the autocovariance $\rho^{|\Delta|}$. The optimal parametrisation "
            "makes the effect of a step the same at every eigenvalue.",
        )
    return figure


def _key(figure: Figure, data: xr.Dataset, letters: tuple[str, ...]) -> None:
    """Explain colours and dashes above the panels."""
    colours: dict[float, str] = {}
    for letter in letters:
        colours |= _colours(data.sel(gain=GAIN[letter]))
    keys = [Line2D([], [], color=style.BLACK, label="optimal")]
    keys += [
        Line2D([], [], color=colour, linestyle=dashes, label=name)
        for name, (colour, dashes) in USUAL.items()
    ]
    keys += [
        Line2D([], [], color=colours[decay], linewidth=3, label=rf"$\rho = {decay:g}$")
        for decay in sorted(colours)
    ]
    figure.legend(
        handles=keys,
        loc="outside upper center",
        ncols=4 if len(letters) > 1 else 3,
        handlelength=2.2,
    )


def _colours(data: xr.Dataset) -> dict[float, str]:
    """Colours by decay; the sign of the decay does not matter for the loss."""
    decays = [float(decay) for decay in data["decay"]]
    if data["gain"].item() == "loss":
        decays = [decay for decay in decays if decay >= 0]
    return dict(zip(decays, style.SEQUENCE[-len(decays) :], strict=True))


def _grains(axes: Axes, data: xr.Dataset) -> None:
    gap = data["gap"].values
    for decay, colour in _colours(data).items():
        curve = data["exact_grain"].sel(decay=decay)
        axes.plot(gap, curve, color=colour)
    for name, (colour, dashes) in USUAL.items():
        curve = data["usual_grain"].sel(usual=name)
        axes.plot(gap, curve, color=colour, linestyle=dashes)
    axes.set_ylabel(
        r"granularity $\frac{\mathrm{d}\lambda}{\mathrm{d}\omega} / (1-\lambda)$"
    )
    axes.set_yscale("log")
    axes.set_ylim(0.25, 40)
    axes.set_yticks([0.3, 1, 3, 10, 30], ["0.3", "1", "3", "10", "30"])
    axes.yaxis.set_minor_locator(NullLocator())


def _moved(axes: Axes, data: xr.Dataset) -> None:
    gap = data["gap"].values
    axes.axhline(1, color=style.GREY, linewidth=2.2, zorder=1)
    for decay, colour in _colours(data).items():
        for name, (_, dashes) in USUAL.items():
            curve = data["usual_moved"].sel(decay=decay, usual=name)
            axes.plot(gap, curve, color=colour, linestyle=dashes)
    axes.set_yscale("log")
    axes.set_ylim(1e-3, 15)
    axes.set_xscale("log")
    axes.set_xlim(1.15, float(gap.min()))
    axes.set_xticks(TICKS, [f"{1 - tick:.7g}" for tick in TICKS], fontsize=6)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(r"real eigenvalue $\lambda$")
    ends = {
        name: float(data["usual_moved"].sel(usual=name)[0, -1])
        for name in ("LRU", "tanh")
    }
    style.end_labels(
        *(axes, float(gap.min())),
        [ends["LRU"], 1, ends["tanh"]],
        ["LRU", "optimal", "tanh"],
        [style.BLACK, style.GREY, style.BLACK],
        apart=0.1,
    )


def shown(results: style.Results) -> str:
    """The range of each usual parametrisation's effect relative to the optimal one."""
    moved = results[STUDY]["usual_moved"]

    def ends(name: str, gain: str) -> str:
        effect = moved.sel(usual=name, gain=gain)
        return f"{float(effect.min()):.1g} to {float(effect.max()):.2g}"

    return " ".join(
        f"In the {name} parametrisation, a unit step changes the state (A) by "
        f"{ends(name, GAIN['a'])} times the optimal mean square and has "
        f"{ends(name, GAIN['b'])} times the optimal curvature (B)."
        for name in USUAL
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-parametrisations")
