"""Products of two scalar recurrences: against Lemma 1, and against loops over inputs."""

import pytest
from sympy import I, Rational

from sigprop.theory.autocorrelation import is_zero, lemma_1
from sigprop.theory.layers import pair_weight
from sigprop.theory.symbols import Delta, T, alpha, beta

A, B = Rational(3, 5) + I / 4, Rational(-2, 3)


def at(weight, **values):
    """A weight at numbers, by the names of its symbols."""
    return weight.subs({s: values[s.name] for s in weight.free_symbols})


def number(expr):
    return complex(expr)


def test_both_sides_of_a_lag_make_lemma_1():
    older = pair_weight().result
    newer = older.subs({alpha: beta, beta: alpha}, simultaneous=True)
    assert is_zero(older + newer - lemma_1(T).lag)
    assert not is_zero(older + older - lemma_1(T).lag)


def test_lag_zero_makes_the_zero_weight_of_lemma_1():
    assert is_zero(pair_weight().result.subs(Delta, 0) - lemma_1(T).zero)


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_the_weight_is_a_count_of_pairs_the_first_of_which_is_older(steps):
    for lag in range(steps):
        pairs = [A ** (k + lag) * B**k for k in range(steps - lag)]
        weight = at(pair_weight().result, alpha=A, beta=B, Delta=lag, T=steps)
        assert number(weight) == pytest.approx(number(sum(pairs)), rel=1e-12)
    longest = at(pair_weight().result, alpha=A, beta=B, Delta=steps - 1, T=steps)
    assert number(longest) == pytest.approx(number(A ** (steps - 1)), rel=1e-12)


def test_derivations_give_a_reason_for_each_step():
    steps = pair_weight().steps
    assert len(steps) >= 2
    assert all(step.reason for step in steps)
