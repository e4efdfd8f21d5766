"""Zucchet & Orvieto (2024), Figure 12: the autocovariance of inputs, and a fit."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import curves, style
from sigprop.figures.entry import Entry

STUDY = "embedding_correlation"
ENTRY = Entry(
    {"a": STUDY},
    "The autocovariance of random inputs sampled from the paper's fit",
    reduced="Inputs have 192 features.",
    full="sigprop figure zucchet-12 --preset full",
    differs="Inputs are random, with the autocovariance of the paper's fit; the paper uses "
    "embeddings.",
    rows=("zucchet:fig12", "zucchet:fig12:fit"),
)
SAMPLED = "stand-in"  # the source of inputs that were drawn from the paper's fit
EVERY = 16  # lags between points
LEFT_OUT = 1 / 16  # of the lags, the longest: few products are averaged at each
PAPER = {"a": 0.332, "b": 0.044, "rho": 0.997}
TERMS = {
    "a": "variance of white noise",
    "b": "factor of the exponential",
    "rho": "ratio of the exponential at neighbouring lags",
}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """The upper panel shows the autocovariance of the sampled inputs against the lag.

    The lower panel shows its relative difference from the paper's fit.

    Raises:
        ValueError: If there is no such panel.
    """
    ENTRY.chosen(panel)
    data = results[STUDY]
    measured = _main(data)
    with style.styled():
        figure = style.figure(3.0)
        axes, strip = curves.stacked(figure, figure.add_gridspec(1, 1)[0])
        _autocovariance(axes, measured, data)
        _difference(strip, measured)
        sampled = data.attrs["source"] == SAMPLED
        of = "inputs sampled from the paper's fit" if sampled else "embeddings"
        axes.set_title(f"autocovariance of {of}")
        style.caption(
            figure,
            "The band is a 95 % interval from a bootstrap over sequences. Lags above "
            f"{int(measured['lag'][-1])} are left out: few products are averaged there. The "
            "ring is the fit at lag 0, where it has the variance of the white noise, too.",
        )
    return figure


def _autocovariance(axes: Axes, measured: xr.Dataset, data: xr.Dataset) -> None:
    """Measured values, and the fits from lag 1 on."""
    lag, later = measured["lag"].values, measured.isel(lag=slice(1, None))
    axes.plot(
        lag,
        measured["R"],
        "o",
        color=style.BLUE,
        markersize=3,
        markevery=[*range(0, len(lag), EVERY)],
        label=_name(data),
    )
    exponential = rf"{PAPER['b']:g} \times {PAPER['rho']:g}^\Delta"
    fit = rf"the paper's fit, ${PAPER['a']:g}\,\delta_{{\Delta=0}} + {exponential}$"
    axes.plot(later["lag"], later["paper"], color=style.BLACK, zorder=1, label=fit)
    axes.plot(0, measured["paper"][0], "o", color=style.BLACK, mfc="none", markersize=5)
    if data.attrs["source"] != SAMPLED:
        label = "our fit of this form"
        axes.plot(later["lag"], later["line"], "--", color=style.VERMILION, label=label)
    axes.annotate(
        f"$R_x(0) = {float(measured['R'][0]):.3g}$",
        (0, float(measured["R"][0])),
        (6, 0),
        textcoords="offset points",
        va="center",
        color=style.BLUE,
        fontsize=7,
    )
    axes.set_ylabel(r"$R_x(\Delta)$")
    axes.legend(loc="upper right")
    style.plain_log(axes)


def _difference(strip: Axes, measured: xr.Dataset) -> None:
    """The measured interval relative to the paper's fit, in percent."""
    lag = measured["lag"].values
    middle, low, high = (
        100 * (measured[name] / measured["paper"] - 1) for name in ("R", "low", "high")
    )
    strip.fill_between(lag, low, high, color=style.BLUE, alpha=0.3, linewidth=0)
    strip.plot(lag, middle, color=style.BLUE, linewidth=0.8)
    strip.axhline(0, color=style.BLACK, linewidth=0.8, zorder=1)
    strip.set_xlabel(r"lag $\Delta$ (steps)")
    strip.set_ylabel("relative\ndifference (%)", fontsize=6)
    far = 1.1 * float(np.abs([low, high]).max())
    strip.set_ylim(-far, far)


def shown(results: style.Results) -> str:
    """Compare embeddings with the paper's fit; give the lag at which R halves.

    Inputs that were sampled from the fit are not compared with it.
    """
    data = results[STUDY]
    measured = _main(data)
    return (
        f"The autocovariance R of {_name(data)} is {float(measured['R'][0]):.3g} at lag 0 and "
        f"falls to half of R(1) at lag {_half(measured)}. {_comparison(data, measured)}"
    )


def _main(data: xr.Dataset) -> xr.Dataset:
    """The main input at all lags but the longest."""
    measured = data.sel(input="embeddings").dropna("lag", subset=["R"])
    return measured.isel(lag=slice(round((1 - LEFT_OUT) * measured.sizes["lag"])))


def _comparison(data: xr.Dataset, embeddings: xr.Dataset) -> str:
    """At how many lags the paper's fit lies in the measured interval."""
    if data.attrs["source"] == SAMPLED:
        return "The inputs are sampled from the paper's fit, so the agreement is no test of it."
    fit = embeddings["paper"]
    inside = (embeddings["low"] <= fit) & (fit <= embeddings["high"])
    return (
        "The paper's fit lies in the 95 % interval at "
        f"{100 * float(inside.mean()):.0f} % of the lags."
    )


def details(results: style.Results) -> style.Cells:
    """The terms of our fit and of the paper's."""
    terms = results[STUDY]["terms"].sel(input="embeddings")
    return (
        ("term of the fit", "our fit", "the paper's fit"),
        *(
            (name, f"{float(terms.sel(term=term)):.3g}", f"{PAPER[term]:g}")
            for term, name in TERMS.items()
        ),
    )


def _name(data: xr.Dataset) -> str:
    """The main input: samples, or embeddings from a file."""
    return "sampled inputs" if data.attrs["source"] == SAMPLED else "embeddings"


def _half(autocovariance: xr.Dataset) -> str:
    R = autocovariance["R"].dropna("lag").values
    below = np.flatnonzero(R[1:] < 0.5 * R[1])
    return str(int(below[0]) + 1) if below.size else f"over {len(R) - 1}"


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-12")
