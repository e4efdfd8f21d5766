"""Training, score and audit of one small network of a layer of 2024 to 2026.

The audit measures second moments of the states on inputs that were not used in training.  It
predicts them with more and more assumptions.  Layers whose gates depend only on the input
have the assumptions of ``sigprop.audit.gated_layers``.  LinOSS is linear and has those of
``sigprop.audit.moments``.
"""

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from sigprop.audit.network import audit
from sigprop.audit.summary import summarise
from sigprop.audit.windows import blocks_of
from sigprop.experiments import store
from sigprop.networks.assembly import parameter_table
from sigprop.tasks.catalogue import load_task
from sigprop.tasks.examples import Examples, evaluation_batches
from sigprop.tasks.forecasts import Forecasts
from sigprop.tasks.tables import load_table
from sigprop.training.forecast_presets import forecast_preset
from sigprop.training.forecasting import fit_forecaster
from sigprop.training.layer_sizes import layer_size
from sigprop.training.presets import altered, preset
from sigprop.training.recipes import R
from sigprop.training.segments import Diverged, untrained
from sigprop.training.supervised import fit

VERSION = 1
CLASSIFIED = ("digits", "listops-short", "smnist-10k")
QUANTITIES = ("state", "state at the end")
AUDITED, BATCH = 128, 16  # examples in the audit, and in one of its batches
SCORED = 512  # largest number of examples for validation, and for the test
RATIO = {"units": "predicted / measured"}


@dataclass(frozen=True)
class Config:
    """A training and its audit.

    Attributes:
        task: One of ``CLASSIFIED``, or a table of ``sigprop.tasks.tables.load_table``.
        model: A name of ``sigprop.training.layer_sizes.registered_layers``.
        seed: Seed of the training.
        steps: Steps of the training.
        batch: Examples in a training step.
        size: Features of a block, and states before they are divided among heads.
        horizon: Rows that a forecaster reads, and rows that it predicts.
    """

    task: str
    model: str
    seed: int = 0
    steps: int = 240
    batch: int = 16
    size: int = 32
    horizon: int = 24


def shape(config: Config) -> Config:
    """Return the configuration itself, so that each cell is trained alone."""
    return config


def chunk_size(config: Config) -> int:
    """Return the number of cells in a chunk, one."""
    del config
    return 1


def _small(recipe: R, config: Config) -> R:
    """Return the recipe for a network of two blocks with the sizes of a cell."""
    states, options = layer_size(config.model, config.size, config.size)
    network = dataclasses.replace(
        recipe.network,
        width=config.size,
        state_size=states,
        depth=2,
        layer_options=options,
    )
    recipe = dataclasses.replace(recipe, network=network, batch=config.batch)
    return altered(recipe, config.steps, None, recipe.matmul)


def run_cells(
    configs: Sequence[Config],
    checkpoint: Path | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> list[xr.Dataset]:
    """Train one network and audit it.

    Args:
        configs: A list of one configuration.
        checkpoint: File to resume from and to write.
        progress: Called with the finished fraction.

    Raises:
        ValueError: If there is not exactly one configuration, or as ``fit``.
        FileNotFoundError: If the task needs files that do not exist.
    """
    (config,) = configs
    train = _classified if config.task in CLASSIFIED else _forecast
    try:
        return [train(config, checkpoint, progress)]
    except Diverged as error:
        missing = np.full((2, len(QUANTITIES), 5), math.nan)
        return [_dataset(missing, missing, math.nan, -1, error.step)]


def _classified(config: Config, checkpoint: Any, progress: Any) -> xr.Dataset:
    whole = load_task(config.task, cache=store.folder() / "packed", seed=config.seed)
    data = dataclasses.replace(
        whole, validation=_some(whole.validation), test=_some(whole.test)
    )
    recipe = _small(preset(config.task, config.model, "quick", data), config)
    fitted = fit(
        recipe,
        data,
        config.seed,
        checkpoint=checkpoint,
        progress=lambda done, last: progress(done / recipe.segments),
    )
    chosen = data.test.subset(np.arange(min(AUDITED, len(data.test))))
    batches = list(evaluation_batches(chosen, BATCH))
    return _audited(config, fitted, batches, fitted.test.accuracy)


def _some(examples: Examples) -> Examples:
    return examples.subset(slice(SCORED))


def _forecast(config: Config, checkpoint: Any, progress: Any) -> xr.Dataset:
    task = Forecasts(load_table(config.task), config.horizon, config.horizon)
    recipe = _small(forecast_preset(config.model, "quick", task), config)
    fitted = fit_forecaster(
        recipe,
        task,
        config.seed,
        checkpoint=checkpoint,
        progress=lambda done, last: progress(done / recipe.segments),
    )
    blocks = blocks_of(task, recipe.head, "test", AUDITED)
    batches = [block.batch for block in blocks]
    return _audited(config, fitted, batches, fitted.validation)


def _audited(
    config: Config, fitted: Any, batches: list[Any], score: float
) -> xr.Dataset:
    """Audit the network with the best validation score, and return the cell's result."""
    before = untrained(fitted.network.config, config.seed)
    found = summarise(audit(fitted.network, fitted.state, batches, untrained=before))
    found = found.sel(quantity=list(QUANTITIES))
    parameters = parameter_table(fitted.network)["total"]
    return _dataset(found["median"].values, found["sem"].values, score, parameters)


def _dataset(
    median: np.ndarray,
    sem: np.ndarray,
    score: float,
    parameters: int,
    diverged: int = -1,
) -> xr.Dataset:
    dims = ("block", "quantity", "rung")
    return xr.Dataset(
        {"median": (dims, median, RATIO), "sem": (dims, sem, RATIO)},
        attrs={"score": score, "parameters": parameters, "diverged": diverged},
    )
