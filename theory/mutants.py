"""Mutants of a formula, each with one deliberate error, which a plan must refute.

A mutant has one of these changes:

- an integer changes by one or changes its sign;
- a summand is dropped or changes its sign;
- a factor or a conjugate is dropped;
- the form is doubled or halved;
- a symbol is replaced by its square or square root;
- two symbols are swapped.
"""

from collections.abc import Iterator
from typing import NamedTuple

from sympy import Add, Expr, Integer, Mul, Rational, Sum, Symbol, sqrt

from sigprop.theory.symbols import lam, lam_bar


class Mutant(NamedTuple):
    """A formula with one change, and the name of the change."""

    change: str
    expr: Expr


def _sites(expr: Expr) -> Iterator[tuple[Expr, tuple[int, ...]]]:
    """Every subexpression with its path from the root."""
    yield expr, ()
    for index, part in enumerate(expr.args):
        for inner, path in _sites(part):
            yield inner, (index, *path)


def _replace(expr: Expr, path: tuple[int, ...], new: Expr) -> Expr:
    if not path:
        return new
    args = list(expr.args)
    args[path[0]] = _replace(args[path[0]], path[1:], new)
    return expr.func(*args)


def _without(expr: Expr, index: int) -> Expr:
    return expr.func(*(arg for i, arg in enumerate(expr.args) if i != index))


def _changes_at(node: Expr) -> Iterator[tuple[str, Expr]]:
    """Changes of one node, without its surroundings."""
    if isinstance(node, Integer):
        for step in (1, -1):
            yield f"{node} becomes {node + step}", node + step
        if node != 0:
            yield f"{node} changes sign", -node
    elif isinstance(node, Rational):
        yield f"{node} becomes its inverse", 1 / node
    if isinstance(node, Add):
        for index, term in enumerate(node.args):
            yield f"the term {term} is dropped", _without(node, index)
            yield f"the term {term} changes sign", node - 2 * term
    if isinstance(node, Mul):
        for index, part in enumerate(node.args):
            if not part.is_Number:
                yield f"the factor {part} is dropped", _without(node, index)
    if isinstance(node, Symbol):
        yield f"{node} is squared", node**2
        yield f"{node} is rooted", sqrt(node)


def mutants_of(expr: Expr) -> tuple[Mutant, ...]:
    """Return all mutants of ``expr`` with one change, each once.

    Some mutants have the same value as ``expr``.  For example, a swap of ``lambda`` with its
    conjugate does not change a symmetric formula.

    Example:
        >>> from sigprop.theory.symbols import r
        >>> [mutant.change for mutant in mutants_of(1 / r)][:2]
        ['doubled', 'halved']
    """
    changes: dict[Expr, str] = {}
    counts: dict[str, int] = {}

    def add(change: str, new: Expr) -> None:
        if new != expr and new not in changes:
            counts[change] = counts.get(change, 0) + 1
            changes[new] = (
                change if counts[change] == 1 else f"{change} ({counts[change]})"
            )

    add("doubled", 2 * expr)
    add("halved", expr / 2)
    for node, path in _sites(expr):
        for change, new in _changes_at(node):
            try:
                add(change, _replace(expr, path, new))
            except (ValueError, TypeError):
                continue  # e.g. a summation limit that is no longer an integer
    for first, second in _swaps(expr):
        swap = {first: second, second: first}
        add(f"{first} and {second} are swapped", expr.xreplace(swap))
    if expr.has(lam) and expr.has(lam_bar):
        add("every conjugate is dropped", expr.subs(lam_bar, lam))
    return tuple(Mutant(change, new) for new, change in changes.items())


def _swaps(expr: Expr) -> Iterator[tuple[Symbol, Symbol]]:
    bound = {limits[0] for total in expr.atoms(Sum) for limits in total.limits}
    free = sorted(expr.free_symbols - bound, key=str)
    for index, first in enumerate(free):
        for second in free[index + 1 :]:
            yield first, second
