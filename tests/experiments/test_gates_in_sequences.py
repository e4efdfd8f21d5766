"""Studies of gates on sequences: Jacobians, neurons one by one, correlated inputs."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.experiments import (
    embedding_correlation,
    gated_neurons,
    gru_jacobian,
    store,
)
from sigprop.layers.base import parameters, replace

pytestmark = pytest.mark.slow
FAR = 5.0  # standard errors
STUDIES = (embedding_correlation, gated_neurons, gru_jacobian)


@pytest.fixture(scope="module")
def results():
    return {module.STUDY: module.run(module.SMOKE) for module in STUDIES}


@pytest.mark.parametrize("module", STUDIES, ids=lambda module: module.STUDY)
def test_the_result_is_stored_and_shown(results, module, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    data = results[module.STUDY]
    for name, values in data.data_vars.items():
        assert values.attrs["units"], name
    file = store.save(module.STUDY, module.VERSION, module.SMOKE, data)
    module.show(store.read(file))
    assert len(capsys.readouterr().out.splitlines()) > 5


# --- the Jacobian of the GRU --------------------------------------------------------


@pytest.mark.usefixtures("x64")
def test_the_jacobian_is_that_of_differences_of_the_first_state():
    config = gru_jacobian.SMOKE
    layer = gru_jacobian.draw(gru_jacobian.Case("c", 16.0, 3.0, True), config)
    layer = replace(
        layer, {name: jnp.asarray(x, float) for name, x in parameters(layer).items()}
    )
    u = jax.random.normal(jax.random.key(5), (6, config.features))
    jacobian = np.asarray(gru_jacobian.jacobians(layer, u))[-1]
    for index in range(config.neurons):
        ends = []
        for step in (1e-6, -1e-6):
            h = layer.initial_state().at[index].add(step)
            for now in u:
                h, _ = layer.step(h, now)
            ends.append(np.asarray(h))
        derivative = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(jacobian[:, index], derivative, rtol=1e-5, atol=1e-9)


def test_constant_gates_are_powers_on_the_diagonal_and_nothing_beside(results):
    data = results["gru_jacobian"]
    for name in data["case"].values[:3]:
        case = data.sel(case=name)
        assert str(case["panel"].values) == "a"
        assert (case["beside"] == 0).all()
        powers = case["gate"].values[None] ** case["kept_delay"].values[:, None]
        np.testing.assert_allclose(case["diagonal"], powers, rtol=1e-4)
        size = 0.5 * np.log10(np.mean(case["gate"].values ** (2 * 16)))
        last = case["log_size"].sel(where="diagonal", delay=16)
        np.testing.assert_allclose(last, size, rtol=1e-4)
    b = data.isel(case=data["panel"] == "b")
    assert (abs(b["beside"]) > 0).any()


def test_no_weights_on_the_state_make_the_jacobian_diagonal(results):
    data = results["gru_jacobian"].sel(case="c, sigma_h = 0")
    assert (data["beside"] == 0).all()
    constant = data["gate"].values[None] ** data["kept_delay"].values[:, None]
    assert np.abs(data["diagonal"] - constant).max() > 0.01


# --- neurons behind gates -----------------------------------------------------------


@pytest.mark.parametrize("gates", gated_neurons.GATES)
@pytest.mark.usefixtures("x64")
def test_sensitivities_are_differences_by_the_own_bias(gates):
    config = gated_neurons.SMOKE
    layer = gated_neurons.unit(gates, 1, config)
    layer = replace(
        layer, {name: jnp.asarray(x, float) for name, x in parameters(layer).items()}
    )
    u = jax.random.normal(jax.random.key(5), (9, config.neurons))
    h, derivatives = gated_neurons.look(layer, u)
    np.testing.assert_allclose(h, layer.states(u)[-1], rtol=1e-12)
    bias = parameters(layer)["b_f"]
    for index in range(config.neurons):
        ends = [
            replace(layer, {"b_f": bias.at[index].add(step)}).states(u)[-1, index]
            for step in (1e-6, -1e-6)
        ]
        expected = (float(ends[0]) - float(ends[1])) / 2e-6
        np.testing.assert_allclose(derivatives[index], expected, rtol=1e-5)


@pytest.mark.parametrize("seed", [0, 3])
def test_neurons_of_constant_gates_agree_with_theory_one_by_one(seed):
    """No kernel: each square over the theory of its own gate has mean one."""
    config = dataclasses.replace(
        gated_neurons.SMOKE, networks=60, neurons=8, places=2, seed=seed
    )
    data = gated_neurons.neurons(config).sel(gates="constant")
    exact = np.array(
        [
            gated_neurons.theory(float(time), config.steps)[:, 1]
            for time in data["time"].values.ravel()
        ]
    )
    squares = data["square"].transpose("network", "neuron", "quantity").values
    ratio = squares.reshape(exact.shape) / exact
    error = ratio.std(0, ddof=1) / len(ratio) ** 0.5
    assert (np.abs(ratio.mean(0) - 1) < FAR * error).all()
    assert (np.abs(ratio.mean(0) - 2) > FAR * error).all()
    for column in ratio.T:  # biases and inputs are drawn apart
        correlation = np.corrcoef(np.log(data["time"].values.ravel()), column)[0, 1]
        assert abs(correlation) < FAR / len(ratio) ** 0.5


def test_theory_approaches_its_limit():
    for time in (1.0, 30.0):
        limit, finite = gated_neurons.theory(time, 1024).T
        np.testing.assert_allclose(finite, limit, rtol=1e-6)
    limit, finite = gated_neurons.theory(256.0, 512).T
    assert (finite < 0.95 * limit).all()


def test_kernel_means_of_a_line_are_on_it_and_errors_are_those_of_means():
    time = np.linspace(1, 256, 4001)
    mean, _ = gated_neurons.smoothed(time, 3 * time + 1, np.array([128.0]))
    np.testing.assert_allclose(mean, 3 * 128 + 1, rtol=1e-6)
    noise = np.random.default_rng(0).normal(size=4001)
    _, error = gated_neurons.smoothed(time, noise, np.array([128.0]))
    count = 4001 / 255 * np.sqrt(2 * np.pi * 100)  # (sum K)^2 over the sum of K^2
    np.testing.assert_allclose(error, 1 / np.sqrt(count), rtol=0.15)


def test_small_inputs_leave_effective_eigenvalues_right():
    config = dataclasses.replace(
        gated_neurons.SMOKE, sizes=(0.01,), sequences=256, drawn=2, width=8
    )
    data = gated_neurons.over_sizes(config)
    off = (data["ratio"] - 1) / data["ratio_sem"]
    assert float(np.abs(off).max()) < FAR
    assert float(data["ratio_sem"].max()) < 0.15


# --- correlations of inputs ---------------------------------------------------------


def test_the_line_finds_the_process_of_the_stand_in(results):
    embedding = results["embedding_correlation"].sel(input="embeddings")
    assert embedding["R"].sel(lag=0) == pytest.approx(0.376, rel=0.05)
    inside = (embedding["low"] <= embedding["paper"]) & (
        embedding["paper"] <= embedding["high"]
    )
    assert float(inside.mean()) > 0.5
    off = np.abs(embedding["exponentials"] - embedding["R"]).sel(lag=slice(0, 30))
    assert float(off.max() / embedding["R"].sel(lag=0)) < 0.05


def test_embeddings_of_a_file_take_the_place_of_the_stand_in(tmp_path):
    values = np.random.default_rng(0).normal(size=(24, 60, 5)) + 3
    np.save(tmp_path / "text.npy", values)
    config = dataclasses.replace(
        embedding_correlation.SMOKE, source=str(tmp_path / "text.npy"), features=5
    )
    data = embedding_correlation.run(config).sel(input="embeddings")
    np.testing.assert_allclose(data["R"].sel(lag=0), np.mean(values**2), rtol=1e-5)
    assert data.attrs["source"] == "embeddings"
