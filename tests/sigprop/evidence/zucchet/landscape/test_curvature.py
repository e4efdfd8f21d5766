"""Derivatives of one unit's loss: finite differences and autodiff agree."""

import numpy as np
import pytest

from sigprop.evidence.zucchet.landscape.curvature import partial, partial_autodiff
from sigprop.evidence.zucchet.landscape.responses import kernel, normalised


def test_many_digits_and_double_precision_sum_the_same_loss():
    expected = normalised(kernel, 0.7 * np.exp(0.8j), 0.4 * np.exp(-0.3j))
    value = partial((0, 0), 0.7, 0.4, 0.8, -0.3)
    assert value == pytest.approx(expected)


@pytest.mark.parametrize("orders", [(1, 0), (0, 1), (1, 1), (0, 2)])
@pytest.mark.parametrize("gain", [True, False])
def test_finite_differences_are_what_jax_finds(orders, gain):
    at = (orders, 0.7, 0.4, 0.8)
    expected = partial(*at, gain=gain)
    value = partial_autodiff(*at, gain=gain)
    assert value == pytest.approx(expected, rel=1e-11)
