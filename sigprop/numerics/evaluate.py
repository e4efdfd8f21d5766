"""Values of SymPy forms at grid points, for many forms and all points at once.

A form and its mutants share nearly all subexpressions.  Each subexpression is evaluated
once and stored, so that a thousand mutants cost little more than the form itself.
"""

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import mpmath
import numpy as np
from jaxtyping import Complex, Float
from sympy import (
    And,
    Eq,
    Expr,
    Ge,
    Gt,
    Le,
    Lt,
    Ne,
    Not,
    Or,
    Piecewise,
    Sum,
    Symbol,
    Xor,
    exp,
    false,
    lambdify,
    log,
    oo,
    true,
)
from sympy.core.relational import Relational

from sigprop.numerics.points import AgePoint, EigenPoint, Input, PairPoint, Point
from sigprop.theory.symbols import Delta, R

DIGITS = 50  # digits; terms of closed forms at finite time cancel
FUNCTIONS: dict[str, Any] = {
    **{
        name: getattr(np, name)
        for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
    },
    "Abs": lambda x: np.abs(x) + 0j,
    "re": lambda x: np.real(x) + 0j,
    "im": lambda x: np.imag(x) + 0j,
    "conjugate": np.conj,
    "sign": np.sign,
    "atan": np.arctan,
    "acos": np.arccos,
    "asin": np.arcsin,
    "Max": lambda *x: functools.reduce(np.maximum, np.real(x)) + 0j,
    "Min": lambda *x: functools.reduce(np.minimum, np.real(x)) + 0j,
}
RELATIONS: dict[Any, Any] = {
    Lt: np.less,
    Le: np.less_equal,
    Gt: np.greater,
    Ge: np.greater_equal,
    Eq: np.equal,
    Ne: np.not_equal,
}
CONNECTIVES: dict[Any, Any] = {
    And: np.logical_and,
    Or: np.logical_or,
    Xor: np.logical_xor,
}
TAIL = 1e-24  # relative size of neglected terms of an infinite sum over lags


@runtime_checkable
class Place(Protocol):
    """Protocol of a point of a grid or of evidence, at which a form has a value."""

    def environment(self) -> Mapping[Symbol, Any]:
        """Values of all symbols."""
        ...


def _last_lag(points: Sequence[Place], endless: bool) -> int:
    """Lag after which ``Delta |lam|^Delta`` is below ``TAIL`` at every point."""
    longest = max(getattr(point, "steps", 0) for point in points)
    if not endless:
        return longest + 2
    radius = 0.0
    for point in points:
        if isinstance(point, PairPoint):
            radius = max(radius, abs(point.alpha), abs(point.beta))
        elif isinstance(point, EigenPoint | AgePoint):
            radius = max(radius, 1 - point.gap)
    if radius in (0.0, 1.0):
        return longest + 2
    return max(math.ceil(math.log(TAIL) / math.log(radius)), longest + 2)


class _Table:
    """Values of subexpressions: arrays over (points, 1) or (points, lags)."""

    def __init__(self, points: Sequence[Place], last: int) -> None:
        environments = [point.environment() for point in points]
        self.lags = np.arange(last + 1)
        self.known: dict[Any, Any] = {
            name: np.array([[complex(env[name])] for env in environments])
            for name in environments[0]
        }
        # Evidence sets Delta to one lag, and has no sums.
        self.known.setdefault(Delta, self.lags[None].astype(complex))
        sources = [getattr(point, "input", None) for point in points]
        self.covariances = np.array([_covariances(each, last) for each in sources])

    def value(self, expr: Any) -> Any:
        if expr not in self.known:
            self.known[expr] = self._compute(expr)
        return self.known[expr]

    def _compute(self, expr: Any) -> Any:
        if expr.is_number and not expr.args:
            return complex(expr) if expr.is_finite else complex("nan")
        if expr.is_Symbol:
            raise ValueError(f"the form depends on {expr}, which the grid does not set")
        if isinstance(expr, Sum):
            return self._total(expr)
        if isinstance(expr, Piecewise):
            return self._cases(expr)
        parts = [self.value(part) for part in expr.args]
        if expr.is_Add:
            return functools.reduce(np.add, parts)
        if expr.is_Mul:
            return functools.reduce(np.multiply, parts)
        if expr.is_Pow:
            return np.power(np.asarray(parts[0], complex), parts[1])
        if isinstance(expr, log):
            return np.log(np.asarray(parts[0], complex))
        if isinstance(expr, exp):
            return np.exp(parts[0])
        if expr.func.__name__ in FUNCTIONS:
            return FUNCTIONS[expr.func.__name__](*parts)
        if expr.func == R:
            return self._covariance(parts[0])
        raise ValueError(f"no numeric value is known for {expr.func}")

    def _total(self, expr: Sum) -> Any:
        index, low, high = expr.limits[0]
        if index != Delta:
            raise ValueError(f"need sums over {Delta}, got one over {index}")
        inside = self.lags[None] >= np.real(self.value(low))
        if high != oo:
            inside = inside & (self.lags[None] <= np.real(self.value(high)))
        terms = np.where(inside, self.value(expr.function), 0)
        return terms.sum(axis=1, keepdims=True)

    def _cases(self, expr: Expr) -> Any:
        result = np.full((len(self.covariances), 1), np.nan, complex)
        cases: Any = expr.args
        for value, condition in reversed(cases):
            result = np.where(self._holds(condition), self.value(value), result)
        return result

    def _holds(self, condition: Any) -> Any:
        """Truth of a condition at each point.

        A condition is a relation, or relations joined by and, or and not.  Equality
        compares complex numbers, and an inequality compares their real parts.
        """
        if condition in (true, false):
            return np.array(condition == true)
        if isinstance(condition, Relational):
            sides = [np.asarray(self.value(side)) for side in condition.args]
            compare = RELATIONS[type(condition)]
            if not isinstance(condition, Eq | Ne):
                sides = [np.real(side) for side in sides]
            return compare(*sides)
        if type(condition) in CONNECTIVES:
            parts = [self._holds(part) for part in condition.args]
            return functools.reduce(CONNECTIVES[type(condition)], parts)
        if isinstance(condition, Not):
            return np.logical_not(self._holds(condition.args[0]))
        raise ValueError(f"no truth value is known for the condition {condition}")

    def _covariance(self, lag: Any) -> Any:
        lag = np.asarray(lag, complex)
        index = np.abs(np.rint(lag.real)).astype(int)
        valid = (lag == np.rint(lag.real)) & (index < self.covariances.shape[1])
        shape = np.broadcast_shapes(lag.shape, (len(self.covariances), 1))
        columns = np.broadcast_to(np.where(valid, index, 0), shape)
        covariances = np.take_along_axis(self.covariances, columns, axis=1)
        return np.where(valid, covariances, np.nan)


def pieces(exprs: Iterable[Expr]) -> set[Any]:
    """All different subexpressions of forms."""
    left: list[Any] = list(exprs)
    visited = set(left)
    while left:
        new = set(left.pop().args) - visited
        visited |= new
        left += new
    return visited


def _endless(exprs: Sequence[Expr]) -> bool:
    """True if a form has a sum to infinity."""
    return any(isinstance(piece, Sum) and piece.has(oo) for piece in pieces(exprs))


@functools.lru_cache(4096)
def _covariances(source: Input | None, last: int) -> Float[np.ndarray, " lags"]:
    """``R`` at lags from 0 to ``last + 1``; without an input, one at all lags."""
    if source is None:
        return np.ones(last + 2)
    return np.array([float(source.autocovariance(lag)) for lag in range(last + 2)])


def values(
    exprs: Sequence[Expr], points: Sequence[Place]
) -> Complex[np.ndarray, "exprs points"]:
    """Evaluate forms in float64 at every point; an undefined value is NaN.

    ``R(lag)`` is the autocovariance of each point's input.  A sum to infinity stops at the
    lag after which its terms are negligible.

    Raises:
        ValueError: If a form depends on a symbol that the points do not set.
    """
    table = _Table(points, _last_lag(points, _endless(exprs)))
    result = np.empty((len(exprs), len(points)), complex)
    with np.errstate(all="ignore"):
        for row, expr in enumerate(exprs):
            result[row] = np.broadcast_to(table.value(expr), (len(points), 1))[:, 0]
    return result


def precise(expr: Expr, points: Sequence[Point]) -> list[complex]:
    """Evaluate one form with ``DIGITS`` digits at every point, rounded at the end.

    Forms with sums over lags are evaluated by ``values``, because their terms do not
    cancel.
    """
    if not points:
        return []
    if expr.has(Sum) or expr.has(R):
        return [complex(value) for value in values([expr], points)[0]]
    names: list[Symbol] = sorted(expr.free_symbols, key=str)  # type: ignore[arg-type]
    function = lambdify(names, expr, modules="mpmath")
    with mpmath.workdps(DIGITS):
        environments = [point.environment() for point in points]
        return [
            complex(function(*(env[name] for name in names))) for env in environments
        ]
