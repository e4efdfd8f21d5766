"""Reading a user's series: what is cut, dropped and scaled, and every refusal."""

import re

import numpy as np
import pytest

from sigprop.audit.series import load_series


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
    rows = values[:32]
    expected = (rows - rows.mean(axis=0)) / rows.std(axis=0)
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
    values = np.random.default_rng(0).integers(0, 50, (30, 20, 1)).astype(dtype)
    np.save(tmp_path / "series.npy", values)
    series = load_series(tmp_path / "series.npy", window=8)
    assert series.values.shape == (30, 20, 1)
    assert series.block == 3
    assert series.names == ("feature 0",)
    assert series.notes[0] == "each .npy row is one sequence; --window is not applied"
    assert series.values.mean() == pytest.approx(0, abs=1e-12)
    assert series.values.std() == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("features", [1, 7])
def test_a_matrix_is_one_series_with_a_row_for_each_step(tmp_path, features):
    values = np.random.default_rng(0).standard_normal((643, features))
    np.save(tmp_path / "series.npy", values)
    series = load_series(tmp_path / "series.npy", window=64)
    assert series.values.shape == (10, 64, features)
    windows = values[:640].reshape(10, 64, features)
    scaled = (windows - windows.mean((0, 1))) / windows.std((0, 1))
    np.testing.assert_allclose(series.values, scaled, atol=1e-12)
    end = "feature" if features == 1 else "features"
    assert series.notes[:2] == (
        f"a .npy array of shape (643, {features}) is one series of 643 steps and "
        f"{features} {end}; sequences have the shape (sequences, time, features)",
        "dropped the last 3 of 643 rows: they fill no window",
    )
    message = (
        "need at least 2 windows of 512 steps, got 643 rows: a .npy array of shape"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        load_series(tmp_path / "series.npy")
    values[5, features - 1] = np.nan
    np.save(tmp_path / "series.npy", values)
    with pytest.raises(ValueError, match=f"nan at step 5, feature {features - 1} "):
        load_series(tmp_path / "series.npy", window=64)


def test_huge_values_are_scaled_without_overflow(tmp_path):
    values = np.random.default_rng(0).standard_normal((4, 9, 2)) * 1e200
    np.save(tmp_path / "series.npy", values)
    series = load_series(tmp_path / "series.npy")
    np.testing.assert_allclose(series.values.std(axis=(0, 1)), 1, rtol=1e-12)


def npy_with(index, value):
    values = np.random.default_rng(0).standard_normal((4, 9, 2))
    values[index] = value
    return values


REFUSED_ARRAYS = {
    "rank one": (
        np.arange(20.0),
        "need an array of shape (time, features) or (sequences, time, features), got "
        "shape (20,); reshape it",
    ),
    "rank four": (
        np.zeros((2, 9, 1, 1)),
        "need an array of shape (time, features) or (sequences, time, features), got "
        "shape (2, 9, 1, 1); reshape it",
    ),
    "no features": (
        np.zeros((2, 9, 0)),
        "need an array of shape (time, features) or (sequences, time, features), got "
        "shape (2, 9, 0); reshape it",
    ),
    "one sequence": (
        np.zeros((1, 900, 1)),
        "need at least 2 sequences of 8 steps, got 1 of 900; a single long series has "
        "the shape (time, features)",
    ),
    "short": (
        np.zeros((5, 7, 1)),
        "need at least 2 sequences of 8 steps, got 5 of 7; a single long series has "
        "the shape (time, features)",
    ),
    "long": (
        np.zeros((2, 8193, 1), np.uint8),
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
    with pytest.raises(ValueError, match="need a regular file, got the folder"):
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
