"""Derivations: lists of steps, each with an exact expression and its reason."""

from dataclasses import dataclass
from typing import NamedTuple

from sympy import Expr


class Step(NamedTuple):
    """One line of a derivation.

    Attributes:
        reason: Reason why the line follows from the line before.
        expr: Right side of the line.
        left: LaTeX of the left side. It can be empty in the last step of a derivation.
    """

    reason: str
    expr: Expr
    left: str = ""


@dataclass(frozen=True)
class Derivation:
    """Steps from a definition to a result, which is the expression of the last step."""

    steps: tuple[Step, ...]

    @property
    def result(self) -> Expr:
        """Expression of the last step, the derived form."""
        return self.steps[-1].expr

    def then(self, reason: str, expr: Expr, left: str = "") -> "Derivation":
        """Return this derivation with one more step."""
        return Derivation((*self.steps, Step(reason, expr, left)))


def start(reason: str, expr: Expr, left: str = "") -> Derivation:
    """Return a derivation with one step."""
    return Derivation((Step(reason, expr, left),))
