"""Moments over time, position and memory: measured ones are their closed forms'."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.experiments import depth_map, edges, gated_moments, transients
from sigprop.inputs import AR1
from sigprop.linear.linearise import perturb
from sigprop.linear.measured_moments import exact
from sigprop.numerics.precision import double_precision

FAR = 5.0  # standard errors


@pytest.fixture(
    scope="module",
    params=[
        transients,
        pytest.param(edges, marks=pytest.mark.slow),
        pytest.param(gated_moments, marks=pytest.mark.slow),
    ],
    ids=lambda study: study.STUDY,
)
def result(request):
    """A study's small result."""
    return request.param.run(request.param.SMOKE)


def farthest(data, factor=1.0):
    return float(
        np.abs((data["measured"] - factor * data["predicted"]) / data["sem"]).max()
    )


def test_measured_moments_are_those_predicted_and_no_others(result):
    assert farthest(result) < FAR
    assert farthest(result, 1.5) > FAR
    assert farthest(result, 0.6) > FAR
    assert "dtype" in result.attrs
    for label, values in result.data_vars.items():
        assert values.attrs["units"], label
        assert np.isfinite(values).all(), label


def test_heads_fill_up_as_their_decay_says_and_groups_up_to_their_gain():
    config = transients.SMOKE
    times = transients.times(config)
    share = 1 - np.array(config.decays)[:, None] ** (2 * times)
    by_name = transients.layers(config)
    white = transients.INPUTS["white"]
    heads = transients.predict(by_name["RotRNN"], white, config)
    np.testing.assert_allclose(heads, share, rtol=1e-6)
    groups = transients.predict(by_name["LRU"], white, config)
    power = np.asarray(by_name["LRU"].B_re) ** 2 + np.asarray(by_name["LRU"].B_im) ** 2
    gains = power.sum(1).reshape(len(config.decays), -1).mean(1)
    np.testing.assert_allclose(groups, gains[:, None] * share, rtol=1e-5)


def test_a_start_of_norm_one_keeps_it_and_the_zero_state_does_not():
    config = transients.SMOKE
    layer, white = transients.layers(config)["RotRNN"], transients.INPUTS["white"]
    mean, sem, n = transients.measure(jax.random.key(7), layer, white, config, True)
    assert n == config.sequences
    assert np.abs((mean - 1) / sem).max() < FAR
    mean, sem, _ = transients.measure(jax.random.key(7), layer, white, config, False)
    assert np.abs((mean - 1) / sem)[:, 0].max() > 10 * FAR
    h = transients.starts(jax.random.key(8), 3, config)
    np.testing.assert_allclose(jnp.sum(h**2, -1), 1, rtol=1e-6)
    u = jax.random.normal(jax.random.key(9), (5, config.width))
    from_zero = transients.from_start(layer, layer.initial_state(), u)
    np.testing.assert_allclose(from_zero, layer.states(u), rtol=1e-4, atol=1e-6)


@pytest.fixture(scope="module")
def window():
    """A small BLUR and its modes."""
    layer = edges.layer(edges.SMOKE)
    with double_precision(True):
        return layer, perturb(layer)


@pytest.mark.usefixtures("x64")
def test_moments_in_a_window_are_double_sums_of_the_layers_own_impulses(window):
    config, process, (layer, known) = edges.SMOKE, AR1(0.9), window
    covariance = process.autocovariance(np.arange(config.steps))
    for at in (0, 7, 11):
        closed = edges.expect(known, layer, process, config.steps, at)
        named = exact(layer, covariance, steps=config.steps, at=at, batch=24)
        wanted = [named["output"], *(named[group] for group in edges.MOMENTS[3:])]
        np.testing.assert_allclose(closed[2:], wanted, rtol=1e-8)
        np.testing.assert_allclose(closed[0] + closed[1], named["state"], rtol=1e-8)


@pytest.mark.usefixtures("x64")
def test_a_half_that_has_seen_one_input_is_at_its_edge(window):
    config, white, (layer, known) = edges.SMOKE, edges.INPUTS["white"], window
    first, last = (
        edges.expect(known, layer, white, config.steps, at)
        for at in (0, config.steps - 1)
    )
    for index, (half, moments) in enumerate(
        zip(layer.halves(), (first, last), strict=True)
    ):
        kick = half.inputs(jnp.eye(config.width))
        power = float(jnp.sum(jnp.abs(kick) ** 2))
        np.testing.assert_allclose(moments[index], power, rtol=1e-5)
    assert last[0] > first[0]
    assert first[1] > last[1]


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("name", gated_moments.GATE)
def test_a_gate_without_input_forgets_in_its_memory(name):
    for memory in (4.0, 250.0):
        layer = gated_moments.draw(name, memory, gated_moments.SMOKE)
        silence = jnp.zeros((1, layer.widths[0]))
        if name == "gated DeltaNet":
            decay = layer.decays(silence)
        elif name == "gated unit":
            decay = jax.nn.sigmoid(layer.b_f)
        else:
            decay = layer.gates(silence)[0]
        assert float(jnp.max(decay)) == pytest.approx(1 - 1 / memory, rel=1e-5)
    assert gated_moments.steps(4.0, gated_moments.SMOKE) == 8


def test_every_layer_of_the_full_size_reaches_a_thousand_steps():
    paper = gated_moments.PAPER
    assert (len(paper.layers), len(paper.memories)) == (6, 12)
    assert (paper.memories[0], paper.memories[-1]) == (4.0, 1000.0)
    assert list(paper.memories) == sorted(set(paper.memories))


@pytest.mark.slow
def test_networks_grow_through_depth_as_theory_says():
    dataset = depth_map.run(depth_map.SMOKE)
    picked = dataset["predicted"].rename(gap="measured_gap", gain="measured_gain")
    apart = np.abs(dataset["measured"] - picked)
    # A tenth of a decade a block is 25 %: the slopes' independence, in six features.
    assert (apart < 0.1 + FAR * dataset["sem"]).all()
    rise = picked.isel(measured_gain=1) - picked.isel(measured_gain=0)
    alone = 2 * np.log10(dataset["gain"].values[1] / dataset["gain"].values[0])
    np.testing.assert_allclose(rise.sel(setting="alone", signal="gradient"), alone, 0.1)
    assert (rise.sel(setting="skip") < alone / 2).all()
    for values in dataset.data_vars.values():
        assert values.attrs["units"]
        assert np.isfinite(values).all()


def test_a_network_alone_has_a_gain_and_no_skip():
    config = depth_map.SMOKE
    (network, _), (other, _), (without_skip, _) = (
        depth_map.network(setting, 0.2, gain, config)
        for setting, gain in (("alone", 1.0), ("alone", 2.0), ("skip", 1.0))
    )
    weights = [net.blocks[1].mixing.value.weight for net in (network, other)]
    np.testing.assert_allclose(weights[1], 2 * weights[0], rtol=1e-6)
    assert not np.asarray(network.blocks[0].skip.weight).any()
    assert without_skip.blocks[0].skip is None
    moduli = np.abs(network.blocks[0].layer.eigenvalues())
    assert ((moduli >= 0.8 - 1e-6) & (moduli <= 0.9 + 1e-6)).all()
    np.testing.assert_allclose(depth_map.growth(100.0, 1.0, 2), 1.0)
