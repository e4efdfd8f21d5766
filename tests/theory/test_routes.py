"""Statements are judged by two routes that share nothing, but for few with a reason."""

from sigprop.judge.basis import ARITHMETIC, Check, Evidence
from sigprop.ledger.catalogue import routes_of
from sigprop.ledger.entries import VALUELESS
from tests.rows import changed, rows

# Of the rows with a truth value, arithmetic and our trainings apart, that one route may judge.
SHARE = 0.05
JUDGED = {
    key: one
    for key, one in rows().items()
    if one.basis is not None and one.claim.expected not in VALUELESS
}


def independent(one) -> set[str]:
    """The routes of a row beside arithmetic, which is none."""
    return {*routes_of(one)} - {ARITHMETIC}


def is_arithmetic(one) -> bool:
    """Whether numbers of the paper are all that a row compares."""
    return {*routes_of(one)} - {"symbolic"} == {ARITHMETIC}


def is_training(one) -> bool:
    """Whether our own trained networks are all that decides: more of them are no route."""
    return independent(one) == {"audited"}


def has_one(one) -> bool:
    """Whether one route judges a row that is more than arithmetic."""
    return not is_arithmetic(one) and len(independent(one)) < 2


def test_one_route_judges_few_rows():
    apart = [
        key
        for key, one in JUDGED.items()
        if not (is_arithmetic(one) or is_training(one))
    ]
    alone = [key for key in apart if has_one(JUDGED[key])]
    assert len(alone) <= SHARE * len(apart), alone
    assert len(apart) > 500


def test_a_reason_for_one_route_stands_where_there_is_one():
    reasons = {
        key: one.basis.alone != "" if isinstance(one.basis, Evidence | Check) else False
        for key, one in JUDGED.items()
        if not is_arithmetic(one)
    }
    single = {key for key in reasons if has_one(JUDGED[key])}
    assert [key for key, said in reasons.items() if said and key not in single] == []
    undecided = {key for key in single if JUDGED[key].claim.expected == "undecided"}
    assert [key for key in single - undecided if not reasons[key]] == []


def test_a_route_that_is_dropped_is_missed():
    one = JUDGED["blur:text:metrics"]
    assert not has_one(one)
    fewer = {"reference": one.basis.routes["reference"]}
    assert has_one(changed(one, {"routes": fewer}))
