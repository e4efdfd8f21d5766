"""Headline numbers count each root cause once, and only statements of the papers."""

import dataclasses
import re

import pytest

from sigprop.ledger.faults import is_listed
from sigprop.ledger.headline import headlines
from sigprop.theory.claims import registry
from tests.announced import announced_run

CLAIMS = announced_run().claims
UNCOUNTED = r"repeats \S+|nothing is printed|the formula is ours"


def counts(*changes):
    """The headline of LRU, some rows changed."""
    changed = dict(changes)
    rows = [dataclasses.replace(c, **changed.get(c.id, {})) for c in CLAIMS]
    return headlines(rows)["lru"]


BEFORE = counts()


def test_only_papers_have_headlines():
    assert set(headlines(CLAIMS)) == {"zucchet", "lru", "rotrnn", "blur"}
    assert headlines(()) == {}


def test_the_numbers_are_those_of_a_count_by_hand():
    rows = [c for c in CLAIMS if c.paper == "lru" and not c.uncounted]
    wrong = [c for c in rows if is_listed(c)]
    assert BEFORE.statements == len(rows)
    assert BEFORE.rows == len(wrong)
    assert BEFORE.total == len({c.root or c.id for c in wrong}) < len(wrong)


@pytest.mark.parametrize(
    ("change", "statements", "errors", "rows"),
    [
        ({"status": "refuted", "errata_class": "A"}, 0, 1, 1),
        ({"status": "refuted", "errata_class": "C", "root": "lru:propE.1"}, 0, 0, 1),
        ({"status": "refuted", "errata_class": "F", "as_extracted": True}, 0, 0, 0),
        ({"status": "refuted", "errata_class": "A", "uncounted": "x"}, -1, 0, 0),
        ({"uncounted": "the formula is ours"}, -1, 0, 0),
    ],
)
def test_a_change_of_one_row_changes_them(change, statements, errors, rows):
    after = counts(("lru:prop3.3", change))
    assert after.statements - BEFORE.statements == statements
    assert after.total - BEFORE.total == errors
    assert after.rows - BEFORE.rows == rows
    assert sum(after.errors.values()) == after.total


def test_a_row_that_is_not_counted_says_why():
    for claim in registry().values():
        assert re.fullmatch(UNCOUNTED, claim.uncounted or "nothing is printed"), (
            claim.id
        )
        assert claim.paper != "sigprop" or not claim.uncounted


def test_a_row_that_repeats_another_has_its_status_and_its_error():
    claims = registry()
    repeats = {
        claim: claims[claim.uncounted.removeprefix("repeats ")]
        for claim in claims.values()
        if claim.uncounted.startswith("repeats ")
    }
    assert len(repeats) > 10
    for claim, first in repeats.items():
        assert not first.uncounted, claim.id
        assert (claim.paper, claim.expected) == (first.paper, first.expected), claim.id
        if claim.erratum or first.erratum:
            assert claim.erratum is not None
            assert first.erratum is not None
            assert claim.errata_class == first.errata_class, claim.id
            assert claim.erratum.root == (first.erratum.root or first.id)


def test_two_rows_with_the_same_words_are_not_counted_twice():
    counted: dict[tuple[str, str], str] = {}
    for claim in registry().values():
        if claim.paper == "sigprop" or claim.uncounted or claim.id in DIFFERENT:
            continue
        words = claim.paper, re.sub(r"\s|\\[, ]", "", claim.statement)
        assert words not in counted, (claim.id, counted[words])
        counted[words] = claim.id


# The same words about other tasks.
DIFFERENT = {"blur:text:outperforms-s5"}
