"""What is settled once, and who departs from it."""

from theory.claims import Status, registry
from theory.conventions import CONVENTIONS

DOUBTFUL = (Status.REFUTED, Status.CONDITIONAL, Status.DEFINITION)


def test_departures_are_rows_that_are_not_simply_true():
    for one in CONVENTIONS:
        assert one.departures
        for claim_id in one.departures:
            assert registry()[claim_id].expected in DOUBTFUL


def test_each_subject_is_settled_once():
    subjects = [one.subject for one in CONVENTIONS]
    assert len(set(subjects)) == len(subjects)
