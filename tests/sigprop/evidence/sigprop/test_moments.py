"""The judged layers: right forms are confirmed, wrong ones refuted, by either route."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.evidence.sigprop import moments
from sigprop.evidence.sigprop.moments import (
    GATED,
    INPUTS,
    LINEAR,
    Scaled,
    chirp,
    score,
    subject,
)
from sigprop.inputs import AR1, White
from sigprop.layers.base import parameters
from sigprop.neuron.montecarlo import Estimate


@pytest.fixture
def afresh():
    """Nothing remembered of what a test patches, before it and after it."""
    remembered = (moments.closed, moments.impulses, moments.pilot)
    for function in remembered:
        function.cache_clear()
    yield
    for function in remembered:
        function.cache_clear()


@pytest.fixture
def white_alone(monkeypatch, afresh):
    """One input, to save time."""
    monkeypatch.setattr(moments, "INPUTS", {"white": White()})


@pytest.fixture
def wrong(monkeypatch, afresh):
    """Scale one predicted moment; the rest stays right."""

    def scale(moment, factor):
        right = moments.predict

        def predict(*args, **kwargs):
            predictions = right(*args, **kwargs)
            return {**predictions, moment: factor * predictions[moment]}

        monkeypatch.setattr(moments, "predict", predict)

    return scale


def verdicts(results, moment):
    """Verdicts on one moment at white inputs, by route."""
    return {r.route: str(r.verdict) for r in results if r.point == f"white, {moment}"}


@pytest.mark.slow
def test_a_linear_layer_is_confirmed_at_every_input():
    results = moments.layer_moments("lru", 3)
    assert {str(r.verdict) for r in results} == {"confirmed"}
    assert {(r.route, r.point) for r in results} == {
        (route, f"{name}, {moment}")
        for route in ("impulse", "monte_carlo")
        for name in INPUTS
        for moment in ("state", "output", "recurrent", "input", "readout")
    }
    exact = [r for r in results if r.route == "impulse"]
    assert all(abs(r.value - 1) < 1e-9 for r in exact)
    assert all(r.low < 1 < r.high for r in results if r.route != "impulse")


@pytest.mark.usefixtures("white_alone")
def test_a_gated_layer_is_confirmed_without_recurrent_parameters():
    results = moments.layer_moments("gate", 3)
    assert {str(r.verdict) for r in results} == {"confirmed"}
    # The gate's input weights do nothing to first order: they are left out too.
    assert {r.point for r in results} == {
        "white, state",
        "white, output",
        "white, readout",
        "order of the remainder in the inputs' size, over two",
    }


@pytest.mark.usefixtures("afresh")
@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_order_of_the_remainder_is_measured(order, monkeypatch):
    form = {"state": 2.0, "output": 3.0, "input": 0.0}
    forms = {name: form for name in INPUTS}
    monkeypatch.setattr(moments, "closed", lambda label: forms)

    def measured(label, keys, num, size):
        right = {q: size**2 * value for q, value in form.items()}
        off = {"state": 0.1 * size**order, "output": -0.2 * size**order, "input": 9.0}
        table = {
            q: Estimate(np.asarray(v * (1 + off[q])), np.zeros(()), num)
            for q, v in right.items()
        }
        return dict.fromkeys(keys, table)

    monkeypatch.setattr(moments, "_measured", measured)
    exponent = moments.remainder_order("gate")
    assert exponent == pytest.approx(order, rel=1e-9)


@pytest.mark.usefixtures("white_alone")
def test_a_remainder_of_the_first_order_is_refuted(monkeypatch):
    monkeypatch.setattr(moments, "remainder_order", lambda label: 1.1)
    results = moments.layer_moments("gate", 3)
    wrong = [(r.route, r.verdict) for r in results if r.verdict != "confirmed"]
    assert wrong == [("reference", "refuted")]


@pytest.mark.usefixtures("white_alone")
@pytest.mark.parametrize("name", [*LINEAR, *GATED])
@pytest.mark.sampled(keep=["lru"])
def test_a_form_that_is_five_percent_off_is_refuted_by_impulses(name, wrong):
    wrong("output", 1.05)
    results = moments.layer_moments(name, 3)
    assert verdicts(results, "output")["impulse"] == "refuted"
    assert set(verdicts(results, "state").values()) == {"confirmed"}


@pytest.mark.usefixtures("white_alone")
@pytest.mark.parametrize("factor", [1 / 1.3, 1.3])
def test_a_form_that_is_thirty_percent_off_is_refuted_by_simulation(wrong, factor):
    wrong("state", factor)
    results = moments.layer_moments("lru", 3)
    assert verdicts(results, "state") == {
        "impulse": "refuted",
        "monte_carlo": "refuted",
    }
    assert set(verdicts(results, "output").values()) == {"confirmed"}


@pytest.mark.usefixtures("white_alone")
def test_a_gated_form_outside_its_margin_is_refuted(wrong):
    wrong("state", 1.7)
    results = moments.layer_moments("gate", 3)
    assert verdicts(results, "state") == {
        "impulse": "refuted",
        "monte_carlo": "refuted",
    }


@pytest.mark.parametrize("name", [*LINEAR, *GATED])
@pytest.mark.sampled(keep=["lru", "gate"])
def test_every_mutant_is_refuted(name):
    result = score(name)
    assert result.survivors == ()
    assert result.killed == result.total > 40
    if name == "blur":  # whose directions may be taken apart: a mutant more
        assert result.total > score("lru").total


def test_only_gated_layers_have_an_error_of_the_first_order():
    assert not set(LINEAR) & set(GATED)
    assert set(moments.OFF) == set(GATED)
    assert min(moments.OFF.values()) > 0


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("name", [*LINEAR, *GATED])
def test_tables_say_which_layers_are_linear(name):
    assert {**LINEAR, **GATED}[name](jax.random.key(0)).linear == (name in LINEAR)


def test_a_layer_is_in_double_precision_and_the_same_every_time():
    first = subject("lru")
    assert first is subject("lru")
    assert parameters(first.layer)["B_re"].dtype == np.float64


def test_the_recording_is_not_gaussian():
    x = chirp().values
    assert np.mean(x**4) / np.mean(x**2) ** 2 < 2.2  # a Gaussian has three


def test_the_recording_has_the_covariance_of_its_own_products():
    x = chirp().values
    lags = np.arange(moments.STEPS)
    truth = [np.mean(x * np.roll(x, -lag)) for lag in lags]
    R = chirp().autocovariance(lags)
    np.testing.assert_allclose(R, truth, atol=1e-13)
    assert R[0] == pytest.approx(1, rel=1e-3)
    assert np.abs(R[1:]).max() > 0.25


def test_a_scaled_process_is_scaled_in_samples_and_covariance():
    process, key = Scaled(AR1(0.7), 0.1), jax.random.key(0)
    lags = np.arange(4)
    np.testing.assert_allclose(process.autocovariance(lags), 0.01 * 0.7**lags)
    sample = process.sample(key, 3, 4)
    assert sample.dtype == jnp.float32
    np.testing.assert_allclose(sample, 0.1 * AR1(0.7).sample(key, 3, 4), rtol=1e-6)


def test_the_chirp_has_mean_zero_and_is_no_ar1():
    x = chirp().values
    assert abs(x.mean()) < 1e-12
    covariance = chirp().autocovariance(np.arange(6))
    assert (
        np.abs(
            covariance / covariance[0] - (covariance[1] / covariance[0]) ** np.arange(6)
        ).max()
        > 0.2
    )
