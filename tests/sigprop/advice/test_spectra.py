"""Where the power of an input lies, and the states that it makes."""

import math

import jax
import numpy as np
import pytest

from sigprop.advice.spectra import (
    bandwidth,
    exponential,
    of_series,
    power_below,
    state_moments,
)
from sigprop.audit.autocovariance import Exponentials
from sigprop.audit.series import load_series
from sigprop.inputs import AR1
from sigprop.linear.predicted_moments import pair_moment

BOTH = Exponentials(np.array([0.4, 0.6]), np.array([0.0, 0.95]))


def test_the_share_of_a_sum_is_that_of_its_parts():
    at = bandwidth(BOTH, 0.9)
    parts = [power_below(exponential(one), at) for one in BOTH.rho]
    assert 0.4 * parts[0] + 0.6 * parts[1] == pytest.approx(0.9, abs=1e-9)
    assert bandwidth(exponential(0.99)) < at < bandwidth(exponential(0.0))
    assert bandwidth(exponential(-0.9)) > 0.95 * math.pi


def test_states_are_those_of_a_long_sequence():
    gap, phase = np.array([0.5, 0.1, 0.03]), np.array([0.0, 0.4, 3.0])
    lam = (1 - gap) * np.exp(1j * phase)
    covariance = BOTH.autocovariance(np.arange(900))
    pairs = pair_moment(lam, lam.conj(), 900, covariance)
    found = state_moments(BOTH, gap, phase)
    assert found == pytest.approx(np.diag(pairs).real, rel=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_spectrum_of_a_series_is_that_of_its_process(seed, tmp_path):
    drawn = np.asarray(AR1(0.9).sample(jax.random.key(seed), 400, 64))
    np.save(tmp_path / "series.npy", drawn.astype(float))
    found, note = of_series(load_series(tmp_path / "series.npy"))
    assert found.weights.sum() == pytest.approx(1)
    assert bandwidth(found) == pytest.approx(bandwidth(exponential(0.9)), rel=0.25)
    assert "32 lags" in note


@pytest.mark.parametrize("decay", [1.0, -1.0, math.nan])
def test_a_constant_input_is_refused(decay):
    with pytest.raises(ValueError, match="need -1 < rho < 1, got rho="):
        exponential(decay)
