"""Adam's effective learning rates for every parameter and every seed."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.ticker import LogLocator, NullLocator

from sigprop.figures import losses, style

RECURRENT = {
    "A": "$A$",
    "first": r"Re $\lambda$",
    "second": r"Im $\lambda$",
    "nu_log": r"$\omega_\nu$",
    "theta_log": r"$\omega_\theta$",
    "gamma_log": r"$\omega_\gamma$",
    "w_re": r"$\omega_A^\mathrm{re}$",
    "w_im": r"$\omega_A^\mathrm{im}$",
    "omega_delta": r"$\omega_\Delta$",
}
OTHER = {
    "B": "$B$",
    "B_re": "$B$",
    "B_im": "$B$",
    "C": "$C$",
    "C_re": "$C$",
    "C_im": "$C$",
    "D": "$D$",
}
SYMBOLS = {
    "RNN": "$A$",
    "complex diagonal": r"$\lambda$",
    "LRU": r"all $\omega$",
    "S4": r"all $\omega$",
}
GOLDEN = (np.sqrt(5) - 1) / 2  # its multiples, less their integers, fill [0, 1] evenly
CAPTION = (
    "An effective learning rate is the step that Adam makes for a gradient of one. Narrow "
    "panels show each seed: a dot is the median over its parameters, and a line contains 80 % "
    "of them. Grey lines are the learning rate given to Adam. All networks are "
    "initialised as printed in the paper."
)
WIDTH = 0.7  # of a column of points, in columns


def width(panels: int) -> float:
    """The width in inches of so many panels side by side."""
    return 0.2 + 2.65 * panels


def medians(data: xr.Dataset, networks: tuple[str, ...]) -> list[float]:
    """Adam's rates for the recurrent parameters at the end: medians of the seeds' medians."""
    last = data["rate"].isel(record=-1).sel(group="recurrent", quantile=0.5)
    sound = last.where(data["diverged"] < 0)
    return [float(sound[data["network"].values == name].median()) for name in networks]


def row(figure: SubFigure, data: xr.Dataset, networks: dict[str, str]) -> None:
    """A panel for each network, all with the same rates; draw inside ``style.styled``.

    Left in a panel, a point is a parameter of the first seed, and a bar the median of
    its column.  Right, a dot is the median over the parameters of a seed, and its line
    holds 80 % of them; recurrent parameters are in colour, the others black.  A seed that
    diverged is a cross above.

    Args:
        figure: A figure, or a part of one.
        data: The gathered ``adaptive_rates``.
        networks: Their names there, by letter.
    """
    panels = figure.subplots(
        1, 2 * len(networks), sharey=True, width_ratios=(3, 1.5) * len(networks)
    )
    panels[0].set_yscale("log")
    panels[0].yaxis.set_major_locator(LogLocator(numticks=10))
    panels[0].yaxis.set_minor_locator(NullLocator())
    panels[0].set_ylabel("effective learning rate\n(parameter units / step)")
    pairs = zip(panels[::2], panels[1::2], networks.items(), strict=True)
    for axes, side, (letter, network) in pairs:
        cells = data.isel(cell=data["network"] == network)
        entries = data.isel(entry=data["entry_network"] == network)
        _parameters(axes, entries, losses.COLOURS[network])
        _seeds(side, cells, losses.COLOURS[network], SYMBOLS[network])
        rate = 10 ** float(cells["log_rate"][0])
        for panel in (axes, side):
            panel.axhline(rate, color=style.GREY, zorder=1)
        style.letter(axes, letter, network)
    first = data["log_rate"].values[data["network"] == next(iter(networks.values()))]
    panels[0].annotate(
        "Adam's rate",
        (1, 10 ** float(first[0])),
        (0, 1.5),
        xycoords=panels[0].get_yaxis_transform(),
        textcoords="offset points",
        ha="right",
        color=style.GREY,
        fontsize=6,
    )
    figure.align_xlabels(panels)


def _parameters(axes: Axes, data: xr.Dataset, colour: str) -> None:
    names = data["entry_parameter"].values
    columns: dict[str, list[np.ndarray]] = {}
    for name, text in (RECURRENT | OTHER).items():
        if name in names:
            columns.setdefault(text, []).append(data["effective"].values[names == name])
    for x, (text, parts) in enumerate(columns.items()):
        rates = np.concatenate(parts)
        shade = colour if text in RECURRENT.values() else style.BLACK
        aside = WIDTH * (np.arange(1, len(rates) + 1) * GOLDEN % 1 - 0.5)
        axes.plot(
            x + aside,
            rates,
            ".",
            color=shade,
            markersize=2.4 if len(rates) < 500 else 1,
            alpha=0.6 if len(rates) < 500 else 0.25,
            markeredgewidth=0,
            rasterized=True,
        )
        axes.hlines(np.median(rates), x - WIDTH / 2, x + WIDTH / 2, shade, lw=1.4)
    axes.set_xlim(-0.6, len(columns) - 0.4)
    axes.set_xticks(range(len(columns)), columns)
    axes.tick_params(bottom=False)
    axes.set_xlabel("parameters of one seed\n(bars: medians)")


def _seeds(axes: Axes, cells: xr.Dataset, colour: str, symbol: str) -> None:
    last = cells["rate"].isel(record=-1)
    diverged = cells["diverged"].values >= 0
    count = cells.sizes["cell"]
    for start, group, shade in ((0, "recurrent", colour), (1, "other", style.BLACK)):
        x = start + WIDTH * np.linspace(-0.5, 0.5, count)
        rates = last.sel(group=group).transpose("quantile", "cell").values
        low, middle, high = rates[:, ~diverged]
        axes.vlines(x[~diverged], low, high, shade, lw=0.7)
        axes.plot(x[~diverged], middle, "o", color=shade, markersize=1.8)
        losses.crosses(axes, x[diverged], shade)
    axes.tick_params(left=False, bottom=False)
    axes.spines["left"].set_visible(False)
    axes.set_xlim(-0.6, 1.6)
    axes.set_xticks((0, 1), (symbol, "$B, C, D$"))
    axes.set_xlabel(f"{count} seeds\n(lines: 80 %)")
