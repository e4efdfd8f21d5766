"""What is settled once, and who departs from it."""

from sigprop.theory.claims import Status, registry
from sigprop.theory.conventions import CONVENTIONS, FAULTS

DOUBTFUL = (Status.REFUTED, Status.CONDITIONAL, Status.DEFINITION)


def test_departures_are_rows_that_are_not_simply_true():
    for one in CONVENTIONS:
        assert one.departures
        for claim_id in one.departures:
            assert registry()[claim_id].expected in DOUBTFUL


def test_each_subject_is_settled_once():
    subjects = [one.subject for one in CONVENTIONS]
    assert len(set(subjects)) == len(subjects)


def unlike(faults, claims):
    """Ids of statements with a fault whose status is not that of the fault."""
    return [i for one in faults for i in one.rows if claims[i].expected != one.status]


def test_a_fault_has_one_status_wherever_it_stands():
    assert unlike(FAULTS, registry()) == []


def test_a_statement_of_another_status_is_noticed():
    other = FAULTS[0]._replace(rows=("zucchet:8", "zucchet:146"))
    assert unlike([other], registry()) == ["zucchet:146"]


def test_each_fault_is_named_once_and_each_statement_has_one():
    assert len({one.kind for one in FAULTS}) == len(FAULTS)
    rows = [claim_id for one in FAULTS for claim_id in one.rows]
    assert len(rows) == len(set(rows))
    assert all(len(one.rows) > 1 for one in FAULTS)
