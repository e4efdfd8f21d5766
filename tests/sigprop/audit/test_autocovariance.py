"""Measured autocovariances: averages of products, intervals that cover, fits that fit."""

import numpy as np
import pytest

from sigprop.audit.autocovariance import autocovariance, fit_exponentials, fit_mixed
from sigprop.inputs import Mixed
from sigprop.tasks.sequences import Sequences, stand_in


def of(values):
    return Sequences("made", *values.shape, lambda i, n: values[i : i + n])


def test_it_is_the_average_of_products_over_steps_features_and_sequences():
    values = np.random.default_rng(0).normal(size=(18, 6, 2)) + 1
    estimate = autocovariance(of(values), 4, draws=40)
    for lag in (0, 1, 4):
        products = values[:, lag:] * values[:, : 6 - lag]
        np.testing.assert_allclose(estimate.R[lag], products.mean(), rtol=1e-12)
        np.testing.assert_allclose(
            estimate.each[3, lag], products[3].mean(), rtol=1e-12
        )
    assert len(estimate.R) == 5


def test_intervals_cover_as_often_as_they_say():
    """Coverage of 95 % is at least 85 of 100 runs, but for one in 1e4."""
    process = Mixed(0.3, 0.5, 0.8)
    exact = process.autocovariance(np.arange(4))
    sample = stand_in(6400, 12, 2, seed=5, process=process).take(0, 6400)
    covered = []
    for run in range(100):
        estimate = autocovariance(of(sample[64 * run : 64 * run + 64]), 3, draws=200)
        covered.append((estimate.low <= exact) & (exact <= estimate.high))
    share = np.mean(covered, 0)
    assert (share >= 0.85).all()
    assert (share < 1).any()


def test_one_sequence_has_no_interval():
    with pytest.raises(ValueError, match="need two sequences for an interval, got 1"):
        autocovariance(of(np.ones((1, 5, 2))))


def test_a_line_finds_the_process_that_made_the_covariances():
    process = Mixed(0.332, 0.044, 0.997)
    fit = fit_mixed(process.autocovariance(np.arange(512)))
    np.testing.assert_allclose(
        [fit.a, fit.b, fit.rho], [0.332, 0.044, 0.997], rtol=1e-9
    )
    noisy = process.autocovariance(np.arange(12))
    noisy[7:] = -1e-3
    assert fit_mixed(noisy).rho == pytest.approx(0.997)


@pytest.mark.parametrize(
    ("R", "last", "message"),
    [
        ([1.0, 0.5, -0.1, 0.2], None, "need positive autocovariances R at lags 1 to 2"),
        (
            [1.0, 0.5, 0.4, 0.3],
            5,
            "at lags 1 to 5, got last=5 and the first 3 positive",
        ),
        ([1.0, 0.2, 0.3, 0.4], None, "autocovariances that decay"),
        ([0.1, 0.5, 0.25, 0.125], None, r"from below R\(0\) = 0.1, got a line from 1"),
    ],
)
def test_what_no_line_fits_is_refused(R, last, message):
    with pytest.raises(ValueError, match=message):
        fit_mixed(np.array(R), last)


def test_a_sum_of_exponentials_is_near_one_off_the_grid_and_a_process():
    lags = np.arange(200)
    exact = 0.5 * (lags == 0) + 0.3 * 0.9**lags + 0.2 * 0.99**lags
    fit = fit_exponentials(exact)
    assert np.abs(fit.autocovariance(lags) - exact).max() < 1e-3
    assert (fit.weights >= 0).all()
    assert fit.rho[0] == 0
    assert fit.weights[0] == pytest.approx(0.5, abs=0.01)
    white = fit_exponentials(np.array([2.0, 0.0, 0.0]))
    np.testing.assert_allclose(white.weights, [2.0], rtol=1e-9)
    for bad in (np.array([1.0]), np.array([0.0, 0.0])):
        with pytest.raises(ValueError, match="need two autocovariances R or more"):
            fit_exponentials(bad)
