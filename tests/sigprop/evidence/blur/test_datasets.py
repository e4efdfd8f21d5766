"""Rows of the public files, where the data are there."""

import csv
import datetime

import pytest


@pytest.mark.parametrize(
    ("rows", "stamp"),
    [
        pytest.param(
            *(17420, "%Y-%m-%d %H:%M:%S"),
            marks=pytest.mark.data("ett/ETTh1.csv"),
            id="ETTh1",
        ),
        pytest.param(
            *(35064, "%m/%d/%Y %H:%M"),
            marks=pytest.mark.data("weather/WTH.csv"),
            id="WTH",
        ),
    ],
)
def test_the_public_files_have_the_rows_that_their_calendar_gives(
    real_data, rows, stamp
):
    with real_data.open() as file:
        lines = list(csv.reader(file))[1:]
    first = datetime.datetime.strptime(lines[0][0], stamp)
    hours = datetime.timedelta(hours=rows - 1)
    assert len(lines) == rows
    assert datetime.datetime.strptime(lines[-1][0], stamp) == first + hours
