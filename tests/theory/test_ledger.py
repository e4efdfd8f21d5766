"""The ledger is whole, and every row of it says what its evidence says.

What there is to judge is read from the papers' own numbering, ``numbering.json``, and not
from the registry.
"""

import dataclasses
import json
import re
from pathlib import Path

import pytest

from sigprop.evidence import expression, judge
from sigprop.mathml import mathml
from sigprop.statuses import finish
from theory.claims import Status, registry

NUMBERING = json.loads(Path(__file__).with_name("numbering.json").read_text())
CLAIMS = registry()
JUDGED = {key: one for key, one in CLAIMS.items() if one.quantity == "evidence"}
BARE = {key: one for key, one in CLAIMS.items() if not one.quantity}


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


def status(one):
    judged = judge(one)
    return finish(one, list(judged.results), judged.score, 0.0, judged.counterexample)


COSTLY = (
    *("sigprop:curvature-diagonal", "sigprop:curvature-dense"),
    *("sigprop:curvature-blur", "sigprop:loss-infinite"),
)
ROWS = [
    pytest.param(one, marks=pytest.mark.slow if key in COSTLY else ())
    for key, one in JUDGED.items()
]


@pytest.mark.parametrize("one", ROWS, ids=JUDGED)
@pytest.mark.sampled(125)
def test_a_row_is_what_its_evidence_says(one):
    found = status(one)
    assert found.status == one.expected
    assert found.killed == found.mutants > 0
    if one.expected in (Status.REFUTED, Status.CONDITIONAL):
        assert found.counterexample


SAMPLE = [
    one
    for one in JUDGED.values()
    if one.evidence.relation == "=" and not one.evidence.absolute
][::7]


@pytest.mark.parametrize("one", SAMPLE, ids=[one.id for one in SAMPLE])
@pytest.mark.sampled(40)
def test_evidence_against_a_form_five_percent_off_is_noticed(one):
    if expression(one) is None:
        wrong = {"form": Wrong(one.evidence.form)}
        changed = dataclasses.replace(one.evidence, **wrong, proof=None)
        doctored = dataclasses.replace(one, evidence=changed)
    else:
        form = 1.05 * expression(one)
        evidence = dataclasses.replace(one.evidence, proof=None)
        doctored = dataclasses.replace(
            one,
            derive=None,
            corrected=lambda: form,
            printed=None,
            evidence=evidence,
        )
    assert status(doctored).status != one.expected or one.expected == Status.REFUTED
    assert "refuted" in {result.verdict for result in judge(doctored).results}


class Wrong:
    """A routine whose value is five percent too large."""

    def __init__(self, routine):
        from sigprop.evidence import resolve

        self.routine = resolve(routine)

    def __call__(self, **at):
        import numpy as np

        value = self.routine(**at)
        return 1.05 * np.asarray(value, dtype=complex)


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
def test_two_routes_or_a_reason(one):
    symbolic = one.evidence.proof is not None or (
        one.derive is not None and (one.printed or one.corrected)
    )
    if bool(symbolic) + len(one.evidence.routes) < 2:
        assert len(one.evidence.alone) > 10
