"""Rules for parsing the LaTeX of a row as the form to judge: letters, sides and sums.

``sigprop.theory.readings`` has the rules of every row that needs its own.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sympy import Expr, Piecewise, Symbol, oo, sympify

from sigprop.theory import symbols
from sigprop.theory.autocorrelation import (
    LagFunctional,
    double_sum,
    geometric_sum,
    same_form,
)
from sigprop.theory.latex import pieces, read, summed
from sigprop.theory.symbols import R, m, n, r

Meaning = str | Expr | Callable[..., Any]
FUNCTIONS = {"sqrt", "exp", "log", "cos", "sin", "diff", "Rational", "I", "R"}
FALLBACK = {
    name: value for name, value in vars(symbols).items() if isinstance(value, Symbol)
}
AGE = Symbol("z")  # its n-th power represents the input of age n


def by_age(form: Expr, first: int = 0, last: Expr = oo) -> Expr:
    """Return the power series whose coefficients are the weights of inputs by age."""
    if isinstance(form, Piecewise):  # the series ends at some age
        piece: Any = form.args[0]
        form, last = piece.expr, piece.cond.args[1]
    return geometric_sum(form * AGE**n, n, sympify(first), last)


def both_modes(term: Expr) -> Expr:
    """Return the sum of a term and the same term for a second mode."""
    second = {
        symbol: Symbol(
            re.sub(r"_i(?=_|$)", "_j", symbol.name.replace("ii", "jj")),
            real=symbol.is_real,
        )
        for symbol in term.free_symbols
        if isinstance(symbol, Symbol)
    }
    return term + term.xreplace(second)


def both_norms(term: Expr) -> Expr:
    """Sum a function of the modulus over two modes, weighted by the norms of their inputs."""
    closed = summed(term)
    radii = [Symbol(f"r_{k}", positive=True) for k in (1, 2)]
    norms = [Symbol(f"s_{k}", positive=True) for k in (1, 2)]
    return sum(s * closed.subs(r, x) for s, x in zip(norms, radii, strict=True))


def by_lag(summand: Expr, horizon: Expr = oo) -> LagFunctional:
    """Return the double sum over ages ``n`` and ``m``, given the weight of ``R(n - m)``."""
    return double_sum(
        lambda x, y: summand.subs({n: x, m: y}, simultaneous=True), horizon
    )


def itself(form: Expr) -> Expr:
    """Return the form unchanged."""
    return form


class Reading(NamedTuple):
    """Rules to read the LaTeX of a row as the form to judge.

    Attributes:
        letters: Meanings of spellings that are not common to all papers.
        side: Index of the formula to read in a chain of equations.
        view: Function that is applied to the form before the comparison.
        fold: Function that is applied to the formula before the comparison.
    """

    letters: Mapping[str, Meaning] = {}
    side: int = -1
    view: Callable[[Expr], Expr] = itself
    fold: Callable[[Expr], Expr] = summed


COMMON: Mapping[str, Meaning] = {
    r"\lambda": "lam",
    r"\bar{\lambda}": "lam_bar",
    r"\overline{\lambda}": "lam_bar",
    r"\rho": "rho",
    r"\alpha": "alpha",
    r"\beta": "beta",
    r"\Delta": "Delta",
    r"\gamma": "gamma",
    r"\nu": "nu",
    r"\theta": "theta",
    r"\omega": "omega",
    r"\tau": "tau",
    r"R_x": lambda lag: R(lag),
    r"r_{\min}": "r_min",
    r"r_{\max}": "r_max",
    "u_1": "u_1",
    "u": "u_1",
    "r": "r",
    "a": "a",
    "b": "b",
    "c": "c",
    "n": "n",
    "t": "T",
    "T": "T",
}


def as_read(latex: str, form: Expr, reading: Reading) -> Expr:
    """Return the expression of a formula, in the symbols of its form.

    Raises:
        ValueError: If the formula cannot be read.
    """
    names = {s.name: s for s in form.free_symbols if isinstance(s, Symbol)}
    table: dict[str, Any] = {
        spelling: _expression(meaning, names) if isinstance(meaning, str) else meaning
        for spelling, meaning in {**COMMON, **reading.letters}.items()
    }
    for meaning in table.values():
        if isinstance(meaning, Expr):
            names = {s.name: s for s in meaning.free_symbols} | names
    pairs = {
        symbol: names.get(f"{name}_bar", Symbol(f"{name}_bar"))
        for name, symbol in names.items()
        if f"{name}_bar" in names
    }
    return read(pieces(latex)[reading.side], table, pairs)


def _expression(text: str, names: Mapping[str, Symbol]) -> Expr:
    """A meaning as an expression; a name that is not a function is a symbol."""
    identifiers = set(re.findall(r"[A-Za-z_]\w*", text)) - FUNCTIONS
    own = {
        name: names.get(name) or FALLBACK.get(name) or Symbol(name)
        for name in identifiers
    }
    return sympify(text, locals={**own, "R": R})


def agrees(latex: str, form: Expr, reading: Reading) -> bool:
    """True if a formula in LaTeX equals a form.

    Raises:
        ValueError: If the formula cannot be read.
    """
    written = as_read(latex, form, reading)
    return same_form(reading.fold(written), reading.view(form))
