"""Formulas misprinted on purpose: one change of the LaTeX that provably changes the form."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sympy import Expr

from sigprop.theory.autocorrelation import differ
from sigprop.theory.latex import pieces
from sigprop.theory.reading import Reading, as_read

_CHANGES = (  # what is searched for, what it becomes, and the change in words
    (r"(?<![_^\d{\\])\d", lambda digit: str(int(digit) + 1), "a number one larger"),
    (r"(?<=\^)\d", lambda digit: str(int(digit) + 1), "a power one higher"),
    (r"\+", lambda sign: "-", "a sign turned"),
    (r"(?<=[\w})|\]\s])-", lambda sign: "+", "a sign turned"),
    (r"\\bar\{(\\?\w+)\}", lambda bar: bar[5:-1], "a conjugate lost"),
    (r"\^2(?!\d)", lambda square: "", "a square lost"),
    (r"\\alpha(?![A-Za-z])", lambda letter: r"\beta", "a letter for another"),
    (r"\\lambda_i", lambda letter: r"\lambda_j", "an index for another"),
)


class Misprint(NamedTuple):
    """A formula with one change, and the change in words."""

    latex: str
    change: str


def misprints(latex: str, form: Expr, reading: Reading) -> Iterator[Misprint]:
    """Every single change of a printed form that numbers prove to be another form.

    Args:
        latex: The statement.
        form: What it says.
        reading: How it is read by machine.
    """
    piece = pieces(latex)[reading.side]
    start = latex.rfind(piece)
    if start < 0:  # its spaces were taken for commas
        return
    end = start + len(piece)
    for pattern, become, change in _CHANGES:
        for match in re.finditer(pattern, piece):
            wrong = piece[: match.start()] + become(match[0]) + piece[match.end() :]
            try:
                written = reading.fold(as_read(wrong, form, reading._replace(side=-1)))
                other = differ(written, reading.view(form))
            except (ValueError, TypeError, NotImplementedError):
                continue  # no formula any more
            if other:
                yield Misprint(latex[:start] + wrong + latex[end:], change)
