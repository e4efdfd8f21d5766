"""Intervals over trainings, against Student's law by hand."""

import math

import numpy as np
import pytest

from sigprop.evidence.trainings import interval, typical


def test_the_interval_of_two_trainings_is_cauchy_s():
    bounds = interval(np.array([1.0, 3.0]))  # whose 95 % quantile is tan(0.45 pi)
    reach = math.tan(0.45 * math.pi)
    np.testing.assert_allclose(bounds, [2, 2 - reach, 2 + reach], rtol=1e-12)


def test_one_training_says_nothing_of_others():
    assert interval(np.array([1.5])) == (1.5, -math.inf, math.inf)
    assert interval(np.array([1.5, math.nan]))[1:] == (-math.inf, math.inf)


@pytest.mark.parametrize("seed", [1, 5])
def test_an_end_is_passed_once_in_twenty(seed):
    draws = np.random.default_rng(seed).normal(2, 3, (4000, 3))
    low = [interval(row)[1] for row in draws]
    # 200 +- 14 of 4000: wrong in one run of 100 000 by 4.4 deviations
    assert abs(np.mean(np.array(low) > 2) - 0.05) < 4.4 * math.sqrt(0.05 * 0.95 / 4000)


def test_the_typical_factor_is_the_geometric_mean():
    value, *ends = typical(np.exp([0.1, 0.3]))
    reach = np.tan(0.45 * np.pi) * 0.1
    wanted = [0.2, 0.2 - reach, 0.2 + reach]
    np.testing.assert_allclose(np.log([value, *ends]), wanted, rtol=1e-12)
    assert typical(np.array([1.0, np.inf])) == (np.inf, 0.0, np.inf)
