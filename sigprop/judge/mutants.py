"""Mutation scores: the mutants of a formula that a plan would refute.

The ratio of two forms and the detectable error of a plan determine if the plan refutes a
wrong form.  A score therefore needs no simulation.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Complex
from sympy import Expr

from sigprop.judge.verdict import DistancePlan, Plan
from sigprop.numerics.compile import compile_expr
from sigprop.numerics.evaluate import values
from sigprop.numerics.points import (
    AgePoint,
    EigenPoint,
    Input,
    PairPoint,
    Point,
    RingPoint,
)
from sigprop.theory.mutants import Mutant, mutants_of
from sigprop.theory.symbols import r_max, r_min, u1

SAME = 1e-9  # relative difference below which two forms agree at a generic point
DETERMINISTIC = 1e-10  # relative error that every deterministic route detects


@dataclass(frozen=True)
class Score:
    """Number of mutants, and names of those that survive a plan."""

    total: int
    survivors: tuple[str, ...]

    @property
    def killed(self) -> int:
        """Number of mutants that the plan refutes."""
        return self.total - len(self.survivors)


@dataclass(frozen=True)
class Scores:
    """Mutation scores of a row by the type of mutant.

    Attributes:
        formula: Score of mutants of the formula: of a term, an index, a power, an order.
        value: Score of mutants of the value, which test only the tolerance.
        hand: Score of mutants that we wrote for a statement that is not a formula.
    """

    formula: Score = Score(0, ())
    value: Score = Score(0, ())
    hand: Score = Score(0, ())

    @property
    def survivors(self) -> tuple[str, ...]:
        """Names of all surviving mutants."""
        return self.formula.survivors + self.value.survivors + self.hand.survivors


def generic_points(grid: tuple[Point, ...]) -> tuple[Point, ...]:
    """Return points in the domain of a grid, at values without any special relation.

    Two forms that agree at all these points are the same form, because an accidental
    agreement would have to repeat at every point.
    """
    moved: list[Point] = []
    for index, point in enumerate(grid[:: max(1, len(grid) // 6)]):
        jitter = 0.61803398875 * (index + 1) % 0.23
        moved.append(_moved(point, jitter))
    return tuple(moved)


def _moved(point: Point, jitter: float) -> Point:
    if isinstance(point, RingPoint):
        outer = point.r_max - jitter / 20
        inner = outer - (point.r_max - point.r_min) * (1 - jitter / 3)
        return RingPoint(inner, outer, point.input, point.steps)
    if isinstance(point, PairPoint):
        source = _moved_input(point.input, jitter)
        return PairPoint(
            point.alpha - jitter / 7, point.beta + jitter / 9, source, point.steps
        )
    real = point.theta in (0.0, math.pi)
    theta = point.theta if real else point.theta + jitter
    gap = point.gap * (1 + jitter)
    if isinstance(point, AgePoint):
        return AgePoint(gap, theta, point.age, point.steps)
    source = _moved_input(point.input, jitter)
    return EigenPoint(gap, theta, source, point.steps)


def _moved_input(source: Input, jitter: float) -> Input:
    return Input(
        source.name,
        rho=source.rho * (1 - jitter / 5),
        a=source.a * (1 + jitter),
        b=source.b * (1 + 2 * jitter),
        taps=tuple(tap * (1 + jitter * k) for k, tap in enumerate(source.taps, 1)),
    )


def _ratios(
    form: Expr, wrong: list[Expr], points: tuple[Point, ...]
) -> Complex[np.ndarray, "wrong points"]:
    """True form over each wrong one; not finite where a wrong form is undefined."""
    table = values([form, *wrong], points)
    with np.errstate(all="ignore"):
        return table[0] / table[1:]


def _different(form: Expr, grid: tuple[Point, ...]) -> list[Mutant]:
    """The mutants of a form that change its value somewhere."""
    mutants = mutants_of(form)
    apart = generic_points(grid)
    ratios = _ratios(form, [mutant.expr for mutant in mutants], apart)
    same: Any = (np.abs(ratios - 1) < SAME).all(axis=1)
    return [mutant for mutant, equal in zip(mutants, same, strict=True) if not equal]


@functools.cache
def score_ratio(form: Expr, grid: tuple[Point, ...], plans: tuple[Plan, ...]) -> Score:
    """Score the plans of a claim about a moment, given one plan per grid point."""
    mutants = _different(form, grid)
    ratios = _ratios(form, [mutant.expr for mutant in mutants], grid)
    low = np.array([plan.detectable[0] for plan in plans])
    high = np.array([plan.detectable[1] for plan in plans])
    real = np.where(
        np.abs(np.imag(ratios)) > SAME * np.abs(ratios), np.nan, np.real(ratios)
    )
    unseen = (real > low) & (real < high)
    return _score(mutants, unseen.all(axis=1))


def score_exact(form: Expr, grid: tuple[Point, ...]) -> Score:
    """Score the deterministic routes, which refute any difference above rounding."""
    mutants = _different(form, grid)
    ratios = _ratios(form, [mutant.expr for mutant in mutants], grid)
    return _score(mutants, (np.abs(ratios - 1) < DETERMINISTIC).all(axis=1))


def score_distribution(
    form: Expr, grid: tuple[Point, ...], plan: DistancePlan
) -> Score:
    """Score the plan of a sampler by the Kolmogorov distance that each mutant causes.

    A mutant that only relabels the uniform variable has the same distribution and does not
    count.
    """
    mutants = mutants_of(form)
    levels = (np.arange(4000) + 0.5) / 4000
    distances = np.zeros((len(mutants), len(grid)))
    for column, point in enumerate(grid):
        assert isinstance(point, RingPoint)
        nu = _quantiles([mutant.expr for mutant in mutants], point, levels)
        with np.errstate(all="ignore"):
            square = np.exp(-2 * nu)
            width = point.r_max**2 - point.r_min**2
            mapped = np.sort((square - point.r_min**2) / width, axis=1)
        far = np.abs(mapped - levels[None]).max(axis=1)
        distances[:, column] = np.where(np.isfinite(far), far, np.inf)
    same: Any = (distances < SAME).all(axis=1)
    distinct = [
        mutant for mutant, equal in zip(mutants, same, strict=True) if not equal
    ]
    return _score(distinct, (distances[~same] <= plan.detectable).all(axis=1))


def _quantiles(forms: list[Expr], point: RingPoint, levels: np.ndarray) -> np.ndarray:
    """``nu`` at every level; NaN if it is not real."""
    with np.errstate(all="ignore"):
        function = compile_expr(list(forms), u1, r_min, r_max, backend="numpy")
        radii = (
            np.full(levels.shape, radius, complex)
            for radius in (point.r_min, point.r_max)
        )
        rows = function(levels.astype(complex), *radii)
    table = np.stack([np.broadcast_to(f, levels.shape) for f in rows]).astype(complex)
    return np.where(np.abs(np.imag(table)) > SAME, np.nan, np.real(table))


def _score(mutants: list[Mutant], survives: Any) -> Score:
    left = tuple(m.change for m, alive in zip(mutants, survives, strict=True) if alive)
    return Score(len(mutants), left)
