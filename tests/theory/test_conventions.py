"""What is settled once: rows of one convention have one status and one errata class."""

import dataclasses
import re
from collections import Counter

import pytest

from sigprop.theory.claims import Claim, Kind, Status, registry
from sigprop.theory.conventions import CONVENTIONS, STANDS, Convention, of
from sigprop.theory.errata import CLASSES

BY_ID = {convention.id: convention for convention in CONVENTIONS}
every_convention = pytest.mark.parametrize("convention", CONVENTIONS, ids=BY_ID)

# Rows with a convention's words that it does not decide, and why.
OTHERS = {
    "lost-mark": {
        "zucchet:69": "a denominator that the equation does not need",
        "zucchet:135": "refuted for a factor 1/2 in its last member",
        "lru:fig1": "a picture",
        "lru:text:inverse-delta": "lost in another formula",
        "rotrnn:15": "the first copy of the equation is whole",
        "rotrnn:lemma1": "lost in the appendix alone",
        "rotrnn:table2": "a picture",
    },
    "zero-state": dict.fromkeys(
        BY_ID["constant-norm"].rows, "judged from the zero state, and wrong there"
    ),
    "two-meanings": {"zucchet:141": "refuted by the meaning that Eq. 138 gives to H"},
    "sum-range": dict.fromkeys(
        ("lru:34", "lru:35", "lru:36", "lru:37"),
        "a step between two sums of the same range",
    ),
}


def unlike(convention: Convention, claims: dict[str, Claim]) -> list[str]:
    """The rows that cite a convention and have another status or class."""
    return [
        row
        for row in convention.rows
        if claims[row].expected not in convention.statuses
        or (claims[row].errata_class or "") != convention.letter
    ]


def words_of(claim: Claim) -> tuple[str, ...]:
    """Condition, note and reason of a row."""
    condition = claim.condition.text if claim.condition else ""
    return condition, claim.note, claim.reason


def uncited(convention: Convention, claims: dict[str, Claim]) -> list[str]:
    """Rows of the papers that have a convention's words and do not cite it."""
    known = {*convention.rows, *OTHERS.get(convention.id, ())}
    return [
        claim.id
        for claim in claims.values()
        if claim.paper != "sigprop"
        and claim.id not in known
        and any(re.search(convention.words, text) for text in words_of(claim))
    ]


@every_convention
def test_rows_of_a_convention_have_one_status_and_class(convention):
    assert convention.rows
    assert unlike(convention, registry()) == []


@every_convention
def test_a_row_of_another_status_or_class_is_noticed(convention):
    known = registry()
    first = known[convention.rows[0]]
    other = Status.REFUTED if convention.statuses == STANDS else Status.PROVED
    changed = dataclasses.replace(first, expected=other)
    assert unlike(convention, known | {first.id: changed}) == [first.id]
    flagged = dataclasses.replace(
        first, as_extracted=not first.as_extracted, erratum=None
    )
    assert unlike(convention, known | {first.id: flagged}) == [first.id]


@every_convention
def test_a_row_with_the_words_of_a_convention_cites_it(convention):
    assert uncited(convention, registry()) == []


@every_convention
def test_a_row_that_uses_the_words_of_a_convention_alone_is_found(convention):
    known = registry()
    with_words = [
        row
        for row in convention.rows
        if any(re.search(convention.words, text) for text in words_of(known[row]))
    ]
    assert with_words
    silent = convention._replace(rows=())
    assert {*with_words} <= {*uncited(silent, known)}


def test_exceptions_are_rows_that_have_the_words():
    for name, rows in OTHERS.items():
        convention = BY_ID[name]
        for row in rows:
            assert row not in convention.rows
            texts = words_of(registry()[row])
            assert any(re.search(convention.words, text) for text in texts), row


def test_a_convention_is_written_once_and_its_rows_cite_it_once():
    assert len(BY_ID) == len(CONVENTIONS)
    assert len({convention.subject for convention in CONVENTIONS}) == len(CONVENTIONS)
    counts = Counter(row for convention in CONVENTIONS for row in convention.rows)
    assert [row for row, times in counts.items() if times > 1] == []
    assert all(counts[row] == len(of(row)) for row in counts)
    for convention in CONVENTIONS:
        assert {*convention.statuses} <= {*Status}
        assert convention.letter in ("", *CLASSES)
        assert (convention.statuses == STANDS) or len(convention.statuses) == 1


def test_a_definition_is_never_refuted():
    kinds = {
        claim.expected for claim in registry().values() if claim.kind == Kind.DEFINITION
    }
    assert kinds <= {Status.DEFINITION, Status.NOT_CHECKABLE}


def test_what_our_copy_may_have_lost_has_class_f_and_is_no_accusation():
    flagged = {claim.id for claim in registry().values() if claim.as_extracted}
    assert flagged == {*BY_ID["lost-mark"].rows}
    assert all(registry()[row].erratum is None for row in flagged)


def test_a_misprint_is_reported_once():
    errata = {claim.id: claim.erratum for claim in registry().values() if claim.erratum}
    misprints = {
        row: erratum for row, erratum in errata.items() if erratum.letter == "C"
    }
    assert [row for row, erratum in misprints.items() if erratum.root] == []
    repeated = {row for erratum in misprints.values() for row in erratum.appears_in}
    assert {*BY_ID["repeated-misprint"].rows} <= repeated
