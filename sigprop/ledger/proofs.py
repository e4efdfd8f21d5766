"""The derivations of rows as steps to read: each an expression in LaTeX and its reason."""

from collections.abc import Iterable

from sympy import latex

from theory.claims import find

Step = tuple[str, str]  # the reason, and the LaTeX


def of_rows(ids: Iterable[str]) -> dict[str, tuple[Step, ...]]:
    """The derivations of rows by their ids; of rows alone that have one.

    Args:
        ids: Others than those of rows are left out.
    """
    found: dict[str, tuple[Step, ...]] = {}
    for one in ids:
        try:
            derive = find(one).derive
        except KeyError:
            continue
        if derive is not None:
            steps = derive().steps
            found[one] = tuple((step.reason, latex(step.expr)) for step in steps)
    return found
