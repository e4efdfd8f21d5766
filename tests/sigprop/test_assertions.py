"""Every option of ``assert_moment`` reaches the simulation and the judge."""

import jax.numpy as jnp
import numpy as np
import pytest

from sigprop import Constant, White
from sigprop.judge import statistics, trials
from sigprop.judge.statistics import INFLATION, PILOT
from sigprop.judge.verdict import plan
from sigprop.neuron.montecarlo import Sums
from sigprop.testing import assert_moment
from sigprop.theory.symbols import T, lam, lam_bar

STATE = 1 / (1 - lam * lam_bar)


@pytest.fixture
def draws(monkeypatch):
    """What the simulation was asked for; it finds the moments of white inputs."""
    calls = []

    def moments(key, lams, process, *, times, num):
        calls.append({"key": key, "process": process, "times": times, "num": num})
        means = {
            "state": 1 / (1 - np.abs(lams) ** 2),
            "sensitivity": (1 + np.abs(lams) ** 2) / (1 - np.abs(lams) ** 2) ** 3,
        }
        return [{name: Sums(num * m, num * 3 * m**2, num) for name, m in means.items()}]

    monkeypatch.setattr(trials, "second_moments", moments)
    return calls


def test_the_margin_fixes_the_size_and_the_seed_the_key(draws):
    for seed, margin in ((0, 0.05), (0, 0.02), (3, 0.05)):
        how = {"margin": margin, "seed": seed, "steps": 9}
        answer = assert_moment(STATE, [0.5, 0.9j], White(), **how)
        assert draws[-1]["num"] == plan(margin).n == answer.verdicts[0].n
        assert draws[-1]["process"] == White()
    assert draws[0]["key"] == draws[1]["key"] != draws[2]["key"]


def test_steps_are_those_asked_for_or_enough_for_the_margin(draws, monkeypatch):
    def enough(radius, margin):
        return round(1000 * radius / margin)

    monkeypatch.setattr(trials, "stationary_steps", enough)
    assert_moment(STATE, [0.9], White(), steps=77)
    assert draws[-1]["times"] == (77,)
    for margin in (0.2, 0.02):
        assert_moment(STATE, [0.5, 0.9], White(), margin=margin)
        assert draws[-1]["times"] == (round(1000 * 0.9 / margin),)
    with pytest.raises(AssertionError, match=r"T=77"):
        assert_moment(STATE * T, [0.9], White(), steps=77)


def test_the_quantity_chooses_what_is_judged(draws):
    derivative = (1 + lam * lam_bar) / (1 - lam * lam_bar) ** 3
    assert_moment(derivative, [0.5], White(), statistic="sensitivity", steps=9)
    for form, quantity in ((derivative, "state"), (STATE, "sensitivity")):
        with pytest.raises(AssertionError, match=f"^{quantity} moment not confirmed"):
            assert_moment(form, [0.5], White(), statistic=quantity, steps=9)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_one_neuron_that_is_off_is_enough_and_is_named(index, draws):
    lams = [0.3, -0.5, 0.6j]

    def formula(setting):
        wrong = setting.lam == lams[index]
        return (1.06 if wrong else 1.0) / (1 - abs(setting.lam) ** 2)

    with pytest.raises(AssertionError) as error:
        assert_moment(formula, lams, White(), steps=9)
    message = str(error.value)
    assert f"within 5.0% on {plan(0.05).n} trajectories" in message
    assert f"neuron {index} (lam=" in message
    assert message.count("neuron") == 1


def test_an_answer_has_what_was_measured_and_what_was_expected(draws):
    answer = assert_moment(1.01 * STATE, [0.5], White(), steps=9)
    assert answer.measured == pytest.approx((4 / 3,))
    assert answer.expected == pytest.approx((1.01 * 4 / 3,))
    assert answer.verdicts[0].ratio == pytest.approx(1 / 1.01)


def test_a_layer_has_its_own_pilot_its_margin_and_its_seed(monkeypatch):
    """A constant input: the square of one normal number, whose variance is two."""
    sizes, planned, begun = [], [], []
    batches, judge = statistics.over_batches, statistics.judge

    def counted(task, num, batch, tick, workers):
        sizes.append(num)
        values = task(0, 256)
        begun.append(float(values.first[0] if num != PILOT else values.sum(0)[0]))
        return batches(task, num, batch, tick, workers)

    def recording_judge(ratio, form, sized):
        planned.append((ratio, sized))
        return judge(ratio, form, sized)

    monkeypatch.setattr(statistics, "over_batches", counted)
    monkeypatch.setattr(statistics, "judge", recording_judge)

    def layer(x):
        return jnp.stack([x, 2 * x], axis=1)

    truths = [1.0, 4.0]
    for seed in (0, 0, 4):
        forms = iter(truths)
        assert_moment(
            lambda _, forms=forms: next(forms),
            layer, Constant(), steps=2, margin=0.1, seed=seed,
        )  # fmt: skip
    assert sizes[::2] == [PILOT] * 3
    means = [mean for mean, _ in planned]
    assert means[:2] == means[2:4]
    assert abs(means[0] / means[4] - 1) > 1e-9
    # The pilot has draws of its own, and fixes the size at the margin asked for.
    assert all(
        abs(a / b - 1) > 1e-9 for a, b in zip(begun[::2], begun[1::2], strict=True)
    )
    for first, n in zip(range(0, 6, 2), sizes[1::2], strict=True):
        both_plans = [sized for _, sized in planned[first : first + 2]]
        assert {(sized.n, sized.margin) for sized in both_plans} == {(n, 0.1)}
        assert n == max(plan(0.1, variance=sized.variance).n for sized in both_plans)
        # The variance of 16384 squares of normal numbers has a standard error of 3 %.
        assert both_plans[0].variance == pytest.approx(2 * INFLATION, rel=5 * 0.03)
    assert INFLATION > 1.25
