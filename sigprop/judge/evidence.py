"""Judge a statement by its evidence: compare routes with the form and with its mutants.

A form is an expression or a routine.  An expression is evaluated in double precision,
together with all its mutants.  The evidence lists the mutants of a routine.  Mutants of its
value (changes by 5 %, of a sign, a conjugate, a transpose or a digit) are counted separately.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import mpmath
import numpy as np
from sympy import Expr, Sum, Symbol

from sigprop.judge.basis import AtPoint, Evidence, Routine
from sigprop.judge.forms import (
    Miss,
    compared,
    counterexample,
    relative_error,
    short,
    symbolic,
)
from sigprop.judge.mutants import SAME, Score, Scores
from sigprop.judge.results import RouteResult, decided
from sigprop.numerics.evaluate import pieces, values
from sigprop.theory import symbols
from sigprop.theory.claims import Claim
from sigprop.theory.mutants import mutants_of

SLACK = 1e-12  # relative excess over an attained bound that rounding explains
Values = list[np.ndarray]  # one a point
Value = Any  # a number or an array, in the end complex128
RELATIONS = {
    "<=": lambda value, form: value <= form + SLACK * abs(form),
    "<": lambda value, form: value < form,
    ">=": lambda value, form: value >= form - SLACK * abs(form),
    ">": lambda value, form: value > form,
}
NAMES = {
    value: name for name, value in vars(symbols).items() if isinstance(value, Symbol)
}


def resolve(routine: Routine) -> Callable[..., Any]:
    """Return a routine as a function; a constant becomes a constant function."""
    return routine if callable(routine) else lambda **_: routine


@dataclass(frozen=True)
class NamedPoint:
    """A point of the evidence, in the form that ``evaluate.values`` needs."""

    at: AtPoint
    names: tuple[Symbol, ...]

    def environment(self) -> dict[Symbol, Any]:
        """Return the values of the symbols that a form uses."""
        return {symbol: value_of(symbol, self.at) for symbol in self.names}


def value_of(symbol: Symbol, at: AtPoint) -> Any:
    """Return the value of a symbol at a point, by its name in the notation or its own.

    Raises:
        ValueError: If the point does not set the symbol.
    """
    for name in (NAMES.get(symbol, symbol.name), symbol.name):
        if name in at:
            return at[name]
        if name.endswith("_bar") and name.removesuffix("_bar") in at:
            return np.conj(complex(at[name.removesuffix("_bar")]))
    raise ValueError(f"the form depends on {symbol}, which the point {at} does not set")


def _array(value: Value) -> np.ndarray:
    if isinstance(value, mpmath.matrix):
        value = value.tolist()
    return np.asarray(value, dtype=object).astype(complex)


def describe(at: AtPoint) -> str:
    """Return a point as text."""
    return ", ".join(f"{name}={short(value)}" for name, value in at.items())


def expression(claim: Claim, evidence: Evidence) -> Expr | None:
    """Return the true form of a claim, or ``None`` if it is not an expression.

    Raises:
        ValueError: If there is no form.
    """
    if evidence.form is not None:
        return None
    if claim.derive is not None:
        return claim.derive().result
    for form in (claim.corrected, claim.printed):
        if form is not None:
            return form()
    raise ValueError(f"need a form of {claim.id}: derived, corrected, printed or given")


def at_points(
    forms: Iterable[Expr], points: tuple[AtPoint, ...]
) -> list[list[np.ndarray]]:
    """Evaluate expressions at points; return a list per form with an array per point.

    Raises:
        ValueError: If a form has a sum, or a symbol that a point does not set.
    """
    forms = list(forms)
    used = pieces(forms)
    if any(isinstance(piece, Sum) for piece in used):
        raise ValueError(
            "need a form without a Sum, because evidence does not say how many lags "
            "matter; give the form as a function, in `form` or `printed` of Evidence"
        )
    names = tuple(sorted((piece for piece in used if piece.is_Symbol), key=str))
    rows = values(forms, [NamedPoint(point, names) for point in points])
    return [[np.asarray(value) for value in row] for row in rows]


def holds(evidence: Evidence, value: np.ndarray, form: np.ndarray) -> bool:
    """True if a value and a form satisfy the relation of the evidence."""
    if value.shape != form.shape or not np.isfinite(value).all():
        return False
    if not np.isfinite(form).all():
        return False
    if evidence.relation == "=":
        error = float(np.abs(value - form).max(initial=0))
        scale = float(np.abs(form).max(initial=0))
        return error <= max(evidence.absolute, evidence.tolerance * scale)
    if max(np.abs(np.imag(array)).max() for array in (value, form)) > SLACK:
        return False
    compare = RELATIONS[evidence.relation]
    return bool(np.all(compare(np.real(value), np.real(form))))


def _ratio(value: np.ndarray, form: np.ndarray) -> float:
    """Value over form; of arrays, one and the relative error of the largest entry."""
    with np.errstate(all="ignore"):
        if value.shape == form.shape == ():
            ratio = complex(value / form) if form != 0 else complex(1 + abs(value))
            return ratio.real if abs(ratio.imag) < SAME else math.nan
        if value.shape != form.shape:
            return math.nan
        error, scale = np.abs(value - form).max(initial=0), np.abs(form).max(initial=0)
        return float(1 + error / (scale or 1.0))


def _result(
    evidence: Evidence,
    route: str,
    point: AtPoint,
    value: np.ndarray,
    form: np.ndarray,
    which: str,
    inside: bool = True,
) -> RouteResult:
    right = holds(evidence, value, form)
    return decided(route, describe(point), _ratio(value, form), right, which, inside)


class Points(NamedTuple):
    """Points that satisfy the condition of a claim, and points that violate it."""

    inside: tuple[AtPoint, ...]
    outside: tuple[AtPoint, ...]


def split(claim: Claim, evidence: Evidence) -> Points:
    """Split the points of evidence into those that satisfy the condition and others."""
    points, condition = evidence.points, claim.condition
    if condition is None:
        return Points(points, ())
    inside = tuple(p for p in points if condition.holds(**p))
    return Points(inside, tuple(p for p in points if not condition.holds(**p)))


class Judged(NamedTuple):
    """Outcome of evidence: results, mutation scores, and a counterexample in words."""

    results: tuple[RouteResult, ...]
    scores: Scores
    counterexample: str | None


class Measured(NamedTuple):
    """Outcome of evidence without mutants: values of the true form and of each route."""

    results: tuple[RouteResult, ...]
    counterexample: str | None
    points: tuple[AtPoint, ...]
    truth: Values
    by_route: dict[str, Values]


def judge(claim: Claim, evidence: Evidence) -> Judged:
    """Compare every route with the true form, its mutants, and the printed form."""
    measured = measure(claim, evidence)
    scores = _scores(
        claim, evidence, measured.points, measured.truth, measured.by_route
    )
    return Judged(measured.results, scores, measured.counterexample)


def measure(claim: Claim, evidence: Evidence) -> Measured:
    """Compare every route with the true form, and with the printed form if it differs."""
    points = split(claim, evidence)
    results = list(_proofs(claim, evidence, points))
    truth = _forms(claim, evidence, points.inside)
    by_route = {
        name: [_array(resolve(routine)(**point)) for point in points.inside]
        for name, routine in evidence.routes.items()
    }
    for name, row in by_route.items():
        for point, value, form in zip(points.inside, row, truth, strict=True):
            results.append(_result(evidence, name, point, value, form, "derived"))
    route, values = next(iter(by_route.items()))
    wrong, example = _judge_print(claim, evidence, points, truth, values)
    results += wrong
    stated = list(zip(points.inside, values, truth, strict=True))
    example = _example(evidence, route, "stated", stated) or example
    return Measured(tuple(results), example, points.inside, truth, by_route)


def _forms(
    claim: Claim, evidence: Evidence, points: tuple[AtPoint, ...]
) -> list[np.ndarray]:
    form = expression(claim, evidence)
    if form is not None:
        return at_points([form], points)[0]
    assert evidence.form is not None
    return [_array(resolve(evidence.form)(**point)) for point in points]


def _proofs(claim: Claim, evidence: Evidence, points: Points) -> Iterable[RouteResult]:
    if evidence.proof is not None:
        yield symbolic("the statement, all parameters", evidence.proof())
    truth = expression(claim, evidence)
    if claim.derive is not None and truth is not None:
        yield from compared(claim, truth, bool(points.outside))


def _printed(
    claim: Claim, evidence: Evidence, points: tuple[AtPoint, ...]
) -> list[np.ndarray]:
    """Values of the printed form, which is the true one where no other is given."""
    if evidence.printed is not None:
        return [_array(resolve(evidence.printed)(**point)) for point in points]
    if claim.printed is None:
        return _forms(claim, evidence, points)
    return at_points([claim.printed()], points)[0]


def _judge_print(
    claim: Claim, evidence: Evidence, points: Points, truth: Values, values: Values
) -> tuple[list[RouteResult], str | None]:
    """Judge a print that is not true as ``values`` by the first route, or is outside."""
    route, routine = next(iter(evidence.routes.items()))
    has_print = evidence.printed is not None or claim.printed is not None
    printed = _printed(claim, evidence, points.inside) if has_print else truth
    pairs = zip(truth, printed, strict=True)
    same = all(relative_error(right, form) < SAME for right, form in pairs)
    within = [] if same else list(zip(points.inside, values, printed, strict=True))
    beyond = []
    if points.outside:
        measured = [_array(resolve(routine)(**point)) for point in points.outside]
        forms = _printed(claim, evidence, points.outside)
        beyond = list(zip(points.outside, measured, forms, strict=True))
    results = [
        _result(evidence, route, *triple, "printed", inside)
        for inside, judged in ((True, within), (False, beyond))
        for triple in judged
    ]
    examples = (_example(evidence, route, "printed", p) for p in (within, beyond))
    return results, next(filter(None, examples), None)


def _example(
    evidence: Evidence,
    route: str,
    which: str,
    judged: list[tuple[AtPoint, np.ndarray, np.ndarray]],
) -> str | None:
    """The point where a form misses the value of a route most clearly, with both."""
    misses = [
        Miss(describe(point), value, form)
        for point, value, form in judged
        if not holds(evidence, value, form)
    ]
    return counterexample(which, route, misses, len(judged))


def _scores(
    claim: Claim,
    evidence: Evidence,
    points: tuple[AtPoint, ...],
    truth: Values,
    by_route: Mapping[str, Values],
) -> Scores:
    """Mutants of the true form by their kind, and which no route notices anywhere."""
    formula = [*_by_hand(evidence.mutants, points), *_mutated(claim, evidence, points)]
    return Scores(
        *(
            _score(evidence, wrong, truth, by_route)
            for wrong in (
                formula,
                _on_values(claim, evidence, truth),
                _by_hand(evidence.hand, points),
            )
        )
    )


def _score(
    evidence: Evidence,
    wrong: Iterable[tuple[str, Values]],
    truth: Values,
    by_route: Mapping[str, Values],
) -> Score:
    total, survivors = 0, []
    for name, forms in wrong:
        pairs = zip(forms, truth, strict=True)
        if all(relative_error(right, wrong) < SAME for wrong, right in pairs):
            continue
        total += 1
        noticed = any(
            not holds(evidence, value, form)
            for row in by_route.values()
            for value, form in zip(row, forms, strict=True)
        )
        if not noticed:
            survivors.append(name)
    return Score(total, tuple(survivors))


def _by_hand(
    mutants: Mapping[str, Routine], points: tuple[AtPoint, ...]
) -> Iterable[tuple[str, Values]]:
    for name, routine in mutants.items():
        yield name, [_array(resolve(routine)(**point)) for point in points]


def _mutated(
    claim: Claim, evidence: Evidence, points: tuple[AtPoint, ...]
) -> Iterable[tuple[str, Values]]:
    """Single mutants of an expression that is asked to be equal."""
    form = expression(claim, evidence)
    if form is None or evidence.relation != "=":
        return
    mutants = mutants_of(form)
    rows = at_points([mutant.expr for mutant in mutants], points)
    yield from ((mutant.change, row) for mutant, row in zip(mutants, rows, strict=True))


def _on_values(
    claim: Claim, evidence: Evidence, truth: Values
) -> Iterable[tuple[str, Values]]:
    """Mutants of the values of a routine that is asked to be equal."""
    if expression(claim, evidence) is None and evidence.relation == "=":
        for name, change in _value_mutants(evidence).items():
            yield name, [np.asarray(change(value)) for value in truth]


def _value_mutants(
    evidence: Evidence,
) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    mutants: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "5 % more": lambda value: 1.05 * value,
        "5 % less": lambda value: 0.95 * value,
        "doubled": lambda value: 2 * value,
        "halved": lambda value: value / 2,
        "the sign": lambda value: -value,
        "a conjugate": np.conj,
        "transposed": np.transpose,
        "turned over": lambda value: value[::-1] if value.ndim else value,
    }
    if evidence.absolute:
        digit = 2 * evidence.absolute
        mutants = {
            "the last digit up": lambda value: value + digit,
            "the last digit down": lambda value: value - digit,
            "the sign": lambda value: -value,
        }
    return mutants


def routes_of(claim: Claim, evidence: Evidence) -> tuple[str, ...]:
    """Return the names of the routes of a claim's evidence."""
    symbolic = evidence.proof is not None or (
        claim.derive is not None and (claim.printed or claim.corrected)
    )
    return (*(("symbolic",) if symbolic else ()), *evidence.routes)
