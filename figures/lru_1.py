"""Orvieto et al. (2023), Figure 1, right: from an RNN to the LRU one thing at a time."""

from itertools import pairwise

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style

STUDIES = {"a": "ladder_digits", "b": "ladder_listops", "c": "ladder_smnist"}
NAMES = {
    "tanh": "tanh RNN",
    "relu": "ReLU RNN",
    "dense": "linear RNN",
    "disc": "linear RNN in the disc",
    "complex": "complex diagonal",
    "exponential": "exponential",
    "stable": "stable exponential",
    "ring": "ring",
    "gamma": r"$\gamma$: the LRU",
    "phase": "small phase",
}
STEPS = ("tanh", "dense", "complex", "stable", "ring", "gamma")  # of the caption
CHANCE = 10.0  # percent, of ten classes
COLOURS = {"tanh": style.GREY, "relu": style.GREY, "gamma": style.VERMILION}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Test accuracy of every rung: each run, and their mean with its standard error.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    with style.styled():
        drawn = style.figure(2.6, 1.15 + 1.45 * len(letters))
        row = drawn.subplots(1, len(letters), sharey=True, squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            data = results[STUDIES[letter]]
            _rungs(axes, data)
            style.letter(axes, letter, _title(data))
        style.caption(
            drawn,
            "circles: test accuracy of each run where its validation was best; upright: "
            "mean; bars: its standard error; runs that diverged are crosses at chance",
        )
    return drawn


def _title(data: xr.Dataset) -> str:
    length, examples = int(data["length"][0]), int(data["examples"][0])
    return f"{data['task'].values[0]}\n{length} steps,\n{examples} examples"


def _rungs(axes: Axes, data: xr.Dataset) -> None:
    """From the first rung at the top to the last."""
    rungs = list(dict.fromkeys(data["model"].values.tolist()))
    for row, rung in enumerate(rungs):
        accuracy = data["test_accuracy"].values[data["model"].values == rung]
        colour = COLOURS.get(rung, style.BLUE)
        sound = 100 * accuracy[np.isfinite(accuracy)]
        axes.plot(sound, np.full(sound.size, row), "o", color=colour, alpha=0.35, mew=0)
        lost = accuracy.size - sound.size
        axes.plot(np.full(lost, CHANCE), np.full(lost, row), "x", color=style.BLACK)
        if lost:
            count = f"{lost} of {accuracy.size}"
            lift = {"textcoords": "offset points", "va": "center", "fontsize": 6}
            axes.annotate(count, (CHANCE, row), (5, 0), **lift)
        if sound.size:
            error = style.standard_error(sound) if sound.size > 1 else None
            axes.errorbar(sound.mean(), row, xerr=error, fmt="|", color=colour)
    axes.set_yticks(range(len(rungs)), [NAMES[rung] for rung in rungs])
    axes.set_ylim(len(rungs) - 0.5, -0.5)
    axes.set_xlabel("test accuracy (%)")


def shown(results: style.Results) -> str:
    """Whether every step of the caption raises the accuracy, over the tasks."""
    means = {
        rung: np.mean([_mean(results[study], rung) for study in STUDIES.values()])
        for rung in STEPS
    }
    falls = [
        f"from {_plain(old)} to {_plain(new)} by {means[old] - means[new]:.1f} points"
        for old, new in pairwise(STEPS)
        if not means[new] > means[old]
    ]
    count = f"{len(STEPS) - 1} steps of the caption"
    if not falls:
        return f"All {count} raise the mean accuracy over the tasks."
    return (
        f"Not all {count} raise the mean accuracy here. It falls {', '.join(falls)}. A run "
        f"that diverged counts as {CHANCE:g} %."
    )


def _plain(rung: str) -> str:
    return NAMES[rung].rpartition(": ")[2]


def _mean(data: xr.Dataset, rung: str) -> float:
    accuracy = 100 * data["test_accuracy"].values[data["model"].values == rung]
    return float(np.where(np.isfinite(accuracy), accuracy, CHANCE).mean())
