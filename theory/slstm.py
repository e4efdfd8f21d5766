"""The sLSTM with gates that do not depend on the state: two sums and their quotient.

Notation: ``c``, ``n``  the sum of inputs and the sum of weights;  ``f``, ``i``  forget
and input gate;  ``r``, ``i``, ``v``  arguments of both gates and of the input; ``b``,
``spread``  mean and standard deviation of the logarithm of the input gate.

Source: own, for the recurrence of Beck et al. (2024), xLSTM, Eq. 8-17.
"""

from functools import cache
from typing import Any

from sympy import (
    Expr,
    Integer,
    Sum,
    Symbol,
    coth,
    diff,
    exp,
    expand,
    log,
    oo,
    simplify,
    symbols,
    tanh,
)

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.forget_gates import b, f, spread
from sigprop.theory.gates import Gate, i, r, sigmoid, v
from sigprop.theory.symbols import T, n


def _gates(entering: Expr, *inputs: Symbol) -> dict[str, Gate]:
    """The gates of a sum of inputs, by the kind of the forget gate."""
    return {
        "sigmoid": Gate(sigmoid(r), entering, (r, i, *inputs), lost=sigmoid(-r)),
        "exponential": Gate(exp(r), entering, (r, i, *inputs)),
    }


CELLS = _gates(exp(i) * tanh(v), v)
NORMALISERS = _gates(exp(i))
# Products of the output gate and the input, of one step: their second moments.
PRODUCTS = {
    name: Gate(Integer(0), product, (r, v))
    for name, product in {
        "o": sigmoid(r),
        "z": tanh(v),
        "oz": sigmoid(r) * tanh(v),
        "1 + z": 1 + tanh(v),
        "o + oz": sigmoid(r) * (1 + tanh(v)),
    }.items()
}


_E_FIRST, _E_SECOND = exp(b + spread**2 / 2), exp(2 * b + 2 * spread**2)  # E i, E i^2


def _total(term: Expr, count: Any = oo) -> Expr:
    """A sum over ages ``n`` from zero."""
    summed: Any = Sum(term, (n, 0, count - 1))
    return summed


@cache
def state() -> Derivation:
    """``E h^2`` after ``T`` white inputs behind constant gates.

    Conditions: ``f`` is not one, where the limit is ``1/T``.

    Example:
        >>> state().result.subs(T, 1)
        1
    """
    return start(
        "Squared weights over the square of their sum",
        _total(f ** (2 * n), T) / _total(f**n, T) ** 2,
        r"\mathbb{E} h^2",
    ).then("Geometric sums", (1 - f) * (1 + f**T) / ((1 + f) * (1 - f**T)))


@cache
def normaliser() -> Derivation:
    """``Var n / (E n)^2`` after ``T`` independent log-normal gates."""
    variance = _E_SECOND - _E_FIRST**2
    return start(
        "Variances of independent gates add up, and so do their means",
        variance * _total(f ** (2 * n), T) / (_E_FIRST * _total(f**n, T)) ** 2,
        r"\frac{\operatorname{Var} n}{(\mathbb{E} n)^2}",
    ).then("Geometric sums", (exp(spread**2) - 1) * state().result)


@cache
def ratio() -> Derivation:
    """``E c^2 / E n^2`` in the limit of many steps, with independent log-normal gates."""
    variance = _E_SECOND - _E_FIRST**2
    squared = variance / (1 - f**2) + (_E_FIRST / (1 - f)) ** 2
    return start(
        "Both second moments in the limit",
        _E_SECOND / (1 - f**2) / squared,
        r"\frac{\mathbb{E} c^2}{\mathbb{E} n^2}",
    ).then(
        "We cancel",
        (1 - f) * exp(spread**2) / (2 * f + (1 - f) * exp(spread**2)),
    )


@cache
def drawn() -> Derivation:
    """Derivative of ``E h^2`` by the variance of the gate's logarithm, at zero variance.

    ``E h^2`` is the mean of ``Q``, the squared weights over the square of their sum.  With
    independent logarithms of small variance its change is half the sum of ``Q``'s second
    derivatives by them, times the variance.
    """
    # A share of the sum, and a change of its logarithm.
    p, g = symbols("p g", positive=True)
    first = (1 - f) / (1 + f)  # the sum of squared shares
    Q = (first + p**2 * (exp(2 * g) - 1)) / (1 + p * (exp(g) - 1)) ** 2
    second: Any = expand(simplify(diff(Q, g, 2).subs(g, 0)))
    terms = second.subs(p, (1 - f) * f**n) / 2
    sign = f**2 + 3 * f - 1
    return start(
        "Half the second derivatives by the logarithms of all gates",
        _total(terms),
        r"\frac{\partial}{\partial s^2} \mathbb{E} h^2",
    ).then(
        "Geometric sums, whose common factor is taken out",
        2 * f * (1 - f) * sign / ((1 + f) ** 2 * (1 + f + f**2)),
    )


@cache
def sensitivity() -> Derivation:
    """``E (dh/df~)^2`` of a sigmoid forget gate ``f = s(f~)``, in the limit of many steps."""
    moved = f * (1 - f) * diff((1 - f) * f**n, f)
    return start(
        "Squared derivatives of the weights (1 - f) f^n",
        _total(moved**2),
        r"\mathbb{E} \left(\frac{\partial h}{\partial \tilde f}\right)^2",
    ).then("Geometric sums and their derivatives", 2 * f**2 * (1 - f) / (1 + f) ** 3)


@cache
def finite_sensitivity() -> Derivation:
    """``E (dh/df~)^2`` of a sigmoid forget gate after ``T`` steps.

    With ``f = exp(-2 x)`` the products of the weights at two gates sum to ``(coth T x + coth
    T y) / (coth x + coth y)``.
    """
    x, y = symbols("x y", positive=True)
    pair = (coth(T * x) + coth(T * y)) / (coth(x) + coth(y))
    mixed = diff(pair, x, y).subs(y, x) / 4  # by log f = -2 x, twice
    rational = mixed.rewrite(exp).subs(x, -log(f) / 2)
    return start(
        "The mixed derivative of the sum of products, at two equal gates",
        (1 - f) ** 2 * rational,
        r"\mathbb{E} \left(\frac{\partial h}{\partial \tilde f}\right)^2",
    ).then(
        "In powers of f",
        2 * f**2 * (1 - f) * (1 + f**T) / ((1 + f) ** 3 * (1 - f**T))
        - 2 * T * f ** (T + 1) * (1 - f) ** 2 / ((1 + f) ** 2 * (1 - f**T) ** 2),
    )


@cache
def even_sensitivity() -> Derivation:
    """``E (dh/df~)^2`` of an exponential forget gate ``f = exp(f~)`` at ``f~ = 0``."""
    return start(
        "All weights are 1/T, and their logarithms move by the age less its mean",
        _total((n - (T - 1) / Integer(2)) ** 2, T) / T**2,
        r"\mathbb{E} \left(\frac{\partial h}{\partial \tilde f}\right)^2",
    ).then("The variance of T ages", (T**2 - 1) / (12 * T))


@cache
def relative_sensitivity() -> Derivation:
    """Relative sensitivity to the forget gate with a normaliser, over that without one."""
    with_one = _total(diff((1 - f) * f**n, f) ** 2) * (1 + f) / (1 - f)
    without = _total(diff(f**n, f) ** 2) * (1 - f**2)
    return start(
        "Squared derivatives of the weights, each over the squared weights",
        with_one / without,
        r"\frac{\mathbb{E} (\partial h/\partial \tilde{f})^2}{\mathbb{E} h^2} \Big/ "
        r"\frac{\mathbb{E} (\partial c/\partial \tilde{f})^2}{\mathbb{E} c^2}",
    ).then("Geometric sums and their derivatives", 2 / (1 + f**2))
