"""Conversion of SymPy expressions to numeric functions."""

from collections.abc import Callable
from typing import Any, Literal

from sympy import Expr, Symbol, lambdify

Backend = Literal["jax", "numpy", "mpmath"]


def compile_expr(
    expr: Expr | list[Expr], *symbols: Symbol, backend: Backend = "jax"
) -> Callable[..., Any]:
    """Convert an expression to a numeric function of ``symbols``, in the given order.

    SymPy cannot print every function for JAX, such as conjugates.  In ``theory``,
    conjugates are therefore separate symbols.

    Args:
        expr: Expression, or a list of expressions.
        symbols: Arguments of the function.
        backend: ``jax`` or ``numpy``.

    Raises:
        ValueError: If ``expr`` has a free symbol that is not in ``symbols``, or a
            function that the backend lacks.
    """
    parts = expr if isinstance(expr, list) else [expr]
    missing = set().union(*(part.free_symbols for part in parts)) - set(symbols)
    if missing:
        names = ", ".join(sorted(map(str, missing)))
        raise ValueError(f"the expression still depends on: {names}")
    unknown = {
        type(atom).__name__
        for part in parts
        for atom in part.atoms()
        if atom.is_Function and not hasattr(atom, "fdiff")
    }
    if unknown:
        raise ValueError(f"{backend} has no function for: {', '.join(sorted(unknown))}")
    return lambdify(symbols, expr, modules=backend)
