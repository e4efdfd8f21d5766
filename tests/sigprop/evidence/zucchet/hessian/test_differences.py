"""Derivatives by complex numbers that know no formula."""

import numpy as np
import pytest

from sigprop.evidence.zucchet.hessian.differences import contour, wirtinger_second


def test_differences_know_a_loss_without_a_minimum():
    hessian = wirtinger_second(lambda z, w: (z**2 * w).real, 0.5 + 1j, 2.0 - 1j)
    np.testing.assert_allclose(hessian, [[0.5 + 1j, 0], [0, 0.5 - 1j]], atol=1e-12)


def test_contours_take_both_wirtinger_derivatives():
    def function(z):
        return z**2 * z.conjugate()

    z = 0.4 - 0.9j
    assert contour(function, z, 1) == pytest.approx(2 * abs(z) ** 2)
    assert contour(function, z, -1) == pytest.approx(z**2)
