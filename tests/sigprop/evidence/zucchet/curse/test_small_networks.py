"""Derivatives by a complex step."""

import numpy as np

from sigprop.evidence.zucchet.curse.small_networks import complex_step


def test_a_complex_step_is_a_derivative():
    found = complex_step(lambda x: x**3 + x[::-1], np.array([1.0, 2.0]))
    np.testing.assert_allclose(found, [[3.0, 1.0], [1.0, 12.0]], rtol=1e-14)
