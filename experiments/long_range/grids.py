"""Grids of trained networks: models, tasks and seeds.

The preset ``paper`` has the tracked results: the quick networks of
``sigprop.training.presets`` on real data, some with the shorter schedules that the numbers of
steps show.  The papers' own sizes are those of ``sigprop train --preset paper``.

Source: Orvieto et al. (2023), Section 3 and Figures 1 and 5; RotRNN (2024), Figure 3.
"""

from collections.abc import Callable, Iterable
from itertools import product

from sigprop.experiments.long_range.cells import Config
from sigprop.training.presets import LADDER, RINGS

SEEDS = {"smoke": 1, "quick": 1, "paper": 3}
SMOKE = 20  # steps of a training
Grid = dict[str, list[Config]]


def _trainings(
    preset: str,
    task: str,
    models: Iterable[str],
    seeds: int,
    steps: int | None = None,
    predict: bool = False,
) -> Grid:
    short = SMOKE if preset == "smoke" else steps
    grid: Grid = {}
    for model, seed in product(models, range(seeds)):
        config = Config(task, model, seed, short, predict=predict)
        grid.setdefault(f"{task} {model}", []).append(config)
    return grid


def _ladder(preset: str, task: str, steps: int) -> Grid:
    """Networks from an RNN to the LRU, with one change at a time."""
    if preset == "smoke":
        return _trainings(preset, "digits", ("tanh", "gamma"), 1)
    return _trainings(preset, task, LADDER, SEEDS[preset], steps)


def ladder_digits(preset: str) -> Grid:
    """From an RNN to the LRU, one change at a time, on the digits of 64 pixels."""
    return _ladder(preset, "digits", 500)


def ladder_listops(preset: str) -> Grid:
    """From an RNN to the LRU, one change at a time, on expressions of up to 127 tokens."""
    return _ladder(preset, "listops-short", 1000)


def ladder_smnist(preset: str) -> Grid:
    """From an RNN to the LRU, one change at a time, on 10 000 digits of 784 pixels."""
    return _ladder(preset, "smnist-10k", 400)


def rings(preset: str) -> Grid:
    """Three LRUs with eigenvalues on nine rings, on the digits."""
    models = [*RINGS][::9] if preset == "smoke" else [*RINGS]
    return _trainings(preset, "digits", models, SEEDS[preset], 500)


def folds(preset: str) -> Grid:
    """The three models of the papers on every fold of the digits."""
    models = ("lru",) if preset == "smoke" else ("lru", "rotrnn", "blur")
    seeds = {"smoke": 1, "quick": 2, "paper": 5}[preset]
    return _trainings(preset, "digits", models, seeds)


def images(preset: str) -> Grid:
    """The LRU on ten thousand handwritten digits, read pixel by pixel."""
    if preset == "smoke":
        return _trainings(preset, "digits", ("lru",), 1)
    return _trainings(preset, "smnist-10k", ("lru",), 1)


def lists(preset: str) -> Grid:
    """The three models of the papers on short ListOps, with powers of the states."""
    if preset == "smoke":
        return _trainings(preset, "digits", ("lru",), 1, predict=True)
    models = ("lru", "rotrnn") if preset == "quick" else ("lru", "rotrnn", "blur")
    return _trainings(preset, "listops-short", models, SEEDS[preset], 2000, True)


def norms(preset: str) -> Grid:
    """Powers of the states through training, measured and predicted."""
    seeds = {"smoke": 1, "quick": 2, "paper": 5}[preset]
    models = ("lru", "rotrnn", "blur") if preset == "paper" else ("lru", "rotrnn")
    return _trainings(preset, "digits", models, seeds, 500, predict=True)


def paths(preset: str) -> Grid:
    """The LRU on 256 pixels: not normalised, normalised, and with small phases too."""
    task = "digits" if preset == "smoke" else "pathfinder-short"
    return _trainings(preset, task, ("ring", "gamma", "phase"), SEEDS[preset], 1500)


SWEEPS: dict[str, Callable[[str], Grid]] = {
    sweep.__name__: sweep
    for sweep in (
        *(ladder_digits, ladder_listops, ladder_smnist),
        *(folds, images, lists, norms, paths, rings),
    )
}


def cells(sweep: str, preset: str) -> list[Config]:
    """Return all cells of a sweep, network by network; a cell may be repeated."""
    return [cell for cells in SWEEPS[sweep](preset).values() for cell in cells]
