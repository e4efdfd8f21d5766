"""The exact loss behind Hessians: its parametrisations, and its quadratic form."""

import mpmath
import numpy as np
import pytest

from sigprop.evidence.kit import autocovariance
from sigprop.evidence.zucchet.hessian.loss import PARAMETRISATIONS, quadratic


@pytest.mark.parametrize("parametrisation", sorted(PARAMETRISATIONS))
def test_charts_invert(parametrisation):
    with mpmath.workdps(30):
        lam = mpmath.mpc(0.3, 0.6)
        eigenvalue = PARAMETRISATIONS[parametrisation].eigenvalue(
            *PARAMETRISATIONS[parametrisation].parameters(lam)
        )
        assert abs(eigenvalue - lam) < 1e-25


def test_the_one_pass_quadratic_form_is_the_double_sum():
    kernel = np.random.default_rng(0).normal(size=30)
    literal = kernel @ autocovariance(30, -0.6, 0.3, 0.7) @ kernel
    value = quadratic([mpmath.mpf(x) for x in kernel], 0.3, 0.7, -0.6)
    np.testing.assert_allclose(float(value), literal, rtol=1e-12)
