"""The sensitivity to a dense matrix."""

import numpy as np
import pytest

from sigprop.evidence.zucchet.curse.dense import corner, moved_by_step, moved_by_terms


def test_each_term_of_the_dense_sensitivity_counts():
    right = moved_by_step(4)
    np.testing.assert_allclose(moved_by_terms(4), right, atol=1e-11)
    for left_out in range(3):
        weights = tuple(1.0 * (term != left_out) for term in range(3))
        assert np.abs(moved_by_terms(4, weights) - right).max() > 0.1


def test_a_constant_input_leaves_the_eigenvalue_term_small_at_a_quarter_turn():
    # By hand: with s = 1/(1 + r^2) the whole is s^2; the term is s^2 (1 - r^2)/2.
    term, total = corner(0.5)
    assert total == pytest.approx(0.8**2)
    assert term == pytest.approx(0.8**2 * 0.75 / 2)
