"""Zucchet & Orvieto (2024), Figure 12: the autocorrelation of inputs, and a fit."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from sigprop.figures import style

STUDY = "embedding_correlation"
STUDIES = {"a": STUDY}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """The autocovariance over the lag with its interval, the paper's fit and ours.

    Raises:
        ValueError: If there is no such panel.
    """
    style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    one = data.sel(input="embeddings").dropna("lag", subset=["R"])
    lag = one["lag"].values
    with style.styled():
        drawn = style.figure(2.6)
        axes = drawn.subplots()
        axes.fill_between(
            lag, one["low"], one["high"], color=style.BLUE, alpha=0.25, linewidth=0
        )
        axes.plot(lag, one["R"], color=style.BLUE, label=data.attrs["source"])
        axes.plot(lag, one["paper"], color=style.BLACK, label="the paper's fit")
        line = one["line"].values
        axes.plot(
            lag, line, "--", color=style.VERMILION, label="our fit, as the paper's"
        )
        axes.set_yscale("log")
        axes.set(xlabel=r"lag $\Delta$", ylabel=r"$R_x(\Delta)$")
        axes.legend(loc="upper right")
        style.letter(axes, "a", "autocovariance, averaged over features")
        style.caption(drawn, "band: 95 % interval, by a bootstrap over sequences")
    return drawn


def shown(results: style.Results) -> str:
    """The fits to the main input, and whether its interval holds the paper's."""
    data = results[STUDY]
    one = data.sel(input="embeddings").dropna("lag", subset=["R"])
    a, b, rho = (float(x) for x in one["terms"])
    inside = (one["low"] <= one["paper"]) & (one["paper"] <= one["high"])
    others = [
        f"{name} {_half(data.sel(input=name))}"
        for name in data["input"].values
        if name != "embeddings"
    ]
    return (
        f"R(0) is {float(one['R'][0]):.4f}. The fit is {a:.3f} at lag 0 plus {b:.4f} x "
        f"{rho:.4f}^lag. The paper's fit, 0.332 and 0.044 x 0.997^lag, lies in the interval "
        f"at {float(inside.mean()):.0%} of the lags. R falls to half of R(1) at these lags: "
        f"embeddings {_half(one)}, {', '.join(others)}."
    )


def _half(one: xr.Dataset) -> str:
    R = one["R"].dropna("lag").values
    below = np.flatnonzero(R[1:] < 0.5 * R[1])
    return str(int(below[0]) + 1) if below.size else f"over {len(R) - 1}"
