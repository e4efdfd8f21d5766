"""Every symbol has one meaning, under every process and in every assertion."""

import math
import re

import jax.numpy as jnp
import numpy as np
import pytest
import sympy
from sympy import I, Rational, Sum, Symbol, cos, exp, oo

from sigprop import AR1, Constant, Mixed, MovingAverage, White, linear_recurrence
from sigprop.inputs import GaussianProcess
from sigprop.judge import trials
from sigprop.neuron.montecarlo import Sums
from sigprop.testing import assert_equal_forms, assert_moment
from sigprop.theory.symbols import (
    NOTATION,
    Delta,
    R,
    T,
    a,
    b,
    lam,
    lam_bar,
    r,
    r_max,
    r_min,
    rho,
    theta,
)

LAM = 0.6 * np.exp(0.7j)
STEPS = 9
PROCESSES = {
    "white": White(1.7),
    "constant": Constant(0.6),
    "ar1": AR1(-0.4),
    "mixed": Mixed(0.3, 1.4, 0.8),
    "moving average": MovingAverage((1.0, 0.5)),
}
# What each symbol is worth; a field of the process is read from the process.
VALUES = {
    lam: lambda process: LAM,
    lam_bar: lambda process: LAM.conjugate(),
    r: lambda process: 0.6,
    theta: lambda process: 0.7,
    T: lambda process: STEPS,
    rho: lambda process: process.rho,
    a: lambda process: process.a,
    b: lambda process: process.b,
}
DEFINED = {
    "white": set(),
    "constant": set(),
    "ar1": {rho},
    "mixed": {rho, a, b},
    "moving average": set(),
}
SYMBOLS = [symbol for symbol, *_ in NOTATION if isinstance(symbol, Symbol)]


@pytest.fixture
def measured(monkeypatch):
    """Set the moment that the simulation finds."""

    def finding(mean):
        def moments(key, lams, process, *, times, num):
            mean_of = np.full(len(lams), mean)
            return [{"state": Sums(num * mean_of, num * 3 * mean_of**2, num)}]

        monkeypatch.setattr(trials, "second_moments", moments)

    return finding


@pytest.mark.parametrize("name", PROCESSES)
@pytest.mark.parametrize("symbol", SYMBOLS, ids=str)
def test_a_symbol_has_its_value_under_a_process_or_is_refused(symbol, name, measured):
    process = PROCESSES[name]
    form = 3 + symbol * sympy.conjugate(symbol)
    if symbol in {lam, lam_bar, r, theta, T} | DEFINED[name]:
        value = 3 + abs(VALUES[symbol](process)) ** 2
        measured(value)
        answer = assert_moment(form, [LAM], process, steps=STEPS)
        assert answer.expected == pytest.approx((value,), rel=1e-12)
        return
    measured(3.0)
    text = next(text for known, text, *_ in NOTATION if known == symbol)
    where = f"one in {text} under {process}" if symbol in (rho, a, b) else str(symbol)
    with pytest.raises(ValueError, match=re.escape(where)):
        assert_moment(form, [LAM], process, steps=STEPS)


@pytest.mark.parametrize("name", PROCESSES)
def test_the_autocovariance_is_that_of_the_process(name, measured):
    process = PROCESSES[name]
    R_of = process.autocovariance(np.arange(200))
    truth = R_of[0] + R_of[1:] @ 0.5 ** np.arange(1, 200)
    measured(truth)
    form = R(0) + Sum(Rational(1, 2) ** Delta * R(Delta), (Delta, 1, oo))
    answer = assert_moment(form, [LAM], process, steps=STEPS)
    assert answer.expected == pytest.approx((truth,), rel=1e-12)


NOT_REAL = [
    1 + lam,
    1 / (1 - lam**2),
    sympy.log(-r),
    lambda setting: 1 + 0.1j,
    lambda setting: math.nan,
    lambda setting: math.inf,
    1 / (r - r**2 / Rational(3, 5)),
]


@pytest.mark.parametrize("formula", NOT_REAL, ids=range(len(NOT_REAL)))
def test_a_moment_is_a_real_number(formula, measured):
    measured(1.0)
    with pytest.raises(ValueError, match=r"finite real values for a moment.*neuron 0"):
        assert_moment(formula, [LAM], White(), steps=STEPS)


def test_the_neuron_with_a_complex_value_is_named(measured):
    measured(1.0)
    form = 1 + lam - lam_bar
    with pytest.raises(ValueError, match=r"got 1\+1j for neuron 1 \(lam=0\+0\.5j"):
        assert_moment(form, [0.5, 0.5j], White(), steps=STEPS)


def test_a_formula_of_zero_has_no_ratio(measured):
    measured(1.0)
    with pytest.raises(AssertionError, match=r"measured 1, formula 0$"):
        assert_moment(sympy.Integer(0), [LAM], White(), steps=STEPS)


def test_an_index_outside_of_its_sum_is_refused():
    with pytest.raises(ValueError, match="need Delta as the index of a sum alone"):
        assert_moment(R(Delta) / (1 - r**2), [LAM], White())


def layer(x):
    return jnp.tanh(linear_recurrence(jnp.asarray([0.5]), x[:, None]))


@pytest.mark.parametrize("symbol", [lam, lam_bar, r, theta], ids=str)
def test_a_layer_has_no_eigenvalue(symbol):
    form = 1 + symbol * sympy.conjugate(symbol)
    with pytest.raises(ValueError, match="formula without eigenvalues for a layer"):
        assert_moment(form, layer, White(), steps=4)


# --- equal forms ----------------------------------------------------------------------

EQUAL = [
    (1 / (1 - r**2), 1 / (1 - lam * lam_bar)),
    (lam + lam_bar, 2 * sympy.re(lam)),
    (lam + lam_bar, 2 * r * cos(theta)),
    (lam - lam_bar, 2 * I * sympy.im(lam)),
    (lam, r * exp(I * theta)),
    (lam**3, r**3 * exp(3 * I * theta)),
    (sympy.conjugate(lam), lam_bar),
    (sympy.Abs(lam), r),
    (sympy.Abs(1 - rho * lam) ** 2, 1 - 2 * rho * r * cos(theta) + rho**2 * r**2),
    ((1 - r ** (2 * T)) / (1 - r**2), (1 - (lam * lam_bar) ** T) / (1 - lam * lam_bar)),
    (
        R(0) / (1 - r**2) + Sum(2 * r * cos(theta) * R(Delta), (Delta, 1, oo)),
        R(0) / (1 - lam * lam_bar) + Sum((lam + lam_bar) * R(Delta), (Delta, 1, oo)),
    ),
]


@pytest.mark.parametrize(("first", "other"), EQUAL, ids=str)
def test_forms_that_the_ties_make_equal_are_equal(first, other):
    assert_equal_forms(first, other)
    assert_equal_forms(other, first)
    for left, right in ((first, other), (other, first)):
        with pytest.raises(AssertionError, match=r"the forms (differ|weigh)"):
            assert_equal_forms(left, Rational(101, 100) * right)


UNEQUAL = [
    (1 / (1 - lam**2), 1 / (1 - lam * lam_bar), "differ"),
    (lam, r, "differ"),
    (lam_bar, lam, "differ"),
    (lam + lam_bar, 2 * r, "differ"),
    (sympy.Abs(rho), rho, "rho=-"),
    ((-1) ** T, sympy.Integer(1), "T="),
]


@pytest.mark.parametrize(("first", "other", "message"), UNEQUAL, ids=str)
def test_forms_that_agree_on_a_line_alone_are_unequal(first, other, message):
    with pytest.raises(AssertionError, match=message):
        assert_equal_forms(first, other)


def test_a_range_of_lam_is_of_real_eigenvalues():
    with pytest.raises(ValueError, match="no counterexample was found"):
        assert_equal_forms(lam + lam_bar, 2 * lam, {lam: (-0.9, 0.9)})
    with pytest.raises(AssertionError, match="differ"):
        assert_equal_forms(lam + lam_bar, 2 * r, {lam: (-0.9, -0.1)})
    with pytest.raises(AssertionError, match="differ"):
        assert_equal_forms(lam + lam_bar, 2 * lam, {r: (0.1, 0.9), theta: (0.1, 3.0)})


@pytest.mark.parametrize(
    "domain", [{lam: (0, 0.5), lam_bar: (0, 0.5)}, {lam: (0, 0.5), r: (0, 0.5)}]
)
def test_an_eigenvalue_has_one_range(domain):
    with pytest.raises(ValueError, match="need a range for lam alone"):
        assert_equal_forms(lam * lam_bar, r**3, domain)


def test_the_ring_is_no_inside_out():
    with pytest.raises(ValueError, match="no counterexample was found"):
        assert_equal_forms(sympy.Max(r_min, r_max), r_max)


def test_a_symbol_of_ones_own_is_no_part_of_the_eigenvalue():
    with pytest.raises(ValueError, match="need one symbol of the name r, got two"):
        assert_equal_forms(1 / (1 - Symbol("r") ** 2), 1 / (1 - lam * lam_bar))


# --- processes ------------------------------------------------------------------------


@pytest.mark.parametrize("process", PROCESSES.values(), ids=str)
def test_an_input_has_the_autocovariance_of_its_process(process: GaussianProcess):
    covariances = [
        float(trials.input_of(process).autocovariance(lag)) for lag in range(5)
    ]
    assert covariances == pytest.approx(process.autocovariance(np.arange(5)), abs=1e-15)
