"""The terms of a dense network's sensitivity near the edge."""

import pytest

from sigprop.evidence.zucchet.proofs.dominance import (
    FAMILIES,
    share_near,
    share_near_summed,
)


def test_the_share_of_the_eigenvalues_is_the_same_by_both_ways():
    for family in FAMILIES:
        near = share_near(family, 0.3)
        assert near == pytest.approx(share_near_summed(family, 0.3), rel=1e-6)
