"""Second moments of filters are sums over all pairs of ages, and theory's lag weights."""

import math

import numpy as np
import pytest
from sympy import oo

from sigprop.audit.series_moments import lag_weights
from sigprop.linear.filters import (
    Filters,
    common_covariance,
    covariances,
    endless_weights,
    mean_weights,
    moment,
    square,
)

STEPS = 12


def filters(gap, theta, alpha, beta):
    values = -math.log1p(-gap), theta, alpha, beta
    return Filters(
        *(np.array([x]) for x in values[:2]), *(np.array([x + 0j]) for x in values[2:])
    )


@pytest.mark.parametrize("gap", [0.4, 0.05, 1e-6])
@pytest.mark.parametrize(
    ("quantity", "pair"), [("state", (0, 1)), ("sensitivity", (1, 0))]
)
def test_endless_weights_are_those_that_theory_derives(quantity, pair, gap):
    theta = 0.7
    known = lag_weights(quantity, gap, theta, STEPS, oo)
    weights = endless_weights(filters(gap, theta, *pair), STEPS)[0]
    twice = np.r_[1.0, np.full(STEPS - 1, 2.0)]
    # The derived weights count both signs of a lag; at 1e-6 they take 30 digits.
    np.testing.assert_allclose(twice * weights.real, known, rtol=1e-9)


def random_filters(seed):
    g = np.random.default_rng(seed)
    parts = g.normal(size=(4, 3))
    return Filters(
        g.uniform(0.05, 1, 3),
        g.uniform(-3, 3, 3),
        parts[0] + 1j * parts[1],
        parts[2] + 1j * parts[3],
    )


@pytest.mark.parametrize("seed", [1, 8])
def test_endless_weights_are_sums_over_ages(seed):
    random = random_filters(seed)
    kernel = random.kernel(800)
    expected = [
        (kernel[:, lag:] * kernel[:, : 800 - lag].conj()).sum(1) for lag in range(9)
    ]
    np.testing.assert_allclose(endless_weights(random, 9).T, expected, rtol=1e-9)


@pytest.mark.parametrize("seed", [2, 9])
def test_moments_are_those_of_the_sequences_themselves(seed):
    """Of sequences on a circle of lags: their covariances are exactly stationary."""
    g = np.random.default_rng(seed)
    random, size = random_filters(seed), 2 * STEPS
    x = g.normal(size=(size, 2))
    turns = np.stack([np.roll(x, -start, 0) for start in range(size)])
    inward = g.normal(size=(3, 2)) + 1j * g.normal(size=(3, 2))
    v, around = turns[:, :STEPS] @ inward.T, x @ inward.T
    kernel, estimates = random.kernel(STEPS), covariances(turns[:, :STEPS], inward)
    for lag in range(STEPS):  # every window is a turn of the same circle
        later = np.roll(around, -lag, 0)
        plain, mixed = (later * around.conj()).mean(0), (later * around).mean(0)
        np.testing.assert_allclose(estimates.plain[:, lag], plain, rtol=1e-9)
        np.testing.assert_allclose(estimates.mixed[:, lag], mixed, rtol=1e-9)
    y = np.zeros((size, STEPS, 3), complex)
    for t in range(STEPS):
        for age in range(t + 1):
            y[:, t] += kernel[:, age] * v[:, t - age]
    power = moment(mean_weights(kernel), estimates.plain)
    np.testing.assert_allclose(power, (np.abs(y) ** 2).mean((0, 1)), rtol=1e-9)
    turned = square(mean_weights(kernel, conjugate=False), estimates.mixed)
    np.testing.assert_allclose(turned, (y**2).mean((0, 1)), rtol=1e-9)


def test_the_common_covariance_is_the_mean_over_channels():
    g = np.random.default_rng(4)
    x, mixing = g.normal(size=(5, STEPS, 3)), g.normal(size=(7, 3))
    each = covariances(x, mixing + 0j).plain.real
    np.testing.assert_allclose(common_covariance(x, mixing), each.mean(0), rtol=1e-9)
