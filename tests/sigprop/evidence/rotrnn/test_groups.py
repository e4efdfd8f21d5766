"""Paths between the halves of O(N) and counts of products are what they are said to be."""

from sigprop.evidence.rotrnn import groups
from sigprop.evidence.rotrnn.random_matrices import orthogonal


def test_paths_that_stay_in_one_half_change_sign_an_even_number_of_times(monkeypatch):
    def inside(seed, size):
        ends = (orthogonal(seed + i, size, 1) for i in (0, 1))
        first, last = ends
        return lambda t: (1 - t) * first + t * last

    monkeypatch.setattr(groups, "_path", inside)
    for seed in range(5):
        assert groups.sign_changes(seed, 3) == 0
        assert groups.sign_changes_by_roots(seed, 3) == 0


def test_counted_products_are_those_of_the_sizes():
    assert (groups.products_elementwise(6), groups.products_dense(6)) == (12, 36)
