"""The ledger is whole, and every row of it says what its evidence says.

What there is to judge is read from the papers' own numbering, ``NUMBERED`` of each paper's
package, and not from the rows.
"""

import re
from importlib import import_module

import pytest

from sigprop.judge.basis import ARITHMETIC, Evidence
from sigprop.judge.forms import worked
from sigprop.ledger.mathml import mathml
from sigprop.ledger.verdicts import accusation
from sigprop.theory.claims import PAPERS, Status, registry
from tests.rows import rows

NUMBERING = {
    paper: import_module(f"sigprop.theory.papers.{paper}").NUMBERED
    for paper in PAPERS
    if paper != "sigprop"  # ours, which number nothing
}
CLAIMS, ROWS = registry(), rows()
JUDGED = {key: row for key, row in ROWS.items() if isinstance(row.basis, Evidence)}
BARE = {key: row.claim for key, row in ROWS.items() if row.basis is None}


def printed_names():
    """The id of everything that the papers number."""
    for paper, has in NUMBERING.items():
        yield from (f"{paper}:{number + 1}" for number in range(has.equations))
        yield from (f"{paper}:{name}" for name in has.others)
        yield from (f"{paper}:fig{number + 1}" for number in range(has.figures))
        yield from (f"{paper}:table{number + 1}" for number in range(has.tables))


def test_the_four_papers_number_244_equations():
    four = ("zucchet", "lru", "rotrnn", "blur")
    assert sum(NUMBERING[paper].equations for paper in four) == 244


# A caption or table may have a row for each of its panels and statements: fig2, fig2a,
# fig2:edge.
PART = re.compile(r"(\w+:(?:fig|table)?\d+)(?:[a-z])?(?::[\w-]+)?$")


def numbered_names():
    """The numbers of the papers that the registry has rows for."""
    return {match[1] for key in CLAIMS if (match := PART.match(key))}


@pytest.mark.parametrize("paper", NUMBERING)
def test_everything_that_is_numbered_has_a_row(paper):
    names = [name for name in printed_names() if name.startswith(f"{paper}:")]
    equations = [name for name in names if re.search(r":\d+$", name)]
    assert [name for name in equations if name not in CLAIMS] == []
    rows = {*CLAIMS, *numbered_names()}
    assert [name for name in names if name not in rows] == []


def test_no_row_has_a_number_that_its_paper_lacks():
    assert numbered_names() <= set(printed_names())


def test_every_accusation_of_a_paper_has_an_example_for_the_hand():
    accused = [
        row
        for row in ROWS.values()
        if row.claim.expected in (Status.REFUTED, Status.CONDITIONAL)
        and row.claim.paper != "sigprop"
    ]
    assert [row.claim.id for row in accused if row.basis.example is None] == []


BOTH = re.compile(r": (printed|stated) (.+?)[,;] true (.+)\.$")
NUMBER = re.compile(r"[+-]?\d[\d.]*(e[+-]?\d+)?(\S*i)?")
ACCUSED = {
    key: row
    for key, row in ROWS.items()
    if row.claim.expected in (Status.REFUTED, Status.CONDITIONAL)
}


@pytest.mark.parametrize("row", ACCUSED.values(), ids=ACCUSED)
def test_an_accusation_has_a_line_with_two_different_values(row):
    """Two numbers that differ, or words that say what the other value is."""
    lines = accusation("", "Eq. 1", "", None, worked(row.basis.example))
    (example,) = [line for line in lines if line.startswith("example")]
    both = BOTH.search(f"{example}.")
    assert both, example
    printed, true = both[2], both[3]
    assert printed != true
    if NUMBER.fullmatch(printed) and NUMBER.fullmatch(true):
        assert complex(printed.replace("i", "j")) != complex(true.replace("i", "j"))
    for value in (printed, true):
        assert not re.match(r"(not|no|other|another|different)\b", value), example


# What sends a reader elsewhere, or names a value by what it is not.
NOT_ALONE = (
    r"printed not\b|[Ss]ee (there|below|above)\b|, as (above|below)\b|"
    r"\b([Nn]ext|[Pp]revious) row\b|\brow (above|below)\b|sigprop\.evidence|evidence file"
)


def sentences_of(row):
    """The counterexample of a row, and all that its row says."""
    claim = row.claim
    example = getattr(row.basis, "example", None)
    yield worked(example) if example else ""
    yield from (claim.note, claim.reason, claim.assumes.text)
    yield claim.condition.text if claim.condition else ""
    yield claim.erratum.bearing if claim.erratum else ""


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_counterexample_and_a_note_are_understood_alone(row):
    assert [text for text in sentences_of(row) if re.search(NOT_ALONE, text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "The ratio, at a = 1: printed not 1, true 1.",
        "The range does not fit Eq. 13; see there.",
        "The next row judges the right side.",
        "Pairs, as above.",
        "The closure is sigprop.evidence.rotrnn.norm.step_norm.",
    ],
)
def test_a_sentence_that_leans_on_another_is_noticed(text):
    assert re.search(NOT_ALONE, text)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_formulas_can_be_shown(claim):
    for text in (claim.statement, claim.correction):
        if text:
            assert "\\" not in mathml(text)


@pytest.mark.parametrize("claim", BARE.values(), ids=BARE)
def test_a_row_without_evidence_is_a_definition_or_says_why(claim):
    assert claim.expected in (Status.DEFINITION, Status.NOT_CHECKABLE)
    if claim.expected == Status.NOT_CHECKABLE:
        assert len(claim.reason) > 20


@pytest.mark.parametrize("row", JUDGED.values(), ids=JUDGED)
def test_two_routes_or_a_reason_and_no_reason_that_is_none(row):
    claim = row.claim
    symbolic = row.basis.proof is not None or (
        claim.derive is not None and (claim.printed or claim.corrected)
    )
    routes = set(row.basis.routes)
    counted = bool(symbolic) + len(routes - {ARITHMETIC})
    if routes == {ARITHMETIC} or counted >= 2:
        assert not row.basis.alone
    else:
        assert len(row.basis.alone.split()) >= 2
