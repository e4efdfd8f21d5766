"""Comparison of two forms: symbolically, in numbers, and in words."""

import dataclasses
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import mpmath
import numpy as np
from sympy import Expr

from sigprop.judge.basis import Example
from sigprop.judge.results import RouteResult, decided
from sigprop.judge.route_names import name
from sigprop.theory.autocorrelation import same_form
from sigprop.theory.claims import Claim


def compared(
    claim: Claim, derived: Expr, outside: bool = False
) -> Iterable[RouteResult]:
    """Compare the printed and the corrected form with the derived form by SymPy.

    Agreement is evidence for the derived form.  A correction that disagrees is evidence
    against it.

    Args:
        claim: Claim with the forms.
        derived: Derived form.
        outside: True if the claim is also judged outside its condition.
    """
    for which, form in (("printed", claim.printed), ("corrected", claim.corrected)):
        if form is not None:
            agree = same_form(form(), derived)
            label = "derived" if agree or which == "corrected" else "printed"
            result = symbolic(f"{which} form, all parameters", agree, label)
            # Two different forms can agree wherever a condition holds.
            inside = label == "derived" or not outside
            yield dataclasses.replace(result, inside=inside)


def symbolic(point: str, right: bool, form: str = "derived") -> RouteResult:
    """Return the result of a symbolic comparison or proof."""
    return decided("symbolic", point, 1.0 if right else math.nan, right, form)


def short(value: Any) -> str:
    """Return a number with six digits as text, or the shape and norm of an array."""
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


def form_of(paper: str) -> str:
    """Return ``printed`` for the form of a paper, ``stated`` for one of our own."""
    return "stated" if paper == "sigprop" else "printed"


def worked(example: Example, which: str = "printed") -> str:
    """Return a counterexample as text, with both values to four digits.

    Args:
        example: The counterexample.
        which: Word for the form that fails, ``printed`` or ``stated``.

    Raises:
        ValueError: If both values agree in these digits.

    >>> worked(Example("E|h|^2", {"lam": 0.8}, 1.0, lambda lam: 1 / (1 - lam**2)))
    'E|h|^2, at lambda = 0.8: printed 1, true 2.778.'
    """
    wrong, true = (
        _digits(value(**example.at) if callable(value) else value)
        for value in (example.printed, example.true)
    )
    if wrong == true:
        raise ValueError(
            f"need an example whose values differ in four digits, got {true} twice for "
            f"{example.of}"
        )
    at = ", ".join(f"{name} = {_digits(value)}" for name, value in example.at.items())
    of = f"{example.of.rstrip(',')}{f', at {at}' if at else ''}"
    of = of[0].upper() + of[1:] if re.match(r"[a-z]{2,}[ '-]", of) else of
    # lambda is a keyword of Python, so arguments are named lam.
    of = re.sub(r"(?<![A-Za-z])(d?)lam(?![A-Za-z])", r"\1lambda", of)
    return f"{of}: {which} {wrong}{';' if ',' in wrong else ','} true {true}."


def _digits(value: Any) -> str:
    """A number to four digits, a complex one with both parts; text is unchanged."""
    if isinstance(value, str):
        return value
    number = complex(value)
    if not number.imag:
        return _real(number.real)
    real = _real(number.real) if number.real else ""
    sign = "-" if number.imag < 0 else "+" if real else ""
    size = _real(abs(number.imag))
    return f"{real}{sign}{'' if size == '1' else size}i"


def _real(value: float) -> str:
    """A number to four digits, without an exponent up to a million.

    >>> _real(10349.7), _real(0.5), _real(2e9)
    ('10350', '0.5', '2e+09')
    """
    text = f"{value:.4g}"
    return f"{float(text):.0f}" if "e" in text and 1 <= abs(value) < 1e6 else text


def relative_error(value: np.ndarray, form: np.ndarray) -> float:
    """Return the largest error of a form, relative to the largest entry of the value.

    It is infinite if the shapes differ or the form is not finite.
    """
    if value.shape != form.shape or not np.isfinite(form).all():
        return math.inf
    scale = float(np.abs(value).max(initial=0))
    return float(np.abs(value - form).max(initial=0)) / (scale or 1.0)


class Miss(NamedTuple):
    """A point where a form is wrong, with the true value and the value of the form."""

    point: str
    value: np.ndarray
    form: np.ndarray


def counterexample(
    which: str, route: str, misses: Sequence[Miss], points: int
) -> str | None:
    """Describe the point with the largest error of a form, or return ``None`` without one.

    Args:
        which: Word for the form.
        route: Key of the route that computes the true value.
        misses: Points where the form is wrong.
        points: Number of all points.
    """
    if not misses:
        return None
    sizes = [relative_error(miss.value, miss.form) for miss in misses]
    worst = misses[int(np.argmax(sizes))]
    return (
        f"At {worst.point}: {which} {short(worst.form)}, true {short(worst.value)} by "
        f"{name(route)}. "
        f"The relative error at {len(misses)} of {points} points is between "
        f"{min(sizes):.2g} and {max(sizes):.2g}."
    )
