"""The gated unit's moments, and the tables' arithmetic."""

import pytest
from sympy import Rational, diff, simplify

from sigprop.theory import gated as theory
from sigprop.theory import teacher as tables
from sigprop.theory.symbols import lam


def test_printed_moments_are_those_of_the_kernel_for_every_autocovariance():
    assert theory.printed_pair().equals(theory.pair())
    assert theory.printed_state().equals(theory.state())
    assert theory.printed_sensitivity().equals(theory.sensitivity())
    assert not theory.printed_state().equals(theory.pair())


def test_bias_moves_the_state_by_the_gates_slope():
    ratio = theory.bias_sensitivity().result / theory.sensitivity().on("mixed")
    assert simplify(ratio - (lam * (1 - lam)) ** 2) == 0
    assert diff(theory.gate(), theory.b_f).subs(theory.b_f, 0) == Rational(1, 4)


@pytest.mark.parametrize(("table", "runs"), [(1, 1190), (2, 460), (3, 1200)])
def test_runs_of_a_table(table, runs):
    assert sum(tables.runs(table)) == runs


def test_days_of_computing_are_those_that_the_note_gives():
    assert [round(tables.days(column), 1) for column in ("RNN", "LRU")] == [14.4, 2.6]


def test_width_of_bert_is_where_its_parameters_are():
    assert theory.bert_width() == 768
    assert theory.bert_parameters(724) < 102e6
