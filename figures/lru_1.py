"""Orvieto et al. (2023), Figure 1, right: from an RNN to the LRU one thing at a time."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures import style

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
COLOURS = {"tanh": style.GREY, "relu": style.GREY, "gamma": style.VERMILION}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Test accuracy of every rung: each run, and their mean with its standard error.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    with style.styled():
        drawn = style.figure(2.6, 1 + 2 * len(letters))
        row = drawn.subplots(1, len(letters), sharey=True, squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            data = results[STUDIES[letter]]
            _rungs(axes, data)
            style.letter(axes, letter, _title(data))
        style.caption(
            drawn,
            "circles: test accuracy of each run where its validation was best; bars: mean "
            "and standard error; a run that diverged is a cross at chance",
        )
    return drawn


def _title(data: xr.Dataset) -> str:
    length, examples = int(data["length"][0]), int(data["examples"][0])
    return f"{data['task'].values[0]}\n{length} steps, {examples} examples"


def _rungs(axes: Axes, data: xr.Dataset) -> None:
    """From the first rung at the top to the last."""
    rungs = list(dict.fromkeys(data["model"].values.tolist()))
    for row, rung in enumerate(rungs):
        accuracy = data["test_accuracy"].values[data["model"].values == rung]
        colour = COLOURS.get(rung, style.BLUE)
        sound = 100 * accuracy[np.isfinite(accuracy)]
        axes.plot(sound, np.full(sound.size, row), "o", color=colour, alpha=0.35, mew=0)
        lost = accuracy.size - sound.size
        axes.plot(np.full(lost, 10.0), np.full(lost, row), "x", color=style.BLACK)
        if sound.size:
            error = style.standard_error(sound) if sound.size > 1 else 0
            axes.errorbar(sound.mean(), row, xerr=error, fmt="|", color=colour)
    axes.set_yticks(range(len(rungs)), [NAMES[rung] for rung in rungs])
    axes.set_ylim(len(rungs) - 0.5, -0.5)
    axes.set_xlabel("test accuracy (%)")
