"""Training of a forecaster in a folder, which can be interrupted and resumed.

The folder has the files of ``sigprop.training.runs``, and at the end ``forecasts.nc``.
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
    """Training of a forecaster.

    Attributes:
        recipe: Recipe of the training.
        data: Description of the task, from ``Forecasts.about``.
    """

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
    """Train a forecaster, resume its training, or read the result of a finished one.

    Args:
        job: Description of the training, whose ``data`` describe the task.
        task: Forecasting task.
        folder: Folder of this training, which no other training may use.
        every: Number of seconds between two checkpoints.
        progress: Function of the number of finished segments and of the last scores.
        on_stage: Function that is called with the name of each stage after the training.

    Returns:
        ``test_mse``, ``test_mae`` and ``validation_mse`` in standardised units,
        ``best_step``, the number of ``parameters``, and ``seconds`` since the training
        was last started or resumed.

    Raises:
        ValueError: If another training or another process uses the folder; if one of its
            files is damaged; or if ``fit_forecaster`` raises it.
        Diverged: If the loss or a gradient is not finite.
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
    """Read the forecasts of the first seed in a folder, and errors and curves of all seeds.

    Args:
        folder: Folder with one subfolder per training.
        job: Training to compare with.  Trainings that differ from it in more than the
            seed are omitted.

    Returns:
        The data set of ``forecasts`` for the first seed, where ``mse`` and ``mae`` have
        the dimension ``seed`` as well.  ``step_trained`` and ``validation_mse`` have the
        dimensions ``seed`` and ``look``, a value per evaluation.

    Raises:
        FileNotFoundError: If no training is finished.
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
    """Return the folder of a model's trainings, whose name contains the task.

    Args:
        out: Parent folder.
        task: Forecasting task.
        model: Name of the model.
        preset: Size of the training, ``quick`` or ``paper``.
        kind: Kind of the output head, ``direct`` or ``steps``.
    """
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
