"""The terms of a dense network's sensitivity near the edge."""

import pytest

from sigprop.evidence.zucchet.proofs.dominance import (
    FAMILIES,
    largest_derivatives_68,
    simulated_share,
    summed_share,
)


def test_the_share_of_the_eigenvalues_is_the_same_by_both_ways():
    for family in FAMILIES:
        near = simulated_share(family, 0.1)
        assert near == pytest.approx(summed_share(family, 0.1), rel=1e-6)


def test_where_two_modes_meet_the_eigenvectors_move_without_bound():
    far, near = (
        largest_derivatives_68("two modes that meet", gap) for gap in (0.1, 0.01)
    )
    assert near[0] == pytest.approx(far[0])
    assert near[1] == pytest.approx(10 * far[1], rel=0.1)  # an entry of F is 1/gap
    share = summed_share("two modes that meet", 0.01)
    assert share == pytest.approx(summed_share("two modes that meet", 0.001), rel=0.1)


def test_without_power_at_the_eigenvalue_no_term_outgrows_the_others():
    family = "a complex pair, constant input"
    assert summed_share(family, 0.001) == pytest.approx(
        summed_share(family, 0.0001), rel=0.01
    )
