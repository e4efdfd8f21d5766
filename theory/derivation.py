"""A derivation is a list of steps, each an exact expression with its reason."""

from dataclasses import dataclass
from typing import NamedTuple

from sympy import Expr


class Step(NamedTuple):
    """One line of a derivation.

    Attributes:
        reason: Why it follows from the line before.
        expr: The right side.
        left: LaTeX of the left side, the quantity that the right side is.  Empty where the
            step ends a derivation, whose user names its result.
    """

    reason: str
    expr: Expr
    left: str = ""


@dataclass(frozen=True)
class Derivation:
    """Steps from a definition to a result, in order; the last one is the result."""

    steps: tuple[Step, ...]

    @property
    def result(self) -> Expr:
        """The derived form."""
        return self.steps[-1].expr

    def then(self, reason: str, expr: Expr, left: str = "") -> "Derivation":
        """Return this derivation with one more step."""
        return Derivation((*self.steps, Step(reason, expr, left)))


def start(reason: str, expr: Expr, left: str = "") -> Derivation:
    """Begin a derivation."""
    return Derivation((Step(reason, expr, left),))
