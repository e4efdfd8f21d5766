"""The sensitivity to a dense matrix."""

import numpy as np

from sigprop.evidence.zucchet.curse.dense import (
    moved_by_step,
    moved_by_terms,
    without_input,
    without_readout,
)


def test_each_term_of_the_dense_sensitivity_counts():
    right = moved_by_step()
    np.testing.assert_allclose(moved_by_terms(), right, atol=1e-11)
    for other in (without_readout(), without_input()):
        assert np.abs(other - right).max() > 0.1
