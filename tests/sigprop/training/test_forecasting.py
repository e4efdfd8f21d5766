"""Training to forecast: it learns, keeps the best validation, resumes to the same numbers."""

import dataclasses
import re

import equinox as eqx
import jax
import numpy as np
import pytest

from sigprop.networks import NetworkConfig
from sigprop.networks.forecaster import Head
from sigprop.tasks.baselines import climatology
from sigprop.tasks.examples import training_rows
from sigprop.tasks.forecasts import Forecasts, errors
from sigprop.tasks.tables import Step, Table
from sigprop.training.forecasting import (
    ForecastRecipe,
    fit_forecaster,
    measure,
    predictions,
    require_task,
)
from sigprop.training.loop import Optimiser
from sigprop.training.segments import Diverged


def series(rows=300, seed=0):
    """Two waves with noise; another table for another seed."""
    draw = np.random.default_rng(seed)
    angle = 2 * np.pi * np.arange(rows) / 24
    values = np.stack([np.sin(angle), np.cos(angle) + 2], 1)
    times = np.datetime64("2020-02-28T00:00:00") + 3600 * np.arange(rows)
    noisy = 3 * values + 0.3 * draw.normal(size=values.shape)
    return Table("waves", times, noisy, ("sine", "cosine"), Step(3600))


TASK = Forecasts(series(), 12, 4)
OPTIMISER = Optimiser(40, warmup=4, decay=0.05)


def recipe(kind="direct", layer="lru", **changes):
    head = Head(horizon=4, features=2, kind=kind, marks=changes.pop("marks", 0))
    network = NetworkConfig(
        inputs=head.inputs,
        outputs=head.outputs,
        width=8,
        state_size=8,
        depth=1,
        layer=layer,
        dropout=0.1,
        pooling="last",
    )
    fields = {"network": network, "optimiser": OPTIMISER, "rate": 2e-2, "batch": 16}
    return ForecastRecipe(**fields, segment=5, evaluate=2, head=head, **changes)


RECIPE = recipe()


@pytest.fixture(scope="module")
def undisturbed():
    return fit_forecaster(RECIPE, TASK, 3)


def score(training, windows, of=RECIPE):
    return measure(predictions(of, training.network, training.state, windows), windows)


def test_it_learns(undisturbed):
    windows = TASK.windows("test")
    flat = errors(climatology(TASK, windows), windows.targets)
    assert score(undisturbed, windows).mse < 0.3 * flat.mse
    records = undisturbed.records
    assert records["loss"].shape == records["gradient_norm"].shape == (8, 5)
    assert records["loss"][-1].mean() < 0.5 * records["loss"][0].mean()
    np.testing.assert_array_equal(records["step"], [10, 20, 30, 40])


def test_what_is_prepared_is_trained(undisturbed):
    """Without a say of the network, a window's last value is forecast."""

    def silenced(network):
        decoder = jax.tree.map(jax.numpy.zeros_like, network.decoder)
        return eqx.tree_at(lambda tree: tree.decoder, network, decoder)

    records = fit_forecaster(RECIPE, TASK, 3, prepare=silenced).records
    windows = TASK.windows("train")
    rows = training_rows(len(windows.inputs), RECIPE.batch, 3, 0)
    off = windows.targets[rows] - windows.inputs[rows][:, -1:]
    assert records["loss"][0, 0] == pytest.approx((off**2).mean(), rel=1e-5)
    assert undisturbed.records["loss"][0, 0] != pytest.approx((off**2).mean(), rel=1e-3)


def test_the_network_is_that_of_the_least_validation_error(undisturbed):
    curve = undisturbed.records["validation_mse"]
    assert undisturbed.step == undisturbed.records["step"][curve.argmin()]
    result = score(undisturbed, TASK.windows("validation"))
    assert undisturbed.validation == pytest.approx(curve.min(), rel=1e-6)
    assert result.mse == pytest.approx(curve.min(), rel=1e-6)


def test_the_best_is_not_the_last_where_validation_grows_worse():
    """Validation rows of another kind: the longer it learns the waves, the worse."""
    values = series().values.copy()
    draw = np.random.default_rng(1)
    values[210:240] = values[:210].mean(0) + draw.normal(size=(30, 2))
    task = dataclasses.replace(TASK, table=dataclasses.replace(series(), values=values))
    training = fit_forecaster(recipe(layer="lru"), task, 0)
    curve = training.records["validation_mse"]
    assert training.step == training.records["step"][curve.argmin()]
    assert training.step < 40
    windows = task.windows("validation")
    assert score(training, windows).mse == pytest.approx(curve.min(), rel=1e-5)


class Killed(Exception):
    pass


def test_a_training_goes_on_to_the_same_numbers(undisturbed, tmp_path):
    path = tmp_path / "checkpoint.npz"

    def stop_at(segment):
        def progress(done, _):
            if done == segment:
                raise Killed

        return progress

    for segment in (1, 3, 6):
        with pytest.raises(Killed):
            fit_forecaster(
                *(RECIPE, TASK, 3),
                checkpoint=path,
                every=0,
                progress=stop_at(segment),
            )
    training = fit_forecaster(RECIPE, TASK, 3, checkpoint=path, every=0)
    for name, record in undisturbed.records.items():
        np.testing.assert_array_equal(training.records[name], record, name)
    trees = training.network, training.state, undisturbed.network, undisturbed.state
    mine, my_state, theirs, their_state = map(jax.tree.leaves, trees)
    for leaf, other in zip(mine + my_state, theirs + their_state, strict=True):
        np.testing.assert_array_equal(leaf, other)
    others = (
        (RECIPE, dataclasses.replace(TASK, table=series(seed=1)), 3),
        (RECIPE, TASK, 4),
        (dataclasses.replace(RECIPE, rate=1e-3), TASK, 3),
    )
    for other, named in zip(others, ("task", "seed", "rate"), strict=True):
        with pytest.raises(ValueError, match=f"with another {named};"):
            fit_forecaster(*other, checkpoint=path)


def test_the_test_rows_are_not_read(undisturbed):
    values = series().values.copy()
    values[240:] = np.nan
    table = dataclasses.replace(series(), values=values)
    blind = fit_forecaster(RECIPE, dataclasses.replace(TASK, table=table), 3)
    for name, record in undisturbed.records.items():
        np.testing.assert_array_equal(blind.records[name], record, name)


def test_another_seed_is_another_training(undisturbed):
    other = fit_forecaster(dataclasses.replace(RECIPE, evaluate=8), TASK, 4)
    assert not np.array_equal(other.records["loss"], undisturbed.records["loss"])


@pytest.mark.parametrize("layer", ["lru", "blur"])
def test_a_head_of_steps_learns_the_next_row_and_rolls_it_out(layer):
    stepwise = recipe("steps", layer=layer, marks=4)
    task = dataclasses.replace(TASK, calendar=True)
    training = fit_forecaster(stepwise, task, 0)
    windows = task.windows("test")
    flat = errors(climatology(task, windows), windows.targets)
    assert score(training, windows, stepwise).mse < 0.6 * flat.mse


def test_windows_that_are_forecast_together_do_not_matter(undisturbed):
    """The last batch is filled up; nothing of that is counted."""
    windows = TASK.windows("test")
    alone = dataclasses.replace(RECIPE, batch=1)
    forecasts, truth = (
        np.concatenate(
            [
                rows
                for _, rows in predictions(
                    each, undisturbed.network, undisturbed.state, windows
                )
            ]
        )
        for each in (RECIPE, alone)
    )
    assert len(windows.inputs) % RECIPE.batch
    np.testing.assert_allclose(forecasts, truth, atol=1e-5)
    result = score(undisturbed, windows)
    for error, other in zip(result, errors(truth, windows.targets), strict=True):
        np.testing.assert_allclose(error, other, atol=1e-5)


def test_windows_stay_views_of_the_rows():
    windows = TASK.windows("train")
    assert windows.inputs.base is not None
    assert windows.inputs.strides[0] == windows.inputs.strides[1]


def test_a_loss_that_is_not_finite_stops(tmp_path):
    path = tmp_path / "checkpoint.npz"
    with pytest.raises(Diverged, match="not finite at step"):
        fit_forecaster(
            dataclasses.replace(RECIPE, rate=1e30), TASK, checkpoint=path, every=0
        )


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=re.escape("(4, 2, 4), got (4, 2, 0)")):
        require_task(RECIPE.head, dataclasses.replace(TASK, calendar=True))
    with pytest.raises(ValueError, match="a batch of 1 to 195 examples, got 200"):
        fit_forecaster(dataclasses.replace(RECIPE, batch=200), TASK)
    with pytest.raises(ValueError, match="need a network of inputs, outputs"):
        dataclasses.replace(RECIPE, head=Head(horizon=5, features=2))
