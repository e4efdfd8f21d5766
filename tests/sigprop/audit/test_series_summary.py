"""The table of a series and its sentence say what the rows do."""

import dataclasses
import math
import os

import pytest
from rich.console import Console

from sigprop.audit.series import Series
from sigprop.audit.series_moments import SeriesRow, audit_series
from sigprop.audit.series_summary import READING, conclusion, table
from tests.sigprop.audit.test_series_moments import random_walk_series


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
    assert "T - lag pairs of each lag" in text
    assert "The full covariance matrix predicts the measured values to " in text
    assert len(READING) == 3


ROW = SeriesRow(
    feature="x",
    quantity="state",
    gap=0.1,
    theta=0.0,
    measured=2.0,
    low=1.0,
    high=3.0,
    covariance=2.0,
    toeplitz=2.0,
    stationary=2.0,
    white=2.1,
    log_toeplitz=0.0,
    log_stationary=0.0,
    log_white=math.log(1.05),
    windows=9,
)
FAR = {"white": 1.0, "log_white": -0.9, "log_toeplitz": 0.3, "log_stationary": -0.1}


@pytest.mark.parametrize(
    ("changes", "phrase"),
    [
        ({}, "predicts 2 of 2 moments within 10 %."),
        (
            FAR,
            "predicts 1 of 2 moments within 10 %. The largest error elsewhere comes "
            "from ignoring correlation (1).",
        ),
        (
            FAR | {"log_toeplitz": 1.2},
            "elsewhere comes from assuming stationarity (1).",
        ),
        (FAR | {"log_stationary": 1.2}, "elsewhere comes from the infinite past (1)."),
        (
            FAR | {"log_white": math.nan},
            "elsewhere comes from assuming stationarity (1).",
        ),
        ({"white": math.nan}, "elsewhere comes from a missing prediction (1)."),
    ],
)
def test_the_conclusion_counts_moments_and_names_what_costs_most(changes, phrase):
    text = conclusion([ROW, dataclasses.replace(ROW, **changes)])
    assert text.startswith("White-noise theory predicts ")
    assert phrase in text
