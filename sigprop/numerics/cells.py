"""Cells of a text table, read as numbers or refused.

The cells of a ``.csv`` are separated by ``,``, by ``;`` or by tabs.  If they are not
separated by ``,``, a ``,`` may be a decimal point.
"""

import csv
import re
from pathlib import Path

import numpy as np

from sigprop.numerics.text import plain_name

# What people and programs write for a number.  Python's float() takes more: 1_01 for 101,
# and digits of other alphabets.
NUMBER = re.compile(
    r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|nan|inf|infinity)", re.ASCII | re.IGNORECASE
)
COMMA = re.compile(r"[+-]?\d*,\d*(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
MARKS = {";": "`;`", "\t": "tabs"}  # separators other than the comma

Cells = list[list[str]]


def is_number(cell: str) -> bool:
    """True if a cell is a number, finite or not."""
    return NUMBER.fullmatch(cell.strip()) is not None


def read_cells(path: Path) -> tuple[list[int], Cells, list[str]]:
    """Read the rows of a table.

    Control characters in cells are escaped, so that names of columns can be printed.

    Returns:
        The line number of each row in the file, the cells of each row, and notes on how
        the file was read.

    Raises:
        ValueError: If the file is empty or no text, if rows differ in length, or if
            decimal commas are ambiguous.
    """
    mark = ","
    lines: list[int] = []
    cells: Cells = []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            first = next((line for line in file if line.strip()), "")
            mark = next((char for char in MARKS if _is_apart(first, char)), ",")
            file.seek(0)
            reader = csv.reader(file, delimiter=mark)
            for row in reader:
                if not row:
                    continue
                if cells and len(row) != len(cells[0]):
                    raise ValueError(
                        f"need {len(cells[0])} cells in every row, got {len(row)} in "
                        f"row {reader.line_num}; complete or remove it{_advice(row)}"
                    )
                lines.append(reader.line_num)
                cells.append([*map(plain_name, row)])
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(
            f"need comma-separated text in UTF-8, got {path.name}, which is "
            f"not: {error}; save it as CSV UTF-8"
        ) from error
    if not cells:
        raise ValueError(f"need a series, got the empty file {path.name}")
    notes = [] if mark == "," else [f"read cells kept apart by {MARKS[mark]}"]
    if mark != "," and _has_decimal_commas(lines, cells):
        notes.append("read `,` as the decimal comma")
        cells = [
            [cell.replace(",", ".") if _is_comma(cell) else cell for cell in row]
            for row in cells
        ]
    return lines, cells, notes


def _is_apart(line: str, mark: str) -> bool:
    return len(next(csv.reader([line], delimiter=mark), [])) > 1


def _advice(row: list[str]) -> str:
    """Advice for a row that is too long because of decimal commas, otherwise empty."""
    if not all(map(is_number, row)):
        return ""
    return ", or write numbers with a decimal point and no decimal comma"


def _is_comma(cell: str) -> bool:
    cell = cell.strip()
    return any(map(str.isdigit, cell)) and COMMA.fullmatch(cell) is not None


def _has_decimal_commas(lines: list[int], cells: Cells) -> bool:
    """True if numbers have decimal commas and none has a decimal point.

    Raises:
        ValueError: If some numbers have commas and others have points.
    """
    commas = [
        (line, cell)
        for line, row in zip(lines, cells, strict=True)
        for cell in row
        if _is_comma(cell)
    ]
    if not commas:
        return False
    points = (cell for row in cells for cell in row if "." in cell and is_number(cell))
    point = next(points, None)
    if point is not None:
        raise ValueError(
            f"need one sign for decimals, got the decimal comma of {commas[0][1]!r} in row "
            f"{commas[0][0]} and the point of {point!r}; write all with a decimal point"
        )
    return True


def to_numbers(lines: list[int], cells: Cells, names: tuple[str, ...]) -> np.ndarray:
    """Convert cells to finite numbers.

    Args:
        lines: Line number of each row in the file, for messages.
        cells: Rows of equal length.
        names: Names of the columns.

    Raises:
        ValueError: If a cell is no finite number.
    """
    for line, row in zip(lines, cells, strict=True):
        for name, cell in zip(names, row, strict=True):
            if not is_number(cell):
                comma = "; a decimal comma? write a decimal point" * _is_comma(cell)
                raise ValueError(
                    f"need a number, got {cell!r} in row {line}, column {name!r}; fill or "
                    f"remove it{comma}"
                )
    values = np.array(cells, dtype=np.float64)
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        row, column = map(int, wrong[0])
        raise ValueError(
            f"need finite numbers, got {values[row, column]} in row {lines[row]}, "
            f"column {names[column]!r}; fill or remove it"
        )
    return values
