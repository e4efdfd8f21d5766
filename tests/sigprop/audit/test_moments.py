"""The moments of an audit, against the sums that they stand for and the derived theory."""

import numpy as np
import pytest
from sympy import oo

from sigprop.audit.moments import (
    alive,
    autocovariance,
    endless_weights,
    gradient_moment,
    moment,
    pairs,
    standard_error,
    theory,
)
from sigprop.audit.series_moments import lag_weights
from sigprop.theory.symbols import T

LAM = np.array([0.9, -0.5, 0.8 * np.exp(1j), 0.3 - 0.4j])


def hermitian(steps, seed=0):
    """A stationary complex signal's ``R`` at lags from zero, and its matrix."""
    draw = np.random.default_rng(seed)
    taps = draw.normal(size=(len(LAM), 5)) + 1j * draw.normal(size=(len(LAM), 5))
    full = np.stack([np.convolve(tap, tap[::-1].conj()) for tap in taps])
    R = np.zeros((len(LAM), steps), complex)
    R[:, :5] = full[:, 4:]
    lag = np.subtract.outer(np.arange(steps), np.arange(steps))
    return R, np.where(lag >= 0, R[:, abs(lag)], R[:, abs(lag)].conj())


def responses(steps, order):
    """Matrices that turn inputs into states, or into their sensitivities."""
    age = np.subtract.outer(np.arange(steps), np.arange(steps))
    power = LAM[:, None, None] ** np.maximum(age - order, 0)
    return np.where(age >= order, power * np.where(order, age, 1), 0)


@pytest.mark.parametrize("order", [0, 1])
def test_moments_over_sequences_of_several_lengths_are_their_double_sums(order):
    lengths, steps = np.array([7, 4, 7, 1]), 9
    known = theory(LAM, alive(lengths, steps))
    R, matrix = hermitian(steps)
    K = responses(steps, order)
    each = np.real(np.einsum("nts,nsr,ntr->nt", K, matrix, K.conj()))
    mean = sum(each[:, :length].sum(1) for length in lengths) / lengths.sum()
    last = np.mean([each[:, length - 1] for length in lengths], 0)
    np.testing.assert_allclose(moment(known.mean[order], R), mean, rtol=1e-12)
    np.testing.assert_allclose(moment(known.last[order], R), last, rtol=1e-12)


def test_the_gradient_of_independent_signals_is_its_quadruple_sum():
    lengths, steps = np.array([7, 4, 7, 1]), 9
    known = theory(LAM, alive(lengths, steps))
    (R, inputs), (Q, errors) = hermitian(steps), hermitian(steps, seed=1)
    K = responses(steps, 1)
    products = errors * np.einsum("nts,nsr,nqr->ntq", K, inputs, K.conj())
    wanted = np.mean(
        [products[:, :length, :length].sum((1, 2)) for length in lengths], 0
    )
    np.testing.assert_allclose(wanted.imag, 0, atol=1e-10)
    np.testing.assert_allclose(gradient_moment(known, R, Q), wanted.real, rtol=1e-12)
    assert not np.allclose(gradient_moment(known, R, Q.conj()), wanted.real, rtol=0.01)


@pytest.mark.parametrize("order", [0, 1])
def test_lag_weights_are_those_derived_in_theory(order):
    quantity, steps = ("state", "sensitivity")[order], 30
    known = theory(LAM, np.full(steps, 5.0))
    endless = endless_weights(LAM, steps, order)
    factor = np.r_[1.0, np.full(steps - 1, 2.0)]
    for i, lam in enumerate(LAM):
        for weights, horizon in ((known.last[order], T), (endless, oo)):
            wanted = lag_weights(
                quantity, 1 - abs(lam), float(np.angle(lam)), steps, horizon
            )
            np.testing.assert_allclose(
                factor * np.real(weights[i]), wanted, rtol=1e-9, atol=1e-12
            )


def test_an_unstable_mode_has_no_moment_in_the_limit():
    weights = endless_weights(np.array([1.1, 0.0j, 0.5]), 4, 1)
    assert np.isnan(weights[0]).all()
    np.testing.assert_allclose(weights[1], [1, 0, 0, 0], atol=1e-12)
    assert np.isfinite(weights[2]).all()


def test_autocovariance_counts_the_pairs_that_there_are():
    draw = np.random.default_rng(0)
    x = draw.normal(size=(2, 6)) + 1j * draw.normal(size=(2, 6))
    x[1, 4:] = 0
    counts = pairs(alive(np.array([6, 4]), 6))
    power = (np.abs(np.fft.fft(x, 16)) ** 2).sum(0)
    estimate = autocovariance(power, counts)
    assert counts.tolist() == [10, 8, 6, 4, 2, 1]
    products = [np.sum(x[:, lag:] * x[:, : 6 - lag].conj()) for lag in range(6)]
    np.testing.assert_allclose(estimate, products / counts)


def test_the_standard_error_is_the_spread_of_repetitions():
    draw = np.random.default_rng(0)
    measured = draw.exponential(size=(25, 4000)) + 1
    predicted = measured + 0.3 * draw.normal(size=measured.shape)
    spread = np.std(predicted.sum(0) / measured.sum(0))
    claimed = np.sqrt(np.mean(standard_error(predicted, measured) ** 2))
    assert abs(claimed / spread - 1) < 0.08  # five standard errors of a spread
