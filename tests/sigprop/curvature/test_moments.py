"""Moments in the Hessian against sums written out: no factor can hide in both."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.curvature.hessian import expand
from sigprop.evidence.zucchet.hessian.expectation import covariance_of_sensitivities
from sigprop.evidence.zucchet.hessian.sensitivities import pair_sum
from sigprop.evidence.zucchet.hessian.traces import (
    by_angle,
    moment_of,
    of_own_conjugate,
)
from sigprop.inputs import AR1, Mixed, White
from sigprop.layers.base import replace
from sigprop.layers.dense import linear_rnn
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import teacher_student
from sigprop.theory import hessian

AGES = np.arange(400)
LAGS = np.subtract.outer(AGES, AGES)
FIRST, SECOND = 0.6 + 0.5j, -0.3 + 0.7j
GAIN = 0.8 - 0.3j
LAWS = {
    "white": ({"a": 1.0, "b": 0.0, "rho": 0.0}, White()),
    "exponential": ({"rho": 0.7}, AR1(0.7)),
    "mixed": ({"a": 0.4, "b": 1.2, "rho": -0.6}, Mixed(0.4, 1.2, -0.6)),
}


def derivative(lam):
    """``n lam**(n-1)``: how the response moves with its eigenvalue."""
    return AGES * lam ** np.maximum(AGES - 1.0, 0)


def summed(left, right, process):
    covariance = process.autocovariance(LAGS.ravel()).reshape(LAGS.shape)
    return left @ covariance @ right


@pytest.mark.parametrize("name", LAWS)
def test_moments_of_sensitivities_are_their_double_sums(name):
    at, process = LAWS[name]
    double = summed(derivative(FIRST), derivative(SECOND), process)
    point_pair = {"lambda_i": FIRST, "lambda_j": SECOND, **at}
    covariance = covariance_of_sensitivities(**point_pair)
    np.testing.assert_allclose(covariance, double, rtol=1e-9)
    np.testing.assert_allclose(pair_sum(**point_pair), double, rtol=1e-9)
    mixed = {"a": 0.0, "b": 1.0, "rho": 0.0} | at
    closed = hessian.similarity(FIRST, SECOND, **mixed)
    np.testing.assert_allclose(closed, double, rtol=1e-9)
    own = summed(derivative(FIRST), derivative(FIRST).conj(), process).real
    expected = abs(GAIN) ** 2 * own
    point = {"lambda_i": FIRST, "b_i": GAIN, **at}
    assert of_own_conjugate(pair_sum, **point) == pytest.approx(expected, rel=1e-9)
    turned = abs(FIRST) ** 2 * expected
    assert moment_of(by_angle, **point) == pytest.approx(turned, rel=1e-9)


@pytest.mark.parametrize("route", ["closed", "gramian"])
def test_the_hessian_of_one_real_mode_is_its_double_sums(route):
    lam, b, c = 0.8, 0.7, -1.3
    process = LAWS["mixed"][1]
    with double_precision(True):
        plain = linear_rnn(1, 1, key=jax.random.key(0), nu0=0.5, theta0=1.0)
        values = {"A": [[lam]], "B": [[b]], "C": [[c]]}
        shaped = {
            key: jnp.reshape(jnp.array(value), getattr(plain, key).shape)
            for key, value in values.items()
        }
        layer = replace(plain, shaped)
        task = teacher_student(layer, process, None)
    expansion = expand(task, layer, route, at_optimum=True)
    powers = lam**AGES
    along = {"A": c * b * derivative(lam), "B": c * powers, "C": b * powers}
    for name, left in along.items():
        for other, right in along.items():
            wanted = summed(left, right, process)
            assert expansion.block(name, other).item() == pytest.approx(
                wanted, rel=1e-9
            )
