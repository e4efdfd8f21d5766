"""Moments over chains that remember: both ways to invert, and exact sequences."""

import itertools
from fractions import Fraction

import pytest
from sympy import Rational, expand, simplify

from sigprop.theory import correlated_gates as theory
from sigprop.theory import gated_moments
from sigprop.theory.symbols import rho

LAW = (
    (Fraction(2, 5), (Fraction(1, 3), Fraction(1), Fraction(1, 5), Fraction(-1, 2))),
    (Fraction(3, 5), (Fraction(-1, 4), Fraction(3, 2), Fraction(2), Fraction(1, 7))),
)
STAYS = Fraction(3, 7)


def limit(quantity, solve):
    values = (*LAW[0][1], *LAW[1][1])
    known = dict(zip((*theory.VALUES[0], *theory.VALUES[1]), values, strict=True))
    known |= {theory.p: LAW[0][0], rho: STAYS}
    exact = {k: Rational(v.numerator, v.denominator) for k, v in known.items()}
    return theory.limit(quantity, solve, exact)


def enumerated(steps):
    """``E h^2`` and ``E s^2`` over every sequence of two values that stay."""
    totals = [Fraction(0), Fraction(0)]
    for sequence in itertools.product((0, 1), repeat=steps):
        weight, h, s, last = Fraction(1), Fraction(0), Fraction(0), None
        for value in sequence:
            chance, (a, b, c, d) = LAW[value]
            stays = STAYS * (value == last)
            weight *= chance if last is None else stays + (1 - STAYS) * chance
            h, s, last = a * h + b, a * s + c * h + d, value
        totals = [
            total + weight * z**2 for total, z in zip(totals, (h, s), strict=True)
        ]
    return totals


@pytest.mark.parametrize("solve", [theory.by_matrix, theory.by_expectations])
def test_the_limit_is_that_of_many_steps(solve):
    for quantity, value in zip(("state", "sensitivity"), enumerated(10), strict=True):
        assert abs(float(limit(quantity, solve)) / float(value) - 1) < 1e-4


def test_both_ways_to_solve_agree():
    assert theory.same_inverse()
    for quantity in ("state", "sensitivity"):
        ways = (theory.by_matrix, theory.by_expectations)
        first, second = (limit(quantity, way) for way in ways)
        assert first == second


def test_the_states_limit_is_that_of_the_matrix():
    assert theory.state_limit_holds()


def test_inputs_that_never_stay_are_independent():
    forms = (
        theory.state_limit().result.subs(rho, 0),
        gated_moments.limit("state").result,
    )
    names = {
        theory.F[n]: gated_moments.EXPECTATIONS[n] for n in ("a", "b", "aa", "bb", "ab")
    }
    assert simplify(forms[0].subs(names) - forms[1]) == 0


def test_a_step_is_that_of_independent_coefficients_given_their_input():
    """With expectations for coefficients and moments for images it is the same step."""
    for order, expr in theory.step().items():
        images = {theory.BEFORE[o]: o for o in theory.BEFORE}
        h, s = gated_moments.h, gated_moments.s
        powers = {n: h ** o[0] * s ** o[1] for n, o in images.items()}
        mean = gated_moments.mean(expand(expr.subs(powers)))
        assert expand(mean - gated_moments.step()[order]) == 0


def test_the_ar1_multiplies_hermite_polynomials():
    assert theory.hermite_holds()


def test_what_a_step_adds_leaves_out_its_own_image():
    for order in gated_moments.ORDERS:
        own = theory.step()[order] - theory.forcing(order)
        assert expand(own - theory.OWN[sum(order)] * theory.BEFORE[order]) == 0
