"""Orvieto et al. (2023), Figure 1, right: accuracies from a tanh RNN to the LRU."""

from itertools import pairwise

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sigprop.figures import style
from sigprop.figures.entry import Entry

ENTRY = Entry(
    {"a": "ladder_digits", "b": "ladder_listops", "c": "ladder_smnist"},
    "From a tanh RNN to the LRU in five steps",
    reduced="Networks are smaller and are trained for fewer steps, from three seeds. The "
    "data are digits of 64 pixels, expressions of up to 127 tokens and 10 000 digits of "
    "784 pixels. The paper's deep state space models are left out.",
    full="sigprop train scifar --model tanh --preset paper",
    rows=("lru:fig1",),
)
NAMES = {
    "tanh": "tanh RNN",
    "relu": "ReLU RNN",
    "dense": "linear RNN",
    "disc": "linear RNN, unit disc",
    "complex": "complex diagonal",
    "exponential": "exponential",
    "stable": "stable exponential",
    "ring": "ring initialisation",
    "gamma": r"$\gamma$: the LRU",
    "phase": "small phase",
}
TASKS = {"listops-short": "ListOps", "smnist-10k": "sMNIST"}
STEPS = ("tanh", "dense", "complex", "stable", "ring", "gamma")  # of the caption
CHANCE = 10.0  # percent, of ten classes
COLOURS = {"tanh": style.GREY, "relu": style.GREY, "gamma": style.VERMILION}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A to C show test accuracies on one task each; the last column has their mean.

    Bold names are the networks that the paper's caption names; a step leads from one of
    them to the next.  Grey networks have a nonlinear recurrence, the others a linear one;
    the LRU is orange.  Circles are single runs, vertical marks are means, and
    bars are standard errors.  "Unit disc" means eigenvalues sampled in the unit disc.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    with style.styled():
        figure = style.figure(2.6, 1.15 + 1.45 * len(letters))
        columns = len(letters) + (panel is None)
        row = figure.subplots(1, columns, sharey=True, squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=False):
            data = results[ENTRY.studies[letter]]
            _rungs(axes, data)
            style.letter(axes, letter, _title(data))
        if panel is None:
            _average(row[-1], results)
        style.caption(
            figure,
            "Each accuracy is at the step of the best validation accuracy. Crosses stand at "
            "the accuracy of guessing for runs that diverged; their number stands beside. An "
            "open circle marks a mean that counts such runs.",
        )
    return figure


def _title(data: xr.Dataset) -> str:
    length, examples = int(data["length"][0]), int(data["examples"][0])
    return f"{_name(data)}\n{length} steps,\n{examples} examples"


def _name(data: xr.Dataset) -> str:
    task = str(data["task"].values[0])
    return TASKS.get(task, task)


def _rungs(axes: Axes, data: xr.Dataset) -> None:
    """A line for each network, the first at the top."""
    import seaborn as sns  # slow to import

    accuracy, rungs = 100 * data["test_accuracy"].values, data["model"].values
    colours = {rung: COLOURS.get(rung, style.BLUE) for rung in rungs.tolist()}
    look = {"x": accuracy, "y": rungs, "hue": rungs, "palette": colours}
    look |= {"legend": False, "ax": axes}
    sns.stripplot(**look, jitter=False, size=3.5, alpha=0.35)
    sns.pointplot(**look, errorbar="se", linestyle="none", linewidth=1.2, marker="|")
    for row, rung in enumerate(colours):
        runs = rungs == rung
        lost = int(np.isnan(accuracy[runs]).sum())
        axes.plot(np.full(lost, CHANCE), np.full(lost, row), "x", color=style.BLACK)
        if lost:
            count = f"{lost} of {runs.sum()} diverged"
            lift = {"textcoords": "offset points", "va": "center", "fontsize": 6}
            axes.annotate(count, (CHANCE, row), (5, 0), **lift)
    axes.set_yticks(range(len(colours)), [NAMES[rung] for rung in colours])
    for rung, label in zip(colours, axes.get_yticklabels(), strict=False):
        label.set_fontweight("bold" if rung in STEPS else "normal")
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=(1, 2.5, 5, 10)))
    axes.set_xlabel("accuracy (%)")


def _average(axes: Axes, results: style.Results) -> None:
    """The mean over the tasks; a run that diverged counts as a guess."""
    names = dict.fromkeys(results[ENTRY.studies["a"]]["model"].values.tolist())
    for row, rung in enumerate(names):
        colour = COLOURS.get(rung, style.BLUE)
        mean, error = _overall(results, rung), _error(results, rung)
        lost = any(
            np.isnan(_of(results[study], rung)).any()
            for study in ENTRY.studies.values()
        )
        look = {"fmt": "o", "mfc": "none", "ms": 5} if lost else {"fmt": "|", "ms": 6}
        axes.errorbar(mean, row, xerr=error, color=colour, capsize=0, **look)
    axes.margins(x=0.1)
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=(1, 2.5, 5, 10)))
    axes.set_title(f"mean of\n{ENTRY.panels[0].upper()} to {ENTRY.panels[-1].upper()}")
    axes.set_xlabel("accuracy (%)")


def _overall(results: style.Results, rung: str) -> float:
    """The mean accuracy of a network over the tasks."""
    means = [runs.mean() for runs in _tasks(results, rung)]
    return float(np.mean(means))


def _error(results: style.Results, rung: str) -> float:
    """The standard error of a network's mean over the tasks, zero if a task has one run."""
    tasks = _tasks(results, rung)
    if min(map(len, tasks)) < 2:
        return 0.0
    errors = [style.standard_error(runs) for runs in tasks]
    return float(np.linalg.norm(errors) / len(errors))


def shown(results: style.Results) -> str:
    """Count the steps of the caption that raise the accuracy; name the largest fall."""
    gains = {(old, new): after - before for old, new, before, after in _steps(results)}
    risen = sum(gain > 0 for gain in gains.values())
    of = f"all {len(gains)}" if risen == len(gains) else f"{risen} of the {len(gains)}"
    sentence = (
        f"In these runs the mean test accuracy over the {len(ENTRY.panels)} tasks rises in "
        f"{of} steps that the paper's caption names."
    )
    if risen == len(gains):
        return sentence
    (old, new), least = min(gains.items(), key=lambda step: step[1])
    return (
        f"{sentence} It falls most from {old} to {new}, by {-least:.1f} percentage points. "
        f"{_diverged(results)}"
    )


def _diverged(results: style.Results) -> str:
    """Name the networks whose runs diverged, and say how these runs count."""
    lost = {
        f"{_plain(rung)} on {_name(results[study])}"
        for study in ENTRY.studies.values()
        for rung in STEPS
        if np.isnan(_of(results[study], rung)).any()
    }
    if not lost:
        return "None of these runs diverged."
    return (
        f"Runs that diverged ({', '.join(sorted(lost))}) count as {CHANCE:g} %, the accuracy "
        "of guessing."
    )


def details(results: style.Results) -> style.Cells:
    """The mean accuracy before and after each step of the caption."""
    header = (
        "step",
        "mean test accuracy before (%)",
        "after (%)",
        "change (percentage points)",
    )
    return (
        header,
        *(
            (f"{old} to {new}", f"{a:.1f}", f"{b:.1f}", f"{b - a:+.1f}")
            for old, new, a, b in _steps(results)
        ),
    )


def _steps(results: style.Results) -> list[tuple[str, str, float, float]]:
    """Names of the networks before and after each step, and their mean accuracies."""
    means = {rung: _overall(results, rung) for rung in STEPS}
    return [
        (_plain(old), _plain(new), means[old], means[new])
        for old, new in pairwise(STEPS)
    ]


def _plain(rung: str) -> str:
    return NAMES[rung].rpartition(": ")[2]


def _tasks(results: style.Results, rung: str) -> list[np.ndarray]:
    """The accuracies of a network on each task; those of runs that diverged are chance."""
    return [_counted(results[study], rung) for study in ENTRY.studies.values()]


def _counted(data: xr.Dataset, rung: str) -> np.ndarray:
    accuracy = _of(data, rung)
    return np.where(np.isfinite(accuracy), accuracy, CHANCE)


def _of(data: xr.Dataset, rung: str) -> np.ndarray:
    """The accuracies of a network in percent, not a number where a run diverged."""
    return 100 * data["test_accuracy"].values[data["model"].values == rung]


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-1")
