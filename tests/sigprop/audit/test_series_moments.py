"""The audit of a user's series: exact identities, known processes, bootstrap."""

import io
import json
import math
import re
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from rich.console import Console
from sympy import oo

from sigprop.audit.series import Series, load_series
from sigprop.audit.series_moments import (
    EIGENVALUES,
    audit_series,
    bootstrap_interval,
    covariance_matrix,
    empirical_autocovariance,
    lag_weights,
    rows_json,
)
from sigprop.audit.series_summary import table
from sigprop.theory.diagonal import QUANTITIES
from sigprop.theory.symbols import T


def make_series(values):
    values = np.asarray(values, dtype=float)
    names = tuple(f"feature {index}" for index in range(values.shape[2]))
    return Series(values, names, (), max(1, round(len(values) ** (1 / 3))))


def ar1(rho, sequences, steps, seed):
    """Stationary Gaussian sequences with autocovariance ``rho**|lag|``."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((sequences, steps))
    values = np.empty_like(noise)
    values[:, 0] = noise[:, 0]
    for t in range(1, steps):
        values[:, t] = rho * values[:, t - 1] + math.sqrt(1 - rho**2) * noise[:, t]
    return values


def kernel(quantity, gap, theta, steps):
    """Weights of the inputs by age, from unrolling the recurrence by hand."""
    lam = (1 - gap) * np.exp(1j * theta)
    state, weights = 1.0 + 0j, []
    sensitivity = 0j
    for _ in range(steps):
        weights.append(state if quantity == "state" else sensitivity)
        sensitivity = lam * sensitivity + state
        state = lam * state
    return np.array(weights)


def double_sum(weights, autocovariance):
    ages = np.arange(len(weights))
    lags = np.abs(ages[:, None] - ages[None, :])
    return (weights[:, None] * weights.conj() * autocovariance[lags]).sum().real


def random_walk_series(sequences=7, steps=40, features=2, seed=3):
    """Deliberately not stationary."""
    rng = np.random.default_rng(seed)
    return make_series(
        np.cumsum(rng.standard_normal((sequences, steps, features)), axis=1)
    )


def test_autocovariance_matches_the_loops():
    values = np.random.default_rng(0).standard_normal((3, 11))
    expected = [
        np.mean([row[t] * row[t + lag] for row in values for t in range(11 - lag)])
        for lag in range(11)
    ]
    np.testing.assert_allclose(empirical_autocovariance(values), expected, rtol=1e-12)
    np.testing.assert_allclose(
        empirical_autocovariance(values, 4), expected[:5], rtol=1e-12
    )


@pytest.mark.parametrize("max_lag", [-1, 11])
def test_autocovariance_refuses_lags_it_has_no_pairs_for(max_lag):
    values = np.ones((3, 11))
    message = f"need 0 <= max_lag < 11 steps, got max_lag={max_lag}"
    with pytest.raises(ValueError, match=re.escape(message)):
        empirical_autocovariance(values, max_lag)


def test_autocovariance_is_the_mean_diagonal_of_the_covariance_matrix():
    values = random_walk_series().values[:, :, 0]
    matrix = covariance_matrix(values)
    diagonals = [np.diagonal(matrix, lag).mean() for lag in range(40)]
    np.testing.assert_allclose(empirical_autocovariance(values), diagonals, rtol=1e-11)


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize(
    ("gap", "theta"),
    [*EIGENVALUES, (0.95, 1.0), (1e-3, math.pi), (1e-6, 0.2), (1e-12, 0.0)],
)
@pytest.mark.sampled(8)
def test_lag_weights_match_the_double_sum_to_the_edge(quantity, gap, theta):
    steps = 96
    weights = kernel(quantity, gap, theta, steps)
    unit = np.eye(steps)
    expected = np.array([double_sum(weights, unit[lag]) for lag in range(steps)])
    computed = lag_weights(quantity, gap, theta, steps, T)
    np.testing.assert_allclose(
        computed, expected, rtol=0, atol=1e-12 * abs(expected[0])
    )


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_endless_lag_weights_are_the_limit_of_the_finite_ones(quantity):
    finite = lag_weights(quantity, 0.1, 0.4, 2000, T)[:20]
    endless = lag_weights(quantity, 0.1, 0.4, 20, oo)
    np.testing.assert_allclose(endless, finite, rtol=1e-12)


@pytest.mark.parametrize("gap", [2.0**-40, 2.0**-12, 0.5])
def test_white_weights_keep_their_digits_to_the_edge(gap):
    square = (1 - Fraction(gap)) ** 2
    exact = {"state": 1 / (1 - square), "sensitivity": (1 + square) / (1 - square) ** 3}
    for quantity in QUANTITIES:
        weight = lag_weights(quantity, gap, 0.0, 8, oo)[0]
        assert weight == pytest.approx(float(exact[quantity]), rel=1e-12)


def test_covariance_equals_measured_without_any_assumption():
    rows = audit_series(random_walk_series())
    assert len(rows) == 2 * 2 * len(EIGENVALUES)
    for row in rows:
        assert row.measured > 0
        assert row.covariance == pytest.approx(row.measured, rel=1e-10)


def test_measured_is_the_mean_of_the_loop_by_hand():
    series = random_walk_series()
    for row in audit_series(series):
        column = series.names.index(row.feature)
        weights = kernel(row.quantity, row.gap, row.theta, 40)[::-1]
        final = series.values[:, :, column] @ weights
        assert row.measured == pytest.approx(np.mean(np.abs(final) ** 2), rel=1e-10)


def test_toeplitz_is_the_double_sum_over_the_averaged_autocovariance():
    series = random_walk_series()
    for row in audit_series(series):
        column = series.names.index(row.feature)
        autocovariance = empirical_autocovariance(series.values[:, :, column])
        weights = kernel(row.quantity, row.gap, row.theta, 40)
        expected = double_sum(weights, autocovariance)
        shown = expected if expected > 0 else math.nan  # no moment is negative
        assert row.toeplitz == pytest.approx(shown, rel=1e-9, nan_ok=True)


def test_log_ratios_add_up_to_white_over_measured():
    for row in audit_series(make_series(ar1(0.6, 300, 64, 5)[:, :, None])):
        total = row.log_toeplitz + row.log_stationary + row.log_white
        assert total == pytest.approx(math.log(row.white / row.measured), abs=1e-10)


def forms(quantity, gap, theta, steps):
    """Matrices ``A`` of the estimates ``x^T A x`` of one window ``x``, by name."""
    weights = kernel(quantity, gap, theta, 600)
    age = np.arange(steps)
    lags = np.abs(age[:, None] - age)

    def averaged(weights):
        """One square weighs each mean over the pairs of a lag; both orders count."""
        by_lag = [
            np.real(np.vdot(weights[: len(weights) - lag], weights[lag:]))
            for lag in age
        ]
        return np.array(by_lag)[lags] / (steps - lags)

    own = weights[:steps]
    return {
        "measured": np.real(np.outer(own, own.conj()))[::-1, ::-1],
        "toeplitz": averaged(own),
        "stationary": averaged(weights),
        "white": np.eye(steps) * np.vdot(weights, weights).real / steps,
    }


def means_and_errors(row, covariance, windows):
    """Exact means of a row's estimates, and standard errors of them and of log-ratios.

    For independent Gaussian windows of this covariance: ``E[x^T A x] = tr(A C)`` and
    ``Var[x^T A x] = 2 tr(A C A C)``; log-ratios to first order.
    """
    by_assumption = forms(row.quantity, row.gap, row.theta, len(covariance))
    means = {name: np.vdot(form, covariance) for name, form in by_assumption.items()}

    def error(form):
        product = form @ covariance
        return math.sqrt(2 * np.sum(product * product.T) / windows)

    errors = {name: error(form) for name, form in by_assumption.items()}
    for before, name in pairwise(by_assumption):
        apart = (
            by_assumption[name] / means[name] - by_assumption[before] / means[before]
        )
        errors[f"log_{name}"] = error(apart)
        means[f"log_{name}"] = math.log(means[name] / means[before])
    return means, errors


def require_near(row, means, errors):
    """Nothing is five standard errors from its mean, or further."""
    for name, mean in means.items():
        assert abs(getattr(row, name) - mean) < 5 * errors[name], (name, row)


@pytest.fixture(scope="module")
def long_ar1_rows():
    values = ar1(0.8, 4000, 256, 11)[:, :, None]
    grid = ((0.5, 0.0), (0.1, 0.0), (0.1, math.pi), (0.05, 0.3))
    return audit_series(make_series(values), grid)


def test_every_estimate_of_a_long_exponential_process_is_its_theory(long_ar1_rows):
    lags = np.abs(np.arange(256)[:, None] - np.arange(256))
    for row in long_ar1_rows:
        means, errors = means_and_errors(row, 0.8**lags, 4000)
        weights = kernel(row.quantity, row.gap, row.theta, 600)
        theory = double_sum(weights, 0.8 ** np.arange(600))
        for name in ("measured", "toeplitz", "stationary"):  # the memory is shorter
            assert means[name] == pytest.approx(theory, rel=1e-4)
        require_near(row, means, errors)
        # Five per cent in what averages over all steps would be seen.
        assert max(errors[name] / theory for name in ("toeplitz", "stationary")) < 0.01
        assert row.low < row.measured < row.high


def test_white_is_off_by_the_known_factor(long_ar1_rows):
    lags = np.abs(np.arange(256)[:, None] - np.arange(256))
    for row in long_ar1_rows:
        if row.quantity == "state":
            z = 0.8 * (1 - row.gap) * np.exp(1j * row.theta)
            factor = (1 - abs(z) ** 2) / abs(1 - z) ** 2
            _, errors = means_and_errors(row, 0.8**lags, 4000)
            assert abs(row.log_white + math.log(factor)) < 5 * errors["log_white"]


def test_stationarity_shows_where_it_is_broken():
    """Amplitude growing tenfold: the last steps, that h_T sees, exceed the average."""
    growth = np.linspace(0.1, 1, 64)
    series = make_series((ar1(0.0, 2000, 64, 2) * growth)[:, :, None])
    row = audit_series(series, ((0.5, 0.0),))[0]
    means, errors = means_and_errors(row, np.diag(growth**2), 2000)
    require_near(row, means, errors)
    weights = 0.25 ** np.arange(64)
    average = np.sum(weights * growth[::-1] ** 2) / np.sum(weights)
    expected = math.log(np.mean(growth**2) / average)
    assert means["log_toeplitz"] == pytest.approx(expected, rel=1e-12)
    assert expected + 5 * errors["log_toeplitz"] < -0.8


def test_a_moment_that_is_not_positive_gives_nan_and_a_note():
    wave = np.cos(2 * np.pi * 1.5 * np.arange(16) / 16)  # cut in mid-period
    values = np.stack([wave, -wave])[:, :, None]
    rows = audit_series(make_series(values), ((0.001, 0.0),))
    bad = [row for row in rows if math.isnan(row.stationary)]
    assert bad
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(table(rows))
    lines = console.export_text().splitlines()
    assert not [line for line in lines if "nan" in line]
    assert not re.search(r"│ +-\d[\d.e+]* │ +-?\d[^│]*│ +none", "\n".join(lines))
    assert sum(
        "none" in line.split("│", 3)[-1] for line in lines if "│" in line
    ) == len(bad)
    for row in bad:
        assert math.isnan(row.log_stationary)
        assert math.isnan(row.log_white)
        assert row.note.endswith(
            "not positive, shown as none: averaging along diagonals and cutting at lag T "
            "need not leave a positive definite autocovariance; no log-ratio"
        )
        assert "stationary" in row.note
    encoded = json.dumps(rows_json(rows), allow_nan=False)
    assert '"log_white": "nan"' in encoded


@pytest.mark.parametrize("pair", [(0.0, 0.1), (-0.1, 0.1), (1.0, 0.0), (1.5, 0.0)])
def test_eigenvalues_must_be_inside_the_circle_and_not_zero(pair):
    gap, theta = pair
    message = (
        "need eigenvalues (gap, theta) with 0 < gap = 1 - |lam| < 1 and a finite "
        f"theta, got gap={gap}, theta={theta}; at gap <= 0 the moments diverge, at gap "
        "= 1 there is no memory"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        audit_series(random_walk_series(), (pair,))
    with pytest.raises(ValueError, match=re.escape(message)):
        lag_weights("state", gap, theta, 16)


@pytest.mark.parametrize("pair", [(math.nan, 0.0), (0.1, math.inf)])
def test_eigenvalues_must_be_finite(pair):
    with pytest.raises(ValueError, match="need eigenvalues"):
        audit_series(random_walk_series(), (pair,))


def test_bootstrap_covers_at_the_stated_rate():
    rng = np.random.default_rng(8)
    low, high = bootstrap_interval(rng.standard_normal((200, 2000)) ** 2, 6, 0, 400)
    coverage = np.mean((low <= 1) & (high >= 1))
    assert 0.90 < coverage < 0.96


def test_blocks_are_needed_when_windows_depend():
    chains = ar1(0.7, 1000, 200, 4).T
    covered = {}
    for block in (1, 12):
        low, high = bootstrap_interval(chains, block, 0, 400)
        covered[block] = np.mean((low <= 0) & (high >= 0))
    assert covered[1] < 0.72
    assert covered[12] > 0.85


def test_whole_series_as_one_block_has_no_spread():
    samples = np.random.default_rng(0).standard_normal((9, 2))
    low, high = bootstrap_interval(samples, 9, 0, 50)
    np.testing.assert_allclose(low, samples.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(high, samples.mean(axis=0), rtol=1e-12)


def test_resamples_are_circular_blocks_of_the_right_total():
    """With ones everywhere but one spike, every mean is 1 + k * spike / n."""
    samples = np.ones((7, 1))
    samples[6] = 8.0
    low, high = bootstrap_interval(samples, 3, 1, 4000)
    assert low[0] == pytest.approx(1)
    assert high[0] == pytest.approx(1 + 3 * 7 / 7)


def test_seed_decides_the_interval():
    series = random_walk_series()
    first, repeated, other = (audit_series(series, seed=seed) for seed in (0, 0, 1))
    assert first == repeated
    assert [row.low for row in first] != [row.low for row in other]
    assert [row.measured for row in first] == [row.measured for row in other]


@pytest.mark.parametrize(
    ("block", "draws", "message"),
    [
        (0, 100, "need 1 <= block <= 9 windows, got block=0"),
        (10, 100, "need 1 <= block <= 9 windows, got block=10"),
        (3, 39, "need at least 40 bootstrap draws and at most 1000000, got draws=39"),
    ],
)
def test_bootstrap_refuses(block, draws, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        bootstrap_interval(np.ones((9, 1)), block, 0, draws)


def test_rows_survive_json():
    rows = audit_series(random_walk_series(), ((0.1, 0.3),))
    decoded = json.loads(json.dumps(rows_json(rows), allow_nan=False))
    assert [row["feature"] for row in decoded] == [row.feature for row in rows]
    assert decoded[0]["measured"] == rows[0].measured
    assert decoded[0]["windows"] == 7


@pytest.mark.data("ett/ETTh1.csv")
def test_electricity_transformer_series(real_data):
    series = load_series(real_data)
    assert series.values.shape == (34, 512, 7)
    assert series.names == ("HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL", "OT")
    assert "dropped the last 12 of 17420 rows: they fill no window" in series.notes
    for row in audit_series(series):
        assert row.covariance == pytest.approx(row.measured, rel=1e-10)
        assert row.low < row.measured < row.high
        slow = row.theta == 0
        if slow:  # hourly loads are positively correlated: white noise underestimates
            assert row.white < 0.5 * row.measured
