"""A figure of sigprop, not from a paper: usual and optimal parametrisations."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter, NullLocator

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
    "a": r"$\gamma^2\,\mathbb{E}[(\mathrm{d}_\omega h)^2]$ / optimal",
    "b": r"$\mathrm{d}^2 L / \mathrm{d}\omega^2$ / optimal",
}
USUAL = {"LRU": (style.BLACK, (0, (1, 1))), "tanh": (style.BLACK, (0, (4, 1.5)))}
TICKS, BETWEEN = (1, 1e-2, 1e-4, 1e-6), (1e-1, 1e-3, 1e-5)
LIMITS = {"matched": 5e-3, "loss": 1e-5}  # below which no effect lies
FROM = 0.5  # smallest eigenvalue in the sentences
ALIKE = 1.02  # ratio of two ends that share a label

CAPTION = (
    r"The parameter is $\omega$, the gain $\gamma$ and the loss $L$. Inputs have the "
    r"autocovariance $\rho^{|\Delta|}$. In the optimal parametrisation, a unit step has the "
    "same effect at every eigenvalue; effects in the lower row are relative to that effect. "
    "In the upper row, only the optimal step depends on ρ; LRU and tanh have one line each."
)
SIGNS = "In B, the curves of ρ and -ρ are the same."


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """The upper row shows the step of the eigenvalue for a unit step of its parameter.

    The lower row shows how much that step changes the normalised state or the loss.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(4.2 if panel is None else 5.2, 0.4 + 2.55 * len(letters))
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
        caption = CAPTION if panel == "a" else f"{CAPTION} {SIGNS}"
        style.caption(figure, caption)
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
        ncols=3,  # the lines in one column, the colours in the others
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
        r"step $\frac{\mathrm{d}\lambda}{\mathrm{d}\omega}$ relative to $1-\lambda$"
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
    axes.set_ylim(LIMITS[data["gain"].item()], 15)
    axes.set_xscale("log")
    axes.set_xlim(1.15, float(gap.min()))
    axes.set_xticks(TICKS, [f"{1 - tick:.7g}" for tick in TICKS])
    axes.set_xticks(BETWEEN, minor=True)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(r"real eigenvalue $\lambda$")
    ends = {"optimal": 1.0} | {
        name: float(data["usual_moved"].sel(usual=name)[0, -1]) for name in USUAL
    }
    like = [name for name, end in ends.items() if 1 / ALIKE < end < ALIKE]
    rest = [name for name in ends if name not in like]
    style.end_labels(
        *(axes, float(gap.min())),
        [1, *(ends[name] for name in rest)],
        [", ".join(like), *rest],
        [style.GREY, *(style.BLACK for _ in rest)],
    )


def shown(results: style.Results) -> str:
    """The range of each usual parametrisation's effect relative to the optimal one."""
    data = results[STUDY]
    moved = data["usual_moved"].sel(gap=data["gap"] <= 1 - FROM)

    def ends(name: str, gain: str) -> str:
        effect = moved.sel(usual=name, gain=GAIN[gain])
        low, high = float(effect.min()), float(effect.max())
        return f"{style.number(low, 1)} to {style.number(high)}"

    return (
        f"For λ ≥ {FROM}, the mean squared change of the state (A) is {ends('LRU', 'a')} times "
        f"the optimal one for LRU and {ends('tanh', 'a')} times for tanh. The curvature of the "
        "loss (B) is "
        f"{ends('LRU', 'b')} times the optimal one for LRU and {ends('tanh', 'b')} times for "
        "tanh. The LRU's step vanishes at λ = 0."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-parametrisations")
