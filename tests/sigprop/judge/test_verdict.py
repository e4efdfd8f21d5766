"""Planner and judge: the announced sizes, and the announced rates of every answer."""

import dataclasses
import functools
import math
import re
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom, chi2, norm

from sigprop.judge.verdict import (
    ALPHA,
    BETA,
    GAUSSIAN_VARIANCE,
    DistancePlan,
    Outcome,
    Plan,
    distance_plan,
    judge,
    judge_uniform,
    plan,
    require_enough,
    require_small,
)

REPETITIONS = 2000
MARGIN = 0.1
LEVELS = (0.05, 0.01)
SURE = 1e-9  # chance that one of the counts below leaves its interval by accident
LAWS = {"gaussian forms": GAUSSIAN_VARIANCE, "normal law": 1.3}

levels = pytest.mark.parametrize("level", LEVELS)
laws = pytest.mark.parametrize("variance", LAWS.values(), ids=LAWS)
sides = pytest.mark.parametrize("side", [-1, 1])


def means(planned: Plan, truth: float, generator) -> np.ndarray:
    """Sample means of ``planned.n`` draws whose law is exactly the plan's."""
    n = planned.n
    if planned.variance == GAUSSIAN_VARIANCE:
        return truth * generator.chisquare(n, REPETITIONS) / n
    return truth * generator.normal(1, math.sqrt(planned.variance / n), REPETITIONS)


def verdicts(planned, sample_means) -> Counter:
    """How often each word is said of a closed form of one."""
    return Counter(judge(float(mean), 1.0, planned).outcome for mean in sample_means)


def count(planned, truth, verdict, generator) -> int:
    return verdicts(planned, means(planned, truth, generator))[verdict]


def interval(rate: float) -> tuple[int, int]:
    """Counts that a rate gives in all but ``SURE`` of runs."""
    low, high = binom.ppf([SURE / 2, 1 - SURE / 2], REPETITIONS, rate)
    return int(low), int(high)


@pytest.fixture(autouse=True)
def remembered_quantiles(monkeypatch):
    """Judging one plan thousands of times needs its quantiles once."""
    for name in ("quantile", "upper"):
        monkeypatch.setattr(Plan, name, functools.cache(getattr(Plan, name)))


@pytest.fixture
def generator():
    return np.random.default_rng(20)


@pytest.mark.parametrize(("margin", "expected"), [(0.05, 70_078), (0.01, 1_715_746)])
def test_planner_gives_the_sizes_that_the_method_announces(margin, expected):
    planned = plan(margin, beta=1e-3 / 150)
    assert planned.n == expected
    assert planned.decides
    assert not Plan(expected - 1, margin, beta=1e-3 / 150).decides


@laws
@pytest.mark.parametrize("margin", [0.01, 0.05, 0.2])
def test_planned_size_is_near_the_textbook_one_and_is_the_least(margin, variance):
    planned = plan(margin, variance=variance)
    z = norm.isf(ALPHA) + norm.isf(BETA / 2)
    assert planned.n == pytest.approx(variance * z**2 / margin**2, rel=4 * margin)
    assert planned.decides
    assert not Plan(planned.n - 1, margin, variance=variance).decides


@laws
@levels
def test_a_right_form_is_confirmed_as_often_as_announced(level, variance, generator):
    planned = plan(MARGIN, alpha=level, beta=level, variance=variance)
    counts = verdicts(planned, means(planned, 1.0, generator))
    assert counts[Outcome.CONFIRMED] >= interval(1 - 2 * level)[0]
    low, high = interval(level)
    assert low <= counts[Outcome.REFUTED] <= high


@laws
@levels
@sides
def test_a_form_wrong_by_the_margin_is_confirmed_at_the_rate_alpha(
    level, variance, side, generator
):
    # A little under the least size no refutation hides a false confirmation.
    size = int(0.9 * plan(MARGIN, alpha=level, beta=level, variance=variance).n)
    planned = Plan(size, MARGIN, level, level / 4, variance)
    low, high = interval(level)
    truth = 1 + side * MARGIN
    assert low <= count(planned, truth, Outcome.CONFIRMED, generator) <= high


@levels
@sides
def test_a_judge_that_believes_in_more_samples_than_it_has_is_caught(
    level, side, generator
):
    size = int(0.9 * plan(MARGIN, alpha=level, beta=level).n)
    honest = Plan(size, MARGIN, level, level / 4)
    wrong = means(honest, 1 + side * MARGIN, generator)
    # So small a beta that no refutation hides a false confirmation.
    boastful = Plan(2 * size, MARGIN, level, 1e-6)
    assert verdicts(boastful, wrong)[Outcome.CONFIRMED] > interval(level)[1]
    right = means(honest, 1.0, generator)
    boastful = Plan(2 * size, MARGIN, level, level / 4)
    assert verdicts(boastful, right)[Outcome.REFUTED] > interval(level / 4)[1]


@laws
@levels
@pytest.mark.parametrize("end", [0, 1])
def test_a_detectable_error_is_refuted_as_often_as_announced(
    level, variance, end, generator
):
    planned = plan(MARGIN, alpha=level, beta=level, variance=variance)
    truth = planned.detectable[end]
    refuted = count(planned, truth, Outcome.REFUTED, generator)
    if variance == GAUSSIAN_VARIANCE:
        low, high = interval(1 - level)
        assert low <= refuted <= high
    else:  # the interval is taken at the closed form's variance, not at the truth's
        assert refuted >= interval(0.97 * (1 - level))[0]
    halfway = (1 + truth) / 2
    assert count(planned, halfway, Outcome.REFUTED, generator) < interval(1 - level)[0]


@pytest.mark.parametrize("margin", [0.01, 0.05])
def test_detectable_error_is_about_the_margin(margin):
    low, high = plan(margin).detectable
    assert 1 - low == pytest.approx(margin, rel=0.12)
    assert high - 1 == pytest.approx(margin, rel=0.12)


@laws
def test_power_is_the_chance_of_acceptance(variance):
    planned = plan(MARGIN, alpha=0.01, beta=0.05, variance=variance)
    low, high = planned.acceptance
    n = planned.n
    if variance == GAUSSIAN_VARIANCE:
        inside = chi2.cdf(high * n, n) - chi2.cdf(low * n, n)
    else:
        scale = math.sqrt(variance / n)
        inside = norm.cdf((high - 1) / scale) - norm.cdf((low - 1) / scale)
    assert 1 - 2 * 0.05 <= planned.power <= inside
    assert inside == pytest.approx(0.95, abs=0.002)


@pytest.mark.parametrize(
    "form", [1j, 1 + 0.01j, complex("nan"), complex("inf"), 0.0, -1.0, 5e-324]
)
def test_a_form_that_is_no_number_of_the_right_sign_is_refuted(form):
    assert judge(1.0, form, plan(0.05)).outcome == Outcome.REFUTED


def test_words_follow_the_ratio():
    planned = plan(0.05)
    low, high = planned.acceptance
    expected = {
        1.0: Outcome.CONFIRMED,
        (low + 1) / 2: Outcome.CONFIRMED,
        (high + 1) / 2: Outcome.CONFIRMED,
        1.05: Outcome.REFUTED,
        0.95: Outcome.REFUTED,
    }
    for ratio, verdict in expected.items():
        assert judge(3 * ratio, 3.0, planned).outcome == verdict
        assert judge(-3 * ratio, -3.0 + 1e-12j, planned).outcome == verdict


def test_too_few_samples_are_inconclusive_never_confirmed():
    small = Plan(100, 0.05)
    assert small.power == 0
    assert not small.decides
    assert judge(1.0, 1.0, small).outcome == Outcome.INCONCLUSIVE


def test_an_approximate_claim_is_refuted_only_outside_its_margin():
    exact, rough = Plan(10**7, 0.05), Plan(10**7, 0.05, exact=False)
    assert judge(1.03, 1.0, exact).outcome == Outcome.REFUTED
    assert judge(1.03, 1.0, rough).outcome == Outcome.CONFIRMED
    assert judge(1.06, 1.0, rough).outcome == Outcome.REFUTED


@laws
@sides
def test_an_approximation_is_confirmed_as_often_as_announced(variance, side, generator):
    level, off = 0.05, 0.6 * MARGIN
    how = {"alpha": level, "beta": level, "variance": variance, "exact": False}
    truth = 1 + side * off
    careless = plan(MARGIN, **how)
    assert count(careless, truth, Outcome.CONFIRMED, generator) < interval(1 - level)[0]
    careful = plan(MARGIN, off=off, **how)
    assert careful.n > 4 * careless.n
    assert count(careful, truth, Outcome.CONFIRMED, generator) >= interval(1 - level)[0]
    assert not dataclasses.replace(careful, n=careful.n - 1).decides
    counts = verdicts(careful, means(careful, 1 + side * MARGIN, generator))
    assert counts[Outcome.CONFIRMED] <= interval(level)[1]
    assert careful.power >= 1 - level


def test_a_detectable_error_of_an_approximation_is_beyond_its_margin():
    low, high = plan(0.2, exact=False, off=0.1).detectable
    assert low < 0.8
    assert high > 1.2


@pytest.mark.parametrize(
    ("exact", "off"), [(False, 0.05), (False, 0.3), (False, -0.01), (True, 0.01)]
)
def test_an_error_of_the_approximation_has_to_fit_into_the_margin(exact, off):
    with pytest.raises(ValueError, match=r"need 0 <= off < margin=0\.05, and 0 of an"):
        plan(0.05, exact=exact, off=off)


def test_a_bias_may_take_a_hundredth_of_the_margin():
    require_small(5e-4, 0.05, "here")
    for bias in (5.1e-4, math.nan):
        with pytest.raises(ValueError, match=r"at most 5\.0e-04, .* for here"):
            require_small(bias, 0.05, "here")


def test_an_interval_contains_its_ratio_and_shrinks_with_the_sample():
    widths = []
    for margin in (0.1, 0.05, 0.01):
        verdict = judge(2.02, 2.0, plan(margin))
        assert verdict.ratio == pytest.approx(1.01)
        assert verdict.low < verdict.ratio < verdict.high
        widths.append(verdict.high - verdict.low)
    assert widths == sorted(widths, reverse=True)
    normal = 2 * norm.isf(BETA / 2) * math.sqrt(2 / plan(0.05).n)
    assert widths[1] == pytest.approx(1.01 * normal, rel=1e-3)


def test_frozen_samples_and_infinite_means_are_refused():
    with pytest.raises(
        ValueError,
        match=r"^the samples are all equal: nothing random was simulated$",
    ):
        judge(1.0, 1.0, plan(0.05), sem=0.0)
    with pytest.raises(ValueError, match=r"^need a finite sample mean, got nan$"):
        judge(math.nan, 1.0, plan(0.05))


def test_a_sample_too_small_to_decide_is_refused_with_the_size_it_needs():
    least = plan(0.05).n
    with pytest.raises(
        ValueError,
        match=r"^100 samples are too few to decide within 5\.00%: need n >= "
        f"{least}; raise the sample size or the margin$",
    ):
        require_enough(100, 0.05)
    assert require_enough(least, 0.05) == plan(0.05)


BAD = [
    ({"margin": 0.0}, "need 0 < margin < 1, got margin=0.0"),
    ({"margin": 1.0}, "need 0 < margin < 1, got margin=1.0"),
    ({"margin": 0.1, "alpha": 0.5}, "need 0 < alpha < 0.5, got alpha=0.5"),
    ({"margin": 0.1, "beta": 0.0}, "need 0 < beta < 0.5, got beta=0.0"),
    (
        {"margin": 0.1, "variance": math.inf},
        "need a finite positive relative variance, got inf; for an infinite moment "
        "claim a quantile or a truncated moment instead",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[text for _, text in BAD])
def test_a_plan_outside_its_range_is_refused(arguments, message):
    with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
        plan(**arguments)


@levels
def test_a_right_law_is_refuted_at_most_as_often_as_announced(level, generator):
    planned = distance_plan(MARGIN, level, level)
    uniform = generator.uniform(size=(REPETITIONS, planned.n))
    verdicts_given = [judge_uniform(row, planned).outcome for row in uniform]
    assert verdicts_given.count(Outcome.REFUTED) <= interval(level)[1]
    assert verdicts_given.count(Outcome.CONFIRMED) >= interval(1 - level)[0]
    # The bound is sharp: much less than announced would waste samples.
    assert verdicts_given.count(Outcome.REFUTED) >= interval(level / 2)[0]


@levels
def test_a_law_at_the_margin_is_confirmed_at_most_at_the_rate_alpha(level, generator):
    planned = distance_plan(MARGIN, level, level)
    uniform = generator.uniform(size=(REPETITIONS, planned.n))
    lifted = np.maximum(uniform, MARGIN)  # its distribution is MARGIN away, at MARGIN
    verdicts_given = [judge_uniform(row, planned).outcome for row in lifted]
    assert verdicts_given.count(Outcome.CONFIRMED) <= interval(level)[1]


@levels
def test_a_law_at_the_detectable_distance_is_refuted(level, generator):
    planned = distance_plan(MARGIN, level, level)
    uniform = generator.uniform(size=(REPETITIONS, planned.n))
    lifted = np.maximum(uniform, planned.detectable)
    verdicts_given = [judge_uniform(row, planned).outcome for row in lifted]
    assert verdicts_given.count(Outcome.REFUTED) >= interval(1 - level)[0]


def test_distance_is_that_of_kolmogorov():
    samples = np.array([0.1, 0.3, 0.35, 0.9])
    result = judge_uniform(samples, DistancePlan(4, 0.1))
    assert result.ratio == pytest.approx(1 + 0.4)  # 3/4 of them lie below 0.35
    assert result.low <= result.ratio <= result.high


def test_a_distance_plan_has_room_for_both_bands():
    planned = distance_plan(0.01)
    assert planned.band(planned.alpha) + planned.band(planned.beta) <= 0.01
    shorter = DistancePlan(planned.n - 1, 0.01)
    assert shorter.band(planned.alpha) + shorter.band(planned.beta) > 0.01


def test_samples_of_a_law_must_be_finite_and_as_many_as_planned():
    planned = DistancePlan(3, 0.1)
    with pytest.raises(ValueError, match=r"^need the plan's 3 samples, got 2$"):
        judge_uniform(np.array([0.1, 0.2]), planned)
    assert (
        judge_uniform(np.array([0.1, np.nan, 0.2]), planned).outcome == Outcome.REFUTED
    )
    with pytest.raises(ValueError, match=r"^need 0 < margin < 1, got margin=0.0$"):
        distance_plan(0.0)
