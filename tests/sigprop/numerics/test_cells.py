"""What counts as a number in a user's table, what as time, and which marks part cells."""

import re

import numpy as np
import pytest

from sigprop.audit.series import load_series
from sigprop.numerics.cells import is_number

ROWS = 20
NOISE = np.random.default_rng(3).standard_normal((ROWS, 2))


def written(tmp_path, text):
    path = tmp_path / "series.csv"
    path.write_text(text)
    return load_series(path, window=8)


def table(head, *columns, mark=","):
    lines = [mark.join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join([mark.join(head), *lines])


@pytest.mark.parametrize(
    "cell", ["1", " -2.5 ", "+.5", "3.", "1e-3", "1E+5", "nan", "-Inf", "infinity"]
)
def test_a_number_is_one(cell):
    assert is_number(cell)


@pytest.mark.parametrize(
    "cell", ["1_01", "١٢", "１２", "0x1f", "1,5", "1e", ".", "", "--1"]
)
def test_what_python_or_nobody_takes_for_a_number_is_none(cell):
    assert not is_number(cell)


def test_an_underscore_is_named_and_not_left_out(tmp_path):
    column = [*map(repr, map(float, NOISE[:, 0])), "1_01"]
    message = "need a number, got '1_01' in row 22, column 'x'; fill or remove it"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        written(tmp_path, table(["x"], column))


CLOCKS = {
    "counted": range(ROWS),
    "stamped": [1.6e9 + 3600 * k for k in range(ROWS)],
    "uneven": np.cumsum(np.abs(NOISE[:, 0])),
    "falling": -np.cumsum(np.abs(NOISE[:, 1])),
    "steps": [k // 4 for k in range(ROWS)],
    "hour": [(k + 5) % 24 for k in range(ROWS)],
}


@pytest.mark.parametrize("index", [0, 1, 2])
@pytest.mark.parametrize("clock", CLOCKS)
def test_a_numeric_time_is_dropped_wherever_it_stands_and_is_said(
    tmp_path, clock, index
):
    columns = [*NOISE.T]
    columns.insert(index, list(CLOCKS[clock]))
    names = ["a", "b"]
    names.insert(index, "time")
    series = written(tmp_path, table(names, *columns))
    assert series.names == ("a", "b")
    assert series.values.shape[2] == 2
    (note,) = [note for note in series.notes if "'time'" in note]
    assert note.startswith("dropped 'time': it only grows, only falls, or moves by one")


def test_measured_columns_are_no_time(tmp_path):
    walk = np.cumsum(NOISE[:, 0])
    coarse = np.round(NOISE[:, 1])
    series = written(tmp_path, table(["walk", "coarse"], walk, coarse))
    assert series.names == ("walk", "coarse")
    assert not any(
        "dropped 'w" in note or "dropped 'c" in note for note in series.notes
    )


def test_a_time_alone_is_refused(tmp_path):
    with pytest.raises(
        ValueError, match=r"need a series that fluctuates, got 'x' alone"
    ):
        written(tmp_path, table(["x"], range(ROWS)))


def test_an_array_of_numbers_has_its_time_dropped_too(tmp_path):
    values = np.random.default_rng(0).standard_normal((4, 9, 2))
    values[:, :, 0] = np.arange(9)
    np.save(tmp_path / "series.npy", values)
    series = load_series(tmp_path / "series.npy")
    assert series.names == ("feature 1",)
    assert any(note.startswith("dropped 'feature 0'") for note in series.notes)


PLAIN = [f"{x:.6f}" for x in NOISE[:, 0]]
WITH_COMMA = [x.replace(".", ",") for x in PLAIN]


@pytest.mark.parametrize("dates", [False, True])
@pytest.mark.parametrize(("mark", "mark_name"), [(";", "`;`"), ("\t", "tabs")])
@pytest.mark.parametrize("cells", [PLAIN, WITH_COMMA], ids=["point", "comma"])
def test_other_marks_and_decimal_commas_give_the_same_numbers(
    tmp_path, mark, mark_name, cells, dates
):
    names, columns = ["x", "y"], [cells, cells[::-1]]
    if dates:
        names, columns = ["when", *names], [["1.1.2020"] * ROWS, *columns]
    expected = written(tmp_path, table(["x", "y"], PLAIN, PLAIN[::-1]))
    parsed = written(tmp_path, table(names, *columns, mark=mark))
    assert parsed.names == expected.names
    np.testing.assert_array_equal(parsed.values, expected.values)
    assert f"read cells kept apart by {mark_name}" in parsed.notes
    noted = "read `,` as the decimal comma" in parsed.notes
    assert noted == (cells is WITH_COMMA)


def test_points_and_commas_together_are_refused(tmp_path):
    text = table(["x", "y"], PLAIN, WITH_COMMA, mark=";")
    with pytest.raises(
        ValueError, match=r"need one sign for decimals, got the decimal c"
    ):
        written(tmp_path, text)


def test_decimal_commas_between_commas_are_refused_with_that_word(tmp_path):
    with pytest.raises(
        ValueError, match=r"need 2 cells in every row, got 4.*decimal comma"
    ):
        written(tmp_path, table(["x", "y"], WITH_COMMA, WITH_COMMA))
    quoted = [f'"{x}"' for x in WITH_COMMA]
    with pytest.raises(ValueError, match=r"need a number, got '.*,.*decimal comma"):
        written(tmp_path, table(["x", "y"], quoted, quoted))


@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_an_array_that_claims_more_than_it_holds_is_refused_before_room_is_made(
    tmp_path, version, monkeypatch
):
    def read(*arguments, **more):
        raise AssertionError("room was made")

    path = tmp_path / "series.npy"
    with path.open("wb") as stream:
        np.lib.format.write_array(stream, np.ones((2, 9)), version=version)
    text = path.read_bytes()
    claim = text.replace(b"(2, 9), }" + b" " * 13, b"(2, 999999999999), }  ")
    assert len(claim) == len(text)
    path.write_bytes(claim)
    monkeypatch.setattr(np.lib.format, "read_array", read)
    with pytest.raises(ValueError, match=r"need a whole .npy file of plain numbers"):
        load_series(path)
