"""Mutants: one mutant each, every kind of mutant, and never the formula itself."""

import pytest
from sympy import Integer, Rational, Sum, sqrt

from sigprop.theory.claims import registry
from sigprop.theory.mutants import mutants_of
from sigprop.theory.symbols import Delta, R, a, b, lam, lam_bar, r, rho

FORM = (1 + a * r) / (b - r**2)
EXAMPLES = {
    "doubled": 2 * FORM,
    "halved": FORM / 2,
    "2 becomes 3": (1 + a * r) / (b - r**3),
    "2 becomes 1": (1 + a * r) / (b - r),
    "2 changes sign": (1 + a * r) / (b - r**-2),
    "1 becomes 2": (2 + a * r) / (b - r**2),
    "the term 1 is dropped": a * r / (b - r**2),
    "the term 1 changes sign": (-1 + a * r) / (b - r**2),
    "the factor a is dropped": (1 + r) / (b - r**2),
    "a is squared": (1 + a**2 * r) / (b - r**2),
    "b is rooted": (1 + a * r) / (sqrt(b) - r**2),
    "a and b are swapped": (1 + b * r) / (a - r**2),
    "a and r are swapped": (1 + a * r) / (b - a**2),
}


@pytest.mark.parametrize("mutant", EXAMPLES)
def test_every_kind_of_mutant_is_made(mutant):
    forms = {mutant.expr for mutant in mutants_of(FORM)}
    assert EXAMPLES[mutant] in forms


def test_mutants_are_named_after_what_they_do():
    named = {mutant.change: mutant.expr for mutant in mutants_of(FORM)}
    known = [mutant for mutant in EXAMPLES if mutant in named]
    assert len(known) >= 10
    assert all(named[mutant] == EXAMPLES[mutant] for mutant in known)


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(claim, id=name)
        for name, claim in registry().items()
        if claim.derive
    ],
)
@pytest.mark.sampled(30)
def test_the_formula_itself_is_never_a_mutant_and_none_comes_twice(claim):
    form = claim.derive().result
    exprs = [mutant.expr for mutant in mutants_of(form)]
    assert form not in exprs
    assert len(set(exprs)) == len(exprs) >= 2
    assert 2 * form in exprs


def test_a_fraction_may_be_turned_over():
    assert 3 * r / 2 in {mutant.expr for mutant in mutants_of(Rational(2, 3) * r)}


def test_a_dropped_conjugate_appears_where_there_is_one():
    moment = (1 - rho**2 * lam * lam_bar) / ((1 - rho * lam) * (1 - rho * lam_bar))
    named = {mutant.change: mutant.expr for mutant in mutants_of(moment)}
    assert named["every conjugate is dropped"] == moment.subs(lam_bar, lam)
    real = 1 / (1 - lam**2)
    assert "every conjugate is dropped" not in {m.change for m in mutants_of(real)}


def test_mutants_reach_into_sums_over_lags_but_never_touch_the_lag_itself():
    form = R(0) + Sum(lam**Delta * R(Delta), (Delta, 1, 9))
    by_change = {mutant.change: mutant.expr for mutant in mutants_of(form)}
    assert R(0) + Sum(lam**Delta * R(Delta), (Delta, 2, 9)) in by_change.values()
    assert Sum(lam**Delta * R(Delta), (Delta, 1, 9)) in by_change.values()
    assert R(0) + Sum(lam**2**Delta * R(Delta), (Delta, 1, 9)) not in by_change.values()
    assert not any(
        "Delta and" in mutant or "and Delta" in mutant for mutant in by_change
    )
    assert all(mutant.has(Sum) or mutant == R(0) for mutant in by_change.values())


def test_a_number_has_its_mutants_too():
    assert {m.expr for m in mutants_of(Integer(1))} >= {2, Rational(1, 2), 0, -1}
