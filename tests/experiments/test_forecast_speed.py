"""The speed of forecasts: programs of the right sizes, and how their costs grow."""

import dataclasses

import numpy as np
import pytest
from scipy.stats import t

from sigprop.experiments import forecast_speed
from sigprop.experiments.forecast_speed import Program, exponents
from sigprop.training.forecast_presets import forecast_preset
from tests.sigprop.training.test_forecasting import TASK

SMOKE = forecast_speed.SMOKE


def test_exponents_have_the_interval_of_a_mean_over_repeats():
    sizes = np.array([24.0, 48, 720])
    powers = np.array([0.9, 1.0, 1.3])
    low, middle, high = exponents(sizes, 5 * sizes[:, None] ** powers)
    reach = t.ppf(0.975, 2) * powers.std(ddof=1) / np.sqrt(3)
    np.testing.assert_allclose(
        [low, middle, high], powers.mean() + reach * np.arange(-1, 2)
    )
    once = exponents(sizes, sizes[:, None] ** 2.0)
    np.testing.assert_allclose(once, [np.nan, 2, np.nan])


@pytest.fixture
def counted(monkeypatch):
    """Programs that are not compiled, and take as many ticks as each asks for."""
    clock, ran = [0.0], []

    def program(name, ticks, memory):
        def call():
            ran.append(name)
            clock[0] += ticks

        return Program(call, memory, 7)

    def inference(config, model, horizon):
        factor = {"lru": 1, "blur": 2}[model]
        return program((model, horizon), factor * horizon * config.windows, 8 * horizon)

    def training(config, model, task):
        return program((model, task), {"lru": 1, "blur": 2, "gru": 5}[model], 100)

    monkeypatch.setattr(forecast_speed.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(forecast_speed, "inference", inference)
    monkeypatch.setattr(forecast_speed, "training", training)
    return ran


def test_all_programs_take_turns_and_seconds_are_those_of_a_window(counted):
    data = forecast_speed.run(SMOKE)
    windows = [(m, h) for m in SMOKE.forecasters for h in SMOKE.horizons]
    steps = [(m, task) for m in SMOKE.trained for task in forecast_speed.TASKS]
    assert counted == windows * SMOKE.repeats + steps * SMOKE.repeats
    for model, factor in (("lru", 1), ("blur", 2)):
        timings = data.sel(model=model)
        expected = np.outer(SMOKE.horizons, np.full(SMOKE.repeats, factor))
        np.testing.assert_allclose(timings["seconds"], expected)
        np.testing.assert_allclose(timings["power"], 1)
        np.testing.assert_allclose(timings["memory"], 4 * timings["horizon"])
        assert float(timings["memory_power"]) == pytest.approx(1)
    assert (forecast_speed.beside(data, "blur", "lru") == 2).all()
    assert (data["step_seconds"].sel(trained="gru") == 5).all()
    assert all(values.attrs["units"] for values in data.data_vars.values())


def test_an_epoch_is_that_of_the_real_tables(counted):
    batches = dataclasses.replace(SMOKE, horizon=168, batch=64, images=50)
    steps = forecast_speed.run(batches)["steps"]
    assert steps.values.tolist() == [(8640 - 335) // 64, 45_000 // 50]


def test_networks_differ_from_blurs_in_their_layers_alone():
    head = forecast_speed.head_of(24)
    paper = forecast_speed.PAPER
    task = TASK
    for model in paper.trained:
        ours = forecast_speed.network_of(paper, model, head.inputs, head.outputs)
        if model != "s5":
            paper_network = forecast_preset(model, "paper", task).network
            sizes = {"inputs": head.inputs, "outputs": head.outputs}
            assert ours == dataclasses.replace(paper_network, **sizes)


@pytest.mark.slow
def test_the_smallest_run_times_everything():
    data = forecast_speed.run(dataclasses.replace(SMOKE, trained=("lru", "s5")))
    assert (data["seconds"] > 0).all()
    assert (data["step_seconds"] > 0).all()
    assert (data["parameters"] > 100).all()
