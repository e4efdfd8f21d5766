"""Adam's effective rates against the norms of the Hessian's rows, and its diagonal."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import losses, style

STUDY = "hessian_structure"
NETWORKS = {"a": "RNN", "b": "complex diagonal", "c": "LRU", "d": "S4"}
STUDIES = dict.fromkeys(NETWORKS, STUDY)
CAPTION = (
    "every parameter of one network about its optimum: filled, by the norm of its row of "
    "the Hessian; open, by the root of its diagonal entry; the line has slope −1 and goes "
    "through the median of the filled ones"
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Effective rates by the norm of each row, and by the root of each diagonal entry.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    with style.styled():
        drawn = style.figure(2.8, 0.5 + 1.25 * max(len(letters), 2))
        row = drawn.subplots(1, len(letters), sharex=True, sharey=True, squeeze=False)
        row = row[0]
        for axes, letter in zip(row, letters, strict=True):
            name = NETWORKS[letter]
            _rates(axes, data.sel(network=name), losses.COLOURS[name])
            axes.set_xlabel(r"$\Vert H_i \Vert$,  $\sqrt{H_{ii}}$")
            style.letter(axes, letter, name, size=7)
        row[0].set_ylabel("effective learning rate of Adam\n(parameter units a step)")
        style.caption(drawn, CAPTION)
    return drawn


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
    """How much less the product of rate and norm varies than the rate alone."""
    said = []
    for name in NETWORKS.values():
        rate, rows, _ = _finite(results[STUDY].sel(network=name))
        spread, left = (np.ptp(np.log10(values)) for values in (rate, rate * rows))
        said.append(f"{name} {spread:.1f} and {left:.1f}")
    return (
        "The effective rates, and the rates times the row norms, span these decades: "
        f"{', '.join(said)}."
    )


def _finite(data: xr.Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of a network's parameters: rates, norms of rows, and roots of the diagonal."""
    rate = data["effective_rate"].values
    kept = np.isfinite(rate)
    hessian = data["hessian"].values[np.ix_(kept, kept)]
    return rate[kept], np.linalg.norm(hessian, axis=1), np.sqrt(np.diag(hessian))
