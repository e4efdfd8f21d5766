"""The study's numbers are those of the networks' explicit Hessians."""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.curvature.products import group_sums
from sigprop.experiments import network_curvature as study
from sigprop.experiments import store
from sigprop.experiments.network_curvature import GROUPS, SMOKE
from sigprop.networks import build, parameter_table
from sigprop.numerics.precision import double_precision

FAR = 5.0  # standard errors
ONE = dataclasses.replace(SMOKE, names=("LRU",), products=24, probes=12)


@functools.cache
def small(double):
    """One small network's Hessian, its groups, what is seen of it, and all of it."""
    with double_precision(double):
        network, state = build(study.networks(ONE)["LRU"], key=jax.random.key(1))
        batches = study.sinusoids(jax.random.key(2), ONE)
        matrix, groups = study.curvature(network, state, batches)
        curvature = study.look(jax.random.key(3), matrix, groups, ONE)
        hessian = np.asarray(jax.jit(jax.vmap(matrix))(jnp.eye(matrix.size)))
    return network, groups, curvature, hessian


@pytest.mark.slow
@pytest.mark.parametrize("double", [True, False])
def test_ends_are_those_of_the_explicit_hessian(double):
    _, groups, curvature, hessian = small(double)
    values, vectors = np.linalg.eigh(hessian.astype(float))
    size = np.abs(values).max()
    rounding = (1e-12 if double else 1e-5) * size
    np.testing.assert_allclose(hessian, hessian.T, atol=rounding)
    for row, order in enumerate((np.arange(values.size)[::-1], np.arange(2))):
        nearest = np.abs(curvature.ends.value[row][:, None] - values).min(1)
        assert (nearest <= curvature.ends.residual[row] + rounding).all()
        outermost = order[0]
        assert abs(curvature.ends.value[row, 0] - values[outermost]) < 1e-3 * size
        mass = group_sums(vectors[:, outermost] ** 2, groups, len(GROUPS))
        np.testing.assert_allclose(curvature.ends.mass[row, 0], mass, atol=0.02)


@pytest.mark.slow
def test_sums_over_groups_are_those_of_the_explicit_hessian():
    _, groups, curvature, hessian = small(True)
    rows = np.stack([np.diag(hessian), (hessian**2).sum(1)])
    expected = group_sums(rows, groups, len(GROUPS))
    estimate = study.estimate(curvature.draws)
    assert (np.abs(estimate.mean - expected) < FAR * estimate.sem).all()
    assert estimate.sem[1].sum() < 0.2 * expected[1].sum()
    share = study.shares(curvature.draws[:, 1])
    off = np.abs(share.mean - expected[1] / expected[1].sum())
    assert (off < FAR * share.sem).all()
    assert share.mean.sum() == pytest.approx(1)
    plain = curvature.density.trace()
    assert abs(plain.mean - np.trace(hessian)) < FAR * plain.sem
    assert estimate.sem[0].max() < plain.sem


@pytest.mark.slow
def test_counts_of_eigenvalues_are_those_of_the_explicit_hessian():
    _, _, curvature, hessian = small(True)
    counts, values = study.beyond(curvature.density), np.linalg.eigvalsh(hessian)
    at = np.searchsorted(study.THRESHOLDS, [0.03, 0.1, 0.3])
    for row, sign in enumerate((1, -1)):
        exact = (sign * values[:, None] > study.THRESHOLDS[at]).sum(0)
        assert (np.abs(counts.mean[row, at] - exact) < FAR * counts.sem[row, at]).all()
        assert (counts.sem[row, at] < 0.3 * exact.max()).all()


@pytest.mark.slow
def test_every_parameter_has_its_group():
    network, groups, _, hessian = small(True)
    counts = dict(zip(GROUPS, np.bincount(groups, minlength=4), strict=True))
    table = parameter_table(network)
    assert sum(counts.values()) == table["total"] == len(hessian)
    layer = network.blocks[0].layer
    assert counts["recurrent"] == 3 * layer.state_size
    assert counts["input"] == layer.B_re.size + layer.B_im.size
    assert counts["other"] == table["total"] - table["layer"]


def test_a_constant_ratio_has_no_error():
    draws = np.outer([1.0, 2.0, 4.0], [0.5, 0.25, 0.25])
    shares = study.shares(draws)
    np.testing.assert_allclose(shares.mean, [0.5, 0.25, 0.25])
    np.testing.assert_allclose(shares.sem, 0, atol=1e-15)
    assert (study.shares(draws + np.eye(3)).sem > 0.01).all()


def test_sinusoids_have_the_pitch_that_is_asked_for():
    config = dataclasses.replace(SMOKE, steps=400, batch=40)
    draw = jax.jit(study.sinusoids, static_argnums=1)
    u, pitch = draw(jax.random.key(0), config)
    assert u.shape == (2, 40, 400, 3)
    turns = np.linspace(*study.PITCHES, study.CLASSES)
    waves = np.exp(-2j * np.pi * turns[:, None] * np.arange(400))
    power = (np.abs(np.einsum("kt,nbtc->nbkc", waves, u)) ** 2).sum(-1)
    np.testing.assert_array_equal(power.argmax(-1), pitch)
    assert len(np.unique(pitch)) == study.CLASSES
    assert float(jnp.var(u)) == pytest.approx(2, rel=0.05)


@pytest.mark.parametrize(("preset", "size"), [("QUICK", 1e5), ("PAPER", 1e6)])
def test_networks_are_as_large_as_promised(preset, size):
    for config in study.networks(getattr(study, preset)).values():
        network, _ = eqx.filter_eval_shape(build, config, key=jax.random.key(0))
        assert 0.8 * size < parameter_table(network)["total"] < 2.5 * size
        assert config.dropout == 0


def test_more_extremes_than_products_allow_are_refused():
    with pytest.raises(ValueError, match="need two products or more for each of 4"):
        study.run(dataclasses.replace(SMOKE, extremes=4))


@pytest.mark.slow
def test_the_result_is_stored_and_shown(tmp_path, monkeypatch, capsys):
    config = dataclasses.replace(SMOKE, names=study.QUICK.names)
    dataset = study.run(config)
    repeated = study.run(dataclasses.replace(SMOKE, names=("BLUR",)))
    np.testing.assert_array_equal(
        repeated["node"][0], dataset["node"].sel(network="BLUR")
    )
    for label, values in dataset.data_vars.items():
        assert values.attrs["units"], label
        assert np.isfinite(values).all(), label
    np.testing.assert_allclose(
        dataset["weight"].sum("place"),
        dataset["parameters"].expand_dims(probe=3).T,
        rtol=1e-5,
    )
    np.testing.assert_allclose(dataset["mass"].sum("group"), 1, rtol=1e-4)
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    study.show(store.read(store.save(study.STUDY, study.VERSION, config, dataset)))
    printed = capsys.readouterr().out
    assert printed.count("RotRNN") == 2
    assert "recurrent" in printed
    assert "nan" not in printed
