"""Students of the teacher's task: their sizes, and the curvature at the optimum."""

import pytest

from sigprop.evidence.zucchet.experiments.learning_rates import rank, sensitivities
from sigprop.evidence.zucchet.experiments.sensitivities import coupling_of
from sigprop.evidence.zucchet.experiments.sizes import dense_size, lru_size


def test_dense_slopes_are_differences_of_the_response():
    rows = sensitivities(0)[0]
    assert rows.shape == (25, 3000)
    assert rank(False) == rank(True) == 9


def test_a_pair_of_conjugates_is_coupled_like_one_eigenvalue():
    assert coupling_of(0.9 + 0.2j, 0.9 - 0.2j) == pytest.approx(1)
    assert coupling_of(0.9 + 0.2j, -0.9j) < 0.1


def test_sizes_of_students_are_those_of_their_layers():
    assert [dense_size(64, h) for h in (1, 32)] == [4225, 257]
    assert lru_size(64) == 449
