"""Statements of many cases: each is judged by itself and none hides behind the others."""

import dataclasses

import pytest

from sigprop.judge.basis import Case, Check, Row, by_case
from sigprop.judge.mutants import Score
from sigprop.judge.parallel import check
from sigprop.judge.results import decided
from tests.rows import row

ROUTES = ("impulse", "reference")
SLOW = ("impulse", "reference", "steps")


def case(right=True, survivors=(), routes=ROUTES, headline=False, total=3):
    """A case that is right or wrong at one point, by each of its routes."""

    def results(seed, closer=False):
        name = "closer" if closer else f"seed {seed}"
        return [decided(route, name, 1.0, right) for route in routes]

    closer = (lambda seed: results(seed, closer=True)) if headline else None
    return Case(results, lambda: Score(total, tuple(survivors)), routes, closer)


def status(cases, tier="quick"):
    entry = row("sigprop:gates")
    return check(Row(entry.claim, by_case(cases)), 7, tier).status


def test_points_and_survivors_begin_with_the_name_of_their_case():
    basis = by_case({"LRU": case(), "GRU": case(survivors=("a sign",), routes=SLOW)})
    assert isinstance(basis, Check)
    results = basis.results(row("sigprop:gates").claim, 7)
    assert [(r.route, r.point) for r in results] == [
        *((route, "LRU, seed 7") for route in ROUTES),
        *((route, "GRU, seed 7") for route in SLOW),
    ]
    assert basis.score(row("sigprop:gates").claim) == Score(6, ("GRU: a sign",))
    assert basis.routes == SLOW
    assert [*basis.cases] == ["LRU", "GRU"]


@pytest.mark.parametrize("name", ["LRU", "GRU"])
def test_one_wrong_case_refutes_the_statement(name):
    cases = {"LRU": case(), "GRU": case()}
    assert status(cases) == "confirmed"
    assert status(cases | {name: case(right=False)}) == "refuted"
    assert status(cases | {name: case(survivors=("a sign",))}) == "undecided"


def test_a_case_of_one_route_is_refused():
    with pytest.raises(ValueError, match="need two routes or more for GRU"):
        by_case({"LRU": case(), "GRU": case(routes=("impulse",))})


def test_all_cases_have_a_headline_tier_or_none():
    with pytest.raises(ValueError, match="need a headline tier for all cases or for"):
        by_case({"LRU": case(headline=True), "GRU": case()})
    plain = by_case({"LRU": case(), "GRU": case()})
    assert plain.of_tier("headline") == plain.results
    closer = by_case({"LRU": case(headline=True), "GRU": case(headline=True)})
    claim = row("sigprop:gates").claim
    for tier, point in (("quick", "seed 3"), ("headline", "closer")):
        results = closer.of_tier(tier)(claim, 3)
        assert {r.point for r in results} == {f"LRU, {point}", f"GRU, {point}"}


def test_the_headline_tier_of_memories_judges_twenty_of_each_layer():
    basis = row("sigprop:memories").basis
    assert {c.headline.keywords["size"].neurons for c in basis.cases.values()} == {20}
    assert basis.of_tier("headline") != basis.results


@pytest.mark.parametrize(
    ("alone", "verdict"), [("", "undecided"), ("why", "confirmed")]
)
def test_one_route_needs_a_reason_in_a_check_too(alone, verdict):
    """Of a row that is judged as a whole."""
    check_of_one = Check(
        lambda claim, seed: (decided("impulse", "here", 1.0, True),),
        lambda claim: Score(1, ()),
        ("impulse",),
    )
    entry = Row(
        row("sigprop:gates").claim, dataclasses.replace(check_of_one, alone=alone)
    )
    assert check(entry, 0).status == verdict
