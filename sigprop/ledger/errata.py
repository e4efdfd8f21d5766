"""Pages of errata for the authors, with one entry for each root cause.

The most serious errors come first.  The pages are all errata, two pages to print for
each paper, the errata as JSON, and the papers as BibTeX.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from sigprop.ledger.faults import Fault, by_class, faults
from sigprop.ledger.mathml import wrapped
from sigprop.ledger.report import text
from sigprop.ledger.schema import VERSION
from sigprop.theory.citations import CITATIONS, bibtex, page
from sigprop.theory.claims import PAPERS
from sigprop.theory.conventions import CONVENTIONS
from sigprop.theory.errata import CLASSES, REPORTED

ALL, BIBLIOGRAPHY, DATA = "errata.html", "errata.bib", "errata.json"
SHEET = "errata.css"  # style sheet of the pages to print


def names(papers: Iterable[str]) -> list[str]:
    """Names of the files on the errata of these papers."""
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
    """The errata of some papers, in the format of ``sigprop.ledger.schema``.

    Args:
        errata: The errors by paper.
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
