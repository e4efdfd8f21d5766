"""Growth of a linear RNN from Glorot's initialisation."""

import math

import numpy as np
import pytest
import scipy

from sigprop.evidence.sigprop import initialisation as glorot
from sigprop.theory.claims import find
from sigprop.theory.papers.sigprop.initialisation import SINGLE


def test_growth_of_a_glorot_matrix_is_the_sum_over_its_powers(monkeypatch):
    A = 3 * np.random.default_rng(5).normal(size=(1, 6, 6))
    monkeypatch.setattr(glorot, "_glorot", lambda size, matrices: A)
    powers = [np.linalg.matrix_power(A[0], k) for k in range(64)]
    square = sum((power**2).sum() for power in powers) / 6
    glorot.glorot_decades.cache_clear()
    growth = glorot.glorot_growth(6, 64, 1)
    assert growth == pytest.approx(math.log10(square) / 2, rel=1e-12)
    assert glorot.glorot_growth(6, 1024, 1) == math.inf
    glorot.glorot_decades.cache_clear()


def test_simulated_growth_is_that_of_the_sum():
    """While it is shared by many neurons: the luck of a sequence is in its top mode."""
    for steps in (1, 4):
        expected = glorot.glorot_growth(256, steps, 11)
        growth = glorot.glorot_simulated(256, steps, 11)
        assert growth == pytest.approx(expected, abs=math.log10(1.05))


def median_interval(values):
    """Two of the sorted values: the median of their law is between them 95 times in 100.

    Whatever the law: how many values are below its median is binomial.
    """
    below = scipy.special.bdtr(np.arange(len(values)), len(values), 0.5)
    rank = int(np.searchsorted(below, 0.025))
    return float(values[rank - 1]), float(values[-rank])


def test_an_interval_of_the_median_has_its_level():
    # Of ten values the second and the ninth: both tails are 11 of 1024.
    assert median_interval(np.arange(10.0)) == (1.0, 8.0)
    # Of six the least and the greatest, each tail 1 of 64.
    assert median_interval(np.arange(6.0)) == (0.0, 5.0)


@pytest.mark.slow
def test_what_the_row_says_of_its_matrices_is_what_they_do():
    decades = glorot.glorot_decades(192, 4096, 101)
    low, high = median_interval(decades)
    sentence = (
        f"at {np.median(decades):.0f} decades, between {low:.1f} and {high:.1f} at 95 % "
        f"by 101 matrices, of which {np.mean(decades > SINGLE):.0%} leave the range"
    )
    assert sentence.replace("78%", "78 %") in find("sigprop:glorot-range").note
