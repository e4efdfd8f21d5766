"""Grids of forecasting networks: models, settings, tasks and seeds.

The preset ``paper`` has the tracked results: small networks that train within minutes.  The
networks of BLUR's paper have four blocks with 256 features and 128 states, and train for
eight epochs at horizons up to 960.  They are those of ``sigprop train forecast --preset
paper``, and ``Config(..., size="paper")`` is a training of that size.

BLUR and the LRU forecast all of ``TASKS``, and in ``horizons`` all of ``HORIZONS``.  Every
other layer of ``sigprop train forecast`` forecasts the first of ``TASKS``, in the same
setting, which was not chosen for it.

The setting was chosen by validation errors alone, by a rule that was fixed before.
``forecast_settings`` trains BLUR with each of ``SETTINGS`` on all of ``TASKS``, with a seed
that ``forecasts`` does not use.  The setting with the smallest mean ratio to the validation
error of the linear model is used in ``forecasts`` for all models and tasks.

Source: Tang et al. (2025), BLUR, Section 5.2, Appendix A.5 and Table 6.
"""

from collections.abc import Callable
from itertools import product

from sigprop.experiments.forecasting.cells import Config

TASKS = (("ETTh1", 24), ("ETTh1", 48), ("WTH", 24))
HORIZONS = (24, 48, 168, 336)
"""Rows of ETTh1 that a forecast covers, with as long a window."""

MODELS = ("blur", "lru")
OTHERS = ("rotrnn", "s4", "gru", "lstm")
BOTH_ENDS = (
    *("bidirectional_lru", "bidirectional_rotrnn", "bidirectional_s4"),
    *("bgru", "blstm", "brnn"),
)
"""Layers that read a window from both ends, other than BLUR."""

WIDTH, STEPS, SEEDS = 32, 800, 3
SETTINGS = (("each", "last"), ("mixed", "last"), ("mixed", "none"))
"""Channels, and the value that is subtracted from a window."""

CHOSEN = SETTINGS[1]  # by the rule, from the stored ``forecast_settings``
SEED = 3  # seed of the trainings that choose a setting


def _trainings(
    tasks: tuple[tuple[str, int], ...],
    models: tuple[str, ...],
    seeds: range,
    steps: int,
    width: int,
    setting: tuple[str, str],
) -> list[Config]:
    channels, centre = setting
    return [
        Config(data, horizon, model, seed, steps, width, centre, channels)
        for seed, (data, horizon), model in product(seeds, tasks, models)
    ]


def _smoke(models: tuple[str, ...] = ("blur",)) -> list[Config]:
    return _trainings((("co2", 4),), models, range(1), 20, 8, CHOSEN)


def forecasts(preset: str) -> list[Config]:
    """BLUR and LRU on all tasks, and all other models on the first task."""
    if preset == "smoke":
        return _smoke(("blur", "lru"))
    if preset == "quick":
        return _trainings(TASKS[:1], MODELS, range(1), STEPS, WIDTH, CHOSEN)
    first = TASKS[:1]
    return [
        cell
        for tasks, models in ((TASKS, MODELS), (first, OTHERS), (first, BOTH_ENDS))
        for cell in _trainings(tasks, models, range(SEEDS), STEPS, WIDTH, CHOSEN)
    ]


def horizons(preset: str) -> list[Config]:
    """BLUR and LRU on ETTh1 at every horizon; at ``quick``, at the two shortest ones."""
    if preset == "smoke":
        return _smoke(("blur", "lru"))
    rows, seeds = (HORIZONS[:2], 1) if preset == "quick" else (HORIZONS, SEEDS)
    tasks = tuple(("ETTh1", horizon) for horizon in rows)
    return [
        cell
        for task in tasks
        for cell in _trainings((task,), MODELS, range(seeds), STEPS, WIDTH, CHOSEN)
    ]


def forecast_settings(preset: str) -> list[Config]:
    """BLUR with every setting on all tasks, with a seed that other sweeps do not use."""
    if preset == "smoke":
        return _smoke()
    tasks = TASKS[:1] if preset == "quick" else TASKS
    seeds = range(SEED, SEED + 1)
    return [
        cell
        for setting in SETTINGS
        for cell in _trainings(tasks, MODELS[:1], seeds, STEPS, WIDTH, setting)
    ]


SWEEPS: dict[str, Callable[[str], list[Config]]] = {
    sweep.__name__: sweep for sweep in (forecasts, forecast_settings, horizons)
}


def cells(sweep: str, preset: str) -> list[Config]:
    """Return all cells of a sweep."""
    return SWEEPS[sweep](preset)
