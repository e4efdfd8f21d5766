"""What is wrong as printed, for the authors: an entry a root cause, by how serious it is.

The pages of the site that say so are made here: all errata, two sheets to print a paper,
the same as JSON, and the papers as BibTeX.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from sigprop.ledger.entries import Entry
from sigprop.ledger.mathml import wrapped
from sigprop.ledger.report import text
from sigprop.ledger.schema import VERSION
from sigprop.theory.citations import CITATIONS, bibtex, page
from sigprop.theory.claims import PAPERS
from sigprop.theory.conventions import CONVENTIONS
from sigprop.theory.errata import CLASSES, REPORTED

ALL, BIBLIOGRAPHY, DATA = "errata.html", "errata.bib", "errata.json"
SHEET = "errata.css"  # of the pages to print
WRONG, DEFINITION = ("refuted", "conditional"), "definition"


@dataclass(frozen=True)
class Fault:
    """A root cause, and every place of its paper that has it.

    Attributes:
        row: The verdict that shows it.
        others: Verdicts on statements that are wrong by it, too.
    """

    row: Entry
    others: tuple[Entry, ...] = ()

    @property
    def letter(self) -> str:
        """Its class, a key of ``CLASSES``; empty where it has none."""
        return self.row.errata_class or ""

    @property
    def appears_in(self) -> tuple[str, ...]:
        """Ids of the other rows that have it, and places in words."""
        named = [row.id for row in self.others]
        more = [where for row in self.rows for where in row.appears_in]
        return tuple(dict.fromkeys(p for p in [*named, *more] if p != self.row.id))

    @property
    def rows(self) -> tuple[Entry, ...]:
        """The verdicts on all that is wrong by it."""
        return (self.row, *self.others)

    @property
    def inherits(self) -> tuple[str, ...]:
        """Later results that rest on it, those that are wrong by it among them."""
        named = [later for row in self.rows for later in row.inherits]
        return tuple(later for later in dict.fromkeys(named) if later != self.row.id)

    @property
    def bearing(self) -> str:
        """What rests on it, or why nothing does, in words."""
        return next((row.bearing for row in self.rows if row.bearing), "")

    @property
    def reach(self) -> str:
        """``some`` where later results rest on it, else ``none`` or ``unknown``."""
        if self.inherits:
            return "some"
        known = self.bearing and not self.bearing.casefold().startswith("unknown")
        return "none" if known else "unknown"

    @property
    def location(self) -> str:
        """Where it stands in its paper: section, equation, and page if it is known."""
        number = page(self.row.id)
        where = self.row.source.partition(", ")[2]
        return f"{where}, p. {number}" if number else where

    @property
    def counterexample(self) -> str | None:
        """Of the row that shows it, or else of another."""
        return next(
            (row.counterexample for row in self.rows if row.counterexample), None
        )


def is_listed(claim: Entry) -> bool:
    """True if a verdict accuses a cited paper, or names a misprint in its definition."""
    wrong = claim.status in WRONG or (
        claim.status == DEFINITION and claim.errata_class in REPORTED
    )
    return wrong and claim.paper in CITATIONS and not claim.as_extracted


def faults(claims: Iterable[Entry]) -> list[Fault]:
    """The root causes of all that is wrong, by class and then in the order given.

    A row whose root is not among them shows the fault itself, for all that share it.
    """
    groups: dict[str, list[Entry]] = {}
    for claim in filter(is_listed, claims):
        groups.setdefault(claim.root or claim.id, []).append(claim)
    errata = []
    for root, members in groups.items():
        first = next((member for member in members if member.id == root), members[0])
        errata.append(
            Fault(first, tuple(member for member in members if member is not first))
        )
    letters = {letter: rank for rank, letter in enumerate(REPORTED)}
    return sorted(errata, key=lambda fault: letters.get(fault.letter, len(letters)))


def by_class(errata: Iterable[Fault]) -> Iterator[tuple[str, list[Fault]]]:
    """The faults of each class that has any, the most serious first."""
    for letter, ones in groupby(errata, key=lambda fault: fault.letter):
        yield letter, list(ones)


def names(papers: Iterable[str]) -> list[str]:
    """The files on the errata of these papers."""
    return [
        *(_summary(p) for p in papers if p in CITATIONS),
        SHEET,
        BIBLIOGRAPHY,
        DATA,
        ALL,
    ]


def _summary(paper: str) -> str:
    return f"errata-{paper}.html"


def documents(env: Environment, variables: Mapping[str, Any]) -> dict[str, str]:
    """The files on the errata by their names.

    Args:
        env: Jinja with the filters of every page.
        variables: Variables of every page's template.
    """
    sections = [(p, claims) for p, claims in variables["sections"] if p in CITATIONS]
    errata = {paper: faults(claim for _, claim in claims) for paper, claims in sections}
    shared = {
        **variables,
        "conventions": CONVENTIONS,
        "found": errata,
        "by_class": by_class,
        "accused": {row.id for ones in errata.values() for f in ones for row in f.rows},
        "summaries": {paper: _summary(paper) for paper in errata},
        "inline": lambda latex: Markup(wrapped(latex)),
        "all": ALL,
        "data": DATA,
        "bibliography": BIBLIOGRAPHY,
    }
    summary = env.get_template("site_errata_summary.html.j2")
    files = {
        _summary(paper): summary.render(shared, paper=paper, ones=ones, sheet=SHEET)
        for paper, ones in errata.items()
    }
    files[SHEET] = text(SHEET)
    files[BIBLIOGRAPHY] = "\n".join(bibtex(paper) for paper in errata)
    files[DATA] = (
        json.dumps(as_json(errata, variables["links"]), indent=1, ensure_ascii=False)
        + "\n"
    )
    files[ALL] = env.get_template("site_errata.html.j2").render(shared)
    return files


def as_json(
    errata: Mapping[str, Iterable[Fault]], pages: Mapping[str, str]
) -> dict[str, Any]:
    """The errata of some papers, of the form that ``sigprop.ledger.schema`` gives.

    Args:
        errata: The faults by paper.
        pages: The page of a row, by its id.
    """
    return {
        "title": "Errata",
        "version": VERSION,
        "classes": {letter: CLASSES[letter] for letter in REPORTED},
        "papers": [
            {"paper": paper, "title": PAPERS[paper].title, "cite": CITATIONS[paper].key}
            for paper in errata
        ],
        "errata": [_record(fault, pages) for ones in errata.values() for fault in ones],
    }


def _record(fault: Fault, pages: Mapping[str, str]) -> dict[str, Any]:
    row = fault.row
    return {
        "id": row.id,
        "address": pages[row.id],
        "paper": row.paper,
        "class": fault.letter or None,
        "section": row.source.partition(", ")[2],
        "page": page(row.id),
        "status": row.status,
        "title": row.title,
        "printed": row.statement,
        "corrected": row.corrected,
        "condition": row.condition,
        "what": row.note,
        "counterexample": fault.counterexample,
        "appears_in": list(fault.appears_in),
        "also_wrong": [
            {
                "id": row.id,
                "address": pages[row.id],
                "section": row.source.partition(", ")[2],
                "page": page(row.id),
                "printed": row.statement,
                "corrected": row.corrected,
                "counterexample": row.counterexample,
            }
            for row in fault.others
        ],
        "inherits": {
            "reach": fault.reach,
            "rows": list(fault.inherits),
            "why": fault.bearing,
        },
        "routes": list(row.routes),
    }
