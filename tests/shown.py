"""Reads back what a command shows: tables as rows of cells by the heads of their columns."""

import re

from rich.table import Table
from rich.text import Text


def columns(table: Table) -> list[dict[str, str]]:
    """The rows of a table that was built, each cell by the head of its column."""
    heads = [_plain(column.header) for column in table.columns]
    cells = [[_plain(cell) for cell in column.cells] for column in table.columns]
    return [dict(zip(heads, row, strict=True)) for row in zip(*cells, strict=True)]


def _plain(cell: object) -> str:
    return cell.plain if isinstance(cell, Text) else str(cell)


def printed(text: str, *heads: str) -> list[dict[str, str]]:
    """The rows of a table without lines, read from what was printed.

    A cell belongs to the column whose head it stands under.  A line ends the table where
    one of its cells stands under several heads.  What stands under
    none is in the column without a head.

    Args:
        text: All that was printed.
        heads: Of the columns, as they follow each other; those without a head left out.
    """
    lines = text.splitlines()
    (start,) = (
        i
        for i, line in enumerate(lines)
        if [cell for cell, *_ in _cells(line)] == [*heads]
    )
    spans = _cells(lines[start])
    rows = []
    for line in lines[start + 1 :]:
        row = {}
        for cell, begin, end in _cells(line):
            under = [
                head for head, left, right in spans if begin < right and left < end
            ]
            if len(under) > 1:
                return rows
            row[under[0] if under else ""] = cell
        if not row:
            break
        rows.append(row)
    return rows


def _cells(line: str) -> list[tuple[str, int, int]]:
    """The cells of a line and where each begins and ends; two blanks or more part them."""
    return [(match[0], *match.span()) for match in re.finditer(r"\S+(?: \S+)*", line)]
