"""A paper's contents: its rows in its order, and the verdict on each in a sentence."""

import dataclasses
import re
from importlib import import_module

import pytest

from sigprop.ledger.contents import chapters, locator
from sigprop.ledger.verdicts import in_lines, sentence
from sigprop.theory.claims import Status, registry
from sigprop.theory.outlines import OUTLINES
from tests.sigprop.ledger.test_report import (
    BARE,
    CONDITIONAL,
    CONFIRMED,
    REFUTED,
    Page,
    claim,
    result,
)

PRINTED = [*OUTLINES]  # papers whose sections are known


def rows(paper):
    return [
        (claim_.id, claim(claim_.id, "proved", source=claim_.source))
        for claim_ in registry().values()
        if claim_.paper == paper
    ]


@pytest.fixture(scope="module", params=PRINTED)
def parts(request):
    return chapters(request.param, rows(request.param))


def test_every_row_stands_in_one_section_and_sections_in_their_order(parts):
    rows_found = [row for part in parts for row in part.rows]
    paper = rows_found[0][1].paper
    assert sorted(rows_found, key=str) == sorted(rows(paper), key=str)
    names = [section.name for section in OUTLINES[paper]]
    known = [part.title for part in parts if part.title in names]
    assert known == [name for name in names if name in known]
    assert len({part.anchor for part in parts}) == len(parts)
    others = sum(len(part.rows) for part in parts if part.title not in names)
    assert others <= 2


def test_equations_stand_in_the_order_of_their_numbers(parts):
    numbers = [
        int(match[0])
        for part in parts
        for _, entry in part.rows
        if (match := re.match(r"\d+$", entry.id.partition(":")[2]))
    ]
    paper = parts[0].rows[0][1].paper
    numbered = import_module(f"sigprop.theory.papers.{paper}").NUMBERED
    assert len(numbers) >= min(11, numbered.equations)
    assert numbers == sorted(numbers)


def test_outlines_have_all_that_the_papers_number():
    for paper, outline in OUTLINES.items():
        numbered = import_module(f"sigprop.theory.papers.{paper}").NUMBERED
        floats = [number for part in outline for number in part.floats]
        assert len(set(floats)) == len(floats)
        for kind in ("figure", "table"):
            count = sum(label.startswith(kind) for label in floats)
            assert count <= getattr(numbered, f"{kind}s"), (paper, kind)


def test_a_remark_stands_at_its_equation():
    (part,) = (
        chapter
        for chapter in chapters("zucchet", rows("zucchet"))
        if "B.2.2" in chapter.title
    )
    ids = [anchor for anchor, _ in part.rows]
    assert ids.index("zucchet:text:eq-6") == ids.index("zucchet:57") + 1
    figures = [
        chapter.title
        for chapter in chapters("zucchet", rows("zucchet"))
        if any(anchor == "zucchet:fig14" for anchor, _ in chapter.rows)
    ]
    assert figures == ["Appendix D.2: Are gated RNNs diagonal?"]


def test_another_paper_is_ordered_by_what_its_locators_say():
    named = claim("other:1", "proved", source="Somebody (2026), page 3, top")
    assert locator(named) == "page 3, top"
    (part,) = chapters("other", [("other-1", named)])
    assert (part.title, part.anchor) == ("Page 3, top", "page-3-top")
    assert (part.count("proved"), part.count("refuted", "confirmed")) == (1, 0)


@pytest.mark.parametrize(
    ("entry", "pattern"),
    [
        (CONFIRMED, r"True as printed, by .+, without a proof for all parameters\."),
        (
            claim("lru:1", "confirmed", routes=("arithmetic",), arithmetic=True),
            r"True as printed: the paper's own numbers agree\.",
        ),
        (
            claim("sigprop:x", "proved"),
            r"True as stated: proved for all parameters, .+",
        ),
        (
            REFUTED,
            r"Wrong as printed; the correction is proved for all parameters\.",
        ),
        (
            claim("lru:1", "proved", errata_class="F", as_extracted=True),
            r"True as meant: proved for all parameters.*\.",
        ),
        (
            claim("lru:1", "definition", errata_class="C"),
            r"A definition, with a misprint \(class C: a misprint that the next line "
            r"repairs\).*\.",
        ),
        (
            CONDITIONAL,
            r"True only under a condition .+ not state: if \$r_\{min\} > 0\$\.",
        ),
        (
            claim("lru:1", "undecided"),
            r"Undecided: what brute force from the definition gave .+",
        ),
        (BARE, r"A definition, neither true nor false\."),
        (
            claim("lru:1", "not-checkable", reason="Curves in a picture."),
            r"Not checkable: curves in a picture\.",
        ),
    ],
)
def test_the_verdict_is_one_sentence(entry, pattern):
    assert re.fullmatch(pattern, sentence(entry))


def test_a_verdict_counts_the_points_of_what_is_true():
    results = (
        *(result("reference", 1.0, point=point) for point in "abb"),
        result("reference", 2.0, point="c", form="printed"),
        result("symbolic", 1.0, point="all"),
    )
    entry = claim("lru:1", "proved", results=results)
    assert sentence(entry).endswith("by brute force from the definition at 2 points.")


def test_every_status_has_its_sentence():
    for status in Status:
        assert not sentence(claim("lru:1", status)).startswith(status)


def test_a_paper_has_a_page_that_leads_to_its_rows(site):
    page = Page((site / "paper-lru.html").read_text())
    assert "lru-4.html" in page.links
    assert "#appendix-f-1" not in page.links
    row = Page((site / "lru-4.html").read_text())
    (section,) = (link for link in row.links if link.startswith("paper-lru.html#"))
    assert section.partition("#")[2] in page.ids


def test_a_refuted_row_says_what_is_printed_what_is_true_and_both_values():
    entry = claim("lru:1", "refuted", errata_class="E", routes=("monte_carlo",))
    entry = dataclasses.replace(
        entry,
        source="A paper, Eq. 1, Section 2",
        statement="a = 1",
        corrected="a = 2",
        counterexample="The number a, at b = 3: printed 1, true 2.",
    )
    assert in_lines(entry) == [
        "lru:1: Wrong as printed (class E: a table, a number or a citation); "
        "the correction holds by simulation.",
        "printed     a = 1",
        "corrected   a = 2",
        "example     Eq. 1: the number a, at b = 3: printed 1, true 2",
    ]
    ours = dataclasses.replace(entry, paper="sigprop", corrected=None)
    assert [line.split()[0] for line in in_lines(ours)[1:]] == ["stated", "example"]
    right = dataclasses.replace(entry, status="proved", errata_class=None)
    assert in_lines(right) == [f"lru:1: {sentence(right)}"]
