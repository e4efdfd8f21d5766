"""What the text of Zucchet & Orvieto says of one neuron, at the points that decide it."""

import pytest
from sympy import Rational, simplify

from sigprop.theory import recurrences
from sigprop.theory.symbols import lam, rho


@pytest.mark.parametrize(("quantity", "value"), [("state", 4), ("sensitivity", 16)])
def test_an_alternating_input_leaves_a_slow_neuron_quiet(quantity, value):
    assert recurrences.edge_of(quantity, -1) == Rational(1, value)


def test_both_parametrisations_end_at_one_half():
    assert recurrences.controlled_limit().result == Rational(1, 2)
    assert recurrences.sigmoid_controlled().result.subs(lam, 1) == Rational(1, 2)


def test_biases_less_by_one_give_the_range_that_is_claimed():
    low, high = (recurrences.chrono_at(times, 1).result for times in (1, 2))
    assert simplify(low - recurrences.nu0) == 0
    assert simplify(high - (1 + recurrences.nu0) / 2) == 0


def test_an_optimal_slope_makes_the_moment_one():
    moment = recurrences.normalised("sensitivity").result.subs(rho, 0)
    derivative = recurrences.optimal_derivative().result
    assert simplify(derivative**2 * moment) == 1
