"""Inside deep networks: what is measured is the network's own, and theory comes near."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.evidence.sigprop.moments import chirp
from sigprop.experiments import network_moments, store
from sigprop.experiments.network_moments import GROUPS, SMOKE
from sigprop.inputs import AR1
from sigprop.layers.base import parameters, replace
from sigprop.networks import build

FAR = 5.0  # standard errors
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dataset():
    return network_moments.run(SMOKE)


@pytest.fixture(params=["Zucchet", "LRU"])
def network(request):
    preset = network_moments.networks(SMOKE)[request.param]
    unpooled = dataclasses.replace(preset, pooling="none")
    network, state = build(unpooled, key=jax.random.key(1))
    return eqx.nn.inference_mode(network), state


def test_papers_networks_have_their_depth_and_no_dropout():
    presets = network_moments.networks(network_moments.PAPER)
    assert [preset.depth for preset in presets.values()] == [4, 6]
    assert all(preset.dropout == 0 for preset in presets.values())
    assert [preset.norm for preset in presets.values()] == ["none", "batch"]


def test_the_last_stream_is_what_the_network_decodes(network):
    network, state = network
    u = jax.random.normal(jax.random.key(2), (24, network.config.inputs))
    moments = network_moments.look(network, state, u, jax.random.key(3))
    features, _ = network.features(u, state)
    np.testing.assert_allclose(
        moments.stream[-1], jnp.mean(features[-1] ** 2), rtol=1e-5
    )
    for i, block in enumerate(network.blocks):
        last = block.layer.states(moments.inputs[i])[-1]
        np.testing.assert_allclose(
            moments.state[i], jnp.sum(jnp.abs(last) ** 2), rtol=1e-5
        )


@pytest.mark.usefixtures("x64")
def test_gradients_are_those_of_finite_differences():
    preset = network_moments.networks(SMOKE)["LRU"]
    network, state = build(preset, key=jax.random.key(1))
    network = eqx.nn.inference_mode(network)
    u = jax.random.normal(jax.random.key(2), (24, 3))
    key, index = jax.random.key(3), GROUPS.index("input")
    moments = network_moments.look(network, state, u, key)
    layer, total = network.blocks[1].layer, 0.0
    errors = jax.random.normal(key, (network.config.outputs,))

    @eqx.filter_jit
    def loss(values):
        moved = replace(layer, values)
        shifted_network = eqx.tree_at(
            lambda model: model.blocks[1].layer, network, moved
        )
        return jnp.sum(errors * shifted_network(u, state)[0])

    values = parameters(layer)
    for name in ("B_re", "B_im"):
        value = values[name]
        for entry in np.ndindex(value.shape):
            sides = [
                loss({**values, name: value.at[entry].add(step)})
                for step in (1e-6, -1e-6)
            ]
            total += float((sides[0] - sides[1]) / 2e-6) ** 2
    np.testing.assert_allclose(moments.gradient[1, index], total, rtol=1e-5)


def test_first_recurrences_without_bias_or_norm_agree_with_the_closed_form():
    """Then inputs of the block are the encoder's, and channels mixed as assumed."""
    config = dataclasses.replace(SMOKE, sequences=4096, batch=512)
    network, state = build(
        network_moments.networks(config)["Zucchet"], key=jax.random.key(1)
    )
    network = eqx.tree_at(
        lambda model: model.encoder.bias, network, jnp.zeros(config.width)
    )
    for process in (AR1(0.9), chirp(61)):
        moments = network_moments.measure(
            jax.random.key(2), network, state, process, config
        )
        alone, mixed = network_moments.predict_states(network, [moments])[0, 0]
        ratio, error = moments.state.mean[0] / mixed, moments.state.sem[0] / mixed
        assert abs(ratio - 1) < FAR * error
        assert error < 0.02
        assert abs(moments.state.mean[0] / alone - 1) > FAR * error


def test_covariances_of_inputs_are_averages_over_sequences_and_steps():
    z = jnp.asarray(np.random.default_rng(0).standard_normal((5, 2, 7, 3)), jnp.float32)
    R, mixing = network_moments._autocovariance(z), network_moments._mixing(z)
    for block in range(2):
        inputs = np.asarray(z[:, block], float)
        np.testing.assert_allclose(R[block, 0], (inputs**2).mean(), rtol=1e-5)
        np.testing.assert_allclose(
            R[block, 2], (inputs[:, 2:] * inputs[:, :-2]).mean(), rtol=1e-4, atol=1e-6
        )
        expected = np.einsum("nti,ntj->ij", inputs, inputs) / 35
        np.testing.assert_allclose(R[block, 0] * mixing[block], expected, rtol=1e-4)


def test_every_square_is_positive_and_a_row_a_block(dataset):
    assert dataset["block"].values.tolist() == [
        "Zucchet 1",
        "Zucchet 2",
        "LRU 1",
        "LRU 2",
    ]
    through = ("stream_through", "state_through")
    for label in ("stream", "state", "gradient", "predicted", *through):
        assert (dataset[label] > 0).all(), label


def test_what_goes_through_is_predicted_with_the_statistics_that_were_measured(
    dataset,
):
    """Four features say little of depth: the first recurrences are exact but for bias."""
    for label in ("stream", "state"):
        ratio = dataset[label] / dataset[f"{label}_through"]
        error = dataset[f"{label}_sem"] / dataset[f"{label}_through"]
        assert (abs(ratio - 1) < 0.5 + FAR * error).all(), label
    first = dataset.isel(block=[0, 2])
    off = abs(first["state"] - first["state_through"])
    assert (off < FAR * first["state_sem"] + 1e-4 * first["state"]).all()


def test_the_result_is_stored_and_shown(dataset, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    study = network_moments.STUDY, network_moments.VERSION, SMOKE
    network_moments.show(store.read(store.save(*study, dataset)))
    printed = capsys.readouterr().out
    assert printed.count("Zucchet 2") == 3 * dataset.sizes["input"]
    assert "readout" in printed
    assert "nan" not in printed
