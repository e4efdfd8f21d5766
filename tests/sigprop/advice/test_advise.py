"""What is predicted of a start is what independent closed forms say; what is refused."""

import math

import jax
import numpy as np
import pytest

from sigprop.advice import summary
from sigprop.advice.advise import advise
from sigprop.advice.families import FAMILIES
from sigprop.advice.predictions import mode_states, predict_initialisation
from sigprop.advice.spectra import exponential
from sigprop.audit.autocovariance import Exponentials
from sigprop.inputs import AR1, Mixed
from sigprop.layers.base import replace
from sigprop.layers.lru import lru
from sigprop.layers.s5 import s5
from sigprop.linear import predicted_moments
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
        advice = advise("lru", length=200, state=64, spectrum=exponential(rho), seed=4)
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
        advice = advise(name, length=length, state=16, spectrum=exponential(0.5))
        for seed in (1, 2):
            sample_layer = advice.draw(jax.random.key(seed), 16)
            assert_healthy(sample_layer, length=length)


@pytest.mark.parametrize("name", ["mamba", "rglru", "s4d", "rotrnn"])
@pytest.mark.slow
def test_every_family_is_advised_on(name):
    advice = advise(name, length=500, state=16, spectrum=exponential(0.5))
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
    ):
        arguments = {"layer": "lru", **options, **changed}
        with pytest.raises(ValueError, match=message):
            advise(arguments.pop("layer"), **arguments)
