"""Trainings to forecast: their grids, how they are gathered, and one that runs."""

import dataclasses
import math
from collections import Counter

import numpy as np
import pytest
import xarray as xr

from sigprop.experiments import store, studies, sweep
from sigprop.experiments.forecasting import cells, gathering, grids
from sigprop.experiments.forecasting.cells import CONTROLS, Config
from sigprop.tasks.baselines import least_squares
from sigprop.tasks.forecasts import Forecasts
from sigprop.tasks.tables import Step, Table
from sigprop.training.forecast_presets import MODELS


@pytest.mark.parametrize("name", grids.SWEEPS)
def test_every_preset_has_cells(name):
    sizes = [len(studies.grid(name, preset)) for preset in store.PRESETS]
    assert 0 < sizes[0] <= sizes[1] <= sizes[2]
    assert studies.sweeps()[name] == "forecasting"


def test_both_models_forecast_all_tasks_and_every_other_the_first_in_one_setting():
    grid = grids.forecasts("paper")
    counts = Counter((config.data, config.horizon, config.model) for config in grid)
    first = (grids.TASKS[0],)
    wanted = {
        (*task, model)
        for tasks, models in (
            (grids.TASKS, grids.MODELS),
            (first, grids.OTHERS),
            (first, grids.BOTH_ENDS),
        )
        for task in tasks
        for model in models
    }
    assert set(counts) == wanted
    assert {*counts.values()} == {len({config.seed for config in grid})} == {3}
    assert len({*grid}) == len(grid)
    assert {model for *_, model in counts} == {*MODELS}
    settings = {
        dataclasses.replace(config, data="", horizon=1, model="", seed=0)
        for config in grid
    }
    assert len(settings) == 1
    (setting,) = {(config.channels, config.centre) for config in settings}
    assert setting == grids.CHOSEN
    seeds = {config.seed for config in grid}
    assert not seeds & {config.seed for config in grids.forecast_settings("paper")}


def test_horizons_are_those_of_both_models_and_share_cells_with_the_forecasts():
    grid = grids.horizons("paper")
    counts = Counter((config.data, config.horizon, config.model) for config in grid)
    assert counts == {
        ("ETTh1", horizon, model): 3
        for horizon in (24, 48, 168, 336)
        for model in grids.MODELS
    }
    shared = {config for config in grids.forecasts("paper") if config in grid}
    assert len(shared) == 12


def test_errors_by_step_of_long_horizons_are_rounded_and_means_are_not():
    values = np.array([[1.0, 1 / 3], [np.nan, 1e-3 / 7]])
    table = xr.Dataset(
        {"mse": (("step", "feature"), values), "test_mse": ("cell", [1 / 3])}
    )
    after = gathering.rounded(table)
    np.testing.assert_allclose(after["mse"], values, rtol=2**-12)
    mantissas = after["mse"].values.view(np.uint32) & np.uint32(0xFFF)
    assert not mantissas[np.isfinite(values)].any()
    assert after["test_mse"].item() == 1 / 3


def waves(name):
    """Two features over 400 hours."""
    rows = np.arange(400)
    values = np.stack([np.sin(rows / 4), np.cos(rows / 9) + rows / 400], 1)
    values += np.random.default_rng(3).normal(0, 0.1, values.shape)
    start = np.datetime64("2020-01-01T00", "s")
    times = start + rows * np.timedelta64(3600, "s")
    return Table(name, times, values, ("load", "oil"), Step(3600))


TINY = Config("waves", 5, "lru", 1, 20, 4, "mean", "mixed")


@pytest.fixture(scope="module")
def trained():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "load_table", waves)
        (result,) = cells.run_cells([TINY])
    return result


def test_a_cell_is_trained_as_it_says():
    task = Forecasts(waves(""), 5, 5)
    recipe = cells.recipe_of(TINY, task)
    assert recipe.optimiser.steps == 20
    assert (recipe.network.width, recipe.network.state_size) == (4, 4)
    assert (recipe.head.centre, recipe.head.channels) == ("mean", "mixed")
    plain = cells.recipe_of(Config("waves", 5, "rotrnn", 1), task)
    wide = cells.recipe_of(Config("waves", 5, "rotrnn", 1, width=16), task)
    assert plain.network.width == 64
    assert wide.network.layer_options["heads"] == 2


def test_errors_are_those_of_the_line_and_of_the_controls(trained):
    task = Forecasts(waves(""), 5, 5)
    assert trained.attrs["target"] == "oil"
    assert trained.attrs["test_mse"] == pytest.approx(float(trained["mse"].mean()))
    start, stop = task.split["test"]
    rows = start + trained["line"].values
    assert rows[0] == start
    assert stop - rows[-1] <= 5
    np.testing.assert_array_equal(np.diff(rows), 1)
    truth = task.table.values[rows, 1]
    np.testing.assert_allclose(trained["truth"], truth, atol=1e-6)
    windows = task.windows("test")
    for control, forecast in (
        ("linear", least_squares(task)(windows.inputs)),
        ("climatology", np.zeros_like(windows.targets)),
        ("last value", np.repeat(windows.inputs[:, -1:], 5, 1)),
    ):
        off = forecast - windows.targets
        for name, errors in (("mse", off**2), ("mae", abs(off))):
            stored = trained[f"control_{name}"].sel(control=control)
            np.testing.assert_allclose(stored, errors.mean(0), rtol=1e-9)
    assert np.isnan(trained["control_mse"].sel(control="season")).all()  # 24 rows
    stored = trained["control_validation_mse"].sel(control="climatology")
    validation = task.windows("validation").targets
    np.testing.assert_allclose(stored, (validation**2).mean(0), rtol=1e-12)


def changed(result, seed):
    """The same training with another error, and one step less in its course."""
    other = result.copy(deep=True)
    if seed % 2:
        other = other.isel(segment=slice(0, 0))
    other.attrs["test_mse"] = result.attrs["test_mse"] * (1 + seed / 10)
    return other


def gathered(name, results):
    grid = studies.grid(name, "paper")[: len(results)]
    by_config = {
        repr(config): result for config, result in zip(grid, results, strict=True)
    }
    return gathering.gather(name, "paper", repr, by_config)


def diverged(result):
    return cells._lost(
        7, Forecasts(waves(""), 5, 5), {**result.attrs, "width": 4, "target": "oil"}
    )


def test_cells_come_back_from_a_gathered_result(trained, monkeypatch):
    shorter = [
        dataclasses.replace(config, horizon=5, seed=seed)
        for seed, config in enumerate(grids.forecasts("paper")[:3])
    ]
    monkeypatch.setitem(grids.SWEEPS, "forecasts", lambda preset: shorter)
    results = [trained, changed(trained, 1), diverged(trained)]
    table = gathered("forecasts", results)
    for index, result in enumerate(results):
        repeated = gathering.cell(table, index)
        assert set(repeated.variables) == set(result.variables)
        for name, variable in result.variables.items():
            if name != "control":
                np.testing.assert_allclose(
                    repeated[name], variable, rtol=1e-6, equal_nan=True
                )
                assert repeated[name].dims == variable.dims
        for name, value in result.attrs.items():
            if name in repeated.attrs:
                assert repeated.attrs[name] == pytest.approx(value, nan_ok=True)
    assert gathering.cell(table, 2).attrs["diverged"] == 7


def test_findings_are_means_over_runs_that_ended(trained):
    results = [changed(trained, seed) for seed in (0, 2, 4)] + [diverged(trained)]
    group = [config for config in grids.forecasts("paper") if config.model == "lru"][:4]
    by_config = {
        repr(config): result for config, result in zip(group, results, strict=True)
    }
    table = gathering.gather("forecasts", "paper", repr, by_config)
    table = table.assign_coords(data=("cell", ["waves"] * 4), horizon=("cell", [5] * 4))
    text = gathering.findings(table)
    error = trained.attrs["test_mse"]
    spread = error * np.std([1, 1.2, 1.4], ddof=1) / math.sqrt(3)
    assert f"test MSE {1.2 * error:.4f}, standard error {spread:.4f}" in text
    assert "3 runs, 1 diverged" in text
    linear = float(trained["control_mse"].sel(control="linear").mean())
    assert f"{1.2 * error / linear:.3f} of the linear model's" in text
    assert "season nan" in text


def test_the_setting_of_the_least_ratio_on_the_validation_is_told():
    ratios = {"each": [1.2, 1.0], "mixed": [1.0, 1.1]}
    linear = np.full((4, len(CONTROLS), 1, 1), np.nan)
    linear[:, CONTROLS.index("linear"), 0, 0] = 2.0
    table = xr.Dataset(
        {
            "best_mse": ("cell", 2.0 * np.array([*ratios["each"], *ratios["mixed"]])),
            "control_validation_mse": (("cell", "control", "step", "feature"), linear),
        },
        {
            "channels": ("cell", ["each", "each", "mixed", "mixed"]),
            "centre": ("cell", ["last"] * 4),
            "control": [*CONTROLS],
        },
    )
    scores = gathering.settings(table)
    assert scores == {
        ("each", "last"): pytest.approx(1.1),
        ("mixed", "last"): pytest.approx(1.05),
    }
    table["best_mse"][3] = np.nan  # diverged
    assert gathering.settings(table)["mixed", "last"] == math.inf


@pytest.mark.slow
def test_a_sweep_of_forecasts_is_run_gathered_and_not_run_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    file = sweep.run("forecasts", "smoke")
    table = store.read(file)
    assert table.sizes["cell"] == 2
    assert (table["test_mse"] > 0).all()
    monkeypatch.setattr(cells, "fit_forecaster", None)
    assert sweep.run("forecasts", "smoke") == file
