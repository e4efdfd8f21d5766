"""The derivations of rows as steps, each with an equation in LaTeX and its reason."""

import re
from collections.abc import Iterable

from sympy import Expr, Symbol, latex

from sigprop.ledger.formulas import GREEK
from sigprop.theory.claims import Claim, registry
from sigprop.theory.latex import left_side, summed
from sigprop.theory.reading import itself
from sigprop.theory.readings import is_read, reading_of

Step = tuple[str, str]  # reason and LaTeX


def of_rows(ids: Iterable[str]) -> dict[str, tuple[Step, ...]]:
    """The derivations of rows by id, for rows that have one.

    Args:
        ids: Ids; those that are not ids of rows are ignored.
    """
    rows = ((row_id, registry().get(row_id)) for row_id in ids)
    return {row_id: of_row(row) for row_id, row in rows if row and row.derive}


def of_row(row: Claim) -> tuple[Step, ...]:
    """The steps of a row's derivation: reasons, and equations in LaTeX.

    The left side of an equation is the quantity that the step names.  A step that names
    none has the quantity of the previous step.  The last step has the left side of the
    statement.
    """
    if row.derive is None:
        return ()
    *steps, last = row.derive().steps
    equations, left = [], ""
    for step in steps:
        left = step.left or left
        equations.append((step.reason, _equation(left, written(step.expr))))
    left = _subject(row) or last.left or left
    return (*equations, (last.reason, _equation(left, written(last.expr))))


def _equation(left: str, right: str) -> str:
    return f"{left} = {right}" if left else right


def _subject(row: Claim) -> str:
    """The left side of the statement that a derivation proves, if it has one."""
    corrected = row.correction is not None
    reading = reading_of(row.id, corrected)
    plain = reading.view is itself and reading.fold is summed
    formula = corrected or row.printed is not None
    if not (is_read(row.id, corrected) and plain and formula):
        return ""
    return left_side(row.correction or row.statement, reading.side)


def written(expression: Expr) -> str:
    r"""An expression in LaTeX, with the symbols as papers write them.

    >>> written(Symbol("A_ij_bar") * Symbol("dnu_i"))
    '\\bar{A}_{i j} \\mathrm{d}\\nu_{i}'
    """
    symbols = expression.atoms(Symbol)
    return latex(
        expression, symbol_names={symbol: _spelled(symbol.name) for symbol in symbols}
    )


def _spelled(name: str) -> str:
    """A symbol's name in LaTeX: Greek letters, differentials, bars, stars, indices."""
    if "\\" in name:
        return name
    base, *indices = re.sub(r"(?<=[a-z])(?=\d$)", "_", name).strip("_").split("_")
    marks = {index for index in indices if index in {"bar", "star"}}
    indices = [index for index in indices if index not in marks]
    if base == "d" and indices:  # for example d_nu
        base, indices = f"d{indices[0]}", indices[1:]
    differential = re.fullmatch(rf"d(z|{'|'.join(GREEK)})(bar)?", base)
    if differential:
        base = differential[1]
    letter = _letter(base)
    if "bar" in marks or (differential and differential[2]):
        letter = rf"\bar{{{letter}}}"
    if differential:
        letter = rf"\mathrm{{d}}{letter}"
    power = "^{*}" if "star" in marks else ""
    below = " ".join(map(_index, indices))
    return letter + (f"_{{{below}}}" if below else "") + power


def _letter(name: str) -> str:
    if name in {"lam", "eps"}:
        return {"lam": r"\lambda", "eps": r"\varepsilon"}[name]
    if name in GREEK or name in {"ell", "varrho"}:
        return f"\\{name}"
    return name if len(name) == 1 else rf"\mathrm{{{name}}}"


def _index(name: str) -> str:
    """An index in LaTeX: adjacent letters are separate indices, words stay words."""
    if re.fullmatch(r"(?:[ij](?:bar)?)+", name):
        letters = re.findall(r"([ij])(bar)?", name)
        return " ".join(
            rf"\bar{{{letter}}}" if bar else letter for letter, bar in letters
        )
    return _letter(name)
