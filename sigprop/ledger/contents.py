"""A paper's rows in the order in which the paper states them, section by section.

The position of a row is read from its locator.  A row whose locator names no equation
comes after the row that precedes it in ``sigprop.theory.papers``.
"""

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment

from sigprop.ledger.entries import Entry
from sigprop.theory.claims import PAPERS, leaves
from sigprop.theory.outlines import OUTLINES, Section

_PLACE = re.compile(
    r"(?:Section|Appendix|Sections|Appendices) ([A-Z](?:\.\d+)*|\d+(?:\.\d+)*)"
)
_FLOAT = re.compile(r"(Fig|Tab|Lemma)\w*\.? (\d+)")
_EQUATION = re.compile(r"(before )?(?:and after )?Eqs?\. (\d+)")
_KINDS = {"Fig": "figure", "Tab": "table", "Lemma": "lemma"}

Row = tuple[str, Entry]  # name of the row's page, and the verdict


@dataclass(frozen=True)
class Chapter:
    """A section with its rows.

    Attributes:
        anchor: Anchor on the page.
        title: Title for the reader.
        rows: Rows in the paper's order.
    """

    anchor: str
    title: str
    rows: tuple[Row, ...]

    def count(self, *statuses: str) -> int:
        """Return the number of its rows that have one of some statuses."""
        return sum(claim.status in statuses for _, claim in self.rows)


def page_of(paper: str) -> str:
    """The page of a paper."""
    return f"paper-{paper}.html"


def documents(env: Environment, variables: Mapping[str, Any]) -> dict[str, str]:
    """The contents of every paper, by file name.

    Args:
        env: Jinja environment with the templates.
        variables: Variables of every template, and ``chapters`` by paper.
    """
    page = env.get_template("site_paper.html.j2")
    return {
        page_of(paper): page.render(variables, paper=paper, parts=parts)
        for paper, parts in variables["chapters"].items()
    }


def locator(claim: Entry) -> str:
    """Return the place of a row in its paper, such as ``Eq. 5, Section 3.1``."""
    return claim.source.partition(", ")[2] or claim.source


def chapters(paper: str, rows: Iterable[Row]) -> tuple[Chapter, ...]:
    """The sections of a paper that have rows.

    For a paper whose sections are not known, the sections are those of the locators.

    Args:
        paper: Key of the paper.
        rows: All rows to place.
    """
    stated = _stated(paper)
    ordered = sorted(rows, key=lambda row: stated.get(row[1].id, len(stated)))
    outline = OUTLINES.get(paper, ())
    names = [section.name for section in outline]
    by_section: dict[str, list[Row]] = {}
    for row in ordered:
        section = _section(locator(row[1]), outline)
        by_section.setdefault(section.name if section else locator(row[1]), []).append(
            row
        )
    known = [name for name in names if name in by_section]
    return tuple(
        Chapter(
            _anchor(name),
            name[:1].upper() + name[1:],
            tuple(_by_equation(by_section[name])),
        )
        for name in [*known, *(name for name in by_section if name not in names)]
    )


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.partition(":")[0]).strip("-").lower() or "other"


@functools.cache
def _stated(paper: str) -> dict[str, int]:
    """Positions of a paper's rows in the order of its modules."""
    if paper not in PAPERS:
        return {}
    ids = [claim.id for leaf in leaves(paper) for claim in leaf.part.claims]
    return {row_id: index for index, row_id in enumerate(ids)}


def _section(locator_text: str, outline: Iterable[Section]) -> Section | None:
    """The first section that a locator names, or else that of its figure or table."""
    by_number = {section.number: section for section in outline}
    if locator_text.startswith("Abstract"):
        return by_number.get("")
    if named := _PLACE.search(locator_text):
        number = named[1]
        while number and number not in by_number:
            number = number.rpartition(".")[0]
        return by_number.get(number) if number else None
    floats = {
        name: section for section in by_number.values() for name in section.floats
    }
    for match in _FLOAT.finditer(locator_text):
        if (name := f"{_KINDS[match[1]]} {match[2]}") in floats:
            return floats[name]
    return None


def _by_equation(rows: Iterable[Row]) -> list[Row]:
    """Rows in the order of equations.

    A row without an equation follows its predecessor.
    """
    placed: list[tuple[float, Row]] = []
    last = 0.0
    for row in rows:
        if match := _EQUATION.search(locator(row[1])):
            number = float(match[2])
            own = row[1].id.partition(":")[2][:1].isdigit()
            last = number if own else number - 0.5 if match[1] else number + 0.5
        placed.append((last, row))
    return [row for _, row in sorted(placed, key=lambda pair: pair[0])]
