"""The only bridge from SymPy expressions to numeric functions."""

from collections.abc import Callable
from typing import Any, Literal

from sympy import Expr, Symbol, lambdify

Backend = Literal["jax", "numpy", "mpmath"]


def compile_expr(
    expr: Expr | list[Expr], *symbols: Symbol, backend: Backend = "jax"
) -> Callable[..., Any]:
    """Turn ``expr`` into a function of ``symbols``, in the order given.

    Conjugates are separate symbols in ``theory``, so the result needs no function that
    SymPy cannot print for JAX.

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
