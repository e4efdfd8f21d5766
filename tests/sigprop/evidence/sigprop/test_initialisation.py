"""Growth of a linear RNN from Glorot's initialisation."""

import math

import numpy as np
import pytest

from sigprop.evidence.sigprop import initialisation as glorot


def test_growth_of_a_glorot_matrix_is_the_sum_over_its_powers(monkeypatch):
    A = 3 * np.random.default_rng(5).normal(size=(1, 6, 6))
    monkeypatch.setattr(glorot, "_glorot", lambda size: A)
    powers = [np.linalg.matrix_power(A[0], k) for k in range(64)]
    square = sum((power**2).sum() for power in powers) / 6
    found = glorot.glorot_growth(6, 64)
    assert found == pytest.approx(math.log10(square) / 2, rel=1e-12)
    assert glorot.glorot_growth(6, 1024) == math.inf


def test_simulated_growth_is_that_of_the_sum():
    """While it is shared by many neurons: the luck of a sequence is in its top mode."""
    for steps in (1, 4):
        expected = glorot.glorot_growth(256, steps)
        found = glorot.glorot_simulated(256, steps)
        assert found == pytest.approx(expected, abs=math.log10(1.05))
