"""What is drawn of a table: our scores beside the nearest published ones."""

import math

import numpy as np
import pytest

from sigprop.cli import console as cli_console
from sigprop.cli import table as cli_table
from sigprop.experiments import columns, tables
from sigprop.experiments.charts import chart
from sigprop.experiments.published import TABLES
from tests.command import sigprop
from tests.experiments.test_tables import AGREEING, CONTRARY, gathered
from tests.experiments.test_tables import stored as stored  # a fixture

HELD = {"ladder_digits": "sCIFAR", "ladder_smnist": "sCIFAR"}


@pytest.fixture
def two(stored):
    """Two of the three sweeps beside the first table; one is of contrary order."""
    diverged = {**AGREEING, "tanh": (math.nan, math.nan)}
    stored("ladder_digits", gathered(CONTRARY))
    stored("ladder_smnist", gathered(diverged))
    return {"ladder_digits": CONTRARY, "ladder_smnist": diverged}


def test_scores_are_the_published_ones_and_those_of_the_runs(two):
    data = chart("lru-1")
    assert data["column"].values.tolist() == ["digits", "digits"]  # both are made up
    assert data["nearest"].values.tolist() == [*HELD.values()]
    published = TABLES["lru-1"]
    assert data["row"].values.tolist() == [row.label for row in published.rows]
    for number, (name, column) in enumerate(HELD.items()):
        ours = columns.accuracies(gathered(two[name]), column)
        for index, row in enumerate(published.rows):
            there = published.score(row.label, column)
            here = ours.scores[str(row.model)]
            cell = data.isel(column=number, row=index)
            np.testing.assert_equal(
                [
                    cell[part].item()
                    for part in ("theirs", "theirs_error", "ours", "ours_error")
                ],
                [there.mean, there.error, here.mean, here.error],
            )
    labels = data["row"].values
    pairs = {
        (number, *sorted((labels[first], labels[second])))
        for number, first, second in zip(
            *(data[part].values for part in ("of", "first", "second")), strict=True
        )
    }
    assert pairs >= {(0, "RNN-Lin", "RNN-ReLU"), (0, "RNN-Lin", "RNN-Tanh")}
    for number, name in enumerate(HELD):
        ours = columns.accuracies(gathered(two[name]), HELD[name])
        message = tables.contrary(published, ours)
        count = sum(pair[0] == number for pair in pairs)
        assert f"{count} of these have the opposite order" in message


def test_a_table_that_nothing_is_held_against_has_no_column(stored):
    assert chart("lru-4").sizes["column"] == 0
    with pytest.raises(ValueError, match="need a table in lru-1"):
        chart("lru-9")


@pytest.mark.usefixtures("two")
def test_the_command_ends_with_how_many_orders_are_contrary(tmp_path, monkeypatch):
    from sigprop.figures import style

    monkeypatch.setattr(style, "folder", lambda: tmp_path / "figures")
    lines = sigprop("table", "lru-1").stdout.splitlines()
    contrary = chart("lru-1").sizes["pair"]
    (summary,) = [line for line in lines if line.startswith("In total ")]
    assert f"in the paper; {contrary} have" in summary + lines[lines.index(summary) + 1]
    picture = tmp_path / "figures" / "table-lru-1-paper.png"
    assert lines[-2:] == [str(picture), str(picture.with_suffix(".md"))]
    assert picture.read_bytes().startswith(b"\x89PNG")
    picture.unlink()
    picture.with_suffix(".md").unlink()
    result = sigprop("table", "lru-1", "--preset", "paper", "--no-figures")
    assert "png" not in result.output
    assert sigprop("table", "lru-4").exit_code == 0  # nothing to hold against
    assert not list(picture.parent.iterdir())


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("width", [60, 80])
def test_a_narrow_screen_has_a_block_a_task_and_every_number_whole(width, monkeypatch):
    narrow = cli_console.PlainConsole(width=width, highlight=False, markup=False)
    monkeypatch.setattr(cli_table, "console", lambda: narrow)
    with narrow.capture() as capture:
        sigprop("table", "lru-1", "--no-figures")
    lines = [line.rstrip() for line in capture.get().splitlines()]
    assert max(map(len, lines)) <= width
    assert "…" not in "".join(lines)
    positions = {}
    for row in TABLES["lru-1"].rows:
        for column, score in zip(TABLES["lru-1"].columns, row.scores, strict=True):
            indices = [
                i
                for i, line in enumerate(lines)
                if line.split() == [row.label, score.text]
            ]
            head = max(i for i, line in enumerate(lines) if line == column)
            assert any(i > head for i in indices)
            positions[column] = head
    assert list(positions.values()) == sorted(positions.values())
    assert "ours: digits" in lines
