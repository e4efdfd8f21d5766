"""The ledger is whole, and every row of it says what its evidence says.

What there is to judge is read from the papers' own numbering, ``numbering.json``, and not
from the registry.
"""

import dataclasses
import json
import re
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from sigprop.judge import evidence
from sigprop.judge.basis import ARITHMETIC, Evidence
from sigprop.judge.evidence import expression, resolve
from sigprop.judge.forms import worked
from sigprop.judge.statuses import finish
from sigprop.ledger.mathml import mathml
from sigprop.theory.claims import Status, find, registry
from tests.rows import changed, every_slip_noticed, row, rows
from tests.sealed import sealed

NUMBERING = json.loads(Path(__file__).with_name("numbering.json").read_text())
CLAIMS, ROWS = registry(), rows()
JUDGED = {key: one for key, one in ROWS.items() if isinstance(one.basis, Evidence)}
BARE = {key: one.claim for key, one in ROWS.items() if one.basis is None}


def printed_names():
    """The id of everything that the papers number."""
    for paper, has in NUMBERING.items():
        yield from (f"{paper}:{number + 1}" for number in range(has["equations"]))
        yield from (f"{paper}:{name}" for name in has["others"])
        yield from (f"{paper}:fig{number + 1}" for number in range(has["figures"]))
        yield from (f"{paper}:table{number + 1}" for number in range(has["tables"]))


def test_the_papers_number_244_equations():
    assert sum(has["equations"] for has in NUMBERING.values()) == 244


# A caption or table may have a row for each of its panels and statements: fig2, fig2a,
# fig2:edge.
PART = re.compile(r"(\w+:(?:fig|table)?\d+)(?:[a-z])?(?::[\w-]+)?$")


def numbered_names():
    """The numbers of the papers that the registry has rows for."""
    return {found[1] for key in CLAIMS if (found := PART.match(key))}


@pytest.mark.parametrize("paper", NUMBERING)
def test_everything_that_is_numbered_has_a_row(paper):
    names = [name for name in printed_names() if name.startswith(f"{paper}:")]
    equations = [name for name in names if re.search(r":\d+$", name)]
    assert [name for name in equations if name not in CLAIMS] == []
    rows = {*CLAIMS, *numbered_names()}
    assert [name for name in names if name not in rows] == []


def test_no_row_has_a_number_that_its_paper_lacks():
    assert numbered_names() <= set(printed_names())


def test_a_seal_keeps_the_answer_and_nothing_else():
    one = sealed(row("lru:4")).claim
    assert one.statement == find("lru:4").statement
    with pytest.raises(AssertionError, match="reads the answer"):
        _ = one.expected


class Remembered:
    """A routine that runs once a point, though a row is judged under several forms."""

    found: ClassVar = {}

    def __init__(self, routine):
        self.routine = resolve(routine)

    def __call__(self, **at):
        key = (self.routine, *((name, id(value)) for name, value in at.items()))
        if key not in self.found:  # with what is named by its address, so that it stays
            self.found[key] = at, self.routine(**at)
        return self.found[key][1]


def judge(one):
    routes = {name: Remembered(route) for name, route in one.basis.routes.items()}
    return evidence.judge(one.claim, dataclasses.replace(one.basis, routes=routes))


def status(one):
    one = sealed(one)
    judged = judge(one)
    return finish(one, list(judged.results), judged.scores, 0.0, judged.counterexample)


COSTLY = (
    *("sigprop:curvature-diagonal", "sigprop:curvature-dense"),
    *("sigprop:curvature-blur", "sigprop:loss-infinite"),
)
# ``test_every_claim_has_its_expected_status`` judges all of them.
SOME = [key for key in JUDGED if key not in COSTLY][::7]


@pytest.mark.parametrize("one", [JUDGED[key] for key in SOME], ids=SOME)
@pytest.mark.sampled(45)
def test_a_row_is_what_its_evidence_says(one):
    found = status(one)
    assert found.status == one.claim.expected
    assert every_slip_noticed(found)
    if one.claim.expected in (Status.REFUTED, Status.CONDITIONAL):
        assert found.counterexample


def test_every_accusation_of_a_paper_has_an_example_for_the_hand():
    accused = [
        one
        for one in ROWS.values()
        if one.claim.expected in (Status.REFUTED, Status.CONDITIONAL)
        and one.claim.paper != "sigprop"
    ]
    assert [one.claim.id for one in accused if one.basis.example is None] == []
    assert all("as printed" in worked(one.basis.example) for one in accused)


WRONG = [
    one
    for one in JUDGED.values()
    if one.claim.expected == Status.REFUTED
    and (one.claim.printed or one.basis.printed is not None)
]


@pytest.mark.parametrize("one", WRONG, ids=[one.claim.id for one in WRONG])
@pytest.mark.sampled(20)
def test_a_right_form_under_a_refuted_row_is_noticed(one):
    righted = changed(one, {"printed": None}, printed=None)
    assert status(righted).status not in (Status.REFUTED, Status.CONDITIONAL)


SAMPLE = [
    one
    for one in JUDGED.values()
    if one.basis.relation == "=" and not one.basis.absolute
][::7]


@pytest.mark.parametrize("one", SAMPLE, ids=[one.claim.id for one in SAMPLE])
@pytest.mark.sampled(25)
def test_evidence_against_a_form_five_percent_off_is_noticed(one):
    assert not refuted(times(one, 1.0))
    doctored = times(one, 1.05)
    judged = judge(doctored)
    found = finish(doctored, list(judged.results), judged.scores, 0.0)
    assert found.status in (Status.REFUTED, Status.UNDECIDED)
    assert refuted(doctored, judged)


def refuted(one, judged=None):
    """Whether a route refutes the true form; the printed one may be wrong anyway."""
    results = (judged or judge(one)).results
    return any((r.form, r.verdict) == ("derived", "refuted") for r in results)


def times(one, factor):
    """A row whose true form is so many times that of this one."""
    known = expression(one.claim, one.basis)
    if known is None:
        form = Multiple(one.basis.form, factor)
        return changed(one, {"form": form, "proof": None})
    form = factor * known
    return changed(
        one, {"proof": None}, derive=None, corrected=lambda: form, printed=None
    )


class Multiple:
    """A routine whose value is a multiple of another one's."""

    def __init__(self, routine, factor):
        self.routine, self.factor = resolve(routine), factor

    def __call__(self, **at):
        return self.factor * np.asarray(self.routine(**at), dtype=complex)


@pytest.mark.parametrize("one", CLAIMS.values(), ids=CLAIMS)
def test_formulas_can_be_shown(one):
    for text in (one.statement, one.correction):
        if text:
            assert "\\" not in mathml(text)


@pytest.mark.parametrize("one", BARE.values(), ids=BARE)
def test_a_row_without_evidence_is_a_definition_or_says_why(one):
    assert one.expected in (Status.DEFINITION, Status.NOT_CHECKABLE)
    if one.expected == Status.NOT_CHECKABLE:
        assert len(one.reason) > 20


@pytest.mark.parametrize("one", JUDGED.values(), ids=JUDGED)
def test_two_routes_or_a_reason_and_no_reason_that_is_none(one):
    claim = one.claim
    symbolic = one.basis.proof is not None or (
        claim.derive is not None and (claim.printed or claim.corrected)
    )
    routes = set(one.basis.routes)
    counted = bool(symbolic) + len(routes - {ARITHMETIC})
    if routes == {ARITHMETIC} or counted >= 2:
        assert not one.basis.alone
    else:
        assert len(one.basis.alone.split()) >= 2
