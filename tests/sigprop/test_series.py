"""The audit of a user's series: exact identities, known processes, every error."""

import json
import math
import os
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from sympy import oo

from sigprop.series import Series, load_series
from sigprop.series_audit import (
    EIGENVALUES,
    READING,
    audit_series,
    bootstrap_interval,
    covariance_matrix,
    empirical_autocovariance,
    lag_weights,
    rows_json,
    table,
)
from theory.diagonal import QUANTITIES
from theory.symbols import T


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
def test_lag_weights_match_the_double_sum_to_the_edge(quantity, gap, theta):
    steps = 96
    weights = kernel(quantity, gap, theta, steps)
    unit = np.eye(steps)
    expected = np.array([double_sum(weights, unit[lag]) for lag in range(steps)])
    found = lag_weights(quantity, gap, theta, steps, T)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * abs(expected[0]))


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
        found = lag_weights(quantity, gap, 0.0, 8, oo)[0]
        assert found == pytest.approx(float(exact[quantity]), rel=1e-12)


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
        assert row.toeplitz == pytest.approx(expected, rel=1e-9)


def test_log_ratios_add_up_to_white_over_measured():
    for row in audit_series(make_series(ar1(0.6, 300, 64, 5)[:, :, None])):
        total = row.log_toeplitz + row.log_stationary + row.log_white
        assert total == pytest.approx(math.log(row.white / row.measured), abs=1e-10)


@pytest.fixture(scope="module")
def long_ar1_rows():
    values = ar1(0.8, 4000, 256, 11)[:, :, None]
    grid = ((0.5, 0.0), (0.1, 0.0), (0.1, math.pi), (0.05, 0.3))
    return audit_series(make_series(values), grid)


def test_stationary_is_the_theory_of_a_long_exponential_process(long_ar1_rows):
    autocovariance = 0.8 ** np.arange(600)
    for row in long_ar1_rows:
        weights = kernel(row.quantity, row.gap, row.theta, 600)
        theory = double_sum(weights, autocovariance)
        assert row.stationary == pytest.approx(theory, rel=0.02)
        assert row.toeplitz == pytest.approx(theory, rel=0.02)
        # 4000 independent windows: one standard error is at most sqrt(2/4000) = 2.2 %
        assert row.measured == pytest.approx(theory, rel=0.11)
        assert row.low < row.measured < row.high


def test_white_is_off_by_the_known_factor(long_ar1_rows):
    for row in long_ar1_rows:
        if row.quantity == "state":
            z = 0.8 * (1 - row.gap) * np.exp(1j * row.theta)
            factor = (1 - abs(z) ** 2) / abs(1 - z) ** 2
            assert row.log_white == pytest.approx(-math.log(factor), abs=0.02)
            assert row.log_stationary == pytest.approx(0, abs=0.02)
            assert row.log_toeplitz == pytest.approx(0, abs=0.11)


def test_stationarity_shows_where_it_is_broken():
    """Amplitude growing tenfold: the last steps, that h_T sees, exceed the average."""
    values = ar1(0.0, 2000, 64, 2) * np.linspace(0.1, 1, 64)
    row = audit_series(make_series(values[:, :, None]), ((0.5, 0.0),))[0]
    average = np.mean(np.linspace(0.1, 1, 64) ** 2)
    weights = 0.25 ** np.arange(64)
    seen = np.sum(weights * np.linspace(1, 0.1, 64) ** 2) / np.sum(weights)
    assert row.log_toeplitz == pytest.approx(math.log(average / seen), abs=0.15)
    assert row.log_toeplitz < -0.8


def test_a_moment_that_is_not_positive_gives_nan_and_a_note():
    wave = np.cos(2 * np.pi * 1.5 * np.arange(16) / 16)  # cut in mid-period
    values = np.stack([wave, -wave])[:, :, None]
    rows = audit_series(make_series(values), ((0.001, 0.0),))
    bad = [row for row in rows if row.stationary <= 0]
    assert bad
    for row in bad:
        assert math.isnan(row.log_stationary)
        assert math.isnan(row.log_white)
        assert row.note.endswith(
            "not positive: averaging along diagonals and cutting at lag T need not "
            "leave a positive definite autocovariance; no log-ratio"
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
    first, again, other = (audit_series(series, seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert [row.low for row in first] != [row.low for row in other]
    assert [row.measured for row in first] == [row.measured for row in other]


@pytest.mark.parametrize(
    ("block", "draws", "message"),
    [
        (0, 100, "need 1 <= block <= 9 windows, got block=0"),
        (10, 100, "need 1 <= block <= 9 windows, got block=10"),
        (3, 39, "need at least 40 bootstrap draws, got draws=39"),
    ],
)
def test_bootstrap_refuses(block, draws, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        bootstrap_interval(np.ones((9, 1)), block, 0, draws)


def csv_text(rows, columns=2, date=True, end="\n"):
    rng = np.random.default_rng(1)
    values = rng.standard_normal((rows, columns)) * 3 + 5
    head = ["when"] * date + ["a", "b", "c"][:columns]
    lines = [",".join(head)]
    for index, row in enumerate(values):
        stamp = [f"2016-07-{index:02d} 00:00:00"] * date
        lines.append(",".join([*stamp, *map(repr, map(float, row))]))
    return values, end.join(lines) + end


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_csv_drops_dates_and_the_remainder(tmp_path, end, mark):
    values, text = csv_text(35, end=end)
    path = tmp_path / "series.csv"
    path.write_bytes((mark + text + end).encode())
    series = load_series(path, window=16)
    assert series.values.shape == (2, 16, 2)
    assert series.values.dtype == np.float64
    assert series.names == ("a", "b")
    assert series.block == 1
    kept = values[:32]
    expected = (kept - kept.mean(axis=0)) / kept.std(axis=0)
    np.testing.assert_allclose(series.values.reshape(32, 2), expected, rtol=1e-12)
    assert series.notes == (
        "dropped the leading column: non-numeric 'when'",
        "dropped the last 3 of 35 rows: they fill no window",
        "each feature scaled to mean 0 and variance 1 over 2 windows of 16 steps",
        "bootstrap in blocks of 1 windows out of 2; features are judged separately, "
        "though they may depend on each other",
        "only 2 windows: the 95 % intervals are too narrow (for squared Gaussians from "
        "34 independent windows they cover 88 %, from 10 81 %)",
    )


def test_csv_without_a_date_keeps_its_first_column(tmp_path):
    _, text = csv_text(32, columns=3, date=False)
    path = tmp_path / "series.CSV"
    path.write_text(text)
    series = load_series(path, window=8)
    assert series.names == ("a", "b", "c")
    assert series.values.shape == (4, 8, 3)
    assert not any("dropped" in note for note in series.notes)


def test_csv_without_a_header_counts_its_columns(tmp_path):
    _, text = csv_text(32, columns=2)
    path = tmp_path / "series.csv"
    path.write_text(text.split("\n", 1)[1])
    series = load_series(path, window=16)
    assert series.names == ("column 2", "column 3")
    assert series.values.shape == (2, 16, 2)


def test_csv_with_an_unnamed_index_drops_it(tmp_path):
    path = tmp_path / "series.csv"
    rows = [f"{index},{index % 5},{index % 3}" for index in range(16)]
    path.write_text("\n".join([",0,1", *rows]))
    series = load_series(path, window=8)
    assert series.names == ("0", "1")
    assert "dropped the leading column: unnamed index" in series.notes


def test_csv_tells_repeated_and_empty_names_apart(tmp_path):
    path = tmp_path / "series.csv"
    rows = [f"{index % 2},{index % 3},{index % 5}" for index in range(16)]
    path.write_text("\n".join(["x,x,", *rows]))
    assert load_series(path, window=8).names == ("x column 1", "x column 2", "column 3")


def test_constant_remainder_does_not_hide_a_constant_window(tmp_path):
    path = tmp_path / "series.csv"
    path.write_text("x\n" + "4\n" * 16 + "5\n")
    message = "need columns that vary, got 'x' constant at 4; remove it"
    with pytest.raises(ValueError, match=re.escape(message)):
        load_series(path, window=8)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u1"])
def test_npy_rows_stay_sequences(tmp_path, dtype):
    values = np.random.default_rng(0).integers(0, 50, (30, 20)).astype(dtype)
    np.save(tmp_path / "series.npy", values)
    series = load_series(tmp_path / "series.npy", window=8)
    assert series.values.shape == (30, 20, 1)
    assert series.block == 3
    assert series.names == ("feature 0",)
    assert series.notes[0] == "each .npy row is one sequence; --window is not applied"
    assert series.values.mean() == pytest.approx(0, abs=1e-12)
    assert series.values.std() == pytest.approx(1, rel=1e-12)


def test_huge_values_are_scaled_without_overflow(tmp_path):
    values = np.random.default_rng(0).standard_normal((4, 9, 2)) * 1e200
    np.save(tmp_path / "series.npy", values)
    series = load_series(tmp_path / "series.npy")
    np.testing.assert_allclose(series.values.std(axis=(0, 1)), 1, rtol=1e-12)


def npy_with(place, value):
    values = np.random.default_rng(0).standard_normal((4, 9, 2))
    values[place] = value
    return values


REFUSED_ARRAYS = {
    "rank one": (
        np.arange(20.0),
        "need an array of shape (sequences, time) or (sequences, time, features), got "
        "shape (20,); reshape it",
    ),
    "rank four": (
        np.zeros((2, 9, 1, 1)),
        "need an array of shape (sequences, time) or (sequences, time, features), got "
        "shape (2, 9, 1, 1); reshape it",
    ),
    "no features": (
        np.zeros((2, 9, 0)),
        "need an array of shape (sequences, time) or (sequences, time, features), got "
        "shape (2, 9, 0); reshape it",
    ),
    "one sequence": (
        np.zeros((1, 900)),
        "need at least 2 sequences of 8 steps, got 1 of 900; a single long series goes "
        "in a .csv, or reshape it to (windows, steps)",
    ),
    "short": (
        np.zeros((5, 7)),
        "need at least 2 sequences of 8 steps, got 5 of 7; a single long series goes "
        "in a .csv, or reshape it to (windows, steps)",
    ),
    "long": (
        np.zeros((2, 8193), np.uint8),
        "need at most 8192 steps, got 8193: the covariance matrix holds steps x steps "
        "numbers; cut shorter windows",
    ),
    "nan": (
        npy_with((2, 3, 1), np.nan),
        "need finite numbers, got nan at sequence 2, step 3, feature 1 (counted from "
        "0); fill or remove it",
    ),
    "inf": (
        npy_with((0, 8, 0), -np.inf),
        "need finite numbers, got -inf at sequence 0, step 8, feature 0 (counted from "
        "0); fill or remove it",
    ),
    "constant": (
        npy_with((slice(None), slice(None), 1), 2.5),
        "need columns that vary, got 'feature 1' constant at 2.5; remove it",
    ),
    "complex": (
        np.zeros((2, 9), complex),
        "need real numbers, got dtype complex128; use array.astype(float)",
    ),
    "text": (
        np.full((2, 9), "a"),
        "need real numbers, got dtype <U1; use array.astype(float)",
    ),
    "objects": (
        np.array([[None] * 9] * 2),
        "need a whole .npy file of plain numbers, got series.npy, which holds Python "
        "objects, is cut short, or is not .npy; write it with np.save(path, "
        "array.astype(float))",
    ),
}


@pytest.mark.parametrize("case", REFUSED_ARRAYS)
def test_npy_is_refused_with_what_to_do(tmp_path, case):
    values, message = REFUSED_ARRAYS[case]
    np.save(tmp_path / "series.npy", values)
    with pytest.raises(ValueError, match=re.escape(message)):
        load_series(tmp_path / "series.npy")


@pytest.mark.parametrize("content", [b"\x80\x04N.", b"PK\x03\x04zip", b"1,2\n" * 40])
def test_a_file_that_is_no_npy_is_refused(tmp_path, content):
    (tmp_path / "series.npy").write_bytes(content)
    message = REFUSED_ARRAYS["objects"][1]
    with pytest.raises(ValueError, match=re.escape(message)):
        load_series(tmp_path / "series.npy")


def test_a_npy_cut_short_is_refused(tmp_path):
    path = tmp_path / "series.npy"
    np.save(path, np.zeros((4, 9)))
    path.write_bytes(path.read_bytes()[:-8])
    message = REFUSED_ARRAYS["objects"][1]
    with pytest.raises(ValueError, match=re.escape(message)):
        load_series(path)


ROWS = [f"2020-01-{day:02d},{day % 7},{day % 5}" for day in range(1, 41)]
TABLE = ["date,x,y", *ROWS]


def replaced(row, text):
    """The table with one line (counted from 1, the header) replaced."""
    return "\n".join([*TABLE[: row - 1], text, *TABLE[row:]])


REFUSED_TEXTS = {
    "non-numeric": (
        replaced(18, "2020-01-17,3,oops"),
        "need a number, got 'oops' in row 18, column 'y'; fill or remove it",
    ),
    "empty cell": (
        replaced(2, "2020-01-01,,4"),
        "need a number, got '' in row 2, column 'x'; fill or remove it",
    ),
    "blank lines count as rows": (
        replaced(5, "\n\n2020-01-04,3,oops"),
        "need a number, got 'oops' in row 7, column 'y'; fill or remove it",
    ),
    "number among dates": (
        replaced(4, "2020,3,3"),
        "need a number, got '2020-01-01' in row 2, column 'date'; fill or remove it",
    ),
    "short row": (
        replaced(9, "2020-01-08,1"),
        "need 3 cells in every row, got 2 in row 9; complete or remove it",
    ),
    "long row": (
        replaced(41, "2020-01-40,1,2,3"),
        "need 3 cells in every row, got 4 in row 41; complete or remove it",
    ),
    "nan": (
        replaced(12, "2020-01-11,nan,2"),
        "need finite numbers, got nan in row 12, column 'x'; fill or remove it",
    ),
    "inf in the remainder": (
        replaced(41, "2020-01-40,1,-inf"),
        "need finite numbers, got -inf in row 41, column 'y'; fill or remove it",
    ),
    "constant": (
        "\n".join(["x,y", *(f"{day},3" for day in range(40))]),
        "need columns that vary, got 'y' constant at 3; remove it",
    ),
    "short for the window": (
        "\n".join(TABLE[:31]),
        "need at least 2 windows of 16 steps, got 30 rows; use --window 15 or less",
    ),
    "short for any window": (
        "\n".join(TABLE[:16]),
        "need at least 16 rows (2 windows of 8 steps), got 15; give a longer series",
    ),
    "header only": (
        "date,x,y\n",
        "need at least 16 rows (2 windows of 8 steps), got 0; give a longer series",
    ),
    "dates only": (
        "\n".join(["date", *(f"2020-01-{day}" for day in range(1, 20))]),
        "need a number, got '2020-01-1' in row 2, column 'date'; fill or remove it",
    ),
    "empty": ("", "need a series, got the empty file series.csv"),
    "blank": ("\n\r\n", "need a series, got the empty file series.csv"),
}


@pytest.mark.parametrize("case", REFUSED_TEXTS)
def test_csv_is_refused_with_what_to_do(tmp_path, case):
    text, message = REFUSED_TEXTS[case]
    path = tmp_path / "series.csv"
    path.write_text(text)
    window = 8 if case in ("constant", "dates only") else 16
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        load_series(path, window=window)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            "température,1\n".encode("latin-1") * 20,
            "'utf-8' codec can't decode byte 0xe9 in position 4: invalid continuation "
            "byte",
        ),
        (b"1" * 200_000, "field larger than field limit (131072)"),
    ],
)
def test_csv_must_be_text(tmp_path, content, reason):
    path = tmp_path / "series.csv"
    path.write_bytes(content)
    message = (
        "need comma-separated text in UTF-8, got series.csv, which is not: "
        f"{reason}; save it as CSV UTF-8"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        load_series(path)


def test_missing_file_is_refused(tmp_path):
    path = tmp_path / "nowhere.csv"
    message = f"need a .npy or .csv file, found none at {path}; check the path"
    with pytest.raises(FileNotFoundError, match=re.escape(message)):
        load_series(path)
    with pytest.raises(FileNotFoundError, match="found none at"):
        load_series(tmp_path)


def test_empty_npy_is_refused(tmp_path):
    (tmp_path / "series.npy").touch()
    message = "need a series, got the empty file series.npy"
    with pytest.raises(ValueError, match=re.escape(message)):
        load_series(tmp_path / "series.npy")


def test_unknown_extension_is_refused(tmp_path):
    (tmp_path / "series.parquet").touch()
    message = "need a .npy or .csv file, got series.parquet; convert it or rename it"
    with pytest.raises(ValueError, match=re.escape(message)):
        load_series(tmp_path / "series.parquet")


def test_tiny_window_is_refused(tmp_path):
    message = "need a window of at least 8 steps, got 7; use --window 8 or more"
    with pytest.raises(ValueError, match=re.escape(message)):
        load_series(tmp_path / "series.csv", window=7)


def test_rows_survive_json():
    rows = audit_series(random_walk_series(), ((0.1, 0.3),))
    decoded = json.loads(json.dumps(rows_json(rows), allow_nan=False))
    assert [row["feature"] for row in decoded] == [row.feature for row in rows]
    assert decoded[0]["measured"] == rows[0].measured
    assert decoded[0]["windows"] == 7


def test_table_shows_every_row_and_says_how_to_read_it():
    series = random_walk_series()
    named = Series(series.values, ("T [°C]", "wind"), series.notes, series.block)
    rows = audit_series(named, ((0.1, 0.3), (0.5, 0.0)))
    console = Console(width=200, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(table(rows))
    console.file.close()
    text = console.export_text()
    assert text.count("sensitivity │") == 4
    assert "T [°C]" in text
    assert f"{rows[0].measured:.3g}" in text
    assert f"{rows[0].log_white:+.2f}" in text
    assert "T - lag pairs (the divisor)" in text
    assert "covariance (no assumption) equals measured to " in text
    assert len(READING) == 3


@pytest.mark.data
def test_electricity_transformer_series():
    root = os.environ.get("SIGPROP_DATA")
    if not root:
        pytest.skip("needs SIGPROP_DATA, the folder that holds ett/ETTh1.csv")
    path = Path(root) / "ett" / "ETTh1.csv"
    if not path.is_file():
        pytest.skip(f"needs {path}")
    series = load_series(path)
    assert series.values.shape == (34, 512, 7)
    assert series.names == ("HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL", "OT")
    assert "dropped the last 12 of 17420 rows: they fill no window" in series.notes
    for row in audit_series(series):
        assert row.covariance == pytest.approx(row.measured, rel=1e-10)
        assert row.low < row.measured < row.high
        slow = row.theta == 0
        if slow:  # hourly loads are positively correlated: white noise underestimates
            assert row.white < 0.5 * row.measured
