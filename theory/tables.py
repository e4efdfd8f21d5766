"""Printed tables of the papers, read from the CSV files beside the rows of each paper.

The first line of a file is ``# source``, optionally followed by a colon and a description.
The second line has ``label`` and the names of the columns.  Each later line has the label of a
row and its cells as printed, with ``-`` for an empty cell.
"""

import csv
import math
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple, TypeVar

NOTHING = "-"
Record = TypeVar("Record", bound=NamedTuple)


@dataclass(frozen=True)
class Table:
    """A table as printed.

    Attributes:
        source: Paper, number of the table, and section.
        columns: Names of the columns, without the labels.
        rows: Cells by the label of the row and the name of the column.
    """

    source: str
    columns: tuple[str, ...]
    rows: dict[str, dict[str, str]]

    def numbers(self) -> dict[str, tuple[float, ...]]:
        """Return the rows as numbers in the order of the columns, with NaN for ``-``.

        Raises:
            ValueError: If a cell is not a number.
        """
        return {
            label: tuple(
                math.nan if cell == NOTHING else self._read(float, label, column)
                for column, cell in row.items()
            )
            for label, row in self.rows.items()
        }

    def records(self, record: type[Record]) -> dict[str, Record]:
        """Return the rows as named tuples, whose fields are columns.

        Raises:
            ValueError: If a cell does not have the type of its field.
        """
        kinds = record.__annotations__
        return {
            label: record(**{c: self._read(kinds[c], label, c) for c in kinds})
            for label in self.rows
        }

    def _read(self, kind: type, label: str, column: str) -> float:
        cell = self.rows[label][column]
        try:
            return kind(cell)
        except ValueError:
            raise ValueError(
                f"{self.source}: need {kind.__name__} in the row {label!r} and the "
                f"column {column!r}, got {cell!r}"
            ) from None


def read(paper: str, number: str, columns: Iterable[str]) -> Table:
    """Read a table of a paper.

    Args:
        paper: Key of the paper, e.g. ``blur``.
        number: Number of the table, e.g. ``13`` or ``5A``.
        columns: Names of the columns that the table must have, in order.

    Raises:
        ValueError: If the source is missing or the columns are others. Also if a row has
            the wrong number of cells or an empty cell, or two rows have the same label.
    """
    name = f"table{number}.csv"
    path = files(f"sigprop.theory.papers.{paper}").joinpath(name)
    return parse(path.read_text("utf-8"), f"{paper}/{name}", tuple(columns))


def parse(text: str, name: str, columns: tuple[str, ...]) -> Table:
    """Return the table in the text of a file.

    Args:
        text: Content of the file.
        name: Name of the file in error messages.
        columns: Names of the columns that the table must have, in order.

    Raises:
        ValueError: If ``read`` would raise one for this file.
    """
    first, *lines = text.splitlines() or [""]
    source = first.removeprefix("# ").partition(": ")[0]
    if not first.startswith("# ") or not source:
        raise ValueError(f"{name}: need '# source' in the first line, got {first!r}")
    head, *body = [*csv.reader(lines)] or [[]]
    wanted = ["label", *columns]
    if head != wanted:
        missing = [column for column in wanted if column not in head]
        unknown = [column for column in head if column not in wanted]
        raise ValueError(
            f"{name}: need these columns in this order: {', '.join(wanted)}; missing: "
            f"{', '.join(missing) or 'none'}; unknown: {', '.join(unknown) or 'none'}"
        )
    rows: dict[str, dict[str, str]] = {}
    for cells in body:
        if len(cells) != len(wanted) or "" in cells:
            raise ValueError(
                f"{name}: need {len(wanted)} cells in each row, {NOTHING!r} where nothing "
                f"is printed, got {', '.join(cells)!r}"
            )
        label = cells[0]
        if label in rows:
            raise ValueError(
                f"{name}: need one row for each label, got {label!r} twice"
            )
        rows[label] = dict(zip(columns, cells[1:], strict=True))
    return Table(source, columns, rows)
