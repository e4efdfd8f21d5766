"""Printed tables are read whole, and a file that is not as its paper says is refused."""

import math
import re
from pathlib import Path
from typing import NamedTuple

import pytest

import sigprop.theory.papers
from sigprop.theory.papers.blur import printed as blur
from sigprop.theory.papers.lru import printed as lru
from sigprop.theory.papers.rotrnn import printed as rotrnn
from sigprop.theory.tables import parse, read

TEXT = """# A paper, Table 3, Section 2: accuracies in per cent
label,first,second task
LRU,89.0,-
"a, b",7,0.5
"""
COLUMNS = ("first", "second task")


class Pair(NamedTuple):
    score: int
    ratio: float


def test_a_table_has_its_source_and_cells_as_printed():
    table = parse(TEXT, "a.csv", COLUMNS)
    assert table.source == "A paper, Table 3, Section 2"
    assert table.columns == COLUMNS
    assert table.rows["LRU"] == {"first": "89.0", "second task": "-"}
    assert table.rows["a, b"] == {"first": "7", "second task": "0.5"}


def test_cells_are_numbers_or_nothing():
    columns = parse(TEXT, "a.csv", COLUMNS).numbers()
    assert columns["LRU"][0] == 89.0
    assert math.isnan(columns["LRU"][1])
    assert columns["a, b"] == (7.0, 0.5)


def test_a_record_has_the_types_of_its_fields():
    text = "# A paper, Table 4\nlabel,score,ratio\nLRU,89,2\n"
    records = parse(text, "a.csv", Pair._fields).records(Pair)
    assert records == {"LRU": Pair(89, 2.0)}
    assert [type(value) for value in records["LRU"]] == [int, float]


def test_a_cell_that_is_no_number_is_refused():
    table = parse(TEXT.replace("0.5", "O.5"), "a.csv", COLUMNS)
    message = (
        "A paper, Table 3, Section 2: need float in the row 'a, b' and the column "
        "'second task', got 'O.5'"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        table.numbers()
    table = parse("# A paper\nlabel,score,ratio\nLRU,8.5,2\n", "a.csv", Pair._fields)
    with pytest.raises(ValueError, match=r"need int in the row 'LRU' .* got '8\.5'"):
        table.records(Pair)


NEED = "a.csv: need these columns in this order: label, first, second task; "
FILES = {
    "no source": ("# A paper, Table 3, Section 2: ", "", "a.csv: need '# source' in"),
    "no name of a source": (
        "# A paper, Table 3, Section 2",
        "# ",
        "a.csv: need '# sou",
    ),
    "an unknown column": (
        "task",
        "tusk",
        f"{NEED}missing: second task; unknown: second t",
    ),
    "a missing column": (
        ",second task",
        "",
        f"{NEED}missing: second task; unknown: none",
    ),
    "another order": (
        "label,first,second task",
        "label,second task,first",
        f"{NEED}missing: none; unknown: none",
    ),
    "a missing cell": (
        ",0.5",
        "",
        "a.csv: need 3 cells in each row, '-' where nothing",
    ),
    "an empty cell": ("89.0", "", "a.csv: need 3 cells in each row, '-' where nothing"),
    "a cell too many": ("0.5", "0.5,6", "a.csv: need 3 cells in each row, '-' where n"),
    "an empty label": ("LRU", "", "a.csv: need 3 cells in each row, '-' where nothing"),
    "an empty line": (
        "LRU",
        "\nLRU",
        "a.csv: need 3 cells in each row, '-' where nothi",
    ),
    "a label twice": ('"a, b"', "LRU", "a.csv: need one row for each label, got 'LRU'"),
    "nothing": (TEXT, "", "a.csv: need '# source' in the first line, got ''"),
}


@pytest.mark.parametrize(("old", "new", "message"), FILES.values(), ids=FILES)
def test_a_file_that_is_not_as_it_should_be_is_refused(old, new, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        parse(TEXT.replace(old, new), "a.csv", COLUMNS)


def test_a_file_of_a_paper_is_read_by_its_number():
    table = read("blur", "13", ("MSE", "MAE"))
    assert table.source == "BLUR (2025), Table 13, Appendix A.8"
    assert table.rows["SST"] == {"MSE": "0.298", "MAE": "0.355"}
    with pytest.raises(ValueError, match=r"^blur/table13\.csv: need these columns"):
        read("blur", "13", ("MSE", "RMSE"))
    with pytest.raises(FileNotFoundError):
        read("blur", "99", ("MSE",))


def test_every_file_is_a_table_of_its_paper():
    names = {
        f"{path.parent.name}/{path.stem}"
        for path in Path(sigprop.theory.papers.__path__[0]).glob("*/*.csv")
    }
    assert names == {
        *(f"blur/table{number}" for number in (2, 7, 13, *blur.METHODS)),
        *(f"lru/table{number}" for number in (*lru.TABLES, 9)),
        *(f"rotrnn/table{number}" for number in (1, 2, 3)),
    }


def test_sources_name_the_number_of_the_table():
    for number, table in lru.TABLES.items():
        label = re.sub(r"(\d)([A-C])$", r"\1(\2)", number)
        assert f"Orvieto et al. (2023), Table {label}, " in table.source


def test_settings_are_in_their_units():
    assert rotrnn.TABLE_3["Speech Commands"].theta_max == math.pi / 10
    assert rotrnn.TABLE_3["Image"].theta_max == 2 * math.pi
    assert rotrnn.TABLE_3["Path-X"].steps == 250_000
    assert lru.TABLE_9["PathX"] == (6, 128, 256, 250_000, 32, 0.25, 0.05, 0.0)
