"""Orvieto et al. (2023), Figure 5: normalisation and small phases, on Pathfinder."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from sigprop.figures import style
from sigprop.figures.entry import Entry

ENTRY = Entry(
    dict.fromkeys("ab", "normalisation") | dict.fromkeys("cd", "paths"),
    "Normalisation and small phases on Pathfinder",
    reduced="Training uses smaller networks, images of 256 pixels and 1500 steps, when the "
    "accuracy has just left that of guessing; the paper uses 16 384 pixels and far more steps.",
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
    "c": ("training: loss", "training loss (nats)"),
    "d": ("training: accuracy", "validation accuracy (%)"),
}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show loss and squared states of untrained networks against image size.

    Panels C and D show the loss and the validation accuracy during training.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    shown = {
        study: results[study]
        for study in dict.fromkeys(ENTRY.studies[letter] for letter in letters)
    }
    panels = {"a": _fresh_losses, "b": _fresh_powers, "c": _losses, "d": _accuracies}
    with style.styled():
        columns = min(2, len(letters))
        rows = -(-len(letters) // columns)
        figure = style.figure(
            0.7 + 1.7 * rows + 0.3 * (columns == 1), 0.7 + 2.4 * columns
        )
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes, letter in zip(grid.flat, letters, strict=True):
            panels[letter](axes, shown[ENTRY.studies[letter]])
            title, label = TITLES[letter]
            style.letter(axes, letter, title)
            axes.set_ylabel(label)
        labels = grid[0, 0].get_legend_handles_labels()
        ncols = len(SETTINGS) if columns > 1 else 1
        figure.legend(*labels, loc="outside upper center", ncols=ncols)
        sizes = (CAPTIONS[study](data) for study, data in shown.items())
        style.caption(figure, LINES, *sizes)
    return figure


LINES = (
    "Thin lines are single networks, thick lines their means, and bands one standard error "
    "to either side."
)
CAPTIONS = {
    "normalisation": lambda data: (
        f"Each of the {data.sizes['draw']} untrained networks has {data.attrs['depth']} "
        f"blocks and radii from {data.attrs['r_min']} to {data.attrs['r_max']}."
    ),
    "paths": lambda data: (
        f"The {len(np.unique(data['seed']))} trained networks of each kind have "
        f"{int(data['depth'][0])} blocks, and images have {int(data['length'][0])} pixels."
    ),
}


# --- before training ----------------------------------------------------------------


def _fresh_losses(axes: Axes, data: xr.Dataset) -> None:
    _fresh(axes, data["loss"])
    _level(axes, -np.log(CHANCE), GUESS)
    _few_ticks(axes)


def _fresh_powers(axes: Axes, data: xr.Dataset) -> None:
    _fresh(axes, data["power"])
    _level(axes, data.attrs["gain"], "limit for\nwhite input")
    axes.yaxis.set_minor_locator(NullLocator())


def _fresh(axes: Axes, values: xr.DataArray) -> None:
    pixels = values["pixels"].values
    for setting, (label, colour) in SETTINGS.items():
        runs = values.sel(setting=setting).values.T
        _curves(axes, pixels, runs, label, colour, marker="o", markersize=3)
    axes.set(xscale="log", yscale="log", xlabel="pixels")
    axes.set_xticks(pixels, [str(number) for number in pixels])
    axes.xaxis.set_minor_locator(NullLocator())


# --- training -----------------------------------------------------------------------


def _losses(axes: Axes, data: xr.Dataset) -> None:
    """Means over segments, in their middles."""
    segments = data.sizes["segment"]
    ends = float(data["step"].max()) * np.arange(1, segments + 1) / segments
    _settings(axes, data, ends - ends[0] / 2, data["loss"].values)
    _level(axes, -np.log(CHANCE), GUESS)


def _level(axes: Axes, height: float, text: str) -> None:
    """A dotted line, and its name right of the panel."""
    axes.axhline(height, color=style.BLACK, linestyle=":", linewidth=0.7)
    axes.annotate(
        text,
        (1, height),
        (2, 0),
        xycoords=axes.get_yaxis_transform(),
        textcoords="offset points",
        va="center",
        fontsize=6,
        annotation_clip=False,
    )


def _few_ticks(axes: Axes) -> None:
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_locator(NullLocator())


def _accuracies(axes: Axes, data: xr.Dataset) -> None:
    steps = data["step"].max("cell").values
    _settings(axes, data, steps, 100 * data["validation_accuracy"].values)
    _level(axes, 100 * CHANCE, GUESS)


def _settings(axes: Axes, data: xr.Dataset, x: np.ndarray, values: np.ndarray) -> None:
    for setting, look in SETTINGS.items():
        _curves(axes, x, values[data["model"].values == setting], *look)
    axes.set_xlabel("training step")


def _curves(
    axes: Axes, x: np.ndarray, y: np.ndarray, label: str, colour: str, **options: Any
) -> None:
    axes.plot(x, y.T, color=colour, linewidth=0.3, alpha=0.6)
    middle = y.mean(0)
    axes.plot(x, middle, color=colour, label=label, **options)
    if len(y) > 1:
        error = style.standard_error(y)
        axes.fill_between(
            x, middle - error, middle + error, color=colour, alpha=0.2, linewidth=0
        )


def shown(results: style.Results) -> str:
    """Effects of normalisation before training, and of small phases after training."""
    fresh = results["normalisation"]
    loss = fresh["loss"].mean("draw").isel(pixels=-1)
    bare, normalised = (float(loss.sel(setting=name)) for name in ("ring", "gamma"))
    data = results["paths"]
    scores = {
        name: 100 * data["validation_accuracy"].values[data["model"].values == name, -1]
        for name in SETTINGS
    }
    means = {name: runs.mean() for name, runs in scores.items()}
    errors = {name: style.standard_error(runs) for name, runs in scores.items()}
    gain = means["phase"] - means["gamma"]
    score = {name: f"{means[name]:.0f} ± {errors[name]:.0f} %" for name in scores}
    error = 2 * np.hypot(errors["phase"], errors["gamma"])
    verdict = (
        "make no difference beyond two standard errors"
        if abs(gain) <= error
        else f"{'help' if gain > 0 else 'do not help'} here"
    )
    return (
        f"At {int(fresh['pixels'][-1])} pixels the loss of an untrained network is "
        f"{bare:.3g} nats without normalisation and {normalised:.3g} nats with normalisation. "
        f"Validation accuracies end at {score['ring']} without normalisation, {score['gamma']} "
        f"with it, and {score['phase']} with small phases, too (means ± standard errors). "
        f"Small phases {verdict}."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-5")
