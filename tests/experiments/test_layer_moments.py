"""The tables of measured moments: right ones are confirmed, wrong ones are not."""

import dataclasses
import json
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.experiments import layer_moments, store
from sigprop.experiments.layer_moments import JUDGED, LAYERS, SMOKE, Config
from sigprop.inputs import AR1, Constant, White
from sigprop.judge.verdict import Outcome, plan
from sigprop.layers.base import parameters
from sigprop.linear.linearise import Perturbed
from sigprop.linear.measured_moments import position
from sigprop.linear.predicted_moments import predict

slow = pytest.mark.slow  # claims judge the same moments at a smaller size
FAR = 5.0  # standard errors
SMALL = Config(states=4, width=3, heads=2, steps=24)


@pytest.fixture(scope="module")
def dataset():
    return layer_moments.run(SMOKE)


def verdicts(dataset):
    return {
        layer_moments.verdict(dataset, layer, source, moment).outcome
        for layer in dataset["layer"].values
        for source in dataset["input"].values
        for moment in JUDGED
    }


@slow
def test_states_and_outputs_are_confirmed_and_wrong_forms_refuted(dataset):
    assert verdicts(dataset) == {Outcome.CONFIRMED}
    for factor in (1.3, 1 / 1.3):
        wrong = dataset.assign(predicted=factor * dataset["predicted"])
        assert verdicts(wrong) == {Outcome.REFUTED}


@slow
def test_every_moment_is_near_its_closed_form_and_far_from_a_wrong_one(dataset):
    near = np.abs(dataset["measured"] - dataset["predicted"]) / dataset["sem"]
    assert float(near.max()) < FAR
    relative = dataset["sem"] / dataset["predicted"]
    assert float(relative.max()) < 0.05
    assert float(relative.min()) > 0.003


@slow
def test_the_planned_spread_is_the_measured_one():
    """Of ``v = Var(s)/E[s]^2`` from n sums ``s`` of k squares: ``v = 2 / k``.

    The estimate's relative variance is ``(2 + 2 v)/n``, to first order.
    """
    sample = layer_moments.run(dataclasses.replace(SMOKE, fewest=8192))
    gaussian = sample.sel(input=["white", "rho=0.9", "constant"], moment=list(JUDGED))
    n, planned = gaussian["sequences"], gaussian["variance"]
    spread = n * (gaussian["sem"] / gaussian["measured"]) ** 2
    ratio = spread.transpose("layer", "input", "moment").values / planned
    variance = (2 + 2 * planned) / n
    assert bool((np.abs(ratio - 1) < FAR * np.sqrt(variance)).all())
    # State and output share their inputs: the pairs of layer and input are independent.
    error = float(np.sqrt(variance.mean() / n.size))
    assert abs(float(ratio.mean()) - 1) < FAR * error < 0.05


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("name", ["LRU", "BLUR", "RotRNN", "S5"])
@pytest.mark.sampled(keep=["LRU"])
def test_variances_are_those_of_the_sampled_covariances(name):
    """From responses to unit impulses, which know no modes."""
    steps, layer = 9, LAYERS[name](jax.random.key(3), SMALL)
    at, width, known = (
        position(layer, steps),
        layer.widths[0],
        layer_moments.known(layer),
    )
    impulses = jnp.eye(steps * width).reshape(-1, steps, width)
    h = np.asarray(jax.vmap(layer.states)(impulses))[:, at]
    y = np.asarray(jax.vmap(layer)(impulses))[:, at]
    lags = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))
    for process in (White(), AR1(0.9), Constant()):
        R = process.autocovariance(np.arange(steps))
        covariance = np.kron(R[lags], np.eye(width))
        expected = [
            sum(
                np.sum(np.abs(x.T @ covariance @ other) ** 2) for other in (x, x.conj())
            )
            / np.trace(x.T @ covariance @ x.conj()).real ** 2
            for x in (h, y)
        ]
        moments = layer_moments.expect(layer, known, process, steps)
        np.testing.assert_allclose(moments.variances, expected, rtol=1e-8)


@pytest.mark.parametrize("name", ["BLUR", "dense"])
@pytest.mark.sampled(keep=["BLUR"])
def test_a_large_layer_keeps_its_closed_form_without_gradients(name, monkeypatch):
    layer = LAYERS[name](jax.random.key(1), SMALL)
    small = layer_moments.known(layer)
    monkeypatch.setattr(layer_moments, "TANGENTS", 0)
    large = layer_moments.known(layer)
    assert set(small.tangents) == set(parameters(layer))
    assert large.tangents == {}
    R, at = AR1(0.9).autocovariance(np.arange(24)), position(layer, 24)
    predictions = [
        predict(Perturbed(system.modes, {}), R, 24, at) for system in (small, large)
    ]
    assert predictions[0] == pytest.approx(predictions[1], rel=1e-10)


def test_one_layer_at_one_input_has_its_closed_forms(monkeypatch):
    monkeypatch.setattr(layer_moments, "inputs", lambda config: {"white": White()})
    dataset = layer_moments.run(dataclasses.replace(SMOKE, layers=("LRU",)))
    assert verdicts(dataset) == {Outcome.CONFIRMED}
    assert verdicts(dataset.assign(predicted=1.3 * dataset["predicted"])) == {
        Outcome.REFUTED
    }
    near = np.abs(dataset["measured"] - dataset["predicted"]) / dataset["sem"]
    assert float(near.max()) < FAR


def test_a_layer_without_closed_form_is_measured_alone(capsys, monkeypatch):
    monkeypatch.setattr(layer_moments, "inputs", lambda config: {"white": White()})
    config = Config(layers=("GRU",), states=4, width=3, steps=8, fewest=64)
    dataset = layer_moments.run(config)
    assert np.isnan(dataset["predicted"]).all()
    assert (dataset["measured"] > 0).all()
    assert dataset["sequences"].values.tolist() == [[layer_moments.MOST]]
    with pytest.raises(ValueError, match="need a layer with a closed form, got 'GRU'"):
        layer_moments.verdict(dataset, "GRU", "white", "state")
    layer_moments.show(dataset)
    printed = capsys.readouterr().out
    assert "GRU" in printed
    assert "nan" not in printed


def test_sequences_are_whole_batches_that_the_plan_asks_for():
    squares = plan(SMOKE.margin).n
    assert layer_moments.sequences((2.0, 0.5), SMOKE, 1) == squares
    few = layer_moments.sequences((0.5, 1.0), SMOKE, 100)
    assert few == 100 * math.ceil(squares / 200)
    assert layer_moments.sequences((1e-9, 1e-9), SMOKE, 100) == 600
    assert layer_moments.sequences((math.nan, math.nan), SMOKE, 64) == SMOKE.fewest


def test_states_held_at_once_stay_below_the_memory():
    config = layer_moments.PAPER
    layer = LAYERS["BLUR"](jax.random.key(0), config)
    size = 8 * config.steps * layer.state_size
    batch = layer_moments.batch_size(layer, config)
    assert 1 <= batch * size <= config.memory < (batch + 1) * size
    assert config.memory <= 1e9


def test_full_size_is_that_of_the_papers():
    config = layer_moments.PAPER
    assert (config.states, config.width, config.steps) == (256, 128, 16_384)
    assert set(config.layers) >= {"LRU", "BLUR", "RotRNN"}


@slow
def test_the_result_is_stored_and_shown(dataset, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    study = layer_moments.STUDY, layer_moments.VERSION, SMOKE
    loaded = store.read(store.save(*study, dataset))
    assert json.loads(loaded.attrs["config"])["states"] == SMOKE.states
    layer_moments.show(loaded)
    printed = capsys.readouterr().out
    assert printed.count("confirmed") == 2 * dataset["sequences"].size
    assert "RotRNN" in printed
