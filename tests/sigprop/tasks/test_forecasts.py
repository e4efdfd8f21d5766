"""Windows of a table, their errors, and forecasts without a network; leaks are caught."""

import dataclasses
import re

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from sigprop.tasks.baselines import NAIVE, least_squares
from sigprop.tasks.forecasts import PARTS, Forecasts, Rows, calendar, errors, splits
from sigprop.tasks.tables import Step, Table, load_table


def _table(rows: int = 400, features: int = 3, seed: int = 0, name="mine") -> Table:
    draw = np.random.default_rng(seed)
    walk = np.cumsum(draw.normal(size=(rows, features)), 0)
    daily = 5 * np.sin(2 * np.pi * np.arange(rows) / 24)[:, None]
    times = np.datetime64("2020-02-28T00:00:00") + 3600 * np.arange(rows)
    names = tuple(f"load {k}" for k in range(features))
    return Table(name, times, 3 * walk + daily + 7, names, Step(3600))


def _rows(validation: int, end: int) -> dict:
    parts = [Rows(0, 300), Rows(validation, 350), Rows(350, end)]
    return dict(zip(PARTS, parts, strict=True))


def test_windows_are_the_rows_of_the_table_and_targets_follow_them():
    task = Forecasts(_table(), 24, 5)
    rows = task.scaled()
    for part, start in (("train", 0), ("validation", 280 - 24), ("test", 320 - 24)):
        windows = task.windows(part)
        assert len(windows.inputs) == task.count(part)
        for k in (0, 3, task.count(part) - 1):
            first = start + k
            np.testing.assert_array_equal(windows.inputs[k], rows[first : first + 24])
            np.testing.assert_array_equal(
                windows.targets[k], rows[first + 24 : first + 29]
            )
    assert task.count("train") == 280 - 24 - 5 + 1
    assert task.count("test") == 80 - 5 + 1


def test_scale_is_that_of_the_training_rows_alone():
    task = Forecasts(_table(), 24, 5)
    scaled = task.scaled()[:280]
    np.testing.assert_allclose(scaled.mean(0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(0), 1, atol=1e-12)
    back = task.windows("test").targets * task.scale + task.mean
    np.testing.assert_allclose(back[-1], _table().values[-5:])


@pytest.mark.parametrize("seed", [0, 5])
def test_what_comes_later_changes_nothing_that_was_learnt_or_chosen_before(seed):
    """A scale from all rows, or a window that reaches into the test, fails here."""
    table = _table(seed=seed)
    values = table.values.copy()
    values[320:] += 1000 * np.random.default_rng(seed).normal(size=(80, 3))
    before = Forecasts(table, 24, 5)
    after = Forecasts(dataclasses.replace(table, values=values), 24, 5)
    np.testing.assert_array_equal(before.mean, after.mean)
    np.testing.assert_array_equal(before.scale, after.scale)
    for part in ("train", "validation"):
        for first, other in zip(before.windows(part), after.windows(part), strict=True):
            np.testing.assert_array_equal(first, other)
    first, other = least_squares(before), least_squares(after)
    np.testing.assert_array_equal(first.weights, other.weights)
    assert not np.array_equal(before.windows("test")[1], after.windows("test")[1])


@pytest.mark.parametrize("name", NAIVE)
def test_a_naive_forecast_sees_its_window_alone(name):
    task = Forecasts(_table(), 24, 30)
    windows = task.windows("test")
    blind = windows._replace(targets=np.full_like(windows.targets, np.nan))
    forecast = NAIVE[name](task, blind)
    assert forecast.shape == windows.targets.shape
    assert np.isfinite(forecast).all()


def test_naive_forecasts_repeat_what_they_say():
    task = Forecasts(_table(800), 30, 50)
    windows = task.windows("test")
    inputs = windows.inputs
    daily = NAIVE["season"](task, windows)
    np.testing.assert_array_equal(daily[:, 0], inputs[:, 6])
    np.testing.assert_array_equal(daily[:, 23], inputs[:, 29])
    np.testing.assert_array_equal(daily[:, 24:48], daily[:, :24])
    np.testing.assert_array_equal(
        NAIVE["last value"](task, windows)[:, 49], inputs[:, 29]
    )
    assert not NAIVE["climatology"](task, windows).any()
    with pytest.raises(ValueError, match="a season of 24 rows, got 23"):
        NAIVE["season"](Forecasts(_table(), 23, 5), windows)


@pytest.mark.parametrize(("seed", "features"), [(0, 1), (0, 3), (7, 3)])
def test_the_linear_model_is_that_of_an_independent_solution(seed, features):
    task = Forecasts(_table(seed=seed, features=features), 30, 7)
    inputs, targets, _ = task.windows("train")
    stacked = [
        np.moveaxis(array, 1, 2).reshape(-1, array.shape[1])
        for array in (inputs, targets)
    ]
    other = LinearRegression().fit(*stacked)
    mine = least_squares(task)
    np.testing.assert_allclose(mine.weights, other.coef_.T, atol=1e-6)
    np.testing.assert_allclose(mine.bias, other.intercept_, atol=1e-6)
    shown = task.windows("test").inputs
    forecast = other.predict(np.moveaxis(shown, 1, 2).reshape(-1, 30))
    np.testing.assert_allclose(
        np.moveaxis(mine(shown), 1, 2).reshape(-1, 7), forecast, atol=1e-6
    )


def test_errors_are_means_over_windows_and_keep_units():
    task = Forecasts(_table(), 24, 5)
    truth = task.windows("test").targets
    off = truth + np.array([1.0, -2.0, 0.5])
    result = errors(off, truth)
    np.testing.assert_allclose(result.squared, np.tile([1, 4, 0.25], (5, 1)))
    assert result.mse == pytest.approx(5.25 / 3)
    assert result.mae == pytest.approx(3.5 / 3)
    own = result.in_units(task.scale)
    np.testing.assert_allclose(own.absolute[0], task.scale * [1, 2, 0.5])
    np.testing.assert_allclose(own.squared[0], (task.scale * [1, 2, 0.5]) ** 2)


def test_the_calendar_says_when():
    marks = calendar(_table())
    # Friday, 28 February 2020, and the 29th at 23 hours
    np.testing.assert_allclose(
        marks[0], [-0.5, 4 / 6 - 0.5, 27 / 30 - 0.5, 58 / 365 - 0.5]
    )
    np.testing.assert_allclose(
        marks[47], [0.5, 5 / 6 - 0.5, 28 / 30 - 0.5, 59 / 365 - 0.5]
    )
    times = np.datetime64("2020-02-28T23:30:00") + 900 * np.arange(400)
    quarters = dataclasses.replace(_table(), step=Step(900), times=times)
    # From half past eleven: minutes of an hour, from -1/2 at none to 1/2 at 59.
    columns = calendar(quarters)
    assert columns.shape == (400, 5)
    np.testing.assert_allclose(columns[:4, 0], np.array([30, 45, 0, 15]) / 59 - 0.5)
    np.testing.assert_allclose(columns[:3, 1], [0.5, 0.5, -0.5])
    np.testing.assert_allclose(columns[1:3, 3], np.array([27, 28]) / 30 - 0.5)
    hours = dataclasses.replace(_table(), step=Step(3600))
    assert calendar(hours).shape == (400, 4)
    days = dataclasses.replace(_table(), step=Step(0, 1))
    assert calendar(days).shape == (400, 4)
    task = Forecasts(_table(), 24, 5, calendar=True)
    np.testing.assert_array_equal(task.windows("test").calendar[0], marks[296:325])
    assert Forecasts(_table(), 24, 5).windows("test").calendar.shape == (76, 29, 0)


def test_one_feature_is_seen_and_forecast_alone():
    task = Forecasts(_table(), 24, 5, univariate="load 1")
    several = Forecasts(_table(), 24, 5).windows("test").inputs
    np.testing.assert_array_equal(task.windows("test").inputs[..., 0], several[..., 1])


def test_customary_rows_of_each_part():
    hourly = splits(_table(rows=17_420, features=1, name="ETTh2.csv"))
    assert [hourly[part] for part in PARTS] == [
        (0, 8640),
        (8640, 11520),
        (11520, 14400),
    ]
    quarters = splits(_table(rows=69_680, features=1, name="ETTm1"))
    assert quarters["test"] == (46_080, 57_600)
    weather = splits(_table(rows=35_064, features=1, name="WTH.csv"))
    lengths = [weather[part].stop - weather[part].start for part in PARTS]
    assert lengths == [24_544, 3_508, 7_012]


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"horizon": 0}, "need horizon >= 1, got horizon=0"),
        ({"length": -1}, "need length >= 1, got length=-1"),
        ({"horizon": 41}, "41 rows of validation for one forecast, got 40 of the table's 400"),
        ({"length": 300}, "305 rows of train for one window and what follows it, got"),
        ({"univariate": "OT"}, "load 0, load 1, load 2, got 'OT'"),
        ({"rows": _rows(290, 400)},
         "rows of validation within 300 ... 400"),
        ({"rows": _rows(300, 401)},
         "rows of test within 350 ... 400"),
    ],
)  # fmt: skip
def test_what_cannot_be_forecast_is_refused_in_one_line(how, says):
    with pytest.raises(ValueError, match=re.escape(says)) as refused:
        Forecasts(**{"table": _table(), "length": 24, "horizon": 5} | how)
    assert "\n" not in str(refused.value)


def test_a_feature_that_starts_to_vary_after_the_training_is_refused():
    values = _table().values.copy()
    values[:280, 1] = 4
    table = dataclasses.replace(_table(), values=values)
    with pytest.raises(ValueError, match="'load 1' constant there"):
        Forecasts(table, 24, 5)


def test_fewer_windows_than_rows_in_one_have_no_least_squares():
    with pytest.raises(ValueError, match="more than 150 windows"):
        least_squares(Forecasts(_table(features=1), 150, 5))


# Mean squared and absolute errors on the test rows, in scaled units, as measured on the
# published files by code that shares nothing with this one.
PUBLISHED = {
    (None, 24): {"last value": (1.222, 0.671), "season": (0.424, 0.389)},
    (None, 48): {"last value": (1.267, 0.695), "season": (0.465, 0.407)},
    (None, 168): {"last value": (1.325, 0.730), "season": (0.571, 0.462)},
    (None, 336): {"last value": (1.330, 0.746), "season": (0.650, 0.501)},
    (None, 720): {"last value": (1.335, 0.755), "season": (0.655, 0.514)},
    ("OT", 24): {"last value": (0.034, 0.139)},
    ("OT", 720): {"last value": (0.129, 0.283)},
}


@pytest.mark.data("ett")
@pytest.mark.parametrize(("feature", "horizon"), PUBLISHED)
def test_naive_errors_on_etth1_are_the_published_ones(feature, horizon):
    task = Forecasts(load_table("ETTh1"), horizon, horizon, feature)
    windows = task.windows("test")
    for name, (mse, mae) in PUBLISHED[feature, horizon].items():
        result = errors(NAIVE[name](task, windows), windows.targets)
        assert (round(result.mse, 3), round(result.mae, 3)) == (mse, mae), name


@pytest.mark.data("ett")
def test_the_linear_model_beats_every_naive_forecast_of_etth1():
    task = Forecasts(load_table("ETTh1"), 24, 24)
    windows = task.windows("test")
    linear = errors(least_squares(task)(windows.inputs), windows.targets)
    for forecast in NAIVE.values():
        assert linear.mse < errors(forecast(task, windows), windows.targets).mse
