"""Every predicted moment has an error, and the network's own moment lies within it."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1, Constant, MovingAverage
from sigprop.layers.lru import lru
from sigprop.networks import build, deviations, over_batch
from sigprop.networks.propagation import predict_signals
from tests.sigprop.networks.small import config, noise, shaken
from tests.sigprop.networks.test_propagation import by_impulses, look_at_all

STEPS, SEQUENCES, CHANNELS = 48, 4096, 2
FAR = 3.0  # standard errors of the simulation that judges
SHORT = {"r_min": 0.5, "r_max": 0.9}
MLP = {"mixing": "mlp", "skip": "linear", "mixing_norm": True}
NETWORKS = {
    "mlp-layer": MLP | {"norm": "layer", "width": 8},
    "mlp-batch": MLP | {"norm": "batch", "width": 8},
    "mlp-none": MLP | {"norm": "none", "width": 8, "mixing_norm": False},
    "glu-layer": {"norm": "layer", "width": 8},
    "glu-batch": {"norm": "batch", "width": 16},
    "none-layer": {"norm": "layer", "width": 8, "mixing": "none"},
    "half-layer": {"norm": "layer", "width": 16, "mixing": "half_glu"},
    "mlp-wide": MLP | {"norm": "layer", "width": 32},
}
CASES = [(name, seed) for name in NETWORKS for seed in (0, 1, 2)]
PROCESS = AR1(0.9)
R = PROCESS.autocovariance(np.arange(STEPS))


def random_network(options, seed) -> Any:
    options = {"depth": 3, "pooling": "none", "layer_options": SHORT} | options
    return build(config("lru", inputs=CHANNELS, **options), key=jax.random.key(seed))


def truth(network, state, seed):
    """Moments of a simulation by the network's own call, with their standard errors."""
    series = PROCESS.sample(
        jax.random.key(seed), SEQUENCES * CHANNELS, STEPS, jnp.float64
    )
    u = jnp.moveaxis(series.reshape(SEQUENCES, CHANNELS, STEPS), 1, 2)
    _, state = eqx.filter_jit(over_batch)(network, state, u)
    streams, states = look_at_all(eqx.nn.inference_mode(network), state, u)
    squares = np.mean(np.square(streams), 2), np.sum(np.abs(states) ** 2, 2)
    return [
        (samples.mean(0), samples.std(0) / len(samples) ** 0.5) for samples in squares
    ]


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize(("name", "seed"), CASES)
@pytest.mark.sampled(keep=["mlp-batch-1", "glu-layer-0"])
def test_the_truth_is_within_the_error(name, seed):
    network, state = random_network(NETWORKS[name], seed)
    prediction = predict_signals(network, R, seed=seed)
    right = truth(network, state, seed + 100)
    for computed, error, (mean, sem) in zip(
        prediction[:2], prediction.error, right, strict=True
    ):
        assert (np.abs(mean - computed) <= error + FAR * sem).all()
        # Nor is the error wider than what is off and the noise of the drawn mean.
        noise_of = sem * (SEQUENCES / deviations.MOST) ** 0.5
        assert (error <= np.abs(mean - computed) + 12 * noise_of).all()


AFFINE = {"mixing": "none", "norm": "none"}


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize(
    ("options", "exact"),
    [
        (AFFINE, [True] * 3 + [True] * 3),
        (AFFINE | {"skip": "linear"}, [True] * 6),
        (AFFINE | {"norm": "batch"}, [True] * 6),
        ({"norm": "none"}, [False] * 3 + [True, False, False]),
        ({"norm": "batch"}, [False] * 3 + [True, False, False]),
        ({"norm": "layer", "mixing": "none"}, [False] * 6),
    ],
)
@pytest.mark.parametrize("samples", [0, 64])
@pytest.mark.sampled(kind="options")
def test_what_is_exact_claims_no_error(options, exact, samples):
    short = {"r_min": 0.1, "r_max": 0.4}  # the zero state is forgotten
    network, state = random_network(options | {"layer_options": short}, 3)
    network = shaken(network, size=0.1)
    if options["norm"] == "batch":
        _, state = over_batch(network, state, noise(64, STEPS, CHANNELS))
    prediction = predict_signals(network, R, state, samples=samples)
    relative = np.concatenate(
        [
            error / got
            for error, got in zip(prediction.error, prediction[:2], strict=True)
        ]
    )
    assert (relative[exact] < 1e-6).all()
    assert (relative[~np.array(exact)] > (1e-2 if samples else 1e300)).all()


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("skip", ["identity", "linear"])
def test_the_zero_state_is_part_of_the_error(skip):
    """Memories as long as the sequence: what enters the later blocks is not stationary."""
    long = {"r_min": 0.97, "r_max": 0.99}
    network, state = random_network(AFFINE | {"layer_options": long, "skip": skip}, 5)
    network = shaken(network, size=0.1)
    prediction = predict_signals(network, R, samples=0)
    exact = by_impulses(network, state, R, CHANNELS)
    for computed, error, right in zip(
        prediction[:2], prediction.error, exact, strict=True
    ):
        np.testing.assert_allclose(
            error, np.abs(computed - right), atol=3e-9 * computed[2]
        )
        assert error[2] > 0.005 * computed[2]


def test_a_layer_alone_is_exact():
    prediction = predict_signals(lru(6, CHANNELS, key=jax.random.key(0), r_max=0.9), R)
    for computed, error in zip(prediction[:2], prediction.error, strict=True):
        assert (error < 1e-8 * computed).all()


@pytest.mark.usefixtures("x64")
def test_the_state_of_the_batch_norm_reaches_the_layer():
    """Moments of another batch: the recurrence sees what they make of the stream."""
    network, state = random_network({"norm": "batch"}, 2)
    _, state = over_batch(network, state, 3 * noise(64, STEPS, CHANNELS) + 0.5)
    network = shaken(network, size=0.1)
    inputs = PROCESS.sample(
        jax.random.key(8), SEQUENCES * CHANNELS, STEPS, jnp.float64
    ).reshape(SEQUENCES, CHANNELS, STEPS)
    quiet = eqx.nn.inference_mode(network)
    _, states = look_at_all(quiet, state, jnp.moveaxis(inputs, 1, 2))
    squares = np.sum(np.abs(states[:, 0]) ** 2, 1)
    prediction = predict_signals(network, R, state)
    sem = squares.std() / SEQUENCES**0.5
    assert prediction.error.state[0] < 1e-8 * prediction.state[0]
    assert prediction.state[0] == pytest.approx(squares.mean(), abs=4 * sem)
    assert (
        abs(predict_signals(network, R, samples=0).state[0] / squares.mean() - 1) > 0.5
    )


@pytest.mark.usefixtures("x64")
def test_measured_streams_go_on_with_an_error():
    network, state = random_network(NETWORKS["glu-layer"], 0)
    u = noise(512, STEPS, CHANNELS)
    after = jax.vmap(lambda x: network.blocks[0](network.encode(x, None), state)[0])(u)
    prediction = predict_signals(network, R, measured={0: after})
    streams, _ = look_at_all(network, state, u)
    mean = np.mean(np.square(streams), (0, 2))
    assert (np.abs(mean - prediction.stream) <= prediction.error.stream)[1:].all()
    assert np.isnan(prediction.error.state[0])
    assert np.isfinite(prediction.error.state[1:]).all()
    assert (prediction.error.stream < 0.5 * prediction.stream).all()


@pytest.mark.parametrize(
    "process", [AR1(-0.6), Constant(2.0), MovingAverage((1.0, 2.0))], ids=str
)
def test_inputs_are_drawn_with_their_autocovariance(process, x64):
    covariance = process.autocovariance(np.arange(12))
    x = np.asarray(deviations.draw(jax.random.key(0), covariance, 2, 20_000))
    assert x.shape == (20_000, 12, 2)
    lag = np.abs(np.subtract.outer(np.arange(12), np.arange(12)))
    for first, second in ((0, 0), (1, 1), (0, 1)):
        wanted = covariance[lag] * (first == second)
        covariances = x[:, :, first].T @ x[:, :, second] / len(x)
        np.testing.assert_allclose(
            covariances, wanted, atol=6 * covariance[0] / 1e2 / 1.4
        )


def test_pairs_of_channels_are_drawn_with_their_covariances(x64):
    """``y_t = x_t + mixed x_{t - 1}``: lags are of the later step's channel by row."""
    mixed = np.array([[0.0, 0.8], [-0.3, 0.1]])
    covariance = np.zeros((6, 2, 2))
    covariance[0], covariance[1] = np.eye(2) + mixed @ mixed.T, mixed
    x = np.asarray(deviations.draw(jax.random.key(0), covariance, 2, 40_000))
    for lag in range(3):
        covariances = (
            np.einsum("nti,ntj->ij", x[:, lag:], x[:, : 6 - lag]) / len(x) / (6 - lag)
        )
        np.testing.assert_allclose(covariances, covariance[lag], atol=0.03)
    with pytest.raises(ValueError, match="need covariances of a process"):
        deviations.draw(jax.random.key(0), 3 * covariance - 2 * np.eye(2)[None], 2, 5)


@pytest.mark.parametrize("samples", [-1, 1])
def test_a_number_of_samples_out_of_range_is_refused(samples):
    network, _ = random_network({}, 0)
    with pytest.raises(ValueError, match="need samples=0 or at least 2"):
        predict_signals(network, R, samples=samples)


def test_a_seed_draws_other_trajectories():
    network, _ = random_network(NETWORKS["glu-layer"], 0)
    first, repeated, other = (
        predict_signals(network, R, seed=k, samples=64) for k in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.error, repeated.error)
    assert (first.error.stream != other.error.stream).all()
    np.testing.assert_array_equal(first.stream, other.stream)
