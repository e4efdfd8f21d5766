"""States and gradients of deep networks: the network's own, and exact where they can be."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.experiments import deep_signals, store
from sigprop.experiments.deep_signals import GROUPS, SMOKE
from sigprop.layers.base import parameters, replace

FAR = 5.0  # standard errors
GAP = SMOKE.gaps[0]


def sampled_network(kind):
    network, state = deep_signals.draw(kind, GAP, 1, SMOKE)
    u = deep_signals.sequences(SMOKE).take(0, SMOKE.batch)
    return network, state, jnp.asarray(u)


def test_moduli_lie_in_the_ring_of_the_appendix_and_phases_anywhere():
    for gap in (1.0, 0.01):
        config = deep_signals.network_config("cRNN", gap, deep_signals.FULL)
        ring = config.layer_options
        assert (ring["nu0"], ring["nu1"]) == pytest.approx((1 - gap, 1 - gap / 2))
        assert (config.depth, config.width, config.inputs) == (4, 256, 768)
    paper = deep_signals.FULL
    assert (paper.networks * paper.sequences, paper.steps, paper.batch) == (
        1024,
        512,
        8,
    )


def test_every_parameter_of_every_recurrence_has_a_group():
    for kind in SMOKE.kinds:
        network, *_ = sampled_network(kind)
        groups = {
            deep_signals.group(name) for name in parameters(network.blocks[0].layer)
        }
        angle = {"angle"} if kind == "LRU" else set()
        assert groups == {"recurrence", "projections"} | angle


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["LRU", "GRU", "cRNN, layer norm"])
def test_states_and_loss_are_those_of_the_network(kind):
    network, state, u = sampled_network(kind)
    looked = deep_signals.look(network, state, u)
    outputs = np.stack([np.asarray(network(sequence, state)[0]) for sequence in u])
    errors = outputs[:, :-1] - np.asarray(u)[:, 1:]
    expected = np.mean([0.5 * np.sum(error**2, 1).mean() for error in errors])
    np.testing.assert_allclose(looked.loss, expected, rtol=1e-5)
    first = network.blocks[0]
    inside = [network.encode(sequence, None) for sequence in u]
    if first.norm is not None:
        inside = [jax.vmap(first.norm)(x) for x in inside]
    squares = [np.abs(np.asarray(first.layer.states(x))) ** 2 for x in inside]
    np.testing.assert_allclose(looked.state[0], np.mean(squares), rtol=1e-5)


@pytest.mark.slow
@pytest.mark.usefixtures("x64")
def test_gradients_are_those_of_finite_differences():
    network, state, u = sampled_network("LRU")
    network, u = jax.tree.map(
        lambda x: jnp.asarray(x, float) if eqx.is_inexact_array(x) else x, (network, u)
    )
    looked = deep_signals.look(network, state, u)
    layer = network.blocks[1].layer
    loss = eqx.filter_jit(lambda model: deep_signals.look(model, state, u).loss)
    for name, group in (("theta_log", "angle"), ("nu_log", "recurrence")):
        value, derivatives = parameters(layer)[name], []
        for index in range(value.size):
            sides = []
            for step in (1e-6, -1e-6):
                moved = replace(
                    layer, {**parameters(layer), name: value.at[index].add(step)}
                )
                shifted_network = eqx.tree_at(
                    lambda model: model.blocks[1].layer, network, moved
                )
                sides.append(float(loss(shifted_network)))
            derivatives.append((sides[0] - sides[1]) / 2e-6)
        measured = float(looked.gradient[1, GROUPS.index(group)])
        np.testing.assert_allclose(measured, np.mean(np.square(derivatives)), rtol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 3])
def test_first_states_agree_with_their_exact_moments(seed):
    config = dataclasses.replace(
        SMOKE, sequences=512, batch=64, seed=seed, kinds=("cRNN", "LRU"), gaps=(1e-4,)
    )
    data = deep_signals.run(config)
    first = data.isel(layer=0)
    off = (first["state"] - first["predicted"]) / first["state_sem"]
    assert float(np.abs(off).max()) < FAR
    wrong = (first["state"] - 2 * first["predicted"]) / first["state_sem"]
    assert float(np.abs(wrong).min()) > FAR


@pytest.mark.slow
def test_embeddings_of_a_file_are_read_and_refused_where_they_do_not_fit(tmp_path):
    small = dataclasses.replace(SMOKE, kinds=("cRNN",), gaps=(0.1,))
    values = np.random.default_rng(0).normal(size=(32, 12, 3))
    np.save(tmp_path / "text.npy", values)
    source = str(tmp_path / "text.npy")
    data = deep_signals.run(dataclasses.replace(small, source=source))
    assert data.attrs["source"] == "embeddings"
    assert np.isnan(data["predicted"]).all()
    assert (data["state"] > 0).all()
    with pytest.raises(ValueError, match="need embeddings of width 4, got 3"):
        deep_signals.run(dataclasses.replace(small, source=source, features=4))


def test_sequences_that_fill_no_batches_are_refused():
    with pytest.raises(ValueError, match="two or more whole batches of 8, got 12"):
        deep_signals.run(dataclasses.replace(SMOKE, sequences=12))


@pytest.mark.slow
def test_the_result_is_stored_and_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    data = deep_signals.run(SMOKE)
    study = deep_signals.STUDY, deep_signals.VERSION, SMOKE
    deep_signals.show(store.read(store.save(*study, data)))
    printed = capsys.readouterr().out
    assert "cRNN" in printed
    assert "nan" not in printed
