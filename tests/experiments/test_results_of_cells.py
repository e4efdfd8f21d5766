"""Every number of a training's result is the one that the training recorded under its name."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray as xr

from sigprop.experiments.advised import cells as advised
from sigprop.experiments.advised import gathering, rule, tasks
from sigprop.experiments.forecasting import cells as forecasting
from sigprop.tasks.forecasts import Errors, Forecasts
from sigprop.training import forecasting as to_forecast
from sigprop.training import supervised
from tests.experiments.test_forecasting import TINY, waves

RECORDS = {  # of two segments of two steps, and of two looks; no two numbers agree
    "loss": np.array([[0.9, 0.7], [0.5, 0.1]]),
    "gradient_norm": np.array([[3.0, 4.0], [5.0, 9.0]]),
    "step": np.array([20, 40]),
    "validation_loss": np.array([0.81, 0.82]),
    "validation_accuracy": np.array([0.31, 0.32]),
    "validation_mse": np.array([0.71, 0.72]),
    "validation_mae": np.array([0.61, 0.62]),
}


@pytest.mark.parametrize(
    ("task", "module", "curve", "shares"),
    [
        ("digits", supervised, "validation_loss", [0.31, 0.32]),
        ("ETTh1", to_forecast, "validation_mse", [math.nan, math.nan]),
    ],
)
def test_an_advised_training_keeps_its_records(
    monkeypatch, task, module, curve, shares
):
    records = dict(RECORDS)
    if module is to_forecast:
        del records["validation_accuracy"], records["validation_loss"]
    fitted = SimpleNamespace(records=records)
    name = "fit_forecaster" if module is to_forecast else "fit"
    monkeypatch.setattr(module, name, lambda *args, **more: fitted)
    for name in ("recipe_of", "forecasts", "data_of"):
        monkeypatch.setattr(tasks, name, lambda *args: None)
    monkeypatch.setattr(tasks, "factor_of", lambda task, arm: 0.125)
    monkeypatch.setattr(tasks, "options_of", lambda task, arm: {"r_min": 0.25})
    (result,) = advised.run_cells([advised.Config(task, "default", 3, 40)])
    np.testing.assert_allclose(result["loss"], [0.8, 0.3])
    np.testing.assert_array_equal(result["step"], [20, 40])
    np.testing.assert_array_equal(result["validation_loss"], RECORDS[curve])
    np.testing.assert_array_equal(result["validation_accuracy"], shares)
    attributes = result.attrs
    assert attributes["final_loss"] == RECORDS[curve][-1]
    assert attributes["final_accuracy"] == pytest.approx(shares[-1], nan_ok=True)
    assert (attributes["factor"], attributes["diverged"]) == (0.125, -1)
    assert attributes["options"] == '{"r_min": 0.25}'


@pytest.mark.parametrize("points", [math.nan, 0.011])
def test_the_line_of_a_task_says_each_number_under_its_name(points):
    numbers = {name: (index + 1) / 1000 for index, name in enumerate(gathering.NUMBERS)}
    numbers |= {"points": points}
    row = xr.Dataset(
        {
            **numbers,
            "word": rule.BETTER,
            "area_word": rule.WORSE,
            "reached": 0.375,
        }
    )
    line = gathering._line(row, "digits")
    wanted = (
        f"digits: {rule.BETTER}, log loss +0.001 (+0.002 to +0.003); along the way "
        f"{rule.WORSE}, +0.004 (+0.005 to +0.006); there after 0.38 of the steps"
    )
    if points == points:
        wanted += "; accuracy +0.011 (+0.009 to +0.010)"
    assert line == wanted


def test_errors_without_a_network_are_each_under_their_name(monkeypatch):
    """Squared and absolute errors of every control, on the test and on the validation."""
    task = Forecasts(waves(""), 5, 5)
    shape = (task.horizon, len(task.features))
    errors, count = {}, 0
    for part in ("test", "validation"):
        errors[part] = {}
        for name in forecasting.CONTROLS:
            count += 1
            squared = count + np.arange(10.0).reshape(shape) / 100
            errors[part][name] = Errors(squared, 100 + squared)
    errors["test"]["season"] = None
    monkeypatch.setattr(forecasting, "controls", lambda task, part: errors[part])
    results = forecasting._controls(task)
    for name, part, index in (
        ("control_mse", "test", 0),
        ("control_mae", "test", 1),
        ("control_validation_mse", "validation", 0),
    ):
        dims, values, _ = results[name]
        assert dims == ("control", "step", "feature")
        for row, control in zip(values, forecasting.CONTROLS, strict=True):
            error = errors[part][control]
            wanted = np.full(shape, np.nan) if error is None else error[index]
            np.testing.assert_array_equal(row, wanted)


def test_a_forecast_keeps_its_records_and_the_forecasts_of_the_last_feature(
    monkeypatch,
):
    task = Forecasts(waves(""), 5, 5)
    windows, horizon, features = task.count("test"), 5, 2
    draws = np.random.default_rng(0)
    by, stride = ("window", "step", "feature"), 2
    first = task.split["test"].start
    indices = np.arange(windows)[::stride]
    shape = (len(indices), horizon, features)
    names = ("model", *forecasting.CONTROLS)
    forecasts = xr.Dataset(
        {
            "forecast": (by, draws.normal(size=shape)),
            "truth": (by, draws.normal(size=shape)),
            "lower": (by[1:], draws.uniform(-2, -1, shape[1:])),
            "upper": (by[1:], draws.uniform(1, 2, shape[1:])),
            "coverage": (by[1:], draws.uniform(size=shape[1:])),
            "mse": (("forecaster", *by[1:]), draws.uniform(1, 2, (5, *shape[1:]))),
            "mae": (("forecaster", *by[1:]), draws.uniform(3, 4, (5, *shape[1:]))),
        },
        {
            "window": task.table.times[first + indices].astype("datetime64[ns]"),
            "step": np.arange(1, 6),
            "feature": list(task.features),
            "forecaster": list(names),
        },
        {"every": stride},
    )
    monkeypatch.setattr(forecasting, "forecasts", lambda *args: forecasts)
    monkeypatch.setattr(forecasting, "load_table", waves)
    monkeypatch.setattr(
        forecasting, "parameter_table", lambda network: {"total": 77, "input": 5}
    )
    nothing: Any = None
    fitted = to_forecast.Fitted(nothing, nothing, 20, 0.72, RECORDS)
    monkeypatch.setattr(forecasting, "fit_forecaster", lambda *args, **more: fitted)
    (result,) = forecasting.run_cells([TINY])
    own = forecasts.sel(forecaster="model")
    for name in ("mse", "mae", "coverage"):
        np.testing.assert_array_equal(result[name], own[name])
    np.testing.assert_allclose(result["loss"], [0.8, 0.3])
    np.testing.assert_allclose(result["gradient_norm"], [3.5, 7.0])
    for name in ("validation_mse", "validation_mae"):
        np.testing.assert_array_equal(result[name], RECORDS[name])
    np.testing.assert_array_equal(result["looked"], RECORDS["step"])
    for name in ("lower", "upper"):
        np.testing.assert_array_equal(result[name], forecasts[name].sel(feature="oil"))
    apart = 3  # of windows that are kept: six rows, five of which are forecast
    for name in ("forecast", "truth"):
        lines = forecasts[name].sel(feature="oil").values[::apart]
        np.testing.assert_array_equal(result[name], lines.ravel())
    rows = (indices[::apart, None] + np.arange(horizon)).ravel()
    np.testing.assert_array_equal(result["line"], rows)
    attributes = {
        "test_mse": float(own["mse"].mean()),
        "test_mae": float(own["mae"].mean()),
        "best_mse": 0.72,
        "best_step": 20,
        "parameters": 77,
        "diverged": -1,
        "width": 4,
        "batch": forecasting.recipe_of(TINY, task).batch,
        "examples": task.count("train"),
        "windows": windows,
        "features": 2,
        "target": "oil",
    }
    for name, value in attributes.items():
        assert result.attrs[name] == (
            value if isinstance(value, str) else pytest.approx(value)
        ), name
