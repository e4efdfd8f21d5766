"""Moments through deep networks: exact for linear ones, near for the papers'."""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1, Mixed
from sigprop.layers.lru import lru
from sigprop.linear.linearise import Perturbed, diagonalise, linearise
from sigprop.linear.predicted_moments import predict as predict_layer
from sigprop.networks import build, lru_paper, over_batch, propagation, zucchet_paper
from sigprop.networks.normalisation import normalise
from sigprop.networks.propagation import predict_signals
from tests.sigprop.networks.small import config, noise, shaken

SIZE = 0.15  # by which every weight of the strong network is moved
MARGIN, FAR = 0.10, 5.0  # relative, and standard errors
FEATURES, STEPS, SEQUENCES = 48, 96, 768
SHORT = {"r_min": 0.2, "r_max": 0.7}
LINEAR = {"mixing": "none", "depth": 3, "pooling": "none", "layer_options": SHORT}


def look(network, state, u):
    """Stream after every block and states of its recurrence, at the last step."""
    x, streams, states = network.encode(u, None), [], []
    for block in network.blocks:
        z, _ = normalise(block.norm, x, state, None)
        states.append(block.layer.states(z)[-1])
        x, _ = block(x, state)
        streams.append(x[-1])
    return jnp.stack(streams), jnp.stack(states)


look_at_all = eqx.filter_jit(
    lambda network, state, u: jax.vmap(lambda sequence: look(network, state, sequence))(
        u
    )
)


@functools.cache
def linear(skip):
    """A linear network, an autocovariance, and exact moments."""
    R = AR1(-0.6).autocovariance(np.arange(160))
    network, state = build(config("lru", skip=skip, **LINEAR), key=jax.random.key(1))
    network = shaken(network, size=0.1)
    return network, R, by_impulses(network, state, R, 3)


def by_impulses(network, state, R, channels):
    """Exact moments of a linear network: double sums of responses to all impulses."""
    steps = len(R)
    impulses = np.zeros((channels * steps + 1, steps, channels))
    for age, channel in np.ndindex(steps, channels):
        impulses[channels * age + channel, steps - 1 - age, channel] = 1
    toeplitz = R[np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))]
    exact = []
    for values, fold in zip(
        look_at_all(network, state, jnp.asarray(impulses)),
        (np.mean, np.sum),
        strict=True,
    ):
        rest, moved = np.asarray(values[-1]), np.asarray(values[:-1] - values[-1:])
        K = moved.reshape(steps, channels, *rest.shape)
        square = np.sum(np.tensordot(toeplitz, K, 1) * K.conj(), (0, 1)).real
        exact.append(fold(square + np.abs(rest) ** 2, 1))
    return exact


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("skip", ["identity", "linear"])
def test_a_linear_network_is_exact_once_the_zero_state_is_forgotten(skip):
    network, R, exact = linear(skip)
    for computed, expected in zip(
        predict_signals(network, R, samples=0)[:2], exact, strict=True
    ):
        np.testing.assert_allclose(computed, expected, rtol=1e-9)


@pytest.mark.usefixtures("x64")
def test_a_layer_alone_has_the_moments_of_the_linear_theory():
    layer, R = (
        lru(6, 4, key=jax.random.key(2)),
        Mixed(0.4, 0.6, 0.9).autocovariance(np.arange(50)),
    )
    prediction = predict_signals(layer, R)
    known = predict_layer(Perturbed((diagonalise(linearise(layer)),), {}), R, 50, 49)
    np.testing.assert_allclose(prediction.state, [known["state"]], rtol=1e-9)
    np.testing.assert_allclose(4 * prediction.stream, [known["output"]], rtol=1e-9)


SCIFAR = lru_paper("scifar")
PRESETS = {
    "zucchet": zucchet_paper(nu0=0.8, features=FEATURES),
    "strong": zucchet_paper(nu0=0.8, features=FEATURES),
    "lru": dataclasses.replace(SCIFAR, layer_options={"r_max": 0.95}),
    "norm": zucchet_paper(nu0=0.8, norm="layer", features=FEATURES),
    "mlp": dataclasses.replace(SCIFAR, mixing="mlp", skip="linear"),
    "half": dataclasses.replace(SCIFAR, mixing="half_glu", layer_options=SHORT),
}
QUICK = ("strong", "lru")
MARKED = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
    for name in PRESETS
]


@pytest.fixture(scope="module", params=MARKED)
def measured(request):
    """A network, its moments measured and their errors."""
    preset = dataclasses.replace(
        PRESETS[request.param],
        inputs=FEATURES,
        width=32,
        state_size=32,
        depth=3,
        dropout=0.0,
        pooling="none",
    )
    network, state = build(preset, key=jax.random.key(11))
    if request.param == "strong":
        network = shaken(network, size=SIZE)
    process = AR1(0.9)
    series = process.sample(jax.random.key(12), SEQUENCES * FEATURES, STEPS)
    u = jnp.moveaxis(series.reshape(SEQUENCES, FEATURES, STEPS), 1, 2)
    _, state = eqx.filter_jit(over_batch)(network, state, u)
    network = eqx.nn.inference_mode(network)
    streams, states = look_at_all(network, state, u)
    squares = np.mean(np.square(streams), 2), np.sum(np.abs(states) ** 2, 2)
    return network, state, process.autocovariance(np.arange(STEPS)), squares


def misses(measured, margin=MARGIN, state=None):
    """How many of the moments are further off than the margin and five errors."""
    network, own, R, squares = measured
    prediction = predict_signals(
        network, R, own if state is None else state, samples=0
    )[:2]
    count = 0
    for moments, computed in zip(squares, prediction, strict=True):
        mean = moments.mean(0)
        error = moments.std(0) / len(moments) ** 0.5
        count += int(np.sum(np.abs(mean - computed) > margin * computed + FAR * error))
    return count


def test_deep_networks_are_within_the_margin(measured):
    assert misses(measured) == 0


def test_batches_have_the_predicted_moments(measured):
    network, _, R, squares = measured
    prediction = predict_signals(network, R, samples=0)[:2]
    for moments, computed in zip(squares, prediction, strict=True):
        error = FAR * moments.std(0) / len(moments) ** 0.5
        assert (np.abs(moments.mean(0) - computed) < 0.15 * computed + error).all()


def without_together(stream, branch, together):
    return ADDED(stream, branch, tuple(0 * part for part in together))


def without_mean(value, gate, together):
    out = GATED(value, gate, together)
    return out._replace(signal=out.signal._replace(mean=0 * out.signal.mean))


def through_first_order(signal, function):
    out = THROUGH(signal, function)
    gain = jnp.diag(out.gain)
    linear = gain @ signal.covariance @ gain
    return out._replace(signal=out.signal._replace(covariance=linear))


def gated_by_halves(value, gate, together):
    out = GATED(value, gate, together)
    halves = value.covariance / 4
    return out._replace(signal=out.signal._replace(covariance=halves))


def unrelated(signal):
    eye = jnp.eye(len(signal.mean))[None]
    return signal._replace(covariance=signal.covariance * eye)


def filtered_without_pairs(signal, by):
    out = FILTERED(signal, by)
    return out._replace(signal=unrelated(out.signal))


def white(signal, by):
    alone = signal.covariance.at[1:].set(0)
    return FILTERED(signal._replace(covariance=alone), by)


def square_without_pairs(signal, by):
    return SQUARE(unrelated(signal), by)


ADDED, GATED, THROUGH = propagation.added, propagation.gated, propagation.through
FILTERED, SQUARE = propagation.filtered, propagation.square_filtered
FAULTS = {
    "no-mean": ("gated", without_mean),
    "first-order": ("through", through_first_order),
    "half-open": ("gated", gated_by_halves),
    "white": ("filtered", white),
}
LINEAR_FAULTS = {
    "no-skip": ("added", without_together),
    "no-pairs": ("filtered", filtered_without_pairs),
    "no-pairs-state": ("square_filtered", square_without_pairs),
}


@pytest.mark.parametrize("measured", ["strong"], indirect=True)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_seen(measured, fault, monkeypatch):
    monkeypatch.setattr(propagation, *FAULTS[fault])
    assert misses(measured) > 0


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("fault", LINEAR_FAULTS)
def test_a_fault_planted_in_a_linear_network_is_seen(fault, monkeypatch):
    network, R, exact = linear("identity")
    monkeypatch.setattr(propagation, *LINEAR_FAULTS[fault])
    for computed, expected in zip(
        predict_signals(network, R, samples=0)[:2], exact, strict=True
    ):
        if np.any(np.abs(computed / expected - 1) > 0.01):
            return
    pytest.fail("nothing moved")


def refuse(message, layer="lru", covariance=None, **changes):
    network, _ = build(config(layer, **changes), key=jax.random.key(0))
    R = AR1(0.5).autocovariance(np.arange(16)) if covariance is None else covariance
    with pytest.raises(ValueError, match=message):
        predict_signals(network, R)


def test_what_has_no_theory_is_named():
    message = (
        "causal linear layer in block 0, got BidirectionalLRU, which reads from both"
    )
    refuse(message, "bidirectional_lru")
    refuse("block 0, got GRU, which is not linear.*measured=", "gru")
    refuse("need a linear encoder", encoder="embedding")
    refuse(r"need a positive semi-definite", covariance=np.array([1.0, 0.0, 2.0]))
    refuse(r"shape \(lags, 3, 3\), got \(16, 2, 2\)", covariance=np.zeros((16, 2, 2)))


def test_measured_streams_take_the_place_of_a_theory():
    network, state = build(
        config("gru", depth=2, pooling="none"), key=jax.random.key(0)
    )
    linear, _ = build(config("lru", pooling="none"), key=jax.random.key(1))
    network = eqx.tree_at(lambda model: model.blocks[1], network, linear.blocks[0])
    u, R = noise(4096, 16, 3), np.eye(16)[0]
    after = jax.vmap(
        lambda sequence: network.blocks[0](network.encode(sequence, None), state)[0]
    )(u)
    prediction = predict_signals(network, R, measured={0: after}, samples=0)
    assert np.isnan(prediction.state).tolist() == [True, False]
    h = jax.vmap(network.blocks[1].layer.states)(after)
    np.testing.assert_allclose(
        prediction.state[1], np.mean(np.sum(np.abs(h[:, -1]) ** 2, 1)), rtol=0.1
    )
    with pytest.raises(ValueError, match="block 0 with 16 steps of 4 features"):
        predict_signals(network, R, measured={0: after[:, 1:]})
    with pytest.raises(ValueError, match=r"blocks 0 ... 1, got \[5\]"):
        predict_signals(network, R, measured={0: after, 5: after})


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("gain", [30.0, 1e3])
def test_saturated_gates_let_moments_through(gain):
    seed = int(gain)
    network, state = build(
        config("lru", depth=3, pooling="none", width=12), key=jax.random.key(seed)
    )
    network = eqx.tree_at(
        lambda model: [block.mixing.value.weight for block in model.blocks],
        network,
        replace_fn=lambda weight: gain * weight,
    )
    process, steps, num = AR1(0.8), 64, 2048
    series = process.sample(jax.random.key(seed + 1), num * 3, steps)
    u = jnp.moveaxis(series.reshape(num, 3, steps), 1, 2)
    streams, states = look_at_all(network, state, u)
    R = process.autocovariance(np.arange(steps))
    prediction = predict_signals(network, R, state, samples=0)[:2]
    squares = np.mean(np.square(streams), 2), np.sum(np.abs(states) ** 2, 2)
    for computed, values in zip(prediction, squares, strict=True):
        assert np.isfinite(computed).all()
        error = FAR * values.std(0) / num**0.5
        assert (np.abs(values.mean(0) - computed) < 0.15 * computed + error).all()


@pytest.mark.usefixtures("x64")
def test_moments_that_overflow_name_the_block():
    network, state = build(
        config("lru", depth=3, pooling="none"), key=jax.random.key(0)
    )
    loud = eqx.tree_at(
        lambda model: model.blocks[1].mixing.value.weight,
        network,
        replace_fn=lambda W: 1e200 * W,
    )
    R = AR1(0.5).autocovariance(np.arange(8))
    with pytest.raises(
        ValueError, match=r"finite, got .* after block 1 \(LRU\); lower its"
    ):
        predict_signals(loud, R, state)
    silent = eqx.tree_at(
        lambda model: model.encoder.weight, network, replace_fn=lambda W: 1e200 * W
    )
    with pytest.raises(ValueError, match="after the encoder"):
        predict_signals(silent, R, state)
