"""Conditions in the forms that are evaluated: every relation and every connective."""

import itertools
import operator

import numpy as np
import pytest
from sympy import And, Eq, Ge, Gt, Le, Lt, Ne, Not, Or, Piecewise, Symbol, Xor, false

from sigprop.numerics.evaluate import RELATIONS, values

x, y = Symbol("x"), Symbol("y")
MEANT = {
    Lt: operator.lt,
    Le: operator.le,
    Gt: operator.gt,
    Ge: operator.ge,
    Eq: operator.eq,
    Ne: operator.ne,
}
POINTS = list(itertools.product((-1.0, 0.0, 2.0), repeat=2))


class At:
    """A point that sets two symbols."""

    def __init__(self, first, second):
        self.first, self.second = first, second

    def environment(self):
        return {x: self.first, y: self.second}


def chosen(condition):
    form = Piecewise((x + 10, condition), (y - 10, True))
    return values([form], [At(*point) for point in POINTS])[0]


def expected(holds):
    return [a + 10 if holds(a, b) else b - 10 for a, b in POINTS]


@pytest.mark.parametrize("relation", MEANT)
def test_a_form_of_cases_takes_the_case_that_holds(relation):
    np.testing.assert_array_equal(chosen(relation(x, y)), expected(MEANT[relation]))
    np.testing.assert_array_equal(
        chosen(Not(relation(x, y), evaluate=False)),
        expected(lambda a, b: not MEANT[relation](a, b)),
    )


def test_there_is_a_case_for_every_relation():
    assert set(RELATIONS) == set(MEANT)


@pytest.mark.parametrize(
    ("joined", "meant"),
    [
        (And, lambda p, q: p and q),
        (Or, lambda p, q: p or q),
        (Xor, lambda p, q: p != q),
    ],
)
def test_conditions_are_joined(joined, meant):
    np.testing.assert_array_equal(
        chosen(joined(x > 0, y < 1)), expected(lambda a, b: meant(a > 0, b < 1))
    )


def test_equal_numbers_are_equal_in_both_parts():
    form = Piecewise((1, Eq(x, y)), (2, True))
    numbers = values([form], [At(1 + 1j, 1 - 1j), At(1j, 1j)])[0]
    np.testing.assert_array_equal(numbers, [2, 1])


def test_no_case_is_no_number():
    numbers = values([Piecewise((x, x > 0))], [At(-1.0, 0.0), At(3.0, 0.0)])[0]
    assert np.isnan(numbers[0])
    assert numbers[1] == 3
    assert chosen(false).tolist() == [b - 10 for _, b in POINTS]


def test_a_condition_that_is_none_is_named():
    with pytest.raises(ValueError, match="no truth value is known for the condition b"):
        values([Piecewise((x, Symbol("b")), (y, True))], [At(1.0, 2.0)])
