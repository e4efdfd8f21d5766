"""Statements are judged by two routes that share nothing, but for few with a reason."""

from sigprop.judge.basis import ARITHMETIC, Check, Evidence
from sigprop.ledger.catalogue import routes_of
from sigprop.ledger.entries import VALUELESS
from tests.rows import changed, rows

# Of the rows with a truth value, arithmetic and our trainings apart, that one route may judge.
SHARE = 0.05
JUDGED = {
    key: row
    for key, row in rows().items()
    if row.basis is not None and row.claim.expected not in VALUELESS
}


def independent(row) -> set[str]:
    """The routes of a row beside arithmetic, which is none."""
    return {*routes_of(row)} - {ARITHMETIC}


def is_arithmetic(row) -> bool:
    """Whether numbers of the paper are all that a row compares."""
    return {*routes_of(row)} - {"symbolic"} == {ARITHMETIC}


def is_training(row) -> bool:
    """Whether our own trained networks are all that decides: more of them are no route."""
    return independent(row) == {"audited"}


def has_one(row) -> bool:
    """Whether one route judges a row that is more than arithmetic."""
    return not is_arithmetic(row) and len(independent(row)) < 2


def test_one_route_judges_few_rows():
    apart = [
        key
        for key, row in JUDGED.items()
        if not (is_arithmetic(row) or is_training(row))
    ]
    alone = [key for key in apart if has_one(JUDGED[key])]
    assert len(alone) <= SHARE * len(apart), alone
    assert len(apart) > 500


def test_a_reason_for_one_route_stands_where_there_is_one():
    reasons = {
        key: row.basis.alone != "" if isinstance(row.basis, Evidence | Check) else False
        for key, row in JUDGED.items()
        if not is_arithmetic(row)
    }
    single = {key for key in reasons if has_one(JUDGED[key])}
    assert [
        key for key, reason in reasons.items() if reason and key not in single
    ] == []
    undecided = {key for key in single if JUDGED[key].claim.expected == "undecided"}
    assert [key for key in single - undecided if not reasons[key]] == []


def test_a_route_that_is_dropped_is_missed():
    row = JUDGED["blur:text:radius"]
    assert not has_one(row)
    fewer = {"reference": row.basis.routes["reference"]}
    assert has_one(changed(row, {"routes": fewer}))
