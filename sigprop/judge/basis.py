"""Bases of the verdict on a row: moments on a grid, evidence, or a check."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from sigprop.judge.mutants import Score
from sigprop.judge.results import RouteResult
from sigprop.numerics.points import Point
from sigprop.theory.claims import Claim

Routine = Callable[..., Any] | float | complex | Sequence[Any]
ARITHMETIC = "arithmetic"  # route that compares printed numbers with each other
Relation = Literal["=", "<=", "<", ">=", ">"]
AtPoint = Mapping[str, Any]


@dataclass(frozen=True)
class Example:
    """A counterexample that a reader can check by hand.

    Attributes:
        of: Name of the quantity, e.g. ``E|h|^2 after two steps``.
        at: At most three scalars by name, at which the quantity is evaluated.
        printed: Value of the statement as printed, or a function of the scalars.
        true: True value, or a function of the scalars.

    Raises:
        ValueError: If there are more than three scalars.
    """

    of: str
    at: AtPoint
    printed: Routine
    true: Routine

    def __post_init__(self) -> None:
        """Refuse an example that is too large to check by hand."""
        if len(self.at) > 3 or not all(map(_is_scalar, self.at.values())):
            raise ValueError(
                f"need an example of at most three scalars, got {dict(self.at)}"
            )


def _is_scalar(value: Any) -> bool:
    return isinstance(value, int | float | complex | str)


@dataclass(frozen=True)
class Grid:
    """Points at which a moment is judged, by exact routes and by simulation.

    Attributes:
        quantity: Name of the moment, a key of ``sigprop.judge.routes.QUANTITIES``, or
            ``ring_law`` for the distribution of a sampler.
        points: Points, which share trajectories with every other grid.
        margin: Relative margin of the simulated verdict.
        headline: True if the headline tier judges it at a margin of 1 %.
        example: Counterexample to the printed form, if it is wrong.
    """

    quantity: str
    points: tuple[Point, ...]
    margin: float = 0.05
    headline: bool = False
    example: Example | None = None


@dataclass(frozen=True)
class Evidence:
    """Points, and routines that compute both sides of a statement there.

    A routine is a function of the values of a point, by name, that returns a number or an
    array.  It can also be a number or a list.  A symbol of ``sigprop.theory.symbols`` has
    the value of its name in that module, another symbol the value of its own name.
    ``lam_bar`` is the conjugate of ``lam`` unless the point sets it.

    Attributes:
        points: Values by name, at generic parameters and at the edges of the domain. All
            must satisfy the paper's assumptions. For a conditional statement, some points
            violate the condition.
        routes: Routines that compute the left side independently of the form, by the name
            of the route (``reference``, ``impulse``, ``autodiff``, ...).
        form: True right side, if it is not an expression. By default it is the claim's
            ``derive``, ``corrected`` or ``printed`` form, in this order.
        printed: Right side as printed, if it differs and is not an expression.
        proof: Function that proves the true statement for all parameters with SymPy.
        relation: Relation between the left side and the form.
        tolerance: Allowed error of an equality, relative to the largest entry.
        absolute: Allowed absolute error instead, such as half a unit of a printed digit.
        mutants: Wrong right sides by name, in addition to the mutants of an expression:
            for example a shifted index, a squared factor or a missing conjugate.
        hand: Wrong right sides of a statement that is not a formula, by name: for example
            another number or another order of models.
        values_only: Reason why no mutant of the statement is tried, if there is none.
        alone: Reason why there is no second route, if there is none. ``ARITHMETIC`` does
            not count as a route. It can stand alone if there are only numbers to compare.
        example: Counterexample to the printed form. By default it is the point with the
            largest error.
    """

    points: tuple[AtPoint, ...]
    routes: Mapping[str, Routine]
    form: Routine | None = None
    printed: Routine | None = None
    proof: Callable[[], bool] | None = None
    relation: Relation = "="
    tolerance: float = 1e-10
    absolute: float = 0.0
    mutants: Mapping[str, Routine] = field(default_factory=dict)
    hand: Mapping[str, Routine] = field(default_factory=dict)
    values_only: str = ""
    alone: str = ""
    example: Example | None = None


Results = Callable[[Claim, int], tuple[RouteResult, ...]]


@dataclass(frozen=True)
class Check:
    """Functions that judge one row, if neither a grid nor evidence is suitable.

    Attributes:
        results: Function of the claim and the seed that returns the results of all routes.
            Results of form ``printed`` judge the statement outside its condition.
        score: Function of the claim that counts mutants and names the survivors.
        routes: Names of the routes.
        example: Counterexample to the printed form, if it is wrong.
        alone: Reason why there is no second route, if there is none.
        headline: Function that replaces ``results`` in the headline tier, if any.
        cases: Cases by name, if the row is judged case by case; see ``by_case``.
    """

    results: Results
    score: Callable[[Claim], Score]
    routes: tuple[str, ...]
    example: Example | None = None
    alone: str = ""
    headline: Results | None = None
    cases: "Mapping[str, Case]" = field(default_factory=dict)

    def of_tier(self, tier: str) -> Results:
        """Return the function that judges the row in a tier."""
        return self.headline if tier == "headline" and self.headline else self.results


def by_mutants(mutants: Mapping[str, Results]) -> Callable[[Claim], Score]:
    """Return a function that scores a check by the same check of each mutant, at seed 0."""

    def score(claim: Claim) -> Score:
        survivors = [
            name
            for name, results in mutants.items()
            if all(
                r.verdict == "confirmed"
                for r in results(claim, 0)
                if r.form == "derived"
            )
        ]
        return Score(len(mutants), tuple(survivors))

    return score


@dataclass(frozen=True)
class Case:
    """One of the cases that a statement covers, such as an architecture.

    Attributes:
        results: Function of the seed that returns the results of all routes.
        score: Function that counts mutants of the formula and names the survivors.
        routes: Names of the routes.
        headline: Function that replaces ``results`` in the headline tier, if any.
    """

    results: Callable[[int], Iterable[RouteResult]]
    score: Callable[[], Score]
    routes: tuple[str, ...]
    headline: Callable[[int], Iterable[RouteResult]] | None = None


def by_case(cases: Mapping[str, Case]) -> Check:
    """Combine cases into one check of a statement.

    The names of points and of surviving mutants begin with the name of their case.

    Raises:
        ValueError: If a case has fewer than two routes, or if only some cases have a
            function for the headline tier.
    """
    for name, case in cases.items():
        if len(case.routes) < 2:
            raise ValueError(f"need two routes or more for {name}, got {case.routes}")
    if len({case.headline is None for case in cases.values()}) != 1:
        raise ValueError("need a headline tier for all cases or for none")

    def results(
        claim: Claim, seed: int, *, headline: bool = False
    ) -> tuple[RouteResult, ...]:
        del claim  # the cases know it
        return tuple(
            replace(result, point=f"{name}, {result.point}")
            for name, case in cases.items()
            for result in ((headline and case.headline) or case.results)(seed)
        )

    def score(claim: Claim) -> Score:
        del claim  # the cases know it
        scores = {name: case.score() for name, case in cases.items()}
        survivors = [
            f"{name}: {mutant}"
            for name, one in scores.items()
            for mutant in one.survivors
        ]
        total = sum(one.total for one in scores.values())
        return Score(total, tuple(survivors))

    more = any(case.headline for case in cases.values())
    return Check(
        results,
        score,
        tuple(dict.fromkeys(route for case in cases.values() for route in case.routes)),
        headline=partial(results, headline=True) if more else None,
        cases=cases,
    )


Basis = Grid | Evidence | Check


@dataclass(frozen=True)
class Row:
    """A claim and its basis (``None`` if it cannot be true or false).

    Raises:
        ValueError: If a point violates the assumptions of the claim's paper.
    """

    claim: Claim
    basis: Basis | None

    def __post_init__(self) -> None:
        """Refuse points that are no evidence, neither for the claim nor against it."""
        assumes = self.claim.assumes
        for point in points_of(self.basis):
            if not assumes.holds(**point):
                raise ValueError(
                    f"need points of {self.claim.id} within its hypotheses "
                    f"({assumes.text}), got {dict(point)}; drop the point"
                )


def main_moments(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that the headline tier judges at a smaller margin.

    Raises:
        ValueError: If there is no such row.
    """
    chosen = [
        row
        for row in rows
        if isinstance(row.basis, Grid | Check) and row.basis.headline
    ]
    if not chosen:
        raise ValueError(
            "need rows of main moments for the headline tier, got none; drop --tier or "
            "the choice of the paper"
        )
    return chosen


def points_of(basis: Basis | None) -> Sequence[AtPoint]:
    """Return the points at which a row is judged, each as values by name."""
    if isinstance(basis, Evidence):
        return basis.points
    return [vars(point) for point in basis.points] if isinstance(basis, Grid) else []
