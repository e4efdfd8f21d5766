"""Orvieto et al. (2023), Figure 6: the spectrum of an oscillation after a ReLU."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "relu_leakage"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Spectrum of an oscillation after a ReLU",
    rows=("lru:fig6",),
)
SIGNALS = {"sine": ("sine", style.BLUE), "rectified": ("rectified", style.VERMILION)}
FLOOR = 5e-4  # of the amplitudes that are shown
FIRST = 3  # frequencies whose power has a column of its own
CROSS: dict[str, Any] = {"markersize": 6, "markeredgewidth": 0.7, "zorder": 3}
WIDTHS = {"a": 1.5, "b": 2.3, "c": 1.7}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows a sine before and after a ReLU, panel B the spectra of both signals.

    Panel C shows the share of the power at each frequency.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    panels = {"a": _signals, "b": _spectra, "c": _shares}
    widths = [WIDTHS[letter] for letter in letters]
    with style.styled():
        figure = style.figure(2.5, max(sum(widths), 2.4))
        row = figure.subplots(1, len(letters), squeeze=False, width_ratios=widths)[0]
        for axes, letter in zip(row, letters, strict=True):
            panels[letter](axes, data)
        if "b" in letters:
            style.caption(figure, _nothing_else(data))
    return figure


def _signals(axes: Axes, data: xr.Dataset) -> None:
    turn = data["turn"].values
    for signal, (name, colour) in SIGNALS.items():
        axes.plot(turn, data["value"].sel(signal=signal), color=colour, label=name)
    axes.set(xlim=(0, 2), ylim=(-1.1, 1.6), yticks=(-1, 0, 1), xlabel="periods")
    axes.set_ylabel("signal")
    axes.legend(loc="upper right", ncols=2, columnspacing=0.8, handlelength=0.7)
    style.letter(axes, "a", "signals")


def _spectra(axes: Axes, data: xr.Dataset) -> None:
    """Numerical coefficients as points on the exact lines, and the printed values."""
    frequency, harmonic = data["frequency"].values, data["harmonic"].values
    for signal, (name, colour) in SIGNALS.items():
        spectrum = data.sel(signal=signal)
        exact, measured = spectrum["exact"].values, spectrum["amplitude"].values
        lines, points = exact > 0, measured > FLOOR
        axes.vlines(harmonic[lines], FLOOR, exact[lines], colour, linewidth=1)
        axes.plot(
            frequency[points],
            measured[points],
            "o",
            color=colour,
        )
        axes.plot(harmonic[lines], exact[lines], "+", color=style.BLACK, **CROSS)
        axes.annotate(
            name,
            (1, exact[1]),
            (6, -2.5),
            textcoords="offset points",
            va="center",
            color=colour,
            fontsize=6,
        )
    printed = data["printed"].values
    shown = printed > 0
    axes.plot(
        harmonic[shown],
        printed[shown],
        "o",
        color=style.GREY,
        markerfacecolor="none",
        markeredgewidth=0.7,
    )
    axes.annotate(
        "as printed, Eq. 8",
        (6, printed[6]),
        (4, 3),
        textcoords="offset points",
        va="bottom",
        color=style.GREY,
        fontsize=6,
    )
    axes.set(yscale="log", ylim=(FLOOR, 3), xlim=(-0.6, harmonic[-1] + 0.6))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xticks(harmonic[::2])
    axes.set_xlabel("harmonic $n$ of the sine")
    axes.set_ylabel(r"Fourier coefficient $|c_n|$", labelpad=1)
    key = [
        Line2D([], [], ls="", marker="o", color=style.BLACK, label="FFT"),
        Line2D([], [], ls="", marker="+", color=style.BLACK, label="exact", **CROSS),
    ]
    axes.legend(handles=key, loc="upper right", borderaxespad=0)
    style.letter(axes, "b", "spectra")


def _nothing_else(data: xr.Dataset) -> str:
    """Describe crosses, printed values, and numerical ones where the exact ones are zero."""
    spectrum = data.sel(signal="rectified")
    lines = data["harmonic"].values[spectrum["exact"].values > 0]
    coefficients = spectrum["amplitude"].values[
        ~np.isin(data["frequency"].values, lines)
    ]
    printed, exact = data["printed"].values, spectrum["exact"].values
    ratio = np.median((printed / np.where(exact > 0, exact, np.nan))[printed > 0])
    return (
        "Crosses in B and C are exact values. Open grey circles are the coefficients of the "
        f"paper's Eq. 8 as printed, which are {ratio:.3g} times the exact ones (2π = 6.28). At "
        "odd harmonics above one, and between harmonics, the exact spectrum is zero and the "
        f"FFT has at most {style.number(float(coefficients.max()), 1)}."
    )


def _shares(axes: Axes, data: xr.Dataset) -> None:
    """Power by frequency: columns by the transform, crosses exact; the last is the rest."""
    columns = np.arange(FIRST + 1)
    for side, (signal, (name, colour)) in zip((-1, 1), SIGNALS.items(), strict=True):
        spectrum, x = data.sel(signal=signal), columns + 0.2 * side * _shared(data)
        measured, exact = (
            100 * _first(spectrum[name]) for name in ("share", "exact_share")
        )
        some = exact > 0
        axes.bar(x[some], measured[some], 0.38, color=colour, label=name)
        axes.plot(x[some], exact[some], "+", color=style.BLACK, **CROSS)
        if signal == "rectified":
            for left, height, both in zip(x, exact, _shared(data), strict=True):
                axes.annotate(
                    f"{height:.1f}",
                    (left, height),
                    (-3 * both, 3.5),
                    textcoords="offset points",
                    ha="left" if both else "center",
                    color=colour,
                    fontsize=6,
                )
    axes.set_xticks(columns, [*map(str, columns[:-1]), rf"$\geq {FIRST}$"])
    axes.set_xlabel("harmonic $n$ of the sine")
    axes.set_ylabel("share of the power (%)")
    axes.legend(loc="upper right", borderaxespad=0, handlelength=1)
    style.letter(axes, "c", "power")


def _shared(data: xr.Dataset) -> np.ndarray:
    """The columns at which both signals have power."""
    return np.all([_first(data["exact_share"].sel(signal=of)) > 0 for of in SIGNALS], 0)


def _first(share: xr.DataArray) -> np.ndarray:
    """The first frequencies' shares, and what is left."""
    first = share.values[:FIRST]
    return np.append(first, 1 - first.sum())


def shown(results: style.Results) -> str:
    """The power by frequency, and the error of the numerical transform."""
    data = results[STUDY]
    rectified = data.sel(signal="rectified")
    zero, line = (100 * float(rectified["share"][index]) for index in (0, 1))
    measured = rectified["amplitude"].sel(frequency=data["harmonic"], method="nearest")
    off = float(abs(measured.values - rectified["exact"].values).max())
    return (
        f"After the ReLU, {line:.3g} % of the power is at the sine's frequency, {zero:.3g} % "
        f"at frequency zero and {100 - line - zero:.2g} % at higher frequencies. For a sine of "
        "amplitude one, numerical and exact Fourier coefficients differ by at most "
        f"{style.number(off, 1)}."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-6")
