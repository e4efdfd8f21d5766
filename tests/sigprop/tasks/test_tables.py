"""Tables of regular times: what is read, and what is refused with row and column."""

import datetime
import re
from pathlib import Path

import numpy as np
import pytest

from sigprop.tasks.tables import FILES, Step, carbon_dioxide, load_table, read_table

HOURS = [f"2020-02-28 {hour:02}:00:00,{hour},{hour**2}" for hour in range(24)]


def _written(folder: Path, rows: list[str], header: str = "date,load,OT") -> Path:
    path = folder / "mine.csv"
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def test_times_values_and_step_are_as_written(tmp_path):
    table = read_table(_written(tmp_path, HOURS))
    assert table.features == ("load", "OT")
    assert table.step == Step(3600)
    assert table.step.season == 24
    np.testing.assert_array_equal(table.values[:, 1], np.arange(24.0) ** 2)
    assert str(table.times[5]) == "2020-02-28T05:00:00"


@pytest.mark.parametrize(
    ("times", "step", "season"),
    [
        (["2020-01-31", "2020-02-01", "2020-02-02"], "1 day", 365),
        (["2020-01-01", "2020-02-01", "2020-03-01"], "1 month", 12),
        (["1/2/2010 0:00", "1/2/2010 0:15", "1/2/2010 0:30"], "15 minutes", 96),
        (["12/31/2010 23:00", "2011-01-01 00:00:00", "1/1/2011 1:00"], "1 hour", 24),
        (["2/3/2010", "3/3/2010", "4/3/2010"], "1 month", 12),
    ],
)
def test_each_notation_of_time_is_read_month_first(tmp_path, times, step, season):
    table = read_table(
        _written(tmp_path, [f"{t},{k % 2},{k}" for k, t in enumerate(times)])
    )
    assert str(table.step) == step
    assert table.step.season == season


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda rows: rows[:5] + rows[6:], "1 row missing, in row 7; fill"),
        (lambda rows: rows[:5] + rows[8:], "3 rows missing, in row 7; fill"),
        (lambda rows: [*rows[:5], rows[4], *rows[5:]], "twice, in row 7; remove"),
        (lambda rows: [rows[0], *rows], "twice, in row 3; remove"),
        (lambda rows: [*rows[:5], *rows[6:9], rows[8], *rows[9:]],
         "1 row missing, in row 7; fill"),
        (lambda rows: [*rows[:5], *rows[6:9], rows[5], *rows[9:]],
         "05:00:00 after 2020-02-28 08:00:00, in row 10; sort"),
        (lambda rows: [*rows[:5], rows[3], *rows[5:]], "in row 7; sort"),
        (lambda rows: rows[::-1], "in row 3; sort"),
        (
            lambda rows: [*rows[:9], rows[9].replace("09:00", "09:20"), *rows[10:]],
            "in row 11; give rows at one step",
        ),
        (lambda rows: [f"{row.split(',')[0]},1,{k}" for k, row in enumerate(rows)],
         "'load' constant at 1"),
        (lambda rows: [*rows[:3], rows[3].replace(",9", ",nine"), *rows[4:]],
         "'nine' in row 5, column 'OT'"),
        (lambda rows: [*rows[:3], rows[3].replace(",9", ","), *rows[4:]],
         "'' in row 5, column 'OT'"),
        (lambda rows: [*rows[:3], rows[3].replace("02-28", "02-30"), *rows[4:]],
         "'2020-02-30 03:00:00' in row 5, column 'date'"),
        (lambda rows: [*rows[:3], rows[3].replace("2020-02-28", "28/2/2020"), *rows[4:]],
         "'28/2/2020 03:00:00' in row 5"),
        (lambda rows: rows[:1], "at least 2 rows"),
    ],
)  # fmt: skip
def test_a_bad_table_is_refused_in_one_line_with_its_row(tmp_path, change, says):
    path = _written(tmp_path, change(HOURS))
    with pytest.raises(ValueError, match=re.escape(says)) as refused:
        read_table(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("header", ["date", "date,a,a", "date,,b"])
def test_features_need_names_of_their_own(tmp_path, header):
    cells = header.count(",")
    rows = [row.rsplit(",", 2 - cells)[0] for row in HOURS]
    with pytest.raises(ValueError, match="name of its own"):
        read_table(_written(tmp_path, rows, header))


def test_a_column_that_is_not_there_is_named(tmp_path):
    table = read_table(_written(tmp_path, HOURS))
    assert table.column("OT") == 1
    with pytest.raises(ValueError, match="load, OT, got 'WetBulb'"):
        table.column("WetBulb")


def test_carbon_dioxide_is_weekly_and_rises():
    table = carbon_dioxide()
    assert table.values.shape == (2284, 1)
    assert str(table.step) == "7 days"
    assert table.step.season == 52
    assert np.isfinite(table.values).all()
    years = table.values[:2236].reshape(-1, 52).mean(1)
    assert (np.diff(years) > 0).mean() > 0.9


def test_a_file_that_is_not_there_names_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGPROP_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"ett/ETTh1\.csv below the folder"):
        load_table("ETTh1")
    with pytest.raises(FileNotFoundError, match=r"ett/ETTh1\.csv below the folder"):
        load_table("ETTh1.csv")
    with pytest.raises(FileNotFoundError, match=r"found none at mine\.csv"):
        load_table("mine.csv")


def test_a_published_name_with_its_ending_is_the_file_here_or_that_of_the_folder(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIGPROP_DATA", str(tmp_path))
    (tmp_path / "ett").mkdir()
    _written(tmp_path, HOURS).rename(tmp_path / "ett" / "ETTh1.csv")
    for name in ("ETTh1", "ETTh1.csv"):
        assert len(load_table(name).values) == len(HOURS)
    _written(tmp_path, HOURS[:9]).rename(tmp_path / "ETTh1.csv")
    assert len(load_table("ETTh1").values) == len(HOURS)
    assert len(load_table("ETTh1.csv").values) == 9
    assert len(load_table(str(tmp_path / "ETTh1.csv")).values) == 9


@pytest.mark.data("ett", "weather")
@pytest.mark.parametrize(
    ("name", "rows", "last", "mean"),
    [("ETTh1", 17_420, "OT", 17.128262), ("WTH", 35_064, "WetBulbCelsius", None)],
)
def test_published_tables_are_whole(name, rows, last, mean):
    table = load_table(name)
    assert name in FILES
    assert len(table.values) == rows
    assert table.features[-1] == last
    assert table.step == Step(3600)
    if mean is not None:  # the published mean of the training rows
        np.testing.assert_allclose(table.values[:8640, -1].mean(), mean, atol=5e-7)


ZONES = ["{}", "{}Z", "{}z", "{}+00:00", "{}+0000", "{}+02:00", "{}-0330", "{}+02"]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("apart", [" ", "T"])
@pytest.mark.parametrize("form", ["%H:%M", "%H:%M:%S", "%H:%M:%S.000"])
def test_iso_times_are_read_with_any_offset(tmp_path, zone, apart, form):
    """By Python's own reader of ISO times, hour by hour."""
    start = datetime.datetime(2020, 2, 28, 22)
    moments = [start + datetime.timedelta(hours=hour) for hour in range(5)]
    cells = [
        zone.format(moment.strftime(f"%Y-%m-%d{apart}{form}")) for moment in moments
    ]
    path = tmp_path / "t.csv"
    path.write_text(
        "\n".join(["time,x", *(f"{c},{i % 2}" for i, c in enumerate(cells))])
    )
    table = read_table(path)
    aware = [datetime.datetime.fromisoformat(cell.upper()) for cell in cells]
    plain = [
        moment.astimezone(datetime.UTC).replace(tzinfo=None)
        if moment.tzinfo
        else moment
        for moment in aware
    ]
    assert table.times.tolist() == plain
    assert table.step.seconds == 3600


def test_offsets_that_change_keep_the_hours_apart(tmp_path):
    """As clocks go back: the offset changes, and the step does not."""
    path = tmp_path / "t.csv"
    cells = [
        "2020-10-25T01:00+02:00",
        "2020-10-25T02:00+02:00",
        "2020-10-25T02:00+01:00",
    ]
    path.write_text(
        "\n".join(["time,x", *(f"{c},{i % 2}" for i, c in enumerate(cells))])
    )
    assert read_table(path).step.seconds == 3600


@pytest.mark.parametrize("later", ["2020-01-02T00:00", "1/2/2020 0:00"])
def test_offsets_in_some_rows_alone_are_refused(tmp_path, later):
    path = tmp_path / "t.csv"
    path.write_text(f"time,x\n2020-01-01T00:00Z,1\n{later},2\n")
    with pytest.raises(ValueError, match=r"in all times or in none.*in row 3"):
        read_table(path)
