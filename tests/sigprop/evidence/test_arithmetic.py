"""Printed numbers against what they are said to be."""

import pytest

from sigprop.evidence.arithmetic import numbers
from sigprop.judge.basis import ARITHMETIC
from sigprop.judge.evidence import judge
from sigprop.theory.claims import find


def test_numbers_are_arithmetic_unless_they_come_from_elsewhere():
    assert list(numbers(1, 1).routes) == [ARITHMETIC]
    measured = numbers(1, 1, alone="the calendar")
    assert (list(measured.routes), measured.alone) == (["reference"], "the calendar")


@pytest.mark.parametrize(("wrong", "survivors"), [(3.0, ()), (0.5, ("far off",))])
def test_a_wrong_number_must_be_refused(wrong, survivors):
    judged = judge(
        find("lru:text:all-faster"), numbers(2, 1, relation=">", wrong=wrong)
    )
    assert judged.scores.survivors == survivors
