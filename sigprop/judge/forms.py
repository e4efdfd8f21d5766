"""One form against another: symbolically, in numbers, and in words."""

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import mpmath
import numpy as np
from sympy import Expr

from sigprop.judge.basis import Example
from sigprop.judge.results import RouteResult, decided
from sigprop.theory.autocorrelation import same_form
from sigprop.theory.claims import Claim


def compared(
    claim: Claim, derived: Expr, outside: bool = False
) -> Iterable[RouteResult]:
    """SymPy's comparisons of the printed and the corrected form with the derived one.

    Agreement counts for the derived form; a correction that disagrees counts against it.

    Args:
        claim: Whose forms.
        derived: The derived form.
        outside: Whether the claim is judged outside its condition too.
    """
    for which, form in (("printed", claim.printed), ("corrected", claim.corrected)):
        if form is not None:
            agree = same_form(form(), derived)
            label = "derived" if agree or which == "corrected" else "printed"
            result = symbolic(f"{which} form, all parameters", agree, label)
            # Two forms that differ somewhere may agree wherever a condition is met.
            inside = label == "derived" or not outside
            yield dataclasses.replace(result, inside=inside)


def symbolic(point: str, right: bool, form: str = "derived") -> RouteResult:
    """The result of a symbolic comparison or proof."""
    return decided("symbolic", point, 1.0 if right else math.nan, right, form)


def short(value: Any) -> str:
    """A number to six digits, a complex one with both parts; an array by its norm."""
    if isinstance(value, np.ndarray) and value.shape:
        return f"an array of shape {value.shape} and norm {np.linalg.norm(value):.6g}"
    if isinstance(value, np.ndarray):
        value = complex(value)
    if isinstance(value, float | complex | mpmath.mpf | mpmath.mpc):
        number = complex(value)
        if abs(number.imag) > 1e-12 * abs(number):
            return f"{number.real:.6g}{number.imag:+.6g}i"
        return f"{number.real:.6g}"
    return str(value)


def worked(example: Example) -> str:
    """A counterexample with both values, to the four digits that a hand checks.

    Raises:
        ValueError: If both values agree in these digits.
    """
    printed, true = (
        _digits(value(**example.at) if callable(value) else value)
        for value in (example.printed, example.true)
    )
    if printed == true:
        raise ValueError(
            f"need an example whose values differ in four digits, got {true} twice for "
            f"{example.of}"
        )
    at = ", ".join(f"{name} = {value}" for name, value in example.at.items())
    return (
        f"{f'At {at}: ' if at else ''}{example.of} is {true}; the printed form gives "
        f"{printed}."
    )


def _digits(value: Any) -> str:
    """A number to four digits, a complex one with both parts; words as they are."""
    if isinstance(value, str):
        return value
    number = complex(value)
    if number.imag:
        return f"{number.real:.4g}{number.imag:+.4g}i"
    return f"{number.real:.4g}"


def relative_error(value: np.ndarray, form: np.ndarray) -> float:
    """Largest error of a form in units of the largest entry; infinite without a value."""
    if value.shape != form.shape or not np.isfinite(form).all():
        return math.inf
    scale = float(np.abs(value).max(initial=0))
    return float(np.abs(value - form).max(initial=0)) / (scale or 1.0)


class Miss(NamedTuple):
    """A point where a form misses what it should be, with both values."""

    point: str
    value: np.ndarray
    form: np.ndarray


def counterexample(
    which: str, route: str, misses: Sequence[Miss], points: int
) -> str | None:
    """The point where a form misses most clearly, with both values; none of no misses.

    Args:
        which: Form, in a word.
        route: Name of what is right.
        misses: Where the form misses.
        points: How many were looked at.
    """
    if not misses:
        return None
    sizes = [relative_error(miss.value, miss.form) for miss in misses]
    worst = misses[int(np.argmax(sizes))]
    return (
        f"At {worst.point}: {which} {short(worst.form)}, {route} {short(worst.value)}. "
        f"The relative error at {len(misses)} of {points} points is between "
        f"{min(sizes):.2g} and {max(sizes):.2g}."
    )
