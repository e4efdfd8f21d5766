"""Input processes: what they sample has the autocovariance that they announce."""

import dataclasses
import math
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import (
    AR1,
    Constant,
    Empirical,
    Mixed,
    MovingAverage,
    Recording,
    White,
)

PROCESSES = {
    "white": White(),
    "white of variance 2": White(2.0),
    "constant": Constant(0.5),
    "AR(1)": AR1(0.8),
    "alternating AR(1)": AR1(-0.6),
    "AR(1) of variance 3": AR1(0.4, variance=3.0),
    "AR(1) at 0": AR1(0.0),
    "AR(1) at 1": AR1(1.0),
    "AR(1) at -1": AR1(-1.0),
    "mixed": Mixed(0.7, 0.3, 0.9),
    "moving average": MovingAverage((1.0, 0.6, -0.4)),
    "moving average of one tap": MovingAverage((1.5,)),
}
Z = 5.5  # chance 4e-8 a comparison, about 300 comparisons in this file
DRAWS, LENGTH = 200_000, 9
LAGS = np.arange(LENGTH)
PLACES = [(0, 0), (0, 1), (0, 3), (4, 8), (8, 8), (2, 7)]
every_process = pytest.mark.parametrize("process", PROCESSES.values(), ids=PROCESSES)


def normal_moment(process, i, j):
    """Mean of ``x_i x_j`` and its error if ``process`` were right, by Isserlis."""
    covariance = process.autocovariance(np.array([abs(i - j), 0]))
    return covariance[0], math.sqrt((covariance[1] ** 2 + covariance[0] ** 2) / DRAWS)


def misfits(process, samples) -> dict[tuple[int, int], float]:
    """Distance of each measured product from the announced one, in standard errors."""
    deviations = {}
    for i, j in PLACES:
        mean, error = normal_moment(process, i, j)
        deviations[i, j] = abs((samples[:, i] * samples[:, j]).mean() - mean) / error
    return deviations


def draw(process, draws=DRAWS):
    return np.asarray(
        process.sample(jax.random.key(11), draws, LENGTH), dtype=np.float64
    )


@every_process
@pytest.mark.sampled(
    keep=["white of variance 2", "constant", "AR(1)", "mixed", "moving average"]
)
def test_samples_have_the_announced_autocovariance_at_every_place(process):
    samples = draw(process)
    assert samples.shape == (DRAWS, LENGTH)
    worst = misfits(process, samples)
    assert max(worst.values()) < Z, worst
    # Five percent in the variance would be seen: the bound resolves it.
    _, error = normal_moment(process, 0, 0)
    power = process.autocovariance(np.array([0]))[0]
    assert 0.05 * power > 2 * Z * error
    wrong = misfits(process, samples * math.sqrt(1.05))
    assert max(wrong.values()) > Z


@every_process
def test_samples_have_mean_zero_and_vary(process):
    samples = draw(process)
    power = process.autocovariance(np.array([0]))[0]
    assert abs(samples[:, -1].mean()) < Z * math.sqrt(power / DRAWS)
    assert len(np.unique(samples[:, 0])) > DRAWS / 2


NEIGHBOURS = [
    ("AR(1)", AR1(0.75)),
    ("alternating AR(1)", AR1(-0.55)),
    ("mixed", Mixed(0.65, 0.35, 0.9)),
    ("moving average", MovingAverage((1.0, 0.6, -0.45))),
    ("constant", White(0.5)),
]


@pytest.mark.parametrize(
    ("name", "neighbour"), NEIGHBOURS, ids=[n for n, _ in NEIGHBOURS]
)
def test_samples_of_a_neighbouring_process_are_told_apart(name, neighbour):
    assert max(misfits(PROCESSES[name], draw(neighbour)).values()) > Z


@every_process
def test_autocovariance_is_even_bounded_by_its_origin_and_an_array(process):
    values = process.autocovariance(LAGS)
    assert values.shape == LAGS.shape
    assert (process.autocovariance(-LAGS) == values).all()
    assert (np.abs(values) <= values[0]).all()
    assert values[0] > 0


@every_process
@pytest.mark.sampled(keep=["white", "constant", "AR(1)", "mixed", "moving average"])
def test_same_key_gives_the_same_series_and_another_key_another(process):
    first, repeated = (process.sample(jax.random.key(1), 3, 4) for _ in range(2))
    other = process.sample(jax.random.key(2), 3, 4)
    assert (first == repeated).all()
    assert (first != other).any()


@pytest.mark.usefixtures("x64")
@every_process
@pytest.mark.sampled(keep=["white", "constant", "AR(1)", "mixed", "moving average"])
def test_samples_keep_the_asked_precision(process):
    for dtype in (jnp.float32, jnp.float64):
        assert process.sample(jax.random.key(1), 2, 3, dtype).dtype == dtype


def test_double_precision_samples_are_refused_while_it_is_off():
    with pytest.raises(ValueError, match="need x64 for float64, but it is off"):
        White().sample(jax.random.key(1), 2, 3, jnp.float64)


@pytest.mark.parametrize("name", PROCESSES)
def test_process_is_frozen_and_hashable(name):
    process = PROCESSES[name]
    assert hash(process) == hash(dataclasses.replace(process))
    with pytest.raises(dataclasses.FrozenInstanceError):
        process.rho = 0.5


@pytest.mark.parametrize("source", [(1.0, 0.6, -0.4), (0.5, 0.0, 0.0, 2.0)], ids=str)
def test_autocovariance_of_a_moving_average_is_its_taps_against_themselves(source):
    expected = [
        sum(x * y for x, y in zip(source, source[lag:], strict=False)) for lag in LAGS
    ]
    assert MovingAverage(source).autocovariance(LAGS) == pytest.approx(expected)


BAD = [
    (lambda: AR1(1.5), "need -1 <= rho <= 1, got rho=1.5"),
    (lambda: AR1(-1.5), "need -1 <= rho <= 1, got rho=-1.5"),
    (lambda: AR1(math.nan), "need -1 <= rho <= 1, got rho=nan"),
    (lambda: Mixed(1.0, 1.0, math.nan), "need -1 <= rho <= 1, got rho=nan"),
    (lambda: White(-1.0), "need 0 <= variance < inf, got variance=-1.0"),
    (lambda: White(math.nan), "need 0 <= variance < inf, got variance=nan"),
    (lambda: White(math.inf), "need 0 <= variance < inf, got variance=inf"),
    (lambda: Mixed(math.inf, 1.0, 0.5), "need 0 <= a < inf, got a=inf"),
    (lambda: Constant(-0.1), "need 0 <= variance < inf, got variance=-0.1"),
    (lambda: Mixed(-1.0, 1.0, 0.5), "need 0 <= a < inf, got a=-1.0"),
    (lambda: Mixed(1.0, -1.0, 0.5), "need 0 <= b < inf, got b=-1.0"),
    (lambda: MovingAverage(()), "need one or more taps of at most 1e+18, got taps=()"),
    (
        lambda: MovingAverage((1.0, math.inf)),
        "need one or more taps of at most 1e+18, got taps=(1.0, inf)",
    ),
    (
        lambda: Empirical(np.zeros(3)),
        "need values of shape (sequences, time), got shape (3,)",
    ),
    (
        lambda: Empirical(np.zeros((2, 0))),
        "need values of shape (sequences, time), got shape (2, 0)",
    ),
    (
        lambda: Empirical(np.array([[1.0, 2.0], [3.0, math.nan]])),
        "need finite values, got nan in sequence 1 at step 1; interpolate or drop it",
    ),
    (
        lambda: Empirical(np.array([[math.inf, 2.0]])),
        "need finite values, got inf in sequence 0 at step 0; interpolate or drop it",
    ),
    (
        lambda: Empirical(np.ones((2, 4))).autocovariance(np.array([0, 4])),
        "need lags below the 4 steps of a sequence, got 4",
    ),
    (
        lambda: Empirical(np.ones((2, 4))).autocovariance(np.array([-5])),
        "need lags below the 4 steps of a sequence, got 5",
    ),
    (
        lambda: Empirical(np.ones((2, 4))).sample(jax.random.key(0), 3, 5),
        "need sequences of at least 5 steps, got 4; ask for a shorter length",
    ),
    (
        lambda: Recording(np.zeros((2, 3))),
        "need values of shape (time), got shape (2, 3)",
    ),
    (
        lambda: Recording(np.zeros(0)),
        "need values of shape (time), got shape (0,)",
    ),
    (
        lambda: Recording(np.array([1.0, math.inf])),
        "need values in [-1e+18, 1e+18], got inf",
    ),
]


@pytest.mark.parametrize(("make", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
        make()


@pytest.mark.parametrize("lag", [0, 1, 5, 16])
def test_empirical_autocovariance_is_its_defining_loop(lag):
    data = np.random.default_rng(3).standard_normal((4, 17))
    sums = [math.fsum(row[t] * row[t + lag] for t in range(17 - lag)) for row in data]
    measured = Empirical(data).autocovariance(np.array([lag, -lag]))
    truth = math.fsum(sums) / (4 * (17 - lag))
    assert measured == pytest.approx([truth, truth], rel=1e-12)
    biased = math.fsum(sums) / (4 * 17)
    assert lag == 0 or abs(biased / truth - 1) > 0.05


def test_empirical_sequences_are_resampled_whole_and_cut():
    data = np.arange(12.0).reshape(3, 4)
    sample = np.asarray(Empirical(data).sample(jax.random.key(5), 64, 2))
    assert {tuple(row) for row in sample} == {(0, 1), (4, 5), (8, 9)}


def test_empirical_does_not_share_the_callers_memory():
    data = np.ones((2, 3))
    process = Empirical(data)
    data[0, 0] = 100.0
    assert process.autocovariance(np.array([0]))[0] == pytest.approx(1)


SERIES = np.sin(np.arange(7.0) ** 2) + 0.3


def test_a_recording_has_the_covariance_of_its_own_products_around_the_circle():
    lags = np.arange(-15, 16)
    truth = [np.mean(SERIES * np.roll(SERIES, lag)) for lag in lags]
    np.testing.assert_allclose(
        Recording(SERIES).autocovariance(lags), truth, rtol=0, atol=1e-14
    )
    assert Recording(np.array([2.0])).autocovariance(lags) == pytest.approx(4)


def test_a_recording_repeats_after_its_period():
    process = Recording(SERIES)
    lags = np.arange(5)
    np.testing.assert_array_equal(
        process.autocovariance(lags), process.autocovariance(lags + 7)
    )
    sample = np.asarray(process.sample(jax.random.key(0), 20, 17))
    np.testing.assert_array_equal(sample[:, :10], sample[:, 7:])


def test_a_recording_is_read_in_order_from_any_step_on():
    sample = np.asarray(Recording(np.arange(7.0)).sample(jax.random.key(1), 400, 3))
    assert {tuple(row) for row in sample} == {
        (k, (k + 1) % 7, (k + 2) % 7) for k in range(7)
    }


@pytest.mark.parametrize(("i", "j"), [*PLACES, (0, 7)])
def test_products_of_a_recording_average_to_its_autocovariance(i, j):
    process = Recording(SERIES)
    sample = np.asarray(process.sample(jax.random.key(2), DRAWS, LENGTH), float)
    products = sample[:, i] * sample[:, j]
    truth = process.autocovariance(np.array([i - j]))[0]
    error = products.std() / math.sqrt(DRAWS)
    assert abs(products.mean() - truth) < Z * error
    assert 2 * Z * error < 0.05 * process.autocovariance(np.array([0]))[0]


@pytest.mark.usefixtures("x64")
def test_a_recording_keeps_the_asked_precision_and_key():
    process = Recording(SERIES)
    first, repeated, other = (
        process.sample(jax.random.key(seed), 9, 3, jnp.float64) for seed in (1, 1, 2)
    )
    assert first.dtype == jnp.float64
    assert process.sample(jax.random.key(1), 2, 3).dtype == jnp.float32
    assert (first == repeated).all()
    assert (first != other).any()


def test_a_double_precision_recording_is_refused_while_it_is_off():
    with pytest.raises(ValueError, match="need x64 for float64, but it is off"):
        Recording(SERIES).sample(jax.random.key(1), 2, 3, jnp.float64)


def test_a_recording_does_not_share_the_callers_memory():
    data = np.ones(3)
    process = Recording(data)
    data[0] = 100.0
    assert process.autocovariance(np.array([0]))[0] == pytest.approx(1)
