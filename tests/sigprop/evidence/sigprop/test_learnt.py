"""The two losses and the learnt parameters: right forms confirmed, wrong ones refuted."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.evidence.sigprop import learnt as at_learnt
from sigprop.evidence.sigprop import losses as stationary
from sigprop.evidence.sigprop import responses, sampled_loss
from sigprop.evidence.sigprop.directional_curvature import tangent
from sigprop.evidence.sigprop.students import (
    LARGE,
    SMALL,
    student,
    task,
    teacher,
    trained,
)
from sigprop.inputs import AR1
from sigprop.layers.base import parameters
from sigprop.linear.impulse_response import kernel
from sigprop.linear.linearise import diagonalise, linearise, perturb
from sigprop.theory.claims import find

T = 5
pytestmark = pytest.mark.usefixtures("x64")


def verdicts(results, route):
    return {str(r.verdict) for r in results if r.route == route}


@pytest.fixture
def one_student(monkeypatch):
    """A dense layer of two blocks alone, to save time."""
    monkeypatch.setattr(sampled_loss, "SMALL", {"block": SMALL["block"]})
    monkeypatch.setattr(sampled_loss, "DIFFERENTIATED", ("block",))
    for cached in (sampled_loss.value_questions, sampled_loss.gradient_aim):
        cached.cache_clear()
    yield
    for cached in (sampled_loss.value_questions, sampled_loss.gradient_aim):
        cached.cache_clear()


@pytest.mark.parametrize("name", SMALL)
def test_a_student_is_the_same_at_every_call(name):
    first, second = (student(SMALL[name]) for _ in range(2))
    np.testing.assert_array_equal(first.x, second.x)
    assert first.x.dtype == np.float64
    for key, value in parameters(first.at(2 * first.x)).items():
        np.testing.assert_array_equal(value, 2 * parameters(first.layer)[key])


def test_steps_are_counted_one_by_one():
    # Two steps; ages -1, 0, 1: only equal signs meet, each of them at one step.
    assert responses.steps_met(2).tolist() == [[1, 1, 0], [1, 2, 1], [0, 1, 1]]


@pytest.mark.parametrize("name", ["block", "blur"])
def test_the_sum_over_ages_is_the_trace_over_steps(name):
    error = np.asarray(responses.responses(student(SMALL[name]).layer, T))
    error = error - np.asarray(responses.responses(teacher(), T))
    R, d = AR1(-0.7).autocovariance(np.arange(2 * T)), responses.by_age(error)
    total = responses.expected_error(error, R)
    assert responses.paired(d, responses.pair_weights(R, T), d) == pytest.approx(
        total, 1e-12
    )
    for mutant, weights in responses.MUTANTS.items():
        if name == "block" and mutant in responses.SLIGHT:
            continue  # of one direction it is right
        wrong = responses.paired(d, responses.pair_weights(R, T, weights), d)
        assert abs(wrong / total - 1) > 1e-3, mutant


def test_responses_by_age_are_the_kernel():
    layer = student(SMALL["blur"]).layer
    by_age = responses.by_age(np.asarray(responses.responses(layer, T)))
    np.testing.assert_allclose(by_age, kernel(layer, T), atol=1e-14)


def test_the_variance_of_the_loss_is_that_of_its_samples():
    process, rng = AR1(0.6), np.random.default_rng(0)
    error = rng.normal(size=(T, 2, T, 1))
    variance = responses.relative_variance(error, process.autocovariance(np.arange(T)))
    u = np.asarray(process.sample(jax.random.key(1), 40000, T, jnp.float64))
    loss = np.square(np.einsum("tosi,ns->nto", error, u)).sum((1, 2))
    assert loss.var() / loss.mean() ** 2 == pytest.approx(variance, rel=0.08)


@pytest.mark.parametrize("name", ["lru", "blur"])
def test_tangents_are_differences_of_responses(name):
    model = student(SMALL[name])
    v = np.random.default_rng(2).normal(size=model.x.size)
    respond = jax.jit(lambda x: responses.responses(model.at(x), T))
    sides = [
        responses.by_age(np.asarray(respond(model.x + h * v))) for h in (-1e-5, 1e-5)
    ]
    known = perturb(model.layer)
    derivative = tangent(known, model.split(v), T)
    np.testing.assert_allclose(derivative, (sides[1] - sides[0]) / 2e-5, atol=1e-8)
    still = tangent(known, model.split(v), T, derivatives=False)
    assert np.abs(still - derivative).max() > 1e-3


@pytest.mark.parametrize("name", ["lru", "rotrnn"])
@pytest.mark.sampled(1)
def test_twins_have_the_same_responses(name):
    layer = student(SMALL[name]).layer
    system, wanted = linearise(layer), responses.responses(layer, T)
    dense = stationary.dense_twin(system)
    diagonal = stationary.diagonal_twin(diagonalise(system))
    for twin in (dense, diagonal):
        np.testing.assert_allclose(responses.responses(twin, T), wanted, atol=1e-12)


def test_the_limit_differs_from_a_finite_length():
    finite = float(
        task(stationary.PROCESSES["mixed"], 64).loss(student(SMALL["lru"]).layer)
    )
    infinite = stationary.by_lengths("lru", "mixed")
    assert abs(finite / infinite - 1) > 1e-3
    assert infinite == pytest.approx(stationary.double_sum("lru", "mixed"), rel=1e-9)


CLAIMS = {"expectation": "impulse", "gradient": "reference"}


@pytest.mark.usefixtures("one_student")
@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.sampled(keep=["gradient"])
def test_the_two_losses_agree_and_every_mutant_is_refuted(name):
    claim = find(f"sigprop:loss-{name}")
    results = getattr(sampled_loss, name)(claim, 5)
    assert (
        verdicts(results, "monte_carlo")
        == verdicts(results, CLAIMS[name])
        == {"confirmed"}
    )
    result = sampled_loss.score(claim)
    assert result.survivors == ()
    # Those of two directions are no mutants of a layer of one.
    assert result.killed == len(responses.MUTANTS) - len(responses.SLIGHT)


@pytest.mark.slow
@pytest.mark.usefixtures("one_student")
@pytest.mark.parametrize("name", CLAIMS)
def test_a_loss_that_is_an_eighth_too_large_is_refuted(name, monkeypatch):
    right = sampled_loss.case

    def case(student):
        now = right(student)
        return now._replace(exact=lambda x: 1.125 * now.exact(x))

    monkeypatch.setattr(sampled_loss, "case", case)
    results = getattr(sampled_loss, name)(find(f"sigprop:loss-{name}"), 5)
    assert (
        verdicts(results, "monte_carlo")
        == verdicts(results, CLAIMS[name])
        == {"refuted"}
    )


def test_inputs_that_were_given_are_returned_in_the_shape_asked_for():
    process = sampled_loss.Given(jnp.arange(6.0))
    assert process.sample(jax.random.key(0), 2, 3).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert np.isnan(process.autocovariance(np.arange(2))).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_every_large_student_learns(name):
    training = trained(name)
    assert training is trained(name)
    assert training.losses[0] > 10 * training.losses[-1] > 0
    loss = float(training.task.loss(training.student.at(training.x)))
    assert loss == pytest.approx(training.losses[-1], rel=0.05)


PARTS = {
    "moments": (at_learnt.learnt_moments, at_learnt.score_of_moments),
    "curvature": (at_learnt.learnt_curvature, at_learnt.score_of_curvature),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("part", PARTS)
def test_learnt_parameters_are_confirmed_and_every_mutant_is_refuted(part, name):
    judge, score = PARTS[part]
    results = [*judge(name, 5)]
    assert {str(r.verdict) for r in results} == {"confirmed"}
    assert len(results) > 10
    result = score(name)
    assert result.survivors == ()
    assert result.total >= 8


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_wrong_forms_at_learnt_parameters_are_refuted(name, monkeypatch):
    now = at_learnt.along(name)
    wrong = now.curvature._replace(form=1.3 * now.curvature.form)
    monkeypatch.setattr(at_learnt, "along", lambda _: now._replace(curvature=wrong))
    monkeypatch.setattr(at_learnt, "LEARNT", 1e9)
    right = at_learnt.predict

    def predict(*args):
        return {name: 1.4 * value for name, value in right(*args).items()}

    monkeypatch.setattr(at_learnt, "predict", predict)
    for judge, _ in PARTS.values():
        assert {str(r.verdict) for r in judge(name, 5)} == {"refuted"}
