"""Our own columns for the tables of the papers, from stored results."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import scipy
import xarray as xr

from sigprop.evidence.blur.reproductions import METHODS, NAMES, outcomes
from sigprop.experiments.published import Score

LAYERS = {
    "rotrnn": "RotRNN",
    "bidirectional_rotrnn": "bidirectional RotRNN",
    "bidirectional_lru": "bidirectional LRU",
    "bidirectional_s4": "bidirectional S4",
}
"""Names of models that are in no table of forecasts and are not written in capitals."""

WAYS = {"tanh": "tanh", "gamma": "engine"}  # names in the study, by our names of models


@dataclass(frozen=True)
class Ours:
    """A column of our own results.

    Attributes:
        name: Tasks, or the measured quantity.
        sizes: Sizes of the training, one per line.
        scores: Scores by our names of models.
        nearest: Name of the nearest published column, or ``None``.
    """

    name: str
    sizes: tuple[str, ...]
    scores: dict[str, Score]
    nearest: str | None = None


def on_rings(data: xr.Dataset, kind: str, columns: Iterable[str]) -> list[Ours]:
    """Return test accuracies of the sweep ``rings``, one column for each inner radius.

    Args:
        data: From ``sigprop.experiments.long_range.gathering.gather``.
        kind: One of ``KINDS``.
        columns: Names of published columns: ``r_min`` and a radius.
    """
    rings = [str(model).split() for model in data["model"].values]
    ours = []
    for column in columns:
        inner = column.split()[1]
        here = [ring[:2] == [kind, inner] for ring in rings]
        own = accuracies(data.isel(cell=np.flatnonzero(here)), column)
        scores = {
            f"r_max {name.split()[2]}": score for name, score in own.scores.items()
        }
        name, sizes = f"rings, {column}", (own.name, *own.sizes)
        ours.append(replace(own, name=name, sizes=sizes, scores=scores))
    return ours


def accuracies(data: xr.Dataset, nearest: str) -> Ours:
    """Return test accuracies of a gathered sweep, in per cent.

    Args:
        data: From ``sigprop.experiments.long_range.gathering.gather``.
        nearest: Name of the published column to compare with.
    """
    models = data["model"].values
    values = 100 * data["test_accuracy"].values
    counts = [int((models == model).sum()) for model in dict.fromkeys(models.tolist())]
    lost = int((data["diverged"].values >= 0).sum())
    steps = data["step"].values
    tasks = ", ".join(dict.fromkeys(data["task"].values.tolist()))
    sizes = [
        f"{_span(data['length'].values)} long",
        f"{_span(data['width'].values)} wide",
        f"{_span(data['depth'].values)} deep",
        *(_span(data["examples"].values), "examples"),
        f"{int(np.nanmax(steps)) if np.isfinite(steps).any() else 0:,} steps",
        f"{_span(np.array(counts))} runs per row",
        f"{lost} diverged",
    ]
    scores = {
        str(model): _score(values[models == model]) for model in dict.fromkeys(models)
    }
    return Ours(tasks, tuple(sizes), scores, nearest)


def _span(values: np.ndarray) -> str:
    low, high = int(values.min()), int(values.max())
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def _score(values: np.ndarray, digits: int = 1) -> Score:
    """Return mean and standard error of the finished runs, or minus infinity without any."""
    sound = values[np.isfinite(values)]
    lost = values.size - sound.size
    suffix = f", {lost} diverged" if lost else ""
    if not sound.size:
        return Score(f"fails{suffix}", -math.inf, 0.0)
    mean = float(sound.mean())
    if sound.size == 1:
        return Score(f"{mean:.{digits}f}{suffix}", mean, math.nan)
    error = float(scipy.stats.sem(sound))
    return Score(f"{mean:.{digits}f}({error:.{digits}f}){suffix}", mean, error)


def speeds(study: str, data: xr.Dataset) -> Ours:
    """Return steps per second relative to the tanh RNN, timed in turns on one machine.

    Args:
        study: Name of the study, for messages.
        data: From ``sigprop.experiments.speed_training.run``.

    Raises:
        FileNotFoundError: If the tanh RNN was not timed.
    """
    if "tanh" not in data["way"].values:
        raise FileNotFoundError(f"the stored result of {study} has no tanh RNN")
    slow = data["seconds"].sel(way="tanh").values
    scores = {}
    for model, way in WAYS.items():
        ratio = slow / data["seconds"].sel(way=way).values
        middle = float(np.median(ratio))
        text = f"{middle:.2f}x"
        if model != "tanh":
            text += f" ({ratio.min():.2f} to {ratio.max():.2f})"
        scores[model] = Score(text, middle, math.nan)
    about = data.attrs
    sizes = [
        *("multiples of tanh", str(about["device"])),
        *(f"{about['length']:,} long", f"{about['width']} wide"),
        *(f"{about['states']} states", f"{about['depth']} deep"),
        *(f"{slow.size} timed steps", f"batch {about['batch']}"),
    ]
    return Ours("training", tuple(sizes), scores)


def errors(data: xr.Dataset, table: int) -> list[Ours]:
    """Return columns of errors of networks and controls, and of verdicts on a table.

    Args:
        data: From ``sigprop.experiments.forecasting.gathering.gather``.
        table: Number of one of BLUR's tables.
    """
    models, task_names = data["model"].values, _task_names(data)
    columns = []
    for model in dict.fromkeys(models.tolist()):
        own = data.isel(cell=np.flatnonzero(models == model))
        scores = {}
        for task_name in dict.fromkeys(_task_names(own)):
            here = own.isel(cell=[other == task_name for other in _task_names(own)])
            for metric in ("mse", "mae"):
                key = f"{task_name} {metric.upper()}"
                scores[key] = _score(here[f"test_{metric}"].values, 3)
        counts = [
            _task_names(own).count(task_name)
            for task_name in dict.fromkeys(_task_names(own))
        ]
        sizes = (
            f"{_span(own['width'].values)} wide",
            f"{_span(own['depth'].values)} deep",
            f"{int(np.nanmax(own['looked'].values)):,} steps",
            f"batch {_span(own['batch'].values)}",
            f"{_span(np.array(counts))} runs per row",
        )
        names = [label for label, ours in METHODS.items() if ours == model]
        name = names[0] if names else LAYERS.get(model) or str(model).upper()
        columns.append(Ours(name, sizes, scores))
    for control in data["control"].values.tolist():
        scores = {}
        for cell, task_name in enumerate(task_names):
            for metric in ("mse", "mae"):
                value = data[f"control_{metric}"].isel(cell=cell).sel(control=control)
                mean = float(value.mean(("step", "feature")))
                text = "-" if math.isnan(mean) else f"{mean:.3f}"
                scores[f"{task_name} {metric.upper()}"] = Score(text, mean, math.nan)
        columns.append(Ours(control, (), scores))
    results = outcomes(data, table)
    for method in dict.fromkeys(row_method for _, row_method, _ in results):
        scores = {
            f"{task[0]} {task[1]} {metric}": Score(outcome.verdict, math.nan, math.nan)
            for (task, row_method, metric), outcome in results.items()
            if row_method == method
        }
        columns.append(Ours(f"verdict on {method}", (), scores))
    return columns


def reasons(data: xr.Dataset, table: int) -> list[str]:
    """Give the reason of each verdict on a table's cells, or counts of verdicts by reason.

    Args:
        data: From ``sigprop.experiments.forecasting.gathering.gather``.
        table: Number of one of BLUR's tables.
    """
    lines, left = [], Counter[str]()
    for (task, method, metric), outcome in outcomes(data, table).items():
        if outcome.verdict == "not attempted":
            left[outcome.reason] += 1
        else:
            cell = f"{method}, {task[0]} {task[1]} {metric}"
            lines.append(f"{cell}: {outcome.verdict}, {outcome.reason}.")
    return lines + [
        f"Not attempted: {count} values, because {reason}."
        for reason, count in left.items()
    ]


def _task_names(data: xr.Dataset) -> list[str]:
    """The task of each cell, as BLUR's tables call it."""
    pairs = zip(data["data"].values.tolist(), data["horizon"].values, strict=True)
    return [f"{NAMES.get(name, name)} {horizon}" for name, horizon in pairs]
