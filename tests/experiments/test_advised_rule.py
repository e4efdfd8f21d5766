"""The rule by which beginnings are compared: it says worse where it is worse."""

import math

import numpy as np
import pytest
from scipy import stats

from sigprop.experiments.advised import rule


def losses(seed, shift=0.0, count=6):
    """Losses of two ways on the same seeds, the first ``shift`` nats above the second."""
    rng = np.random.default_rng(seed)
    shared, own = rng.normal(size=count), rng.normal(scale=0.1, size=(2, count))
    return np.exp(shared + own[0] + shift), np.exp(shared + own[1])


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
@pytest.mark.parametrize(("shift", "verdict"), [(1.0, rule.WORSE), (-1.0, rule.BETTER)])
def test_the_word_says_which_way_loses_less(seed, shift, verdict):
    first, second = losses(seed, shift)
    comparison = rule.compare(first, second)
    assert comparison.verdict == verdict
    other = {rule.WORSE: rule.BETTER, rule.BETTER: rule.WORSE}[verdict]
    swapped = rule.compare(second, first)
    assert swapped.verdict == other
    assert swapped[:3] == pytest.approx(
        (-comparison.mean, -comparison.high, -comparison.low)
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_interval_is_that_of_the_paired_test_of_scipy(seed):
    first, second = losses(seed, 0.05)
    comparison = rule.compare(first, second)
    known = stats.ttest_rel(np.log(first), np.log(second)).confidence_interval(0.95)
    assert (comparison.low, comparison.high) == pytest.approx((known.low, known.high))
    assert comparison.mean == pytest.approx(np.log(first / second).mean())


def test_alike_ways_are_called_different_one_time_in_twenty():
    # Of 1000 comparisons of a true level of 5 %, 32 to 70 with probability 0.995.
    verdicts = [rule.compare(*losses(seed)).verdict for seed in range(1, 1001)]
    assert 32 <= sum(verdict != rule.SAME for verdict in verdicts) <= 70


def test_pairs_are_of_one_seed():
    # What the seeds differ by is far more than what the ways do.
    first, second = losses(5, -0.5)
    assert rule.compare(first, second).verdict == rule.BETTER
    assert rule.compare(first, second[::-1]).verdict == rule.SAME


@pytest.mark.parametrize("gone", [math.nan, math.inf])
def test_the_way_that_loses_more_trainings_is_the_worse_one(gone):
    good, bad = np.array([1.0, 1.1, 0.9]), np.array([5.0, 5.5, 4.5])
    diverging = np.array([1.0, gone, 0.9])
    assert rule.compare(diverging, bad).verdict == rule.WORSE
    assert rule.compare(bad, diverging).verdict == rule.BETTER
    comparison = rule.compare(np.append(good, gone), np.append(bad, gone))
    assert comparison == rule.compare(good, bad)


@pytest.mark.parametrize("values", [[], [0.1], [0.1, math.nan]])
def test_too_few_differences_are_refused(values):
    with pytest.raises(ValueError, match="need two finite differences or more, got"):
        rule.interval(np.array(values))
    with pytest.raises(ValueError, match="need pairs of losses, got 2 and 3"):
        rule.compare(np.ones(2), np.ones(3))


def test_the_area_is_the_mean_logarithm_along_the_way():
    second = np.exp(np.random.default_rng(3).normal(size=(4, 30)))
    gains = np.array([0.9, 0.8, 0.85, 0.7])
    comparison = rule.area(gains[:, None] * second, second)
    assert comparison.mean == pytest.approx(np.log(gains).mean())
    assert comparison.verdict == rule.BETTER
    assert rule.area(second, gains[:, None] * second).verdict == rule.WORSE
    diverged = second.copy()
    diverged[1, 20:] = np.nan  # diverged
    assert rule.area(gains[:, None] * diverged, second).mean == pytest.approx(
        comparison.mean
    )


def test_twice_as_fast_is_there_after_half_of_the_steps():
    time = np.arange(1000) / 1000
    slow, fast = np.exp(-3 * time), np.exp(-6 * time)
    # The mean over the last tenth is that of a smoothed curve: 0.55 of fast, as 2 (t -
    # 0.05) = 0.95.
    assert rule.reached(fast, slow) == pytest.approx(0.95 / 2 + 0.05, abs=0.01)
    assert rule.reached(slow, slow) == pytest.approx(1.0)
    assert rule.reached(slow, fast) == math.inf


@pytest.mark.parametrize(
    ("better", "worse", "of", "expected"),
    [(4, 1, 7, True), (4, 2, 7, False), (3, 0, 7, False), (3, 1, 6, True)],
)
def test_advice_is_worth_it_on_half_of_the_tasks_and_but_one_unharmed(
    better, worse, of, expected
):
    same = [rule.SAME] * (of - better - worse)
    verdicts = [rule.BETTER] * better + [rule.WORSE] * worse + same
    assert rule.worth(verdicts) is expected
