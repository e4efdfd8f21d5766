"""Where the power of an input lies, and the states that it makes."""

import math

import jax
import numpy as np
import pytest

from sigprop.advice.spectra import (
    bandwidth,
    closed,
    equivalent_rho,
    exponential,
    of_series,
    power_below,
    state_moments,
)
from sigprop.audit.autocovariance import Exponentials
from sigprop.audit.series import Series, load_series
from sigprop.audit.series_moments import lag_weights
from sigprop.inputs import AR1
from sigprop.linear.predicted_moments import pair_moment

BOTH = Exponentials(np.array([0.4, 0.6]), np.array([0.0, 0.95]))


def test_the_share_of_a_sum_is_that_of_its_parts():
    at = bandwidth(BOTH, 0.9)
    parts = [power_below(exponential(rho), at) for rho in BOTH.rho]
    assert 0.4 * parts[0] + 0.6 * parts[1] == pytest.approx(0.9, abs=1e-9)
    assert bandwidth(exponential(0.99)) < at < bandwidth(exponential(0.0))


@pytest.mark.parametrize("decay", [-0.9, -0.3, 0.0, 0.5, 0.99])
@pytest.mark.parametrize("share", [0.5, 0.95])
def test_the_phase_below_which_a_share_lies_is_that_of_the_poisson_kernel(decay, share):
    """Its integral up to a phase is an arctangent of half of it."""
    half = (1 - decay) / (1 + decay) * math.tan(math.pi * share / 2)
    at = bandwidth(exponential(decay), share)
    assert at == pytest.approx(2 * math.atan(half), rel=1e-9)


def test_states_are_those_of_a_long_sequence():
    gap, phase = np.array([0.5, 0.1, 0.03]), np.array([0.0, 0.4, 3.0])
    lam = (1 - gap) * np.exp(1j * phase)
    covariance = BOTH.autocovariance(np.arange(900))
    pairs = pair_moment(lam, lam.conj(), 900, covariance)
    moments = state_moments(BOTH, gap, phase)
    assert moments == pytest.approx(np.diag(pairs).real, rel=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_spectrum_of_a_series_is_that_of_its_process(seed, tmp_path):
    sample = np.asarray(AR1(0.9).sample(jax.random.key(seed), 400, 64))
    np.save(tmp_path / "series.npy", sample.astype(float)[..., None])
    measured, note = of_series(load_series(tmp_path / "series.npy"))
    assert closed(measured).weights.sum() == measured.covariance[0] == pytest.approx(1)
    for spectrum in (measured, closed(measured)):
        assert bandwidth(spectrum) == pytest.approx(
            bandwidth(exponential(0.9)), rel=0.25
        )
    assert (
        equivalent_rho(measured)
        == equivalent_rho(closed(measured))
        == pytest.approx(0.9, abs=0.1)
    )
    assert "autocovariance of 64 lags" in note
    assert "its first 32 lags" in note


def voices(seed, windows=6, steps=50, features=2):
    """Windows that oscillate, of no sum of decaying exponentials, and their spectrum."""
    rng = np.random.default_rng(seed)
    waves = np.cos(0.9 * np.arange(steps) + rng.uniform(0, 6, (windows, features, 1)))
    values = np.moveaxis(waves + 0.3 * rng.normal(size=waves.shape), 1, 2)
    values = values / values.std((0, 1))
    names = tuple("ab"[:features])
    return values, of_series(Series(values, names, (), 1))[0]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_measured_states_are_those_of_the_windows_that_ring_out(seed):
    values, measured = voices(seed)
    gap, phase = np.array([0.3, 0.05, 1.0, 0.05]), np.array([0.9, 0.9, 0.0, 0.2])
    lam = (1 - gap) * np.exp(1j * phase)
    h = total = 0
    for x in (*np.moveaxis(values, 1, 0), *np.zeros((400, *values[:, 0].shape))):
        h = lam * h + x[..., None]
        total = total + np.abs(h) ** 2
    # An input of variance one, of as many steps as a window has.
    brute = total.mean((0, 1)) / values.shape[1]
    assert state_moments(measured, gap, phase) == pytest.approx(brute, rel=1e-3)
    assert np.ptp(state_moments(closed(measured), gap, phase) / brute) > 0.5


def test_measured_moments_weigh_lags_as_theory_does():
    _, measured = voices(0)
    (moment,) = state_moments(measured, np.array([1e-9]), np.array([0.4]))
    weights = lag_weights("state", 1e-9, 0.4, len(measured.covariance))
    assert moment == pytest.approx(weights @ measured.covariance, rel=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
def test_measured_power_is_that_of_the_periodogram(seed):
    values, measured = voices(seed)
    padded = np.abs(np.fft.rfft(values, 2**16, axis=1)) ** 2
    power = padded.mean((0, 2))
    shares = np.cumsum(power) / power.sum()
    for at in (0.5, 0.9, 2.0):
        index = round(at / math.pi * (len(shares) - 1))
        assert power_below(measured, at) == pytest.approx(shares[index], abs=1e-3)
    assert 0.9 < bandwidth(measured, 0.9) < bandwidth(closed(measured), 0.9)


@pytest.mark.parametrize("decay", [1.0, -1.0, math.nan])
def test_a_constant_input_is_refused(decay):
    with pytest.raises(ValueError, match="need -1 < rho < 1, got rho="):
        exponential(decay)
