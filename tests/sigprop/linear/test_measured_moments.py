"""Measured moments: against exact ones, by hand, and the size of their errors."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1, Constant, Recording, White
from sigprop.layers.base import parameters, replace
from sigprop.layers.blur import blur
from sigprop.layers.gated import gated_unit
from sigprop.layers.gru import gru
from sigprop.layers.lru import lru
from sigprop.layers.lstm import lstm
from sigprop.linear.linearise import perturb
from sigprop.linear.measured_moments import (
    by_group,
    channels,
    exact,
    impulse_moments,
    measure,
    measure_each,
    position,
    response_moment,
    responses,
)
from sigprop.linear.predicted_moments import predict
from sigprop.neuron.montecarlo import over_batches
from sigprop.numerics.precision import double_precision

STEPS, NUM, BATCH = 6, 4096, 1024
Z = 5.5  # chance 4e-8 a comparison, some 60 comparisons in this file
SERIES = np.sin(np.arange(23.0) ** 2)
PROCESSES = {
    "white": White(),
    "AR(1)": AR1(0.8),
    "constant": Constant(),
    "recording": Recording(SERIES - SERIES.mean()),
}
MOMENTS = {"state", "output", "recurrent", "input", "readout"}


@pytest.fixture(scope="module")
def layer():
    with double_precision(True):
        yield lru(3, 2, key=jax.random.key(7), r_min=0.5, r_max=0.95)


def measured(layer, process, seed=0, num=NUM, **options):
    options = {"batch": BATCH, **options}
    return measure(
        jax.random.key(seed), layer, process, steps=STEPS, num=num, **options
    )


def truth_of(layer, process, at=STEPS - 1):
    R = process.autocovariance(np.arange(STEPS))
    return exact(layer, R, steps=STEPS, at=at, batch=1)


def misfit(estimates, truth):
    """Largest distance from the truth, in standard errors."""
    assert set(estimates) == set(truth)
    return max(
        float(abs(estimates[name].mean - value) / estimates[name].sem)
        for name, value in truth.items()
    )


@pytest.mark.parametrize("name", PROCESSES)
def test_measured_moments_are_the_exact_ones(layer, name):
    truth = truth_of(layer, PROCESSES[name])
    estimates = measured(layer, PROCESSES[name])
    assert set(estimates) == MOMENTS
    assert misfit(estimates, truth) < Z
    # The same moments of inputs 1.2 times as large are told apart.
    assert misfit(estimates, {k: 1.44 * v for k, v in truth.items()}) > Z


@pytest.mark.slow
def test_processes_together_are_each_by_itself(layer):
    keys, chosen = tuple(jax.random.split(jax.random.key(2))), (AR1(0.8), Constant())
    options = {"steps": STEPS, "num": 5, "batch": 2}
    together = measure_each(keys, layer, chosen, workers=2, **options)
    for key, process, estimates in zip(keys, chosen, together, strict=True):
        alone = measure(key, layer, process, **options)
        assert set(estimates) == set(alone) == MOMENTS
        for name, estimate in alone.items():
            assert float(estimates[name].mean) == pytest.approx(
                float(estimate.mean), rel=1e-12
            )
            assert estimates[name].n == 5
    with pytest.raises(ValueError, match="longer"):
        measure_each(keys[:1], layer, chosen, **options)


def test_errors_shrink_with_the_root_of_the_number(layer):
    few, many = (
        measured(layer, White(), seed, num)
        for seed, num in ((0, 2 * BATCH), (1, 32 * BATCH))
    )
    for name in MOMENTS:
        assert 3.2 < float(few[name].sem / many[name].sem) < 5, name


def test_one_drawn_error_has_the_same_mean_and_varies_more(layer):
    truth = truth_of(layer, AR1(0.8))
    all_outputs = measured(layer, AR1(0.8))
    single = measured(layer, AR1(0.8), every_output=False)
    assert misfit(single, truth) < Z
    assert float(single["state"].sem) == pytest.approx(float(all_outputs["state"].sem))
    for name in ("recurrent", "input"):
        assert single[name].sem > 1.05 * all_outputs[name].sem


def test_the_position_is_the_last_step_or_the_middle_if_both_sides_matter(layer):
    assert position(layer, STEPS) == STEPS - 1
    at_end = measured(layer, White(), num=64, at=STEPS - 1)
    assert measured(layer, White(), num=64) == at_end
    layer_of_two = blur(2, 2, key=jax.random.key(0))
    assert [position(layer_of_two, steps) for steps in (1, 6, 7)] == [0, 3, 3]


def test_another_position_has_other_moments(layer):
    truth = truth_of(layer, White(), at=1)
    estimates = measured(layer, White(), at=1)
    assert misfit(estimates, truth) < Z
    assert misfit(estimates, truth_of(layer, White())) > Z


def test_layers_that_are_not_linear_have_first_order_moments():
    with double_precision(True):
        layer = gated_unit(2, 2, key=jax.random.key(0), times=(2.0, 8.0))
        small = truth_of(layer, White())
        rest = np.asarray(jax.nn.sigmoid(layer.b_f))
    by_hand = ((1 - rest) * (1 - rest ** (2 * STEPS)) / (1 + rest)).sum()
    assert small["state"] == pytest.approx(by_hand, rel=1e-5)


def test_equal_keys_give_equal_results_and_others_do_not(layer):
    first, repeated, other = (measured(layer, White(), seed, 64) for seed in (3, 3, 4))
    assert first == repeated
    assert all(first[name].mean != other[name].mean for name in MOMENTS)


def test_batches_are_counted_and_drawn_as_announced(layer):
    ticks, key = [], jax.random.key(9)
    estimates = measure(
        key, layer, AR1(0.5), steps=STEPS, num=5, batch=2, tick=ticks.append
    )
    assert ticks == [2, 2, 1]
    assert {estimate.n for estimate in estimates.values()} == {5}
    draws = []
    for index, count in enumerate(ticks):
        input_key, _ = jax.random.split(jax.random.fold_in(key, index))
        u = channels(input_key, AR1(0.5), count, STEPS, 2, jnp.float64)
        draws += [float((layer(sequence)[-1] ** 2).sum()) for sequence in u]
    assert float(estimates["output"].mean) == pytest.approx(np.mean(draws), rel=1e-12)
    sem = np.std(draws, ddof=1) / math.sqrt(5)
    assert float(estimates["output"].sem) == pytest.approx(sem, rel=1e-9)


def test_channels_are_independent_series(layer):
    u = np.asarray(
        channels(jax.random.key(0), AR1(0.9), 40_000, 3, 2, jnp.float32), float
    )
    assert u.shape == (40_000, 3, 2)
    products = np.einsum("nsa,ntb->satb", u, u) / 40_000
    lags = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    truth = np.einsum("st,ab->satb", 0.9**lags, np.eye(2))
    assert np.abs(products - truth).max() < Z * math.sqrt(2 / 40_000)


def test_responses_are_the_gradients_of_each_output(layer):
    u = jnp.asarray(np.random.default_rng(0).normal(size=(STEPS, 2)))
    jacobians = responses(layer, u, 4, jnp.eye(2))
    assert jacobians["C_re"].shape == (2, 2, 3)
    h = np.asarray(layer.states(u))[4]
    np.testing.assert_allclose(jacobians["state"], h, rtol=1e-13)
    np.testing.assert_allclose(jacobians["output"], layer(u)[4], rtol=1e-13)
    by_hand = np.einsum("vo,n->von", np.eye(2), h)
    np.testing.assert_allclose(jacobians["C_re"], by_hand.real, rtol=1e-12)
    np.testing.assert_allclose(jacobians["C_im"], -by_hand.imag, rtol=1e-12)
    np.testing.assert_allclose(jacobians["D"], np.diag(u[4]), rtol=1e-12)


def test_groups_add_up_their_parameters(layer):
    moments = {"state": 1.0, "output": 2.0, **dict.fromkeys(layer.groups(), 1.0)}
    assert by_group(layer, moments) == {
        "state": 1.0,
        "output": 2.0,
        "recurrent": 3.0,
        "input": 2.0,
        "readout": 3.0,
    }


class Noted:
    """White noise that notes the precision it is asked for."""

    def __init__(self):
        self.asked = set()

    def sample(self, key, num, length, dtype=jnp.float32):
        self.asked.add(jnp.dtype(dtype))
        return White().sample(key, num, length, dtype)


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.sampled(keep=["True"])
def test_a_single_precision_layer_is_measured_in_single_precision(layer, wide):
    with double_precision(False):
        single = lru(3, 2, key=jax.random.key(7), r_min=0.5, r_max=0.95)
    recorder = Noted()
    with double_precision(wide):
        estimates = measured(single, recorder)
    assert recorder.asked == {jnp.dtype("float32")}
    truth = truth_of(
        jax.tree.map(lambda leaf: jnp.asarray(np.asarray(leaf, float)), single), White()
    )
    assert misfit(estimates, truth) < Z


def test_two_sequences_are_enough_for_a_standard_error(layer):
    for estimate in measured(layer, White(), num=2).values():
        assert estimate.n == 2
        assert np.isfinite(estimate.sem)


@pytest.mark.parametrize("num", [0, 1])
def test_too_few_sequences_are_refused(layer, num):
    with pytest.raises(ValueError, match=f"^need num >= 2 .* got num={num}$"):
        measured(layer, White(), num=num)


@pytest.mark.parametrize("at", [-1, STEPS])
def test_a_position_outside_the_sequence_is_refused(layer, at):
    with pytest.raises(ValueError, match=f"^need a position from 0 to 5, got at={at}$"):
        measured(layer, White(), at=at)


@pytest.mark.parametrize("workers", [1, 2, None])
def test_batches_keep_their_order_whatever_the_workers(workers):
    ticks = []
    done = over_batches(lambda i, k: (i, k), 7, 3, ticks.append, workers)
    assert done == [(0, 3), (1, 3), (2, 1)]
    assert ticks == [3, 3, 1]


GATED = {"gru": gru, "lstm": lstm}


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("name", GATED)
@pytest.mark.parametrize("shift", [0.0, 0.3])
def test_responses_of_a_nonlinear_layer_are_its_derivatives_at_zero_inputs(name, shift):
    """Of state and output, and of their derivatives by biases, in another order."""
    layer = GATED[name](3, 2, key=jax.random.key(4), times=(2.0, 9.0))
    biases = {key: value for key, value in parameters(layer).items() if key[0] == "b"}
    moved = {key: value + shift for key, value in biases.items()}
    layer, R = replace(layer, moved), 1e-8 * 0.7 ** np.arange(5)
    found = impulse_moments(layer, R, steps=5, at=4)
    zeros = jnp.zeros((5, 2))

    def output(values, u):
        return replace(layer, values)(u)[4]

    slopes = jax.jacfwd(jax.jacrev(output, 1))(moved, zeros)
    right = {key: np.moveaxis(slope, (1, 2), (0, 1)) for key, slope in slopes.items()}
    right["state"] = np.moveaxis(jax.jacrev(layer.states)(zeros)[4], 0, -1)
    right["output"] = np.moveaxis(jax.jacrev(layer)(zeros)[4], 0, -1)
    for key, slope in right.items():
        moment = response_moment(slope.reshape(5, -1), R).sum()
        assert float(found[key]) == pytest.approx(float(moment), rel=1e-9), key
    if shift == 0:
        closed = predict(perturb(layer), R, 5, 4)
        assert {"C", "D", "state"} < closed.keys() - moved.keys()
        for key in closed.keys() - moved.keys():  # a bias also moves the state
            assert float(found[key]) == pytest.approx(closed[key], rel=1e-9, abs=1e-30)
