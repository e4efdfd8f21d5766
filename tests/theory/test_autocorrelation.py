"""Lemmas 1 and 2 are exact: against sums written out term by term in rationals."""

from itertools import product

import pytest
from sympy import Abs, Integer, Rational, S, Sum, Symbol, oo, sqrt

from sigprop.theory.autocorrelation import (
    INPUTS,
    LagFunctional,
    as_functional,
    double_sum,
    geometric_sum,
    is_zero,
    lemma_1,
    lemma_2,
    same_form,
)
from sigprop.theory.symbols import Delta, R, T, alpha, b, beta, lam, n, rho

HALF, THIRD = Rational(1, 2), Rational(1, 3)
x = Symbol("x")
SUMMANDS = {
    "a power": HALF**n,
    "a negative ratio": (-THIRD) ** n,
    "a power times its index": n * HALF**n,
    "a power times the square of its index": n**2 * (-HALF) ** n,
    "two powers and a factor": 3 * HALF**n - n * THIRD ** (n - 1),
    "a product of powers": HALF**n * THIRD ** (n + 2),
    "a power of a multiple of the index": HALF ** (2 * n + 1),
    "nothing": S.Zero,
}
BOUNDS = [(0, 0), (0, 5), (1, 4), (3, 7), (0, -1)]


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("summand", SUMMANDS.values(), ids=SUMMANDS)
def test_geometric_sum_is_the_sum_written_out(summand, bounds):
    first, last = bounds
    written = sum((summand.subs(n, i) for i in range(first, last + 1)), S.Zero)
    assert geometric_sum(summand, n, Integer(first), Integer(last)) == written


@pytest.mark.parametrize("summand", SUMMANDS.values(), ids=SUMMANDS)
def test_geometric_sum_at_a_symbolic_bound_is_the_sum_written_out(summand):
    closed = geometric_sum(summand, n, Integer(0), T)
    for last in (1, 2, 6):
        written = sum((summand.subs(n, i) for i in range(last + 1)), S.Zero)
        assert closed.subs(T, last) == written


@pytest.mark.parametrize("summand", SUMMANDS.values(), ids=SUMMANDS)
def test_infinite_geometric_sum_is_the_limit_of_finite_ones(summand):
    limit = geometric_sum(summand, n, Integer(0), oo)
    near = geometric_sum(summand, n, Integer(0), Integer(200))
    assert abs(limit - near) < Rational(1, 10**50)
    if summand != 0:  # the partner: one term too few is not within that distance
        short = geometric_sum(summand, n, Integer(2), oo)
        assert abs(short - near) > Rational(1, 20)


@pytest.mark.parametrize(
    ("summand", "message"),
    [
        (S.One, "need a ratio other than one, got the term 1"),
        (n, "need a ratio other than one, got the term n"),
        (x ** (n**2), r"need c \* n\*\*p \* x\*\*n, got x\*\*\(n\*\*2\)"),
        (x**n / n, r"need c \* n\*\*p \* x\*\*n, got x\*\*n/n"),
        ((n + x) ** HALF, r"need c \* n\*\*p \* x\*\*n, got sqrt\(n \+ x\)"),
    ],
)
def test_geometric_sum_refuses_what_is_not_geometric(summand, message):
    with pytest.raises(ValueError, match=message):
        geometric_sum(summand, n, Integer(0), Integer(3))


VALUES = {alpha: Rational(2, 7), beta: Rational(-3, 5)}
COVARIANCES = (Rational(3), Rational(-1, 2), Rational(5, 7), Rational(1, 9), S(2))


def coefficient_1(i, j):
    return VALUES[alpha] ** i * VALUES[beta] ** j


def coefficient_2(i, j):
    if i * j == 0:
        return S.Zero
    return i * j * VALUES[alpha] ** (i - 1) * VALUES[beta] ** (j - 1)


def weigh(functional: LagFunctional, horizon: int):
    """The functional applied to ``COVARIANCES`` at rational eigenvalues."""
    at = {**VALUES, T: horizon}
    lags = range(1, int(functional.last.subs(at)) + 1)
    tail = sum(
        (functional.lag.subs({**at, Delta: d}) * COVARIANCES[d] for d in lags), S.Zero
    )
    return functional.zero.subs(at) * COVARIANCES[0] + tail


LEMMAS = {"Lemma 1": (lemma_1, coefficient_1), "Lemma 2": (lemma_2, coefficient_2)}


@pytest.mark.parametrize("horizon", range(1, 6))
@pytest.mark.parametrize("lemma", LEMMAS)
@pytest.mark.sampled(5)
def test_lemma_is_the_double_sum_written_out_for_any_covariance(lemma, horizon):
    statement, coefficient = LEMMAS[lemma]
    written = sum(
        coefficient(i, j) * COVARIANCES[abs(i - j)]
        for i, j in product(range(horizon), repeat=2)
    )
    assert weigh(statement(T), horizon) == written
    assert weigh(statement(Integer(horizon)), horizon) == written
    if horizon > 1:
        assert weigh(statement(T), horizon - 1) != written


@pytest.mark.parametrize("lemma", LEMMAS)
def test_infinite_lemma_is_the_limit_of_the_finite_one(lemma):
    statement, _ = LEMMAS[lemma]
    far, limit = statement(T), statement()
    at = {**VALUES, T: 200}
    for lag in (1, 2, 5):
        distance = (limit.lag - far.lag).subs({**at, Delta: lag})
        assert abs(distance) < Rational(1, 10**30)
        assert abs(limit.lag.subs({**at, Delta: lag})) > Rational(1, 100)
    assert abs((limit.zero - far.zero).subs(at)) < Rational(1, 10**30)


def test_lemma_2_is_the_double_sum_with_indices_in_front():
    direct = double_sum(lambda i, j: i * j * alpha ** (i - 1) * beta ** (j - 1))
    assert lemma_2().equals(direct)
    assert not lemma_2().equals(direct.map(lambda weight: weight * Rational(51, 50)))


@pytest.mark.parametrize("name", INPUTS)
def test_functional_of_an_input_is_its_sum_over_lags(name):
    covariance = INPUTS[name]
    at = {
        **VALUES,
        rho: Rational(1, 3),
        b: Rational(4, 5),
        Symbol("a", nonnegative=True): S(2),
    }
    finite = lemma_1(Integer(5))
    lags = [covariance.lag.subs({**at, Delta: d}) for d in range(1, 5)]
    written = finite.zero.subs(at) * covariance.zero.subs(at) + sum(
        finite.lag.subs({**at, Delta: d}) * value for d, value in enumerate(lags, 1)
    )
    assert finite.on(name).subs(at) == written


def test_functional_of_an_unknown_input_is_refused():
    with pytest.raises(KeyError, match="pink"):
        lemma_1().on("pink")


@pytest.mark.parametrize("horizon", [T, oo], ids=str)
@pytest.mark.parametrize("lemma", LEMMAS)
def test_reading_a_functional_back_gives_the_same_weights(lemma, horizon):
    functional = LEMMAS[lemma][0](horizon)
    back = as_functional(functional.as_sum())
    assert back.equals(functional)
    assert not back.equals(functional.map(lambda weight: weight * Rational(51, 50)))


def test_reading_a_functional_back_collects_terms():
    split = 2 * R(0) + R(0) / 3 + Sum(lam**Delta * R(Delta), (Delta, 1, oo))
    repeated = split + Sum(Delta * R(Delta), (Delta, 1, oo))
    assert as_functional(repeated).equals(
        LagFunctional(Rational(7, 3), lam**Delta + Delta, oo)
    )


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (R(0) + lam, r"need a term in R\(0\) or in one sum over R, got lambda"),
        (Sum(R(Delta), (Delta, 0, oo)), "need sums over Delta from 1, got"),
        (Sum(R(n), (n, 1, oo)), "need sums over Delta from 1, got"),
        (
            Sum(R(Delta), (Delta, 1, oo)) + Sum(R(Delta), (Delta, 1, T)),
            "need sums over Delta from 1, got",
        ),
    ],
)
def test_what_is_not_a_functional_is_refused(expr, message):
    with pytest.raises(ValueError, match=message):
        as_functional(expr)


FORMS = {
    "a fraction": 1 / (1 - lam * rho),
    "a power": lam**T / (1 - lam),
    "a root": sqrt(Abs(lam)) + 1,
    "a functional": lemma_1().as_sum(),
    "the lag weights alone": Sum(lam**Delta * R(Delta), (Delta, 1, oo)) + R(0),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_same_form_says_yes_to_another_dress_and_no_to_two_percent(form):
    assert same_form(form.expand(power_base=False, power_exp=False), form)
    assert not same_form(form * Rational(51, 50), form)
    assert not same_form(form * Rational(49, 50), form)


def test_same_form_sees_a_mutant_in_one_lag_weight():
    right = lemma_2().as_sum()
    wrong = lemma_2()
    wrong = LagFunctional(wrong.zero, wrong.lag * Rational(51, 50), wrong.last)
    assert not same_form(wrong.as_sum(), right)


def test_same_form_tells_horizons_apart():
    assert not same_form(lemma_1().as_sum(), lemma_1(T).as_sum())


def test_zero_is_decided_exactly():
    assert is_zero(lam**2 * lam**T - lam ** (T + 2))
    assert not is_zero(lam**2 * lam**T - lam ** (T + 1))
    assert is_zero((1 - rho**2) / (1 - rho) - 1 - rho)
    assert not is_zero((1 - rho**2) / (1 - rho) - 1)
