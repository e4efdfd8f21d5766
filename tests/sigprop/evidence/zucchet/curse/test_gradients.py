"""Products of Jacobians."""

import numpy as np
import pytest

from sigprop.evidence.zucchet.curse.gradients import JACOBIANS, decay_norm


def largest_radius(kind):
    return max(abs(np.linalg.eigvals(J)).max() for J in JACOBIANS[kind])


def test_switching_jacobians_have_no_radius_and_a_product_that_explodes():
    assert largest_radius("switching") == 0
    assert decay_norm("switching", 10) == pytest.approx(2.0**10)
    assert largest_radius("sheared") < 0.8
    assert max(np.linalg.svd(JACOBIANS["sheared"][0])[1]) > 1
