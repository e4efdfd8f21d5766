"""One training of a deep network on a long-range task: its scores and loss curves."""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from sigprop.audit.network import audit
from sigprop.experiments import store
from sigprop.networks.assembly import parameter_table
from sigprop.tasks.catalogue import load_task
from sigprop.tasks.examples import DataSet
from sigprop.training.presets import altered, preset
from sigprop.training.segments import Diverged, Trained
from sigprop.training.supervised import Fitted, fit

VERSION = 1
PROBED = 48  # validation examples in the predictions at each evaluation
QUANTILES = (0.05, 0.5, 0.95)  # of ratios, over modes
SHARE = {"units": "1"}
STEPS = {"units": "steps"}


@dataclass(frozen=True)
class Config:
    """One training.

    Attributes:
        task: A name of ``sigprop.tasks.catalogue.TASKS``.
        model: A name of ``sigprop.training.presets.MODELS``.
        seed: Seed of the training; for the digits also the fold.
        steps: Steps of the schedule; the preset's if left out.
        size: Preset of the training, ``quick`` or ``paper``.
        predict: Whether the power of all states is predicted at each evaluation.
    """

    task: str
    model: str
    seed: int
    steps: int | None = None
    size: str = "quick"
    predict: bool = False


def shape(config: Config) -> Config:
    """Return the configuration itself, so that each cell is trained alone."""
    return config


def chunk_size(config: Config) -> int:
    """Return the number of cells in a chunk, one."""
    del config
    return 1


def run_cells(
    configs: Sequence[Config],
    checkpoint: Path | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> list[xr.Dataset]:
    """Train one network.

    Args:
        configs: A list of one configuration.
        checkpoint: File to resume from and to write.
        progress: Called with the finished fraction.

    Raises:
        ValueError: If there is not exactly one configuration, or as ``fit``.
        FileNotFoundError: If the task needs files that do not exist.
    """
    (config,) = configs
    data = load_task(config.task, cache=store.folder() / "packed", seed=config.seed)
    base = preset(config.task, config.model, config.size, data)
    recipe = altered(base, config.steps, None, base.matmul)
    about = {"width": recipe.network.width, "depth": recipe.network.depth}
    about |= {"examples": len(data.train), "length": data.train.steps}
    try:
        fitted = fit(
            recipe,
            data,
            config.seed,
            checkpoint=checkpoint,
            probe=functools.partial(_predicted, data) if config.predict else None,
            progress=lambda done, last: progress(done / recipe.segments),
        )
    except Diverged as error:
        return [_lost(error.step, about)]
    return [_result(fitted, about)]


def _predicted(data: DataSet, network: Trained, state: Any) -> Mapping[str, Any]:
    """Return the moments of every recurrence, measured and predicted.

    Predictions have one more assumption at a time.  States have their power.  All quantities
    have quantiles over modes of the ratio of predicted to measured.  The power is a sum over
    modes, since the layers trained here have orthonormal modes.
    """
    audited = audit(network, state, data.validation.take(np.arange(PROBED)))
    power = audited[["measured", "predicted"]].sel(quantity="state").sum("mode")
    ratio = np.moveaxis(np.quantile(audited["ratio"].values, QUANTILES, axis=-1), 0, -1)
    return {
        "measured": power["measured"].values,
        "predicted": power["predicted"].values,
        "ratio": ratio,
    }


def _result(fitted: Fitted, about: Mapping[str, int]) -> xr.Dataset:
    records = fitted.records
    nats, squares = {"units": "nats"}, {"units": "mean |h|^2 of all neurons"}
    variables: dict[str, Any] = {
        "loss": ("segment", records["loss"].mean(1), nats),
        "gradient_norm": (
            "segment",
            records["gradient_norm"].mean(1),
            {"units": "nats"},
        ),
        "validation_loss": ("look", records["validation_loss"], nats),
        "validation_accuracy": ("look", records["validation_accuracy"], SHARE),
        "state_power": (("look", "layer"), records["state_power"], squares),
    }
    if "measured" in records:
        variables |= {
            "measured": (("look", "recurrence"), records["measured"], squares),
            "predicted": (
                ("look", "recurrence", "rung"),
                records["predicted"],
                squares,
            ),
            "ratio": (
                ("look", "recurrence", "quantity", "rung", "quantile"),
                records["ratio"],
                {"units": "predicted / measured"},
            ),
        }
    return xr.Dataset(
        variables,
        {"step": ("look", records["step"], STEPS)},
        {
            **about,
            "diverged": -1,
            "test_accuracy": fitted.test.accuracy,
            "test_loss": fitted.test.loss,
            "best_step": fitted.step,
            "parameters": parameter_table(fitted.network)["total"],
        },
    )


def _lost(step: int, about: Mapping[str, int]) -> xr.Dataset:
    """Return the result of a training that diverged, with the step and no curves."""
    return xr.Dataset(
        {
            "loss": ("segment", np.zeros(0), {"units": "nats"}),
            "validation_accuracy": ("look", np.zeros(0), SHARE),
        },
        {"step": ("look", np.zeros(0, int), STEPS)},
        {
            **about,
            "diverged": step,
            "test_accuracy": math.nan,
            "test_loss": math.nan,
            "best_step": -1,
            "parameters": -1,
        },
    )
