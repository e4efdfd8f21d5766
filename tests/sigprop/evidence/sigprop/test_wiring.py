"""Moments of layers, losses and learnt parameters: the right thing goes to each judge.

Layers, closed forms and simulations are replaced by numbers that depend on everything
they were asked for, so that what is asked in one place and not in another shows.
"""

import itertools
import math
from types import SimpleNamespace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.evidence.sigprop import learnt as at_learnt
from sigprop.evidence.sigprop import moments as layer_moments
from sigprop.evidence.sigprop import responses, sampled_loss
from sigprop.evidence.sigprop.moments import FIRST, GATED, INPUTS, LINEAR, SMALL, STEPS
from sigprop.judge.verdict import plan
from sigprop.linear.measured_moments import BATCH
from sigprop.neuron.montecarlo import Estimate
from sigprop.numerics.precision import double_precision
from sigprop.theory.claims import find

GROUPS = ("state", "output", "recurrent", "input", "readout")
AT = 5


def moments(covariance, steps, at, missing=()):
    """Numbers that no other covariance, length or place has."""
    weights = np.cos(np.arange(len(covariance)))
    base = 3 + covariance @ weights + 0.1 * steps + 0.01 * at
    return {
        name: 0.0 if name in missing else base * (k + 1)
        for k, name in enumerate(GROUPS)
    }


class Asked(NamedTuple):
    keys: list
    sizes: list


def afresh():
    """Forget the closed forms, impulses and pilots of layers."""
    for function in (layer_moments.closed, layer_moments.impulses, layer_moments.pilot):
        function.cache_clear()


@pytest.fixture
def layers(monkeypatch):
    """Make every layer a made-up one; say how far routes are off, and where."""

    def say(
        linear=True, impulse=1.0, sampled=1.0, moment="state", source=None, missing=()
    ):
        record = Asked([], [])
        layer = SimpleNamespace(linear=linear)
        known = SimpleNamespace(
            known="known",
            tolerance=(
                layer_moments.EXACT if linear else layer_moments.FIRST_ORDER_AGREEMENT
            ),
        )

        def predict(perturbed, covariance, steps, at):
            assert perturbed == "known"
            return moments(covariance, steps, at, missing)

        def exact(_, covariance, *, steps, at):
            expected = moments(covariance, steps, at)
            return {**expected, moment: expected[moment] * impulse}

        def measure_each(keys, _, inputs, *, steps, num, workers):
            record.keys.extend(keys)
            record.sizes.append(num)
            estimates = []
            for process in inputs:
                (name,) = (
                    input_name
                    for input_name in INPUTS
                    if INPUTS[input_name] is process.process
                )
                values = moments(process.autocovariance(np.arange(steps)), steps, AT)
                if source in (None, name):
                    values[moment] *= sampled
                estimates.append(
                    {
                        group: Estimate(
                            np.asarray(value),
                            np.asarray(value * math.sqrt(2 / num)),
                            num,
                        )
                        for group, value in values.items()
                    }
                )
            return estimates

        afresh()
        monkeypatch.setattr(layer_moments, "_layer", lambda label: layer)
        monkeypatch.setattr(layer_moments, "subject", lambda label: known)
        monkeypatch.setattr(layer_moments, "position", lambda _, steps: AT)
        monkeypatch.setattr(layer_moments, "by_group", lambda _, values: values)
        monkeypatch.setattr(layer_moments, "predict", predict)
        monkeypatch.setattr(layer_moments, "exact", exact)
        monkeypatch.setattr(layer_moments, "measure_each", measure_each)
        monkeypatch.setattr(layer_moments, "remainder_order", lambda label: 2.0)
        return record

    yield say
    afresh()


def wrong(results):
    return {(r.route, r.point) for r in results if r.verdict != "confirmed"}


LRU, GATE = "lru", "gate"


def test_every_input_and_every_group_is_judged_by_both_routes(layers):
    layers()
    results = layer_moments.layer_moments(LRU, 0)
    assert wrong(results) == set()
    assert {(r.route, r.point) for r in results} == {
        (route, f"{name}, {group}")
        for route in ("impulse", "monte_carlo")
        for name in INPUTS
        for group in GROUPS
    }
    layers(linear=False)
    gated = layer_moments.layer_moments(GATE, 0)
    *first_orders, order = gated
    assert {r.point for r in first_orders} == {
        f"{n}, {g}" for n in INPUTS for g in FIRST
    }
    assert (order.route, order.value) == ("reference", 1.0)


@pytest.mark.parametrize("moment", GROUPS)
@pytest.mark.parametrize("source", INPUTS)
def test_a_moment_that_is_off_at_one_input_is_refuted_there(moment, source, layers):
    layers(moment=moment, source=source, sampled=1.3)
    results = layer_moments.layer_moments(LRU, 0)
    assert wrong(results) == {("monte_carlo", f"{source}, {moment}")}


def test_impulses_agree_to_nine_digits_or_to_first_order(layers):
    layers(impulse=1 + 1e-8)
    everywhere = {("impulse", f"{name}, state") for name in INPUTS}
    assert wrong(layer_moments.layer_moments(LRU, 0)) == everywhere
    layers(linear=False, impulse=1 + 1e-4)
    assert wrong(layer_moments.layer_moments(GATE, 0)) == set()
    layers(linear=False, impulse=1 + 1e-2)
    assert wrong(layer_moments.layer_moments(GATE, 0)) == everywhere


def test_what_has_no_moment_is_left_out_and_nothing_else(layers):
    layers(missing=("input",))
    results = layer_moments.layer_moments(LRU, 0)
    groups = {r.point.partition(", ")[2] for r in results}
    assert groups == {"state", "output", "recurrent", "readout"}


def test_every_input_has_its_key_and_all_have_the_size_of_the_margin(layers):
    record = layers()
    for label, seed in ((LRU, 0), (LRU, 1), ("s5", 0)):
        results = layer_moments.layer_moments(label, seed)
        # The samples' variance is two, and that of the recording comes from a pilot.
        least = plan(layer_moments.MARGIN, variance=2 * layer_moments.INFLATION).n
        (size,) = {r.n for r in results if r.route == "monte_carlo"}
        assert record.sizes[-1] == size
        assert least - 1 <= size < least + BATCH
        assert set(record.sizes) == {size, layer_moments.PILOT}
        assert size % BATCH == 0
    keys = {tuple(np.asarray(jax.random.key_data(key)).tolist()) for key in record.keys}
    # A layer, whose recording alone needs a pilot, is simulated at two seeds.
    assert len(keys) == len(record.keys) == 3 * len(INPUTS) + 2


def test_gated_layers_are_fed_small_inputs(layers, monkeypatch):
    layers(linear=False)
    covariances = []
    measure = layer_moments.measure_each

    def noted(keys, layer, inputs, **how):
        covariances.extend(
            process.autocovariance(np.arange(STEPS)) for process in inputs
        )
        return measure(keys, layer, inputs, **how)

    monkeypatch.setattr(layer_moments, "measure_each", noted)
    layer_moments.layer_moments(GATE, 0)
    processes = 2 * list(INPUTS.values())  # those of a pilot come first
    for covariance, process in zip(covariances, processes, strict=True):
        full = process.autocovariance(np.arange(STEPS))
        np.testing.assert_allclose(covariance, SMALL**2 * full, rtol=1e-12)


def test_the_inputs_differ_in_kind():
    lags = np.arange(STEPS)
    rows = [process.autocovariance(lags) for process in INPUTS.values()]
    assert set(INPUTS) == {"white", "rho=0.9", "constant", "recording"}
    for first in range(len(rows)):
        for second in range(first):
            assert np.abs(rows[first] - rows[second]).max() > 0.05
    assert set(LINEAR) & set(GATED) == set()


# --- losses of the teacher-student task


def question(variance=0.5, form=2.0, other=2.0):
    return sampled_loss.Question("here", form, other, variance, {"mutant": 2.2})


LOSS = find("sigprop:loss-expectation")


def judged(case, mean, chunks=None, spread=1.0, route=sampled_loss.IMPULSE):
    chunks = chunks or sampled_loss._sized(LOSS, [case])
    n = chunks * sampled_loss.CHUNK
    sem = abs(mean) * math.sqrt(spread * case.variance / n)
    return sampled_loss._judge(LOSS, case, (mean, sem), chunks, route)


def test_a_loss_is_judged_by_the_variance_of_its_own_question():
    exact, sampled = judged(question(), 2.0)
    assert (exact.route, sampled.route) == ("impulse", "monte_carlo")
    assert (exact.verdict, sampled.verdict) == ("confirmed", "confirmed")
    assert sampled.n == sampled_loss._sized(LOSS, [question()]) * sampled_loss.CHUNK
    assert sampled.n >= plan(sampled_loss.MARGIN, variance=0.5).n
    assert judged(question(), 2.0, spread=1.3)[1].verdict == "inconclusive"
    assert (
        judged(question(), 2.0 * (1 + 1.2 * sampled_loss.MARGIN))[1].verdict
        == "refuted"
    )
    assert judged(question(other=2 * (1 + 1e-10)), 2.0)[0].verdict == "refuted"
    near = judged(question(other=2 * (1 + 1e-10)), 2.0, route=sampled_loss.REFERENCE)
    assert near[0].verdict == "confirmed"


def test_the_worst_question_fixes_the_size_for_all():
    quiet, loud = question(0.01), question(3.0)
    assert sampled_loss._sized(LOSS, [quiet, loud, quiet]) == sampled_loss._sized(
        LOSS, [loud]
    )


def test_a_mutant_in_a_loss_is_seen_at_any_question_by_its_plan_alone(monkeypatch):
    names = responses.MUTANTS
    right = dict.fromkeys(names, 2.0 * (1 + 5e-9))
    plain = question()._replace(wrong=right)
    off = question()._replace(wrong={**right, next(iter(names)): 4.0})
    for questions, killed in (([plain], 0), ([plain, off], 1)):
        monkeypatch.setattr(
            sampled_loss, "value_questions", lambda name, questions=questions: questions
        )
        result = sampled_loss.score(LOSS)
        assert (result.total, result.killed) == (len(names), killed)


def test_a_question_has_its_form_from_the_task_and_the_rest_from_responses(monkeypatch):
    """Made-up losses and responses that have nothing to do with each other."""
    T, processes = sampled_loss.STEPS, sampled_loss.COVARIANCES
    error = np.random.default_rng().normal(size=(T, 2, T, 1))
    values = 10.0 + np.arange(len(processes))
    case = sampled_loss.Case(
        SimpleNamespace(x=np.zeros(3)),
        lambda x: jnp.asarray(values) + x.sum(),
        lambda x: jnp.asarray(error) + x.sum(),
        lambda x, series: x.sum(),
    )
    monkeypatch.setattr(sampled_loss, "case", lambda name: case)
    with double_precision(True):
        questions = sampled_loss.value_questions.__wrapped__("made up")
    assert [each.point for each in questions] == [
        f"made up, {name}" for name in processes
    ]
    flat = error.transpose(1, 0, 3, 2).reshape(-1, T)  # one row an output and a step
    for each, value, R in zip(questions, values, processes.values(), strict=True):
        law = R[np.abs(np.subtract.outer(np.arange(T), np.arange(T)))]
        total = responses.expected_error(error, R)
        assert each.form == pytest.approx(value, rel=1e-12)
        assert each.other == pytest.approx(total, rel=1e-12)
        form = flat.T @ flat @ law
        spread = 2 * np.trace(form @ form) / np.trace(form) ** 2
        assert each.variance == pytest.approx(spread / sampled_loss.BATCH, rel=1e-9)
        assert set(each.wrong) == set(responses.MUTANTS)
        for wrong_value in each.wrong.values():
            assert abs(wrong_value / total - 1) > 1e-6


# --- learnt parameters

DIRECTIONS = ("recurrent", "input", "readout", "all")


@pytest.fixture
def learnt(monkeypatch):
    """A trained student of whom all is made up; says what is off."""

    def say(fell=100.0, sampled=1.0, impulse=1.0, **curvature):
        record = []
        form = np.array([1.0, 2.0, 3.0, 4.0])
        ratios = {
            "autodiff": 1.0,
            "reference": 1.0,
            "second difference": 1.0,
            **curvature,
        }
        first = np.array([1.0, 0.0, 0.0, 0.0])  # only along the first direction

        def off(name):
            return form * (1 + (ratios[name] - 1) * first)

        training = SimpleNamespace(losses=[fell, 1.0])
        student = at_learnt.Learnt(training, "layer", "known")
        now = at_learnt.Along(
            losses=training.losses,
            directions=dict.fromkeys(DIRECTIONS),
            curvature=at_learnt.Curvature(
                form, off("autodiff"), off("reference"), 0 * form, {}
            ),
            second_difference="second difference",
            spread=np.array([0.5, 0.1, 0.1, 0.1]),
        )

        def measure(key, layer, process, *, steps, num, at):
            record.append((key, num))
            covariance = process.autocovariance(np.arange(2 * steps))
            expected = moments(covariance, steps, at)
            expected["state"] *= sampled
            return {
                name: Estimate(np.asarray(v), np.asarray(v * math.sqrt(2 / num)), num)
                for name, v in expected.items()
            }

        def simulated(direction, key, chunks):
            n = chunks * at_learnt.CHUNK
            record.append((key, n))
            sem = form * np.sqrt(now.spread / n)
            return Estimate(off("second difference"), sem, n)

        def exact(layer, covariance, *, steps, at):
            expected = moments(covariance, steps, at)
            return {**expected, "state": expected["state"] * impulse}

        monkeypatch.setattr(at_learnt, "learnt", lambda name: student)
        monkeypatch.setattr(at_learnt, "along", lambda name: now)
        monkeypatch.setattr(at_learnt, "position", lambda layer, steps: AT)
        monkeypatch.setattr(at_learnt, "by_group", lambda layer, values: values)
        monkeypatch.setattr(at_learnt, "predict", lambda _, R, T, at: moments(R, T, at))
        monkeypatch.setattr(at_learnt, "exact", exact)
        monkeypatch.setattr(at_learnt, "measure", measure)
        monkeypatch.setattr(at_learnt, "_simulated", simulated)
        return record

    return say


def at_lru(seed):
    """What is judged at an LRU's learnt parameters: moments, and the curvature."""
    return (
        [*at_learnt.learnt_moments("lru", seed)],
        [*at_learnt.learnt_curvature("lru", seed)],
    )


def test_learnt_parameters_are_judged_by_every_route(learnt):
    record = learnt()
    moment_results, curvature_results = at_lru(3)
    training = ("trained", "training: the loss fell from 100 to 1")
    judged = [{(r.route, r.point) for r in part} for part in at_lru(3)]
    assert judged == [
        {training, *itertools.product(("impulse", "trained"), GROUPS)},
        {
            training,
            *itertools.product(("autodiff", "reference", "trained"), DIRECTIONS),
        },
    ]
    assert wrong([*moment_results, *curvature_results]) == set()
    first, second, *_ = record
    assert first[0] != second[0]
    assert first[1] >= plan(at_learnt.MARGIN).n
    assert second[1] >= plan(at_learnt.MARGIN, variance=0.5).n
    repeated = learnt()
    at_lru(4)
    assert repeated[0][0] != first[0]
    assert repeated[1][0] != second[0]


@pytest.mark.parametrize(
    ("off", "refuted"),
    [
        ({"fell": 9.0}, [{("trained", "training: the loss fell from 9 to 1")}] * 2),
        ({"impulse": 1 + 1e-7}, [{("impulse", "state")}, set()]),
        ({"sampled": 1.4}, [{("trained", "state")}, set()]),
        ({"autodiff": 1 + 1e-6}, [set(), {("autodiff", "recurrent")}]),
        ({"reference": 1 + 1e-6}, [set(), {("reference", "recurrent")}]),
        ({"second difference": 1.4}, [set(), {("trained", "recurrent")}]),
    ],
)
def test_one_route_that_is_off_is_refuted_alone(off, refuted, learnt):
    learnt(**off)
    assert [wrong(part) for part in at_lru(0)] == refuted
