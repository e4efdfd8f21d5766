"""A training to forecast in a folder of its own, which goes on where it was stopped.

As in ``sigprop.training.runs``; at the end there is ``forecasts.nc`` too.
"""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from jaxtyping import Float

from sigprop.numerics.files import unfinished
from sigprop.tasks.forecasts import Forecasts
from sigprop.training.curves import finished
from sigprop.training.forecast_results import forecasts
from sigprop.training.forecasting import ForecastRecipe, fit_forecaster
from sigprop.training.runs import (
    CHECKPOINT,
    CURVES,
    RESULT,
    Job,
    alone,
    finish,
    read_result,
)
from sigprop.training.segments import Progress

FORECASTS = "forecasts.nc"
SCORES = (
    "test_mse",
    "test_mae",
    "validation_mse",
    "best_step",
    "parameters",
    "seconds",
)
PACKED = {"zlib": True, "complevel": 4, "fletcher32": True}


@dataclass(frozen=True)
class ForecastJob(Job):
    """A training to forecast: ``data`` is what ``Forecasts.about`` says."""

    recipe: ForecastRecipe
    data: Mapping[str, Any]


def run(
    job: ForecastJob,
    task: Forecasts,
    folder: Path,
    *,
    every: float = 20.0,
    progress: Progress = lambda done, last: None,
    on_stage: Callable[[str], None] = lambda stage: None,
) -> dict[str, Any]:
    """Train, or go on, or read the result of what is already done.

    Args:
        job: What is trained; its ``data`` are those of the task.
        task: The windows.
        folder: Folder of this training alone.
        every: Seconds between two checkpoints.
        progress: As in ``fit``.
        on_stage: Called with the name of each stage after the training, as it begins.

    Returns:
        ``SCORES``: errors in scaled units, and seconds of the last part that ran.

    Raises:
        ValueError: If the folder holds another training, a file of it is damaged,
            another process is training in it, or as ``fit``.
        Diverged: As ``fit``.
    """
    with alone(folder, job):
        if (folder / RESULT).is_file():
            return read_result(folder, SCORES)
        return _run(job, task, folder, every, progress, on_stage)


def _run(
    job: ForecastJob,
    task: Forecasts,
    folder: Path,
    every: float,
    progress: Progress,
    on_stage: Callable[[str], None],
) -> dict[str, Any]:
    began, checkpoint = time.perf_counter(), folder / CHECKPOINT
    fitted = fit_forecaster(
        *(job.recipe, task, job.seed),
        checkpoint=checkpoint,
        every=every,
        progress=progress,
    )
    on_stage("forecasts of the test rows")
    dataset = forecasts(job.recipe, fitted.network, fitted.state, task)
    encoding: dict[Any, Any] = {
        name: PACKED for name in dataset.data_vars if dataset[name].dtype.kind == "f"
    }
    with unfinished(folder / FORECASTS) as partial:
        dataset.to_netcdf(partial, engine="h5netcdf", encoding=encoding)
    errors = dataset.sel(forecaster="model")
    scores = {
        "test_mse": float(errors["mse"].mean()),
        "test_mae": float(errors["mae"].mean()),
        "validation_mse": fitted.validation,
    }
    return finish(folder, fitted, scores, began, [FORECASTS])


def gathered(folder: Path, job: Job | None = None) -> xr.Dataset:
    """Forecasts of the first seed of a folder, with errors and curves of all seeds.

    Args:
        folder: With the trainings.
        job: Leave out the trainings that differ from it in more than the seed.

    Returns:
        As ``forecasts``, but ``mse`` and ``mae`` by ``seed`` too; by ``seed`` and
        ``look``: ``step_trained`` and ``validation_mse``; ``lower``, ``upper``,
        ``coverage`` and forecasts are those of the first seed.

    Raises:
        FileNotFoundError: If no training there is finished.
        ValueError: If a file is damaged.
    """
    folders = finished(folder, job)
    read = [_read(subfolder) for subfolder in folders.values()]
    errors = xr.concat(
        [dataset[["mse", "mae", "step_trained", "validation_mse"]] for dataset in read],
        xr.DataArray([*folders], dims="seed", name="seed"),
        join="outer",
    )
    return read[0].drop_vars(list(errors.data_vars)).merge(errors)


def _read(folder: Path) -> xr.Dataset:
    read_result(folder, SCORES)
    with xr.open_dataset(folder / FORECASTS, engine="h5netcdf") as stored:
        dataset = stored.load()
    with (folder / CURVES).open("rb") as stream, np.load(stream) as curves:
        looks: dict[str, Float[np.ndarray, " look"]] = {
            "step_trained": curves["step"],
            "validation_mse": curves["validation_mse"],
        }
    coords = {"look": np.arange(len(looks["step_trained"]))}
    return dataset.assign_coords(coords).assign(
        {name: ("look", value) for name, value in looks.items()}
    )


def run_folder(
    out: Path,
    task: Forecasts,
    model: str,
    preset: str,
    kind: str,
) -> Path:
    """The folder of a model's trainings, named by what they forecast."""
    parts = [
        Path(task.table.name).stem,
        task.univariate or "",
        f"{task.length}-{task.horizon}",
        model,
        "steps" if kind == "steps" else "",
        "calendar" if task.calendar else "",
        preset,
    ]
    named = [re.sub(r"[^\w.-]", "_", part) for part in parts if part]
    return out / "-".join(["forecast", *named])
