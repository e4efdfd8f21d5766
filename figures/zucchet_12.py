"""Zucchet & Orvieto (2024), Figure 12: the autocovariance of inputs, and a fit."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "embedding_correlation"
ENTRY = Entry(
    {"a": STUDY},
    "The autocovariance of the inputs of deep networks, and its fit",
    reduced="Inputs are 192 random features with the autocovariance of the paper's fit; "
    "the paper uses embeddings.",
    rows=("zucchet:fig12", "zucchet:fig12:fit"),
)
SAMPLED = "stand-in"  # the source of inputs that were drawn from the paper's fit
PAPER = {"a": 0.332, "b": 0.044, "rho": 0.997}
TERMS = {
    "a": "variance of white noise",
    "b": "factor of the exponential",
    "rho": "ratio of the exponential at neighbouring lags",
}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """The panel shows the autocovariance of the inputs against the lag.

    The curves are the measured values with their 95 % interval, the paper's fit and our fit.

    Raises:
        ValueError: If there is no such panel.
    """
    ENTRY.chosen(panel)
    data = results[STUDY]
    embeddings = data.sel(input="embeddings").dropna("lag", subset=["R"])
    lag = embeddings["lag"].values
    with style.styled():
        figure = style.figure(2.6)
        axes = figure.subplots()
        axes.fill_between(
            lag,
            embeddings["low"],
            embeddings["high"],
            color=style.BLUE,
            alpha=0.25,
            linewidth=0,
        )
        axes.plot(lag, embeddings["R"], color=style.BLUE, label=_name(data))
        axes.plot(lag, embeddings["paper"], color=style.BLACK, label="the paper's fit")
        line = embeddings["line"].values
        axes.plot(lag, line, "--", color=style.VERMILION, label="our fit of this form")
        axes.set_yscale("log")
        axes.set(xlabel=r"lag $\Delta$", ylabel=r"$R_x(\Delta)$")
        axes.legend(loc="upper right")
        style.letter(axes, "a", "autocovariance, averaged over features")
        style.caption(figure, "band: 95 % interval from a bootstrap over sequences")
    return figure


def shown(results: style.Results) -> str:
    """Compare embeddings with the paper's fit; give the lags at which R halves.

    Inputs that were sampled from the fit are not compared with it.
    """
    data = results[STUDY]
    embeddings = data.sel(input="embeddings").dropna("lag", subset=["R"])
    others = [
        f"{_half(data.sel(input=name))} for {name}"
        for name in data["input"].values
        if name != "embeddings"
    ]
    halves = " and ".join([f"{_half(embeddings)} for {_name(data)}", *others])
    return (
        f"The autocovariance R at lag 0 is {float(embeddings['R'][0]):.3g}. "
        f"{_comparison(data, embeddings)} R falls to half of R(1) at these lags: {halves}."
    )


def _comparison(data: xr.Dataset, embeddings: xr.Dataset) -> str:
    """At how many lags the paper's fit lies in the measured interval."""
    if data.attrs["source"] == SAMPLED:
        return "The inputs are sampled from the paper's fit, so they cannot test it."
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
