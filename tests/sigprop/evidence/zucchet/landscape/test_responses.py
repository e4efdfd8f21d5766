"""Sums over the responses of one unit."""

import numpy as np
import pytest

from sigprop.evidence.zucchet.landscape.responses import kernel, shared


def double_sum(first, second, rho):
    ages = np.arange(len(first))
    covariance = np.abs(ages[:, None] - ages).astype(float)
    return first @ rho**covariance @ second.conj()


@pytest.mark.parametrize("rho", [0.0, 0.6, -0.7, 1.0, -1.0])
def test_one_pass_is_the_double_sum(rho):
    first, second = (kernel(lam, 60) for lam in (0.5 + 0.3j, -0.6j))
    expected = double_sum(first, second, rho)
    assert shared(first, second, rho) == pytest.approx(expected, rel=1e-12)
