"""``sigprop train forecast``: what it prints and leaves behind, and what it refuses."""

import dataclasses

import numpy as np
import pytest
import xarray as xr

from sigprop.cli import forecast as cli_forecast
from sigprop.tasks.forecasts import Forecasts
from tests.command import refused, sigprop
from tests.sigprop.training.test_forecasting import series


@pytest.fixture
def table(tmp_path):
    """A .csv of 300 hours."""
    waves, path = series(), tmp_path / "waves.csv"
    rows = zip(waves.times, waves.values, strict=True)
    lines = [
        f"{str(time).replace('T', ' ')},{sine},{two}" for time, (sine, two) in rows
    ]
    path.write_text("\n".join(["date,sine,cosine", *lines]) + "\n")
    return path


def test_it_trains_prints_the_controls_beside_and_goes_on(table, tmp_path):
    arguments = ("train", "forecast", "--data", table, "--model", "lru", "--horizon", 6)
    arguments += (
        "--length",
        26,
        "--steps",
        20,
        "--seeds",
        2,
        "--out",
        tmp_path / "runs",
    )
    result = sigprop(*arguments)
    assert result.exit_code == 0, result.output
    for text in ("last value", "season", "climatology", "linear", "cosine", "±"):
        assert text in result.output, text
    folder = tmp_path / "runs" / "forecast-waves-26-6-lru-quick"
    assert (folder / "forecasts.png").is_file()
    forecasts = xr.load_dataset(folder / "seed-1" / "forecasts.nc")
    assert forecasts["forecast"].dims == ("window", "step", "feature")
    mean = float(forecasts["mse"].sel(forecaster="linear").mean())
    (line,) = (row for row in result.output.splitlines() if row.startswith("linear"))
    assert f"{mean:.4f}" in line
    assert "1.000" in line
    repeated = sigprop(*arguments, "--no-figures")
    rows = [row for row in result.output.splitlines() if row.startswith("lru")]
    assert rows == [
        row for row in repeated.output.splitlines() if row.startswith("lru")
    ]


def test_a_control_that_is_impossible_is_a_dash(table, tmp_path):
    arguments = ("train", "forecast", "--data", table, "--horizon", 3, "--univariate")
    result = sigprop(
        *(*arguments, "sine", "--steps", 20, "--calendar", "--head", "steps"),
        *("--no-figures", "--out", tmp_path / "runs"),
    )
    assert result.exit_code == 0, result.output
    (line,) = (row for row in result.output.splitlines() if row.startswith("season"))
    assert line.split() == ["season", "-", "-"]
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name == "forecast-waves-sine-3-3-lru-steps-calendar-quick"


def spoilt(path, change):
    lines = path.read_text().splitlines()
    path.write_text("\n".join(change(lines)) + "\n")


@pytest.mark.parametrize(
    ("options", "change", "says"),
    [
        (("--horizon", 0), None, "need horizon >= 1, got horizon=0"),
        (("--horizon", 24, "--length", 300), None, "need 324 rows of train for one window"),
        (("--univariate", "OT"), None, "got 'OT'"),
        (("--model", "mamba"), None, "need a model in blur"),
        (("--head", "both"), None, "need a kind of head in direct, steps"),
        (("--centre", "first"), None, "need a centre in last, mean, none"),
        ((), lambda rows: rows[:9] + rows[10:], "1 row missing, in row 10"),
        ((), lambda rows: [*rows[:9], rows[8], *rows[9:]], "twice, in row 10"),
        ((), lambda rows: [*rows[:9], rows[10], rows[9], *rows[11:]], "in row 11; sort"),
        ((), lambda rows: [rows[0], *rows[:0:-1]], "sort the rows by time"),
        ((), lambda rows: rows[:30], "rows of train for one window and what follows it, got"),
        ((), lambda rows: [rows[0]] + [f"{r.rsplit(',', 1)[0]},4" for r in rows[1:]],
         "'cosine' constant at 4"),
        ((), lambda rows: [*rows[:5], rows[5] + "x", *rows[6:]], "row 6"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_nothing_is_written(
    table, tmp_path, options, change, says
):
    if change:
        spoilt(table, change)
    out = tmp_path / "runs"
    line = refused("train", "forecast", "--data", table, "--out", out, *options)
    assert says in line
    assert not out.exists()


def test_options_of_a_forecast_are_refused_elsewhere():
    line = refused("train", "digits", "--horizon", 3, "--calendar")
    assert "need the task forecast for --horizon, --calendar, got 'digits'" in line


def test_a_table_that_is_not_there_is_refused(tmp_path):
    where = tmp_path / "none.csv"
    line = refused("train", "forecast", "--data", where, "--out", tmp_path / "runs")
    assert "none.csv" in line
    assert not (tmp_path / "runs").exists()


def test_a_column_of_numbers_shows_what_is_not_a_number():
    shown = cli_forecast._by("step", [1, 2], {"lru": np.array([0.25, np.nan])})
    assert [*shown.columns[1].cells] == ["0.25", "-"]


def test_what_the_paper_prints_stands_beside_its_own_protocol_alone():
    def task(name, length, horizon, univariate=None):
        table = dataclasses.replace(series(900), name=name)
        return Forecasts(table, length, horizon, univariate)

    scores = cli_forecast.printed(task("WTH.csv", 24, 24))
    assert scores["BLUR"] == (0.075, 0.186)
    assert scores["LRU"] == (0.225, 0.238)
    for other in (
        task("mine.csv", 24, 24),
        task("WTH.csv", 25, 24),
        task("WTH.csv", 25, 25),
        task("WTH.csv", 24, 24, "sine"),
    ):
        assert cli_forecast.printed(other) == {}
    assert "BRNN" in cli_forecast.printed(hourly())
    assert cli_forecast.printed(hourly())["BLSTM"] == (0.622, 0.518)


def hourly():
    """As long as the parts of ETTh1 need it to be."""
    return Forecasts(dataclasses.replace(series(14_400), name="ETTh1.csv"), 24, 24)
