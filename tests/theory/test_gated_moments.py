"""Moments of recurrences with random coefficients, and the gates that make them."""

import itertools
from fractions import Fraction

import pytest
from sympy import Max, Rational, exp, simplify

from sigprop.theory import gated_moments as theory
from sigprop.theory import gates
from sigprop.theory.symbols import T, n

LAW = [  # probability, a, b, c, d: generic, and of a mean that is not zero
    (Fraction(1, 2), Fraction(2, 3), Fraction(1), Fraction(1, 5), Fraction(-1, 2)),
    (Fraction(1, 3), Fraction(-1, 4), Fraction(3, 2), Fraction(2), Fraction(1, 7)),
    (Fraction(1, 6), Fraction(1, 9), Fraction(-2), Fraction(-1), Fraction(3)),
]


PAIRS = ("a", "b", "aa", "ab", "bb")


def expectations():
    values = {}
    for name, symbol in theory.EXPECTATIONS.items():
        indices = ["abcd".index(letter) + 1 for letter in name]
        total = Fraction(0)
        for row in LAW:
            product = row[0]
            for index in indices:
                product *= row[index]
            total += product
        values[symbol] = Rational(total.numerator, total.denominator)
    return values


def enumerated(steps):
    """``E h^2`` and ``E s^2`` over every sequence of coefficients, in fractions."""
    state = sensitivity = Fraction(0)
    for rows in itertools.product(LAW, repeat=steps):
        weight, h, s = Fraction(1), Fraction(0), Fraction(0)
        for p, a, b, c, d in rows:
            weight, h, s = weight * p, a * h + b, a * s + c * h + d
        state += weight * h**2
        sensitivity += weight * s**2
    return state, sensitivity


def powers(steps):
    matrix = theory.transition().subs(expectations()) ** steps
    orders = [(0, 0), *theory.ORDERS]
    return matrix[orders.index((2, 0)), 0], matrix[orders.index((0, 2)), 0]


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_finite_moments_are_those_of_every_sequence(steps):
    state, sensitivity = enumerated(steps)
    assert powers(steps) == (state, sensitivity)
    form = theory.finite_state().result.subs({**expectations(), T: steps})
    assert form == state


def test_the_limit_is_that_of_many_steps():
    moments = powers(60)
    for quantity, value in zip(("state", "sensitivity"), moments, strict=True):
        limit = theory.limit(quantity).result.subs(expectations())
        assert abs(float(limit / value) - 1) < 1e-12


@pytest.mark.parametrize("quantity", ["state", "sensitivity"])
def test_the_limit_solves_the_system(quantity):
    assert theory.limit_holds(quantity)


def test_the_finite_form_obeys_the_recursion():
    assert theory.finite_holds()


def products():
    """Expectations of products of a and b, in fractions."""
    values = {}
    for name, symbol in theory.PRODUCTS.items():
        total = Fraction(0)
        for p, a, b, *_ in LAW:
            total += p * a ** name.count("a") * b ** name.count("b")
        values[symbol] = Rational(total.numerator, total.denominator)
    return values


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_powers_of_the_state_are_those_of_every_sequence(order):
    known, moments = products(), {}
    for steps in range(1, 5):
        exact = Fraction(0)
        for rows in itertools.product(LAW, repeat=steps):
            weight, h = Fraction(1), Fraction(0)
            for p, a, b, *_ in rows:
                weight, h = weight * p, a * h + b
            exact += weight * h**order
        zero = dict.fromkeys(theory.M[1:], 0)
        moments = {
            theory.M[n]: theory.power_step(n).subs({**known, **zero, **moments})
            for n in range(1, 5)
        }
        assert moments[theory.M[order]] == exact


def test_the_limits_of_powers_solve_the_system():
    assert theory.power_limits_hold()
    second = theory.power_limit(2).result.subs(
        theory.M[1], theory.power_limit(1).result
    )
    limit = theory.limit("state").result
    same = {theory.PRODUCTS[name]: theory.EXPECTATIONS[name] for name in PAIRS}
    assert simplify(second.subs(same) - limit) == 0


@pytest.mark.parametrize("lag", [0, 1, 3])
def test_a_lagged_moment_is_that_of_every_sequence(lag):
    assert theory.lag_holds()
    steps, total, mean, square = 2, Fraction(0), Fraction(0), Fraction(0)
    for rows in itertools.product(LAW, repeat=steps + lag):
        weight, h, states = Fraction(1), Fraction(0), []
        for p, a, b, *_ in rows:
            weight, h = weight * p, a * h + b
            states.append(h)
        total += weight * states[steps - 1] * states[-1]
        mean, square = (
            mean + weight * states[steps - 1],
            square + weight * states[steps - 1] ** 2,
        )
    moments = {theory.MOMENTS[1, 0]: mean, theory.MOMENTS[2, 0]: square, n: lag}
    assert theory.lag_limit().result.subs({**expectations(), **moments}) == total


def test_what_enters_a_gate_linearly_is_derived():
    linear = {name: gate.linear for name, gate in gates.GATES.items()}
    k, v, x = gates.k, gates.v, gates.x
    assert linear == {
        "rglru": (x,),
        "mingru": (v,),
        "selective": (k, x),
        "gla": (k, v),
        "hgrn2": (v,),
        "mlstm": (k, v),
        "gate-unit": (x,),
    }
    bent = gates.Gate(gates.sigmoid(gates.r), Max(0, v) + x**2, (gates.r, v, x))
    assert bent.nonlinear == (gates.r, v, x)


def test_the_rglru_keeps_white_inputs_at_one():
    """``a^2 + b^2 = 1`` for an open input gate: the paper's normalisation."""
    gate = gates.GATES["rglru"]
    b = gate.b.subs({gates.x: 1}).rewrite(exp) / gates.sigmoid(gates.i)
    assert simplify(gate.a**2 + b**2) == 1
