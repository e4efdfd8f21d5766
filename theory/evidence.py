"""Evidence for statements that are no moment on a grid: values against a form.

Most numbered equations say that two things are equal, or one at most the other, at all
parameters of a domain.  Their evidence is a table of points and of routes that reach
the same value without the form.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Routine = Callable[..., Any] | str
ARITHMETIC = "arithmetic"  # the route of typed-in numbers that are held against others
Relation = Literal["=", "<=", "<", ">=", ">"]
AtPoint = Mapping[str, Any]


@dataclass(frozen=True)
class Evidence:
    """Points, the values that routes give there, and what they are compared with.

    A routine takes a point's values by their names and returns a number or an array; it
    is a function of ``theory`` or the dotted name of one in ``sigprop``.  Symbols of an
    expression take the values of their names in ``theory.symbols``, other symbols those
    of their own names; ``lam_bar`` is the conjugate of ``lam`` unless given.

    Attributes:
        points: Values by name, at generic parameters of the domain and at its edges;
            of a conditional statement, also such as do not meet the condition.
        routes: By route (``reference``, ``impulse``, ``autodiff``, ...) what gives the
            value on the left, independently of the form.
        form: The right side that is true, where it is no expression; otherwise it is
            the claim's ``derive``, ``corrected`` or ``printed`` form, whichever is first.
        printed: The right side as printed, where it is another one and no expression.
        proof: Proves the true statement for all parameters, with SymPy.
        relation: How the value stands to the form.
        tolerance: Relative error allowed of an equality, of the largest entry.
        absolute: Absolute error allowed instead, half a unit of a printed digit.
        slips: By name, wrong right sides that are no single slip of an expression.
        alone: Why there is no second route, where there is none.  ``ARITHMETIC`` counts as
            no route, but stands alone where there is nothing but numbers to compare.
    """

    points: tuple[AtPoint, ...]
    routes: Mapping[str, Routine]
    form: Routine | None = None
    printed: Routine | None = None
    proof: Callable[[], bool] | None = None
    relation: Relation = "="
    tolerance: float = 1e-10
    absolute: float = 0.0
    slips: Mapping[str, Routine] = field(default_factory=dict)
    alone: str = ""
