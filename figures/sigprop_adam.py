"""A figure of sigprop, not from a paper: Adam's rates and the Hessian's row norms."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sigprop.figures import losses, phrases, style
from sigprop.figures.entry import Entry

STUDY = "hessian_structure"
NETWORKS = {"a": "RNN", "b": "complex diagonal", "c": "LRU", "d": "S4"}
ENTRY = Entry(
    dict.fromkeys(NETWORKS, STUDY),
    "Adam's effective rates fall as the inverse norms of the Hessian's rows",
)
CAPTION = (
    "The effective learning rate of a parameter is Adam's step for a gradient of one. Each "
    "panel has every parameter of one network near its optimum. On the grey "
    "line, rate times norm is the median of this product over the filled points."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Each panel shows Adam's effective learning rates in one network.

    Points are plotted against the norm of each row of the Hessian, and against the square
    root of its diagonal entry.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(
            2.9 if len(letters) > 1 else 3.2, 0.5 + 1.25 * max(len(letters), 2)
        )
        row = figure.subplots(1, len(letters), sharex=True, sharey=True, squeeze=False)
        row = row[0]
        for axes, letter in zip(row, letters, strict=True):
            name = NETWORKS[letter]
            _rates(axes, data.sel(network=name), losses.COLOURS[name])
            axes.set_xlabel(r"$\Vert H_i \Vert$ or $\sqrt{H_{ii}}$")
            style.letter(axes, letter, name, size=7)
        row[0].set_ylabel("effective learning rate of Adam\n(parameter units / step)")
        _key(figure, len(letters))
        style.caption(figure, CAPTION)
    return figure


def _key(figure: Figure, panels: int) -> None:
    """Explain the marks above the panels."""
    look = {"color": style.BLACK, "marker": "o", "linestyle": "", "markersize": 3}
    keys = [
        Line2D([], [], label=r"norm of the row, $\Vert H_i \Vert$", **look),
        Line2D(
            *([], []),
            markerfacecolor="none",
            markeredgewidth=0.6,
            label=r"root of the diagonal, $\sqrt{H_{ii}}$",
            **look,
        ),
        Line2D([], [], color=style.GREY, linewidth=0.8, label=r"rate $\propto 1/x$"),
    ]
    figure.legend(
        handles=keys,
        loc="outside upper center",
        ncols=len(keys) if panels > 1 else 1,
        handlelength=1.4,
    )


def _rates(axes: Axes, data: xr.Dataset, colour: str) -> None:
    rate, rows, diag = _finite(data)
    ends = np.array([min(rows.min(), diag.min()), max(rows.max(), diag.max())])
    axes.plot(ends, np.median(rate * rows) / ends, color=style.GREY, lw=0.8, zorder=1)
    axes.plot(
        diag, rate, "o", mfc="none", color=colour, markersize=3, mew=0.6, alpha=0.7
    )
    axes.plot(rows, rate, "o", color=colour, markersize=3, mew=0)
    axes.set_xscale("log")
    axes.set_yscale("log")


def shown(results: style.Results) -> str:
    """The ranges of the rates, and of their products with row norms and with diagonals."""
    data = results[STUDY]
    rates, products = zip(*_decades(data).values(), strict=True)
    networks = [_finite(data.sel(network=name)) for name in NETWORKS.values()]
    roots = [float(np.ptp(np.log10(rate * diag))) for rate, _, diag in networks]
    middle = [float(np.median(rate * rows)) for rate, rows, _ in networks]
    return (
        f"Adam's effective learning rates span {phrases.span(rates, '.1f')} decades within "
        "one network. The products of a rate and the norm of its row of the Hessian span "
        f"{phrases.span(products, '.1f')} decades; products with the root of the diagonal span "
        f"{phrases.span(roots, '.1f')}. The median product of rate and norm is "
        f"{phrases.span(middle, '.0f')}, depending on the network."
    )


def details(results: style.Results) -> style.Cells:
    """The ranges of rates and of their products with the row norms, by network."""
    return (
        ("range in decades", "effective rates", "rates times row norms"),
        *(
            (name, f"{rates:.1f}", f"{products:.1f}")
            for name, (rates, products) in _decades(results[STUDY]).items()
        ),
    )


def _decades(data: xr.Dataset) -> dict[str, tuple[float, float]]:
    """Decades between the smallest and largest rate, and product with the row norm."""
    decades = {}
    for name in NETWORKS.values():
        rate, rows, _ = _finite(data.sel(network=name))
        spread, left = (
            float(np.ptp(np.log10(values))) for values in (rate, rate * rows)
        )
        decades[name] = spread, left
    return decades


def _finite(data: xr.Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rates, row norms and roots of the diagonal, where there is a rate."""
    rate = data["effective_rate"].values
    finite = np.isfinite(rate)
    hessian = data["hessian"].values[np.ix_(finite, finite)]
    return rate[finite], np.linalg.norm(hessian, axis=1), np.sqrt(np.diag(hessian))


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-adam")
