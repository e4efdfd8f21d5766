"""The terms of a dense network's sensitivity near the edge."""

import pytest

from sigprop.evidence.zucchet.proofs.dominance import (
    FAMILIES,
    simulated_share,
    summed_share,
)


def test_the_share_of_the_eigenvalues_is_the_same_by_both_ways():
    for family in FAMILIES:
        near = simulated_share(family, 0.1)
        assert near == pytest.approx(summed_share(family, 0.1), rel=1e-6)
