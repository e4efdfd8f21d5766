"""Printed tables of the papers, read from the CSV files beside the rows of each paper.

The first line of a file is ``# source``, perhaps with a colon and what the numbers are.
The second line is ``label`` and the columns.  Each later line is the label of a row and
its cells as printed, ``-`` where the paper prints nothing.
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
        columns: Of cells, without the labels.
        rows: The cells of each row by column, by the label of the row.
    """

    source: str
    columns: tuple[str, ...]
    rows: dict[str, dict[str, str]]

    def numbers(self) -> dict[str, tuple[float, ...]]:
        """The rows as numbers in the order of the columns; not-a-number for ``-``.

        Raises:
            ValueError: If a cell is no number.
        """
        return {
            label: tuple(
                math.nan if cell == NOTHING else self._read(float, label, column)
                for column, cell in row.items()
            )
            for label, row in self.rows.items()
        }

    def records(self, record: type[Record]) -> dict[str, Record]:
        """The rows as named tuples whose fields are columns, each of its field's type.

        Raises:
            ValueError: If a cell is not of the type of its field.
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
        paper: Its key, e.g. ``blur``.
        number: The number of the table, e.g. ``13`` or ``5A``.
        columns: The columns that the table must have, in their order.

    Raises:
        ValueError: If the source is missing; if the columns are not these; if a row has
            too few cells, too many, or an empty one; or if two rows have the same label.
    """
    name = f"table{number}.csv"
    path = files(f"sigprop.theory.papers.{paper}").joinpath(name)
    return parse(path.read_text("utf-8"), f"{paper}/{name}", tuple(columns))


def parse(text: str, name: str, columns: tuple[str, ...]) -> Table:
    """The table in the text of a file; ``name`` is for messages, errors as of ``read``."""
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
