"""Orvieto et al. (2023), Figure 5: normalisation and small phases, before training."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from sigprop.figures import style
from sigprop.figures.entry import Entry

STUDY = "normalisation"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "Normalisation and small phases on Pathfinder, before training",
    differs="The paper shows accuracies during training, of far larger networks. They are "
    "left out, because short trainings of small networks end near the accuracy of guessing.",
    full="sigprop train pathx --model phase --preset paper",
    rows=("lru:fig5",),
)
SETTINGS = {
    "ring": ("no normalisation", style.GREY),
    "gamma": (r"normalisation $\gamma$", style.BLUE),
    "phase": (r"$\gamma$ and small phases", style.VERMILION),
}
CHANCE, GUESS = 0.5, "random\nguess"  # of two classes
TITLES = {
    "a": ("untrained: loss", "loss (nats)"),
    "b": ("untrained: states", r"mean square $\mathbb{E}\,|h_i|^2$"),
}
BESIDE = 1.18  # ratio of image sizes at which neighbouring settings stand


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the loss of untrained networks against the image size, B their states.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    panels = {"a": _losses, "b": _powers}
    with style.styled():
        figure = style.figure(2.6, 0.7 + 2.4 * len(letters))
        row = figure.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            panels[letter](axes, data)
            title, label = TITLES[letter]
            style.letter(axes, letter, title)
            axes.set_ylabel(label)
        labels = row[0].get_legend_handles_labels()
        ncols = len(SETTINGS) if len(letters) > 1 else 1
        figure.legend(*labels, loc="outside upper center", ncols=ncols)
        about = {name: data.attrs[name] for name in ("depth", "r_min", "r_max")}
        style.caption(figure, CAPTION.format(draws=data.sizes["draw"], **about))
    return figure


CAPTION = (
    "Small dots are single networks, moved apart by setting, and large dots their means with "
    "standard errors. Each of the {draws} networks has {depth} blocks and eigenvalues with "
    "moduli from {r_min} to {r_max}. Small phases are at most π/10."
)


def _losses(axes: Axes, data: xr.Dataset) -> None:
    _networks(axes, data["loss"])
    _level(axes, -np.log(CHANCE), GUESS, style.BLACK)
    _few_ticks(axes)


def _powers(axes: Axes, data: xr.Dataset) -> None:
    _networks(axes, data["power"])
    text = "no normal-\nisation, limit\nfor white\ninput"
    _level(axes, data.attrs["gain"], text, SETTINGS["ring"][1])
    axes.yaxis.set_minor_locator(NullLocator())


def _networks(axes: Axes, values: xr.DataArray) -> None:
    """Draw every network, and means with standard errors, against the image size."""
    pixels = values["pixels"].values
    for number, (setting, (label, colour)) in enumerate(SETTINGS.items()):
        at = pixels * BESIDE ** (number - (len(SETTINGS) - 1) / 2)
        runs = values.sel(setting=setting).transpose("pixels", "draw").values
        axes.plot(at, runs, "o", color=colour, markersize=2, mew=0, alpha=0.5)
        error = style.standard_error(runs.T) if runs.shape[1] > 1 else None
        axes.errorbar(at, runs.mean(1), error, fmt="o-", color=colour, label=label)
    axes.set(xscale="log", yscale="log", xlabel="pixels")
    axes.set_xticks(pixels, [str(number) for number in pixels])
    axes.xaxis.set_minor_locator(NullLocator())


def _level(axes: Axes, height: float, text: str, colour: str) -> None:
    """A dotted line, and its name right of the panel."""
    axes.axhline(height, color=colour, linestyle=":", linewidth=0.7)
    axes.annotate(
        text,
        (1, height),
        (2, 0),
        xycoords=axes.get_yaxis_transform(),
        textcoords="offset points",
        va="center",
        fontsize=6,
        color=colour,
        annotation_clip=False,
    )


def _few_ticks(axes: Axes) -> None:
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_locator(NullLocator())


def shown(results: style.Results) -> str:
    """Losses of untrained networks at the largest size, and the effect of small phases."""
    fresh = results[STUDY]
    last = fresh.mean("draw").isel(pixels=-1)
    bare, normalised, phases = (
        float(last["loss"].sel(setting=name)) for name in SETTINGS
    )
    powers = {name: float(last["power"].sel(setting=name)) for name in SETTINGS}
    return (
        f"At {int(fresh['pixels'][-1])} pixels the loss of an untrained network is "
        f"{bare:.3g} nats without normalisation, {normalised:.3g} nats with normalisation, and "
        f"{phases:.3g} nats with normalisation and small phases. Normalisation divides the "
        f"mean squared states by {style.number(powers['ring'] / powers['gamma'])}, and small "
        f"phases multiply them by {style.number(powers['phase'] / powers['gamma'])}. Whether "
        "small phases help training is not shown."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-5")
