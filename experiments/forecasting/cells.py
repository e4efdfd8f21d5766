"""One training of a network to forecast: its errors, loss curves and forecasts of one feature.

Forecasts without a network are evaluated on the same validation and test parts.

Source: Tang et al. (2025), BLUR, Section 5.2 and Appendix A.8: windows as long as the
horizon, all features, errors in scaled units.
"""

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from jaxtyping import Float64

from sigprop.networks.assembly import parameter_table
from sigprop.tasks.forecasts import Forecasts
from sigprop.tasks.tables import load_table
from sigprop.training.forecast_presets import MODELS, forecast_preset
from sigprop.training.forecast_results import controls, forecasts
from sigprop.training.forecasting import Fitted, ForecastRecipe, fit_forecaster
from sigprop.training.presets import altered
from sigprop.training.segments import Diverged

VERSION = 1
SCALED = {"units": "scaled by the training rows"}
STEPS = {"units": "steps"}
SEGMENTS = ("loss", "gradient_norm")
LOOKS = ("validation_mse", "validation_mae")
CONTROLS = ("last value", "season", "climatology", "linear")


@dataclass(frozen=True)
class Config:
    """One training.

    Attributes:
        data: A name that ``sigprop.tasks.tables.load_table`` knows.
        horizon: Rows of a forecast, and of the window before it.
        model: A name of ``sigprop.training.forecast_presets.MODELS``.
        seed: Seed of the training.
        steps: Steps of the schedule; the preset's if left out.
        width: Number of features and of states; the preset's if left out.
        centre: Value that is subtracted from a window; the preset's if left out.
        channels: ``mixed`` or ``each``; the preset's if left out.
        size: Preset of the training, ``quick`` or ``paper``.
    """

    data: str
    horizon: int
    model: str
    seed: int
    steps: int | None = None
    width: int | None = None
    centre: str | None = None
    channels: str | None = None
    size: str = "quick"


def shape(config: Config) -> Config:
    """Return the configuration itself, so that each cell is trained alone."""
    return config


def chunk_size(config: Config) -> int:
    """Return the number of cells in a chunk, one."""
    del config
    return 1


def task_of(config: Config) -> Forecasts:
    """Return the windows of a cell.

    Raises:
        FileNotFoundError: If the table does not exist.
        ValueError: If the table is too short.
    """
    return Forecasts(load_table(config.data), config.horizon, config.horizon)


def recipe_of(config: Config, task: Forecasts) -> ForecastRecipe:
    """Return the recipe of a cell's training.

    Raises:
        ValueError: If a name is unknown or a size out of range.
    """
    base = forecast_preset(
        *(config.model, config.size, task),
        centre=config.centre,
        channels=config.channels,
    )
    recipe = altered(base, config.steps, None, base.matmul)
    if config.width is None:
        return recipe
    network = dataclasses.replace(
        recipe.network,
        width=config.width,
        state_size=config.width,
        layer_options=MODELS[config.model](config.width),
    )
    return dataclasses.replace(recipe, network=network)


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
        FileNotFoundError: If the table does not exist.
    """
    (config,) = configs
    task = task_of(config)
    recipe = recipe_of(config, task)
    about = {
        "width": recipe.network.width,
        "depth": recipe.network.depth,
        "batch": recipe.batch,
        "examples": task.count("train"),
        "windows": task.count("test"),
        "features": len(task.features),
        "target": task.features[-1],
    }
    try:
        fitted = fit_forecaster(
            recipe,
            task,
            config.seed,
            checkpoint=checkpoint,
            progress=lambda done, last: progress(done / recipe.segments),
        )
    except Diverged as error:
        return [_lost(error.step, task, about)]
    return [_result(fitted, recipe, task, about)]


def _result(
    fitted: Fitted, recipe: ForecastRecipe, task: Forecasts, about: dict[str, Any]
) -> xr.Dataset:
    prediction = forecasts(recipe, fitted.network, fitted.state, task)
    records, own = fitted.records, {"units": "of the table"}
    line = prediction[["forecast", "truth", "lower", "upper"]].isel(feature=-1)
    whole = line.isel(
        window=slice(None, None, -(-task.horizon // prediction.attrs["every"]))
    )
    errors = prediction.sel(forecaster="model")
    variables: dict[str, Any] = {
        "mse": (("step", "feature"), errors["mse"].values, SCALED),
        "mae": (("step", "feature"), errors["mae"].values, SCALED),
        "coverage": (
            ("step", "feature"),
            prediction["coverage"].values,
            {"units": "1"},
        ),
        **{name: ("segment", records[name].mean(1), SCALED) for name in SEGMENTS},
        **{name: ("look", records[name], SCALED) for name in LOOKS},
        "forecast": ("row", whole["forecast"].values.ravel(), own),
        "truth": ("row", whole["truth"].values.ravel(), own),
        "lower": ("step", line["lower"].values, own),
        "upper": ("step", line["upper"].values, own),
    }
    first = (
        np.searchsorted(task.table.times, whole["window"].values)
        - task.split["test"].start
    )
    rows = (first[:, None] + np.arange(task.horizon)).ravel()
    return xr.Dataset(
        variables | _controls(task),
        {
            "looked": ("look", records["step"], STEPS),
            "line": ("row", rows, {"units": "rows of the test"}),
            "control": [*CONTROLS],
        },
        {
            **about,
            "diverged": -1,
            "test_mse": float(errors["mse"].mean()),
            "test_mae": float(errors["mae"].mean()),
            "best_mse": fitted.validation,
            "best_step": fitted.step,
            "parameters": parameter_table(fitted.network)["total"],
        },
    )


def _controls(task: Forecasts) -> dict[str, Any]:
    """Return errors of the forecasts without a network, or NaN if there is no forecast."""
    of_test, of_validation = controls(task, "test"), controls(task, "validation")
    shape = (task.horizon, len(task.features))
    by: dict[str, list[Float64[np.ndarray, "horizon features"]]] = {
        "control_mse": [],
        "control_mae": [],
        "control_validation_mse": [],
    }
    for name in CONTROLS:
        test, validation = of_test[name], of_validation[name]
        nothing = np.full(shape, math.nan)
        by["control_mse"].append(nothing if test is None else test.squared)
        by["control_mae"].append(nothing if test is None else test.absolute)
        by["control_validation_mse"].append(
            nothing if validation is None else validation.squared
        )
    dims = ("control", "step", "feature")
    return {name: (dims, np.stack(rows), SCALED) for name, rows in by.items()}


def _lost(step: int, task: Forecasts, about: dict[str, Any]) -> xr.Dataset:
    """Return the result of a training that diverged, with the step and no curves."""
    return xr.Dataset(
        {
            **{name: ("segment", np.zeros(0), SCALED) for name in SEGMENTS},
            **{name: ("look", np.zeros(0), SCALED) for name in LOOKS},
            **_controls(task),
        },
        {"looked": ("look", np.zeros(0, int), STEPS), "control": [*CONTROLS]},
        {
            **about,
            "diverged": step,
            **dict.fromkeys(("test_mse", "test_mae", "best_mse"), math.nan),
            "best_step": -1,
            "parameters": -1,
        },
    )
