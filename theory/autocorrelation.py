"""Second moments of filtered stationary processes: Lemmas 1 and 2 at any horizon.

A process with autocovariance ``R``, filtered by a kernel ``k``, has the second moment
``sum_{n,m < T} k_n conj(k_m) R(n - m)``.  This is a linear functional of ``R``.  The module
computes its weights exactly, for finite and infinite ``T``, and applies them to the families
of inputs that the papers use.

Source: Zucchet & Orvieto (2024), Appendix B.1, Eq. 34-41; finite ``T`` is ours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from sympy import (
    Add,
    Dummy,
    Expr,
    I,
    Integer,
    Mul,
    Pow,
    Rational,
    S,
    Sum,
    Symbol,
    conjugate,
    diff,
    expand,
    expand_log,
    expand_power_base,
    expand_power_exp,
    factor,
    oo,
    powsimp,
    simplify,
    together,
)
from sympy.core.function import AppliedUndef

from sigprop.theory.symbols import Delta, R, a, alpha, b, beta, rho


class Autocovariance(NamedTuple):
    """Autocovariance as ``R(0)`` and ``R(Delta)`` for ``Delta >= 1``."""

    zero: Expr
    lag: Expr


INPUTS: dict[str, Autocovariance] = {
    "white": Autocovariance(S.One, S.Zero),
    "constant": Autocovariance(S.One, S.One),
    "exponential": Autocovariance(S.One, rho**Delta),
    "mixed": Autocovariance(a + b, b * rho**Delta),
}
"""The families of inputs that the papers use, by name."""


WITNESS = Rational(1, 10**9)  # beyond it a value of 20 digits is not zero


def _split(term: Expr, index: Symbol) -> tuple[Expr, int, Expr]:
    """Write ``term`` as ``coefficient * index**power * ratio**index``."""
    coefficient, power, ratio = S.One, 0, S.One
    for factor_ in Mul.make_args(expand_power_exp(expand_power_base(term, force=True))):
        base, exponent = factor_.as_base_exp()
        if not factor_.has(index):
            coefficient *= factor_
        elif base == index and exponent.is_Integer and exponent >= 0:
            power += int(exponent)
        else:
            derivative = diff(exponent, index)
            if base.has(index) or derivative.has(index):
                raise ValueError(f"need c * {index}**p * x**{index}, got {term}")
            ratio *= base**derivative
            coefficient *= base ** expand(exponent - derivative * index)
    return coefficient, power, ratio


def geometric_sum(summand: Expr, index: Symbol, first: Expr, last: Expr) -> Expr:
    """Return ``sum of summand for index = first..last`` in closed form.

    Conditions: ``summand`` is a sum of terms ``c * index**p * x**index`` with every
    ``x != 1``; with ``last = oo`` every ``|x| < 1``.  A power of the index is a
    derivative by the ratio: ``sum index**p x**index = (x d/dx)**p sum x**index``.

    Raises:
        ValueError: If a term is not of that form, or has ratio one.

    Example:
        >>> from sympy import Rational
        >>> from sigprop.theory.symbols import n
        >>> geometric_sum(n * Rational(1, 2)**n, n, 1, oo)
        2
    """
    total = S.Zero
    for term in Add.make_args(expand(summand)):
        if term == 0:
            continue
        coefficient, power, ratio = _split(term, index)
        if ratio == 1:
            raise ValueError(f"need a ratio other than one, got the term {term}")
        x = Dummy("x")
        tail = S.Zero if last == oo else x ** (last + 1)
        closed = (x**first - tail) / (1 - x)
        for _ in range(power):
            closed = x * diff(closed, x)
        total += coefficient * closed.subs(x, ratio)
    return total


@dataclass(frozen=True)
class LagFunctional:
    """Linear functional ``zero * R(0) + sum_{Delta=1}^{last} lag * R(Delta)`` of ``R``."""

    zero: Expr
    lag: Expr
    last: Expr

    def as_sum(self) -> Expr:
        """Return the functional as a sum over the lags of an undetermined ``R``."""
        tail = Sum(self.lag * R(Delta), (Delta, 1, self.last))
        return self.zero * R(0) + tail

    def on(self, name: str) -> Expr:
        """Return the functional for one of ``INPUTS``, in closed form.

        Raises:
            KeyError: If the name is not in ``INPUTS``.
        """
        covariance = INPUTS[name]
        tail = geometric_sum(self.lag * covariance.lag, Delta, Integer(1), self.last)
        return self.zero * covariance.zero + tail

    def map(self, change: Callable[[Expr], Expr]) -> "LagFunctional":
        """Apply ``change`` to both weights."""
        return LagFunctional(change(self.zero), change(self.lag), self.last)

    def equals(self, other: "LagFunctional") -> bool:
        """True if both weights of two functionals are equal."""
        return self.last == other.last and all(
            is_zero(x - y) for x, y in ((self.zero, other.zero), (self.lag, other.lag))
        )


def as_functional(expr: Expr) -> LagFunctional:
    """Return the weights of an expression that is linear in ``R``.

    Raises:
        ValueError: If a term is not a multiple of ``R(0)`` or of a sum over lags.
    """
    zero, lag, last = S.Zero, S.Zero, None
    for term in Add.make_args(expand(expr, power_base=False, power_exp=False)):
        totals = term.atoms(Sum)
        if not totals and term.has(R(0)):
            zero += term / R(0)
        elif len(totals) == 1:
            (total,) = totals
            index, first, end = total.limits[0]
            if index != Delta or first != 1 or last not in (None, end):
                raise ValueError(f"need sums over Delta from 1, got {total}")
            last = end
            lag += term / total * expand(total.function / R(Delta))
        else:
            raise ValueError(f"need a term in R(0) or in one sum over R, got {term}")
    return LagFunctional(zero, lag, oo if last is None else last)


def same_form(first: Expr, second: Expr) -> bool:
    """True if two forms are exactly equal; forms in ``R`` are compared by their weights."""
    if first.has(R) or second.has(R):
        return as_functional(first).equals(as_functional(second))
    return is_zero(first - second)


def differ(first: Expr, second: Expr) -> bool:
    """True if numerical values prove two forms unequal; False is no proof of equality."""
    if first.has(R) or second.has(R):
        left, right = as_functional(first), as_functional(second)
        return differ(left.zero, right.zero) or differ(left.lag, right.lag)
    return _differs_somewhere(first - second)


def is_zero(expr: Expr) -> bool:
    """True if a combination of powers, logarithms and rational functions vanishes.

    All arguments of logarithms are assumed to be positive.
    """
    expr = expand_log(expr, force=True)
    merged = powsimp(expand_power_exp(expand(together(expr).as_numer_denom()[0])))
    return merged == 0 or (not _differs_somewhere(merged) and simplify(merged) == 0)


def _differs_somewhere(expr: Expr) -> bool:
    """Return True if numbers in place of symbols show that an expression is not zero.

    SymPy guarantees the digits that it evaluates.  False is no proof that it is zero.
    """
    if expr.has(Sum, AppliedUndef):
        return False
    numbers: dict[Any, Expr] = {}
    names = {str(symbol): symbol for symbol in expr.free_symbols}
    for index, name in enumerate(sorted(names)):
        symbol, part = names[name], Rational(1, 3) + Rational(index, 19)
        whole, real = symbol.is_integer, symbol.is_real
        numbers[symbol] = (
            Integer(index + 3) if whole else part if real else part + I / 7
        )
    for name, symbol in names.items():
        for bar in (f"{name}_bar", rf"\bar{{\{name}}}"):
            if bar in names:
                numbers[names[bar]] = conjugate(numbers[symbol])
    value = expr.subs(numbers).evalf(20)
    return bool(value.is_comparable or value.is_complex) and abs(value) > WITNESS


def double_sum(
    coefficient: Callable[[Expr, Expr], Expr], horizon: Expr = oo, tidy: bool = True
) -> LagFunctional:
    """Compute the weights of ``sum_{n,m < horizon} coefficient(n, m) R(n - m)``.

    The indices are split into ``n = m``, ``n > m`` and ``n < m`` (Zucchet Eq. 35), and each
    part is summed along its diagonals.  If ``tidy`` is true, the weights are factored.
    """
    k = Dummy("k", integer=True, nonnegative=True)
    top = horizon - 1
    zero = geometric_sum(coefficient(k, k), k, Integer(0), top)
    off = coefficient(k + Delta, k) + coefficient(k, k + Delta)
    lag = geometric_sum(off, k, Integer(0), top - Delta if horizon != oo else oo)
    weights = LagFunctional(zero, lag, top)
    return weights.map(_tidy) if tidy else weights


def _tidy(expr: Expr) -> Expr:
    return factor(powsimp(expand_power_base(expr, force=True)), deep=True)


@cache
def lemma_1(horizon: Expr = oo) -> LagFunctional:
    """Compute ``sum alpha**n beta**m R(n-m)`` as a functional of ``R``.

    Conditions: ``|alpha| < 1`` and ``|beta| < 1`` if the horizon is infinite.

    Source: Zucchet & Orvieto (2024), Lemma 1, Eq. 34, at any horizon.

    Example:
        >>> lemma_1().zero
        -1/(alpha*beta - 1)
    """
    return double_sum(lambda n, m: Pow(alpha, n) * Pow(beta, m), horizon)


@cache
def lemma_2(horizon: Expr = oo) -> LagFunctional:
    """Compute ``sum n m alpha**(n-1) beta**(m-1) R(n-m)``, a mixed derivative of Lemma 1.

    Source: Zucchet & Orvieto (2024), Lemma 2, Eq. 39.
    """
    return lemma_1(horizon).map(lambda weight: diff(weight, alpha, beta))
