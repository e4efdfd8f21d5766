"""Moments as sums over responses."""

import numpy as np
import pytest

from sigprop.evidence.zucchet.curse.responses import pair_sum


@pytest.mark.parametrize("rho", [0.0, 0.6, -0.9, 1.0])
def test_a_pair_sum_is_the_double_sum(rho):
    w = np.array([1.0, 0.5 - 0.2j, -0.3j, 0.7])
    lags = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    covariances = np.where(lags == 0, 1.0, rho**lags)
    expected = np.real(w @ covariances @ w.conj())
    assert pair_sum(w, rho) == pytest.approx(expected, rel=1e-12)
