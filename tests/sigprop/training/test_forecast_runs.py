"""Trainings to forecast in folders: presets, labelled results, killed and gone on."""

import dataclasses
import re

import equinox as eqx
import jax
import numpy as np
import pytest
import xarray as xr

from sigprop.networks.presets import blur_paper
from sigprop.tasks.baselines import NAIVE, least_squares
from sigprop.tasks.forecasts import errors
from sigprop.training import forecast_results
from sigprop.training.forecast_presets import EPOCHS, MODELS, forecast_preset
from sigprop.training.forecast_results import controls, forecasts
from sigprop.training.forecast_runs import (
    FORECASTS,
    SCORES,
    ForecastJob,
    gathered,
    run,
    run_folder,
)
from sigprop.training.forecasting import fit_forecaster, predictions
from sigprop.training.layer_sizes import layer_size
from sigprop.training.runs import CURVES, NETWORK, RESULT, trained
from tests.sigprop.training.test_forecasting import RECIPE, TASK

JOB = ForecastJob("forecast", "lru", "quick", 3, RECIPE, TASK.about())
SHORT = dataclasses.replace(TASK, length=30)  # longer than a day


@pytest.fixture(scope="module")
def fitted():
    return fit_forecaster(RECIPE, SHORT, 3)


@pytest.fixture(scope="module")
def dataset(fitted):
    return forecasts(RECIPE, fitted.network, fitted.state, SHORT)


def all_of(fitted, part):
    windows = SHORT.windows(part)
    batches = predictions(RECIPE, fitted.network, fitted.state, windows)
    return windows.targets, np.concatenate([rows for _, rows in batches])


def test_forecasts_are_labelled_by_time_in_both_units(fitted, dataset):
    truth, rows = all_of(fitted, "test")
    assert dataset["forecast"].dims == ("window", "step", "feature")
    np.testing.assert_array_equal(dataset["forecast_scaled"], rows)
    np.testing.assert_allclose(
        dataset["forecast"], rows * SHORT.scale + SHORT.mean, rtol=1e-5
    )
    values, times = SHORT.table.values, SHORT.table.times
    for index in (0, 7, len(truth) - 1):
        window = dataset.isel(window=index)
        first = int(np.flatnonzero(times == window["window"].values)[0])
        for step in (1, 4):
            np.testing.assert_allclose(
                window["truth"].sel(step=step), values[first + step - 1], rtol=1e-6
            )
    assert dataset["window"].values[0] == times[240]
    assert dataset["feature"].values.tolist() == ["sine", "cosine"]


def test_errors_are_those_of_all_windows_and_of_every_control(fitted, dataset):
    truth, rows = all_of(fitted, "test")
    own = errors(rows, truth)
    named = dataset["mse"].sel(forecaster="model")
    np.testing.assert_allclose(named, own.squared, rtol=1e-6)
    windows = SHORT.windows("test")
    for name, way in NAIVE.items():
        control = errors(way(SHORT, windows), truth)
        np.testing.assert_allclose(
            dataset["mae"].sel(forecaster=name), control.absolute
        )
    linear = errors(least_squares(SHORT)(windows.inputs), truth)
    np.testing.assert_allclose(dataset["mse"].sel(forecaster="linear"), linear.squared)


def test_intervals_are_quantiles_of_what_the_validation_left_over(fitted, dataset):
    truth, rows = all_of(fitted, "validation")
    limits = np.quantile(truth - rows, (0.05, 0.95), axis=0) * SHORT.scale
    np.testing.assert_allclose(dataset["lower"], limits[0], rtol=1e-5)
    np.testing.assert_allclose(dataset["upper"], limits[1], rtol=1e-5)
    off = dataset["truth"] - dataset["forecast"]
    inside = ((dataset["lower"] <= off) & (off <= dataset["upper"])).mean("window")
    np.testing.assert_allclose(dataset["coverage"], inside, atol=0.04)


def test_a_large_result_keeps_every_so_many_windows(fitted, dataset, monkeypatch):
    monkeypatch.setattr(forecast_results, "MOST", 200)
    thin = forecasts(RECIPE, fitted.network, fitted.state, SHORT)
    stride = thin.attrs["every"]
    assert stride == -(-dataset["forecast"].size // 200) > 1
    assert dataset.attrs["every"] == 1
    for name in ("forecast", "truth", "forecast_scaled"):
        xr.testing.assert_equal(
            thin[name], dataset[name].isel(window=slice(0, None, stride))
        )
    xr.testing.assert_equal(thin["mse"], dataset["mse"])


def test_controls_in_pieces_are_the_whole_ones_and_none_where_impossible(monkeypatch):
    expected = controls(SHORT)
    monkeypatch.setattr(forecast_results, "CHUNK", 50)
    for control, other in zip(expected.values(), controls(SHORT).values(), strict=True):
        assert control is not None
        np.testing.assert_allclose(control.squared, other.squared, rtol=1e-12)
    assert controls(TASK)["season"] is None  # twelve rows are less than a day
    assert controls(TASK)["linear"] is not None


def test_a_folder_ends_with_network_curves_forecasts_and_result(tmp_path):
    folder = tmp_path / "seed-3"
    result = run(JOB, TASK, folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [CURVES, NETWORK, RESULT, FORECASTS, "run.json"]
    )
    assert set(result) == set(SCORES)
    network, _ = trained(folder)
    assert not network.training
    network = eqx.filter(network, eqx.is_inexact_array)

    def nothing(done, last):
        raise AssertionError("trained again")

    assert run(JOB, TASK, folder, progress=nothing) == result
    other = dataclasses.replace(JOB, seed=4)
    run(other, TASK, tmp_path / "seed-4")
    shown = gathered(tmp_path)
    assert shown["seed"].values.tolist() == [3, 4]
    for name in ("mse", "mae"):
        own = shown[name].sel(forecaster="model", seed=3).mean()
        assert float(own) == pytest.approx(result[f"test_{name}"], rel=1e-6)
    assert shown["validation_mse"].shape == (2, 4)
    for seed in (3, 4):
        with np.load(tmp_path / f"seed-{seed}" / CURVES) as curves:
            selection = shown.sel(seed=seed)
            np.testing.assert_array_equal(selection["step_trained"], curves["step"])
            np.testing.assert_array_equal(
                selection["validation_mse"], curves["validation_mse"]
            )
            if seed == 3:
                best = int(curves["validation_mse"].argmin())
                least, step = curves["validation_mse"][best], curves["step"][best]
    assert result["validation_mse"] == pytest.approx(float(least))
    assert result["best_step"] == step
    assert result["parameters"] == sum(leaf.size for leaf in jax.tree.leaves(network))
    task = dataclasses.replace(TASK, length=13)
    changed = dataclasses.replace(JOB, data=task.about())
    with pytest.raises(ValueError, match="a training of another data;"):
        run(changed, task, folder)


def test_a_training_that_was_killed_ends_with_the_same_forecasts(tmp_path):
    class Killed(Exception):
        pass

    def stop(done, _):
        if done == 5:
            raise Killed

    undisturbed, killed = tmp_path / "whole", tmp_path / "killed"
    run(JOB, TASK, undisturbed)
    with pytest.raises(Killed):
        run(JOB, TASK, killed, every=0, progress=stop)
    assert not (killed / FORECASTS).exists()
    run(JOB, TASK, killed, every=0)
    first, other = (xr.load_dataset(path / FORECASTS) for path in (undisturbed, killed))
    xr.testing.assert_identical(first, other)


def test_nothing_is_gathered_from_an_empty_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="need a finished training"):
        gathered(tmp_path)


def test_the_paper_preset_is_that_of_its_table():
    recipe = forecast_preset("blur", "paper", TASK)
    assert recipe.network == blur_paper(2, 8)
    assert (recipe.head.centre, recipe.head.channels) == ("none", "mixed")
    assert (recipe.batch, recipe.rate, recipe.optimiser.decay) == (64, 1e-3, 0.05)
    assert recipe.optimiser.steps == EPOCHS * (TASK.count("train") // 64) // 20 * 20


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_both_presets(model):
    for size in ("quick", "paper"):
        recipe = forecast_preset(model, size, TASK)
        assert recipe.network.layer == model
        assert recipe.batch <= TASK.count("train")


@pytest.mark.parametrize("model", ["ssd", "linoss"])
def test_a_layer_of_the_registry_forecasts_by_its_name(model):
    sizes = {"quick": 64, "paper": 128}
    for preset, states in sizes.items():
        network = forecast_preset(model, preset, TASK).network
        size, options = layer_size(model, states, network.width)
        assert (network.layer, network.state_size) == (model, size)
        assert network.layer_options == options


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"model": "mamba"}, "need a model in blur, lru,"),
        ({"size": "smoke"}, "a preset of quick or paper, got 'smoke'"),
        ({"kind": "both"}, "need a kind of head in direct, steps, got 'both'"),
    ],
)
def test_a_training_that_there_is_not_is_refused(how, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        forecast_preset(**{"model": "blur", "size": "quick", "task": TASK} | how)


def test_a_folder_is_named_by_what_is_forecast(tmp_path):
    plain = run_folder(tmp_path, TASK, "lru", "quick", "direct")
    assert plain.name == "forecast-waves-12-4-lru-quick"
    task = dataclasses.replace(TASK, univariate="sine", calendar=True)
    name = run_folder(tmp_path, task, "blur", "paper", "steps").name
    assert name == "forecast-waves-sine-12-4-blur-steps-calendar-paper"
