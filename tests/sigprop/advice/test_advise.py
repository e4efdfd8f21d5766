"""What is predicted of a start is what independent closed forms say; what is refused."""

import math

import jax
import numpy as np
import pytest

from sigprop.advice import summary
from sigprop.advice.advise import advise
from sigprop.advice.families import FAMILIES
from sigprop.advice.predictions import (
    NEURONS,
    as_modes,
    evenly,
    mode_states,
    predict_initialisation,
)
from sigprop.advice.spectra import exponential
from sigprop.audit.autocovariance import Exponentials
from sigprop.inputs import AR1, Mixed
from sigprop.layers.base import replace
from sigprop.layers.lru import lru
from sigprop.layers.s4d import s4d
from sigprop.layers.s5 import s5
from sigprop.linear import predicted_moments
from sigprop.linear.gated_moments import predict_gated
from sigprop.linear.linearise import perturb
from sigprop.linear.measured_moments import measure
from sigprop.networks.registry import sequence_layer
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import teacher_student
from sigprop.testing import assert_healthy

BOTH = Exponentials(np.array([0.4, 0.6]), np.array([0.0, 0.8]))
STEPS = 400


def layer(draw, **options):
    with double_precision(True):
        sample = draw(3, 2, key=jax.random.key(5), **options)
        return jax.tree.map(lambda leaf: leaf.astype(float), sample)


LAYERS = {
    "lru": (lru, {"r_min": 0.5, "r_max": 0.95}),
    "s5": (s5, {"dt_min": 0.2, "dt_max": 0.5}),
}


@pytest.mark.parametrize("name", LAYERS)
def test_gradients_and_states_are_those_of_a_long_sequence(name):
    draw, options = LAYERS[name]
    sample_layer = layer(draw, **options)
    prediction = predict_initialisation(sample_layer, BOTH)
    covariance = BOTH.autocovariance(np.arange(STEPS))
    with double_precision(True):
        truth = predicted_moments.predict(
            perturb(sample_layer), covariance, STEPS, STEPS - 1
        )
    assert prediction.state.sum() == pytest.approx(truth.pop("state"), rel=1e-6)
    del truth["output"]
    assert prediction.gradient == pytest.approx(truth, rel=1e-6)


def test_descent_is_stable_below_the_ceiling_and_not_above():
    """On the population loss itself, moved along one parameter alone."""
    sample_layer = layer(lru, r_min=0.5, r_max=0.95)
    ceiling = predict_initialisation(sample_layer, BOTH).largest_rate["nu_log"]
    with double_precision(True):
        task = teacher_student(sample_layer, Mixed(0.4, 0.6, 0.8), length=None)

        @jax.jit
        def derivative(nu_log):
            return jax.grad(
                lambda value: task.population(replace(sample_layer, {"nu_log": value}))
            )(nu_log)

        for factor, grows in ((0.8, False), (1.2, True)):
            away = 1e-6 * np.array([1.0, 0.7, -0.4])
            for _ in range(60):
                away = away - factor * ceiling * np.asarray(
                    derivative(sample_layer.nu_log + away)
                )
            assert (np.abs(away).max() > 2e-6) == grows


GATED = {"rglru": {"radii": (0.5, 0.9)}, "selective": {"steps": (0.05, 0.5)}}


@pytest.mark.parametrize("name", GATED)
@pytest.mark.sampled(keep=["rglru"])
def test_states_behind_gates_are_those_that_correlated_inputs_leave(name):
    sample_layer = sequence_layer(name, 4, 4, key=jax.random.key(3), **GATED[name])
    prediction = predict_initialisation(sample_layer, exponential(0.8))
    estimate = measure(jax.random.key(8), sample_layer, AR1(0.8), steps=200, num=4000)[
        "state"
    ]
    mean, spread = float(estimate.mean), float(estimate.sem)
    assert abs(prediction.state.sum() - mean) < 4 * spread
    assert (
        abs(predict_initialisation(sample_layer, exponential(0.0)).state.sum() - mean)
        > 8 * spread
    )


def test_the_default_of_an_lru_is_normalised_for_white_inputs_and_for_no_others():
    for rho, low, high in ((0.0, 1.0, 1.4), (0.9, 10.0, 1000.0)):
        advice = advise(
            "lru", length=200, state=64, width=1024, spectrum=exponential(rho), seed=4
        )
        assert low < advice.default.state.max() / advice.default.state.min() < high


def test_half_of_the_phases_are_those_of_the_input_unless_others_are_asked_for():
    options = {"length": 200, "state": 64, "spectrum": exponential(0.9)}
    advice = advise("lru", **options, phases="input")
    assert advice.options["max_phase"] == advice.phase
    assert np.abs(advice.advised.phase).max() <= advice.phase
    spread = advise("lru", **options)
    assert spread.options == {**advice.options, "max_phase": (advice.phase, math.pi)}
    assert np.abs(spread.advised.phase[::2]).max() <= advice.phase
    assert np.mean(np.abs(spread.advised.phase[1::2]) > advice.phase) > 0.3
    heads = advise("rotrnn", **options).options["theta_range"]
    assert heads == (0.0, (advice.phase, math.pi))
    over_all_phases = advise("lru", **options, phases="all")
    assert over_all_phases.phase == advice.phase
    assert over_all_phases.options == {**advice.options, "max_phase": math.pi}
    assert np.mean(np.abs(over_all_phases.advised.phase) > advice.phase) > 0.3
    with pytest.raises(
        ValueError, match=r"^need phases in spread, input, all, got 'some'$"
    ):
        advise("lru", **options, phases="some")


def test_what_is_drawn_has_states_of_size_one():
    advice = advise("lru", length=200, state=8, spectrum=BOTH)
    for width in (1, 5):
        sample_layer = advice.draw(jax.random.key(1), width)
        assert mode_states(sample_layer, BOTH)[2] == pytest.approx(np.ones(8), rel=1e-3)
    assert advice.advised.state == pytest.approx(np.ones(8), rel=1e-5)
    assert advice.default.state.max() > 2 * advice.default.state.min()


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.sampled(2)
def test_what_is_advised_is_healthy(name):
    """Of lengths at which steps are shorter than those that anyone begins with, too."""
    for length in (64, 16384):
        advice = advise(
            name, length=length, state=16, width=16, spectrum=exponential(0.5)
        )
        for seed in (1, 2):
            sample_layer = advice.draw(jax.random.key(seed), 16)
            assert_healthy(sample_layer, length=length)


@pytest.mark.parametrize("name", ["mamba", "rglru", "s4d", "rotrnn"])
@pytest.mark.slow
def test_every_family_is_advised_on(name):
    advice = advise(name, length=500, state=16, width=16, spectrum=exponential(0.5))
    assert advice.advised.longest <= 500 * 1.001
    assert all(value > 0 for value in advice.advised.gradient.values())
    for quantity, of, *values in summary.rows(advice):
        assert all(value > 0 for value in values), (quantity, of)


def test_each_unknown_or_absurd_thing_is_refused():
    options = {"length": 100, "state": 4, "spectrum": exponential(0.0)}
    for changed, message in (
        ({"layer": "gru"}, "need a layer in lru, rotrnn"),
        ({"length": 1}, "need length >= 4, got length=1"),
        ({"memory": math.inf}, r"need memory in \[4, 1e\+07\], got inf"),
        ({"state": 0}, "need state >= 1, got state=0"),
        ({"width": 0}, "need width >= 1, got width=0"),
    ):
        arguments = {"layer": "lru", **options, **changed}
        with pytest.raises(ValueError, match=message):
            advise(arguments.pop("layer"), **arguments)


# --- the layer that is asked for ------------------------------------------------------


def test_the_longest_default_memory_of_s4d_grows_with_its_channels():
    """The largest of ``width`` log-uniform steps' time constants, against all its steps."""
    longest = []
    for width in (1, 256):
        advice = advise("s4d", length=1000, width=width, spectrum=exponential(0.9))
        steps = np.exp(np.asarray(s4d(32, width, key=jax.random.key(0)).log_dt, float))
        expected = 1 / -np.expm1(-0.5 * steps.min())
        assert advice.default.longest == pytest.approx(expected, rel=1e-4)
        assert len(advice.default.state) == 32 * width
        longest.append(advice.default.longest)
    assert longest[1] > 1500 > longest[0]


def test_states_of_s4d_are_those_of_its_modes():
    layer = s4d(4, 3, key=jax.random.key(2))
    direct = mode_states(layer, BOTH)
    by_modes = mode_states(as_modes(layer), BOTH)
    for one, other in zip(direct, by_modes, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-3)


@pytest.mark.parametrize("state", [8, 16, 64])
def test_the_state_of_mamba_is_what_is_asked_for(state):
    advice = advise("mamba", length=1000, state=state, width=4, spectrum=exponential(0))
    for prediction in (advice.default, advice.advised):
        times = np.sort(prediction.time_constant).reshape(-1)
        assert len(times) == 8 * state
    steps = -np.log1p(-1 / advice.advised.longest)
    fastest = -np.log1p(-1 / advice.advised.time_constant.min())
    assert fastest / steps > state


def test_states_behind_gates_differ_and_are_those_that_are_simulated():
    """Of 64 sampled neurons of 96, against sequences; correlated inputs."""
    layer = sequence_layer("rglru", 96, 96, key=jax.random.key(3), radii=(0.5, 0.9))
    prediction = predict_initialisation(layer, exponential(0.8))
    assert len(prediction.state) == NEURONS < len(prediction.time_constant) == 96
    assert prediction.state.max() > 2 * prediction.state.min()
    inputs = AR1(0.8).sample(jax.random.key(4), 1000 * 96, 60)
    sequences = np.asarray(inputs).reshape(1000, 96, 60).swapaxes(1, 2)
    last = jax.lax.map(lambda u: layer.states(u)[-1], sequences, batch_size=100)
    squares = np.asarray(last, float)[:, prediction.sampled] ** 2
    error = squares.std(0) / np.sqrt(len(squares))
    assert np.abs((squares.mean(0) - prediction.state) / error).max() < 4.5


def test_gradients_of_few_states_are_scaled_to_all():
    layer = sequence_layer("rglru", 32, 32, key=jax.random.key(3), radii=(0.5, 0.6))
    exact = predict_gated(layer)
    prediction = predict_initialisation(layer, exponential(0.0))
    for name, value in prediction.gradient.items():
        assert value == pytest.approx(exact[name].value, rel=0.1), name
    assert prediction.state.sum() == pytest.approx(exact["state"].value, rel=1e-6)


def test_numbers_of_evenly_spaced_ranks():
    values = np.array([5.0, 1.0, 4.0, 2.0, 3.0])
    assert values[evenly(values, 3)].tolist() == [1.0, 3.0, 5.0]
    assert values[evenly(values, 9)].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
