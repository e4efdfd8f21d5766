"""Orthogonal matrices and rotations are what they are said to be, and all are reached."""

import numpy as np
import pytest

from sigprop.evidence.rotrnn import random_matrices, special_orthogonal

SIZES = (2, 3, 4, 5, 6)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("size", SIZES)
def test_orthogonal_matrices_have_the_determinant_asked_for(size, sign):
    Q = random_matrices.orthogonal(7, size, sign)
    np.testing.assert_allclose(Q.T @ Q, np.eye(size), atol=1e-12)
    assert np.linalg.det(Q) == pytest.approx(sign)


@pytest.mark.parametrize("size", SIZES)
def test_the_exponential_series_agrees_with_eigenvalues(size):
    S = 3 * random_matrices.skew(1, size)
    by_values = special_orthogonal.exponential_by_eigenvalues(S)
    by_series = special_orthogonal.exponential_series(S)
    np.testing.assert_allclose(by_series, by_values, atol=1e-12)


@pytest.mark.parametrize("size", SIZES)
def test_no_reflection_is_reached(size, monkeypatch):
    reflections = [random_matrices.orthogonal(i, size, -1) for i in range(5)]
    monkeypatch.setattr(
        special_orthogonal, "sample_of_rotations", lambda seed, size: reflections
    )
    assert special_orthogonal.share_reached(1, size) == 0
