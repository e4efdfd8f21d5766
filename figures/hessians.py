"""A Hessian at optimality: its entries, leading eigenvectors and spectrum."""

import json
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure, SubFigure
from matplotlib.image import AxesImage
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from sigprop.figures import losses, phrases, rates, style
from sigprop.figures.entry import chosen_panels

DECADES = 5  # of the colours, below the largest entry
SHOWN = 1e-9  # of the largest eigenvalue: smaller ones are rounding
MAP = "RdBu_r"
NAMES = rates.RECURRENT | rates.OTHER
HEIGHT = 2.0  # inches of a row
CAPTION = (
    "Colours of Hessian entries are linear near 0 and logarithmic beyond. Eigenvectors are "
    "those of the largest curvatures, with colours from −1 to 1. Error bars are two standard "
    "errors. Dashed lines are the largest stable curvature, i.e. 2 / the learning rate at "
    "which gradient descent diverged."
)


def groups(names: np.ndarray) -> list[tuple[str, int, int]]:
    """Return runs of parameters with one symbol: symbol, first row, row after the last."""
    runs: list[tuple[str, int, int]] = []
    for row, name in enumerate(names):
        symbol = NAMES[str(name)]
        if runs and runs[-1][0] == symbol:
            runs[-1] = (symbol, runs[-1][1], row + 1)
        else:
            runs.append((symbol, row, row + 1))
    return runs


def matrix(
    axes: Axes, entries: np.ndarray, decades: int = DECADES, most: float | None = None
) -> AxesImage:
    """Entries by symmetric-logarithmic colours, up to ``most`` or the largest in size."""
    end = float(np.abs(entries).max()) if most is None else most
    norm = SymLogNorm(end / 10**decades, vmin=-end, vmax=end, base=10)
    image = axes.imshow(entries, MAP, norm=norm, interpolation="nearest")
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return image


def scale(
    figure: SubFigure,
    axes: Axes,
    image: AxesImage,
    decades: int = DECADES,
    **where: Any,
) -> None:
    """The colours of a ``matrix`` beside it, and over how many decades they go."""
    bar = figure.colorbar(image, ax=axes, aspect=24, pad=0.03, **where)
    top = int(np.floor(np.log10(image.norm.vmax or 1.0)))
    powers = top, top - decades + 1
    ticks = {sign * 10.0**power: (sign, power) for power in powers for sign in (-1, 1)}
    texts = [f"${'-' * (sign < 0)}10^{{{power}}}$" for sign, power in ticks.values()]
    bar.set_ticks([*ticks, 0], labels=[*texts, "0"])
    bar.minorticks_off()
    bar.ax.tick_params(labelsize=6, length=2, pad=1)
    bar.set_label(f"symmetric log, {decades} decades", fontsize=6, labelpad=1)
    bar.outline.set_visible(False)


def rank(eigenvalues: np.ndarray) -> np.ndarray:
    """Return a mask of the eigenvalues that exceed rounding errors."""
    return eigenvalues > SHOWN * np.nanmax(eigenvalues)


def gaps(axes: Axes, ends: list[int], columns: bool = True) -> None:
    """White lines between groups of rows, and of columns."""
    for end in ends[:-1]:
        axes.axhline(end - 0.5, color="white", lw=1.6)
        if columns:
            axes.axvline(end - 0.5, color="white", lw=1.6)


def spectrum(axes: Axes, network: xr.Dataset, colour: str) -> None:
    """Eigenvalues in falling order from three methods, and the largest stable curvature."""
    exact, autodiff = network["eigenvalue"].values, network["autodiff"].values
    ranks, nonzero = np.arange(1, len(exact) + 1), rank(exact)
    axes.plot(ranks[nonzero], exact[nonzero], color=colour, lw=0.9, label="closed form")
    axes.plot(
        *(ranks[nonzero], autodiff[nonzero], "o"),
        color=colour,
        markersize=4,
        markerfacecolor="white",
        label="autodiff",
    )
    mean, error = network["simulated"].values, network["simulated_sem"].values
    shown = nonzero[: len(mean)]
    axes.errorbar(
        ranks[: len(mean)][shown],
        mean[shown],
        2 * error[shown],
        fmt="x",
        color=style.BLACK,
        markersize=3,
        lw=0.8,
        label="simulated",
    )
    bound = 2 / network["measured_bound"].item()
    axes.axhline(bound, color=style.GREY, ls="--", lw=0.8, label="stability limit")
    axes.legend(
        loc="upper right",
        bbox_to_anchor=(1.08, 0.83),
        fontsize=6,
        labelspacing=0.2,
        borderaxespad=0,
        handlelength=1.2,
    )
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(numticks=6))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("rank of the eigenvalue")
    axes.set_ylabel("eigenvalue")
    axes.set_title("spectrum")


def panel(
    figure: SubFigure, data: xr.Dataset, letter: str, network: str, most: float
) -> Axes:
    """One network: map, directions and spectrum; draw inside ``style.styled``.

    Args:
        figure: A part of a figure.
        data: The result of ``hessian_structure``.
        letter: Of the panel.
        network: Its name there.
        most: The entry with the deepest colour.

    Returns:
        The axes of the spectrum.
    """
    result = data.sel(network=network)
    names = result["parameter"].values
    size = int(np.sum(names != ""))
    parts = groups(names[:size])
    ends = [end for _, _, end in parts]
    middles = [(first + end - 1) / 2 for _, first, end in parts]
    symbols = [symbol for symbol, _, _ in parts]
    whole, vectors, values = figure.subplots(1, 3, width_ratios=(1.55, 0.6, 1.25))
    image = matrix(whole, result["hessian"].values[:size, :size], most=most)
    scale(figure, whole, image)
    gaps(whole, ends)
    whole.set_xticks(middles, symbols, rotation=90 if len(symbols) > 4 else 0)
    style.letter(whole, letter, f"{network}: Hessian")
    nonzero = rank(result["eigenvalue"].values)
    top = result["eigenvector"].values[: np.sum(nonzero), :size].T
    shades = vectors.imshow(
        top, MAP, vmin=-1, vmax=1, aspect="auto", interpolation="nearest"
    )
    bar = figure.colorbar(shades, ax=vectors, aspect=24, pad=0.06, ticks=(-1, 0, 1))
    bar.ax.tick_params(labelsize=6, length=2, pad=1)
    bar.outline.set_visible(False)
    gaps(vectors, ends, columns=False)
    vectors.set_xticks((0, top.shape[1] - 1), ("1", str(top.shape[1])))
    vectors.set_xlabel("rank")
    vectors.set_title("eigenvectors")
    vectors.tick_params(length=0)
    for axes in (whole, vectors):
        axes.set_yticks(middles, symbols)
    spectrum(values, result, losses.COLOURS[network])
    return values


STUDIES = dict.fromkeys("ab", "hessian_structure") | dict.fromkeys(
    "cd", "adaptive_rates"
)


def draw(results: style.Results, wanted: str | None, first: str, second: str) -> Figure:
    """Hessians at optimality, and effective learning rates of Adam after training.

    Args:
        results: Those of ``STUDIES`` that the panels need.
        wanted: One of the panels; all of them if left out.
        first: Name of the network of panels a and c.
        second: Of b and d.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = chosen_panels(wanted, STUDIES)
    networks = {letter: first if letter in "ac" else second for letter in letters}
    above = {key: name for key, name in networks.items() if key in "ab"}
    below = {key: name for key, name in networks.items() if key in "cd"}
    height = HEIGHT if len(above) > 1 else 1.2 * HEIGHT  # a key takes room alone, too
    heights = [height] * len(above) + [2.8] * bool(below)
    width = style.WIDTH if above else rates.width(len(below))
    with style.styled():
        figure = style.figure(sum(heights), width)
        rows = style.stacked(figure, heights)
        if above:
            _rows(rows, results["hessian_structure"], above)
        if below:
            rates.row(rows[-1], results["adaptive_rates"], below)
        notes = [CAPTION] * bool(above) + [rates.CAPTION] * bool(below)
        style.caption(figure, *notes, *_sizes(results, above, below))
    return figure


def _rows(parts: list[SubFigure], data: xr.Dataset, networks: dict[str, str]) -> None:
    """A row for each network, all with the same colours and the same eigenvalues."""
    shown = data["hessian"].sel(network=list(networks.values()))
    most = float(np.abs(shown).max())
    spectra = [
        panel(part, data, letter, network, most)
        for part, (letter, network) in zip(parts, networks.items(), strict=False)
    ]
    limits = [limit for axes in spectra for limit in axes.get_ylim()]
    for axes in spectra:
        axes.set_ylim(min(limits), max(limits))


def _sizes(
    results: style.Results, above: dict[str, str], below: dict[str, str]
) -> list[str]:
    """Number the hidden neurons of the networks in both kinds of panels."""
    sentences = []
    if above:
        data, network = results["hessian_structure"], next(iter(above.values()))
        neurons = _neurons(data["parameter"].sel(network=network))
        nu0 = json.loads(data.attrs["config"])["nu0"]
        sentences.append(
            f"Networks in {_letters(above)} have {neurons} hidden neurons and eigenvalues of "
            f"modulus {nu0:g} to 1."
        )
    if below:
        data, network = results["adaptive_rates"], next(iter(below.values()))
        own = data["entry_parameter"].values[data["entry_network"].values == network]
        sentences.append(
            f"Networks in {_letters(below)} have {_neurons(own)} hidden neurons, and "
            "rates are those at the end of training."
        )
    return [" ".join(sentences)]


def _letters(panels: dict[str, str]) -> str:
    return phrases.listed([letter.upper() for letter in panels])


def _neurons(names: Any) -> int:
    """The number of hidden neurons, each of which has one input weight."""
    return int(np.isin(names, ("B", "B_re")).sum())
