"""Brute force for rotations draws what it says, and its constructions hold."""

import numpy as np
import pytest

from sigprop.references import rotation, rotation_groups, rotation_listing

SIZES = (2, 3, 4, 5, 6)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("size", SIZES)
def test_orthogonal_matrices_have_the_determinant_asked_for(size, sign):
    Q = rotation.orthogonal(7, size, sign)
    np.testing.assert_allclose(Q.T @ Q, np.eye(size), atol=1e-12)
    assert np.linalg.det(Q) == pytest.approx(sign)


@pytest.mark.parametrize("size", SIZES)
def test_the_exponential_series_agrees_with_eigenvalues(size):
    S = 3 * rotation.skew(1, size)
    by_values = rotation.exponential_by_eigenvalues(S)
    np.testing.assert_allclose(rotation.exponential_series(S), by_values, atol=1e-12)


@pytest.mark.parametrize("size", SIZES)
def test_no_reflection_is_reached(size, monkeypatch):
    reflections = [rotation.orthogonal(i, size, -1) for i in range(5)]
    monkeypatch.setattr(rotation_groups, "_sample", lambda seed, size: reflections)
    assert rotation_groups.share_reached(1, size) == 0


def test_paths_that_stay_in_one_half_change_sign_an_even_number_of_times(monkeypatch):
    def inside(seed, size):
        ends = (rotation.orthogonal(seed + i, size, 1) for i in (0, 1))
        first, last = ends
        return lambda t: (1 - t) * first + t * last

    monkeypatch.setattr(rotation_groups, "_path", inside)
    for seed in range(5):
        assert rotation_groups.sign_changes(seed, 3) == 0
        assert rotation_groups.sign_changes_by_roots(seed, 3) == 0


def test_the_listing_stops_at_an_odd_head_size():
    assert np.isnan(rotation_listing.listing_outputs(1, 2, 3)).all()
    assert np.isfinite(rotation_listing.listing_outputs(1, 2, 4)).all()


def test_counted_products_are_those_of_the_sizes():
    assert rotation_groups.products_saved(6) == [12, 36]
