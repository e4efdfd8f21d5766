"""The symbols of a formula, their values and their relations.

An eigenvalue is ``lam = r exp(i theta)`` and ``lam_bar`` its conjugate, in every formula.
``T`` is the number of inputs since the zero state.  ``rho``, ``a`` and ``b`` are fields of the
input process; they have no value if the process has no such field.  ``Delta`` is the index of
a sum over lags.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import mpmath
import numpy as np
from sympy import (
    Abs,
    Dummy,
    Expr,
    I,
    S,
    Symbol,
    conjugate,
    cos,
    exp,
    expand,
    im,
    powsimp,
    re,
    sin,
)

from sigprop.inputs import AR1, Constant, GaussianProcess, Mixed, MovingAverage, White
from sigprop.theory.autocorrelation import same_form
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
)
from sigprop.theory.symbols import theta as angle

NAMES = {symbol: name for symbol, name, _, _ in NOTATION if isinstance(symbol, Symbol)}
EIGENVALUE = (lam, lam_bar, r, angle)
FIELDS: dict[type[GaussianProcess], tuple[Symbol, ...]] = {
    White: (),
    Constant: (),
    MovingAverage: (),
    AR1: (rho,),
    Mixed: (a, b, rho),
}
PARTS = (re, im, Abs, conjugate)
LARGEST_INTEGER = 8  # of a number of steps that looks for a counterexample


def require_symbols(
    formula: Expr, process: Any, eigenvalues: bool, own: Collection[Symbol] = ()
) -> None:
    """Check that every symbol of a formula has a value.

    Args:
        formula: Expression in the symbols of ``sigprop.theory.symbols``.
        process: Input process.
        eigenvalues: True if the system is given by eigenvalues, false for a layer.
        own: Further symbols to which the user gives values.

    Raises:
        ValueError: If a symbol has no value. The message suggests another symbol.
    """
    everywhere = (*EIGENVALUE, T, rho, a, b)
    strangers = formula.free_symbols - {Delta, *everywhere, *own}
    if strangers:
        _refuse_strangers(strangers, everywhere)
    if Delta in formula.free_symbols:
        raise ValueError(
            "need Delta as the index of a sum alone, got a formula that depends on it; "
            "write Sum(..., (Delta, 1, oo))"
        )
    eigenvalue = formula.free_symbols & {*EIGENVALUE} - {*own}
    if not eigenvalues and eigenvalue:
        raise ValueError(
            f"need a formula without eigenvalues for a layer, which has none, got one in "
            f"{_names(eigenvalue)}; put numbers in for them"
        )
    known = FIELDS.get(type(process), ())
    missing = formula.free_symbols & {rho, a, b} - {*known, *own}
    if missing:
        has = f"defines {_names(known)} alone" if known else "defines none of them"
        raise ValueError(
            f"need a formula in the symbols that its input defines, got one in "
            f"{_names(missing)} under {process}, which {has}; put numbers in for them"
        )
    if formula.has(R) and type(process) not in FIELDS:
        raise ValueError(
            "need a process of sigprop.inputs for the autocovariance R, got a formula in R "
            f"under {process}; put numbers in for it"
        )


def _names(symbols: Iterable[Any]) -> str:
    return ", ".join(sorted(NAMES.get(symbol, str(symbol)) for symbol in symbols))


def _refuse_strangers(strangers: Iterable[Any], known: Iterable[Symbol]) -> None:
    names = {NAMES[symbol] for symbol in known}
    alike = {str(symbol): NAMES[symbol] for symbol in known}
    spellings = [alike.get(str(symbol), str(symbol)) for symbol in strangers]
    meant = ", ".join(sorted(name for name in spellings if name in names))
    if meant:
        raise ValueError(
            "need the symbols of sigprop.theory.symbols, got others of the same name, "
            f"{meant}: a Symbol of your own has no value here; use "
            f"`from sigprop.theory.symbols import {meant}`"
        )
    raise ValueError(
        f"need a formula in {', '.join(sorted(names))} of sigprop.theory.symbols, got one that "
        f"depends on {', '.join(sorted(map(str, strangers)))}; put numbers in for them"
    )


def require_one_notation(*forms: Any) -> None:
    """Check that forms are expressions without two symbols of the same name.

    Raises:
        ValueError: If a form is not an expression, or two symbols have the same name.
    """
    for form in forms:
        if not isinstance(form, Expr):
            raise ValueError(
                f"need two SymPy expressions, got {form!r}; write it out in Python, in the "
                "symbols of sigprop.theory.symbols"
            )
    used = set().union(*(form.free_symbols for form in forms))
    tied = {*EIGENVALUE} if used & {*EIGENVALUE} else set()
    by_name: dict[str, Symbol] = {str(symbol): symbol for symbol in tied}
    for symbol in sorted(used, key=str):
        if by_name.setdefault(str(symbol), symbol) != symbol:
            raise ValueError(
                f"need one symbol of the name {symbol}, got two that assume different "
                "things; use `from sigprop.theory.symbols import "
                f"{NAMES.get(symbol, symbol)}` in both forms"
            )


def equal(first: Any, second: Any) -> bool:
    """Return True if SymPy proves two forms equal for every eigenvalue."""
    if same_form(first, second):
        return True
    difference = first - second
    # Functions of lam and lam_bar that are analytic in both have no other equalities.
    mixed = difference.has(r, angle, *PARTS) and difference.has(lam, lam_bar)
    return mixed and same_form(_in_polar(difference), S.Zero)


def _in_polar(form: Any) -> Any:
    """A form as a function of ``r`` and of a new symbol for ``exp(i theta)``.

    Two forms are equal at every eigenvalue if and only if these rational functions are
    equal.
    """
    turn = Dummy("turn")
    polar_forms = {lam: r * exp(I * angle), lam_bar: r * exp(-I * angle)}
    polar = form.subs(polar_forms, simultaneous=True).rewrite((sin, cos), exp)
    return expand(powsimp(polar), power_exp=True, power_base=True).replace(
        lambda node: isinstance(node, exp),
        lambda node: turn ** (node.args[0] / (I * angle)),
    )


class Domain:
    """Ranges of the symbols of some forms, from which random values are drawn."""

    def __init__(
        self, forms: Iterable[Expr], ranges: Mapping[Symbol, tuple[float, float]] | None
    ) -> None:
        self.symbols: list[Any] = sorted(
            set().union(*(form.free_symbols for form in forms)), key=str
        )
        needed = {*self.symbols}
        if needed & {lam, lam_bar}:
            needed = needed - {lam, lam_bar} | {r, angle}
        if ranges is None:
            self.ranges = {symbol: _range(symbol) for symbol in needed}
            return
        if lam_bar in ranges or (lam in ranges and {r, angle} & {*ranges}):
            raise ValueError(
                "need a range for lam alone, where it is real, or for r and theta: lam is "
                "r exp(i theta) and lam_bar its conjugate"
            )
        if lam in ranges:
            needed = needed - {r, angle} | {lam}
        if missing := sorted(str(symbol) for symbol in needed if symbol not in ranges):
            raise ValueError(f"need a range for every symbol, got none for {missing}")
        self.ranges = {symbol: ranges[symbol] for symbol in needed}

    def draw(self, generator: np.random.Generator) -> dict[Any, Any]:
        """Draw a value of each symbol, in the current precision of mpmath."""
        values: dict[Any, Any] = {}
        for symbol, (low, high) in sorted(self.ranges.items(), key=str):
            values[symbol] = mpmath.mpf(generator.uniform(low, high))
            if symbol.is_integer:
                values[symbol] = int(generator.integers(round(low), round(high) + 1))
        if lam in values:
            values[r], values[angle] = abs(values[lam]), mpmath.arg(values[lam])
        elif angle in values and r in values:
            values[lam] = values[r] * mpmath.expj(values[angle])
        if lam in values:
            values[lam_bar] = mpmath.conj(values[lam])
        if {r_min, r_max} <= {*values} and values[r_min] > values[r_max]:
            values[r_min], values[r_max] = values[r_max], values[r_min]
        return {symbol: values[symbol] for symbol in self.symbols}


def _range(symbol: Any) -> tuple[float, float]:
    if symbol == rho:
        return -0.9, 0.9
    if symbol == angle:
        return -np.pi, np.pi
    return (1, LARGEST_INTEGER) if symbol.is_integer else (0.1, 0.9)
