"""Bases on which a row is judged: moments on a grid, evidence, or a check of its own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from sigprop.judge.mutants import Score
from sigprop.judge.results import RouteResult
from sigprop.numerics.points import Point
from sigprop.theory.claims import Claim

Routine = Callable[..., Any] | float | complex | Sequence[Any]
ARITHMETIC = "arithmetic"  # the route of typed-in numbers that are held against others
Relation = Literal["=", "<=", "<", ">=", ">"]
AtPoint = Mapping[str, Any]


@dataclass(frozen=True)
class Example:
    """A counterexample that a reader checks by hand.

    Attributes:
        of: What both numbers are, e.g. ``E|h|^2 after two steps``.
        at: Three scalars by name, or fewer.
        printed: What the statement as printed gives there.
        true: What is true there.

    Raises:
        ValueError: If it takes more values than a hand can follow.
    """

    of: str
    at: AtPoint
    printed: Routine
    true: Routine

    def __post_init__(self) -> None:
        """Refuse what is not checked by hand."""
        if len(self.at) > 3 or not all(map(_is_scalar, self.at.values())):
            raise ValueError(
                f"need an example of at most three scalars, got {dict(self.at)}"
            )


def _is_scalar(value: Any) -> bool:
    return isinstance(value, int | float | complex | str)


@dataclass(frozen=True)
class Grid:
    """Points at which moments are judged, by exact routes and by simulation.

    Attributes:
        quantity: Which table of routes: a key of ``sigprop.judge.routes.QUANTITIES``, or
            ``ring_law``, the law of a sampler.
        points: Where; they share trajectories with every other grid.
        margin: Equivalence margin of the simulated verdict, as a fraction.
        headline: True if the headline tier judges it at 1 %.
        example: Where the print fails, for a reader.
    """

    quantity: str
    points: tuple[Point, ...]
    margin: float = 0.05
    headline: bool = False
    example: Example | None = None


@dataclass(frozen=True)
class Evidence:
    """Points, the values that routes give there, and what they are compared with.

    A routine takes a point's values by their names and returns a number or an array; or
    it is the number or the list itself.  Symbols of an expression take the values of
    their names in ``sigprop.theory.symbols``, other symbols those of their own names;
    ``lam_bar`` is the conjugate of ``lam`` unless given.

    Attributes:
        points: Values by name, at generic parameters of the domain and at its edges, all
            within what the paper assumes; of a conditional statement, also such as do
            not meet the condition.
        routes: By route (``reference``, ``impulse``, ``autodiff``, ...) what gives the
            value on the left, independently of the form.
        form: The right side that is true, where it is no expression; otherwise it is
            the claim's ``derive``, ``corrected`` or ``printed`` form, whichever is first.
        printed: The right side as printed, where it is another one and no expression.
        proof: Proves the true statement for all parameters, with SymPy.
        relation: How the value stands to the form.
        tolerance: Relative error allowed of an equality, of the largest entry.
        absolute: Absolute error allowed instead, half a unit of a printed digit.
        mutants: By name, wrong right sides that a reader of the paper could have written,
            beside the single mutants of an expression: an index shifted, a factor squared,
            a conjugate lost, a direction reversed.
        hand: By name, wrong right sides of a statement that is no formula: another
            number, another order of models.
        values_only: Why no mutant of the statement is tried, where none is.
        alone: Why there is no second route, where there is none.  ``ARITHMETIC`` counts as
            no route, but stands alone where there is nothing but numbers to compare.
        example: Where the print fails, for a reader; else the point where it fails most.
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
    """Functions that judge one row, where neither a grid nor evidence would do.

    Attributes:
        results: Results of the routes, of the claim and the run's seed.  Those of form
            ``printed`` judge the statement where its condition is not met.
        score: Mutants made in the formula that is checked, and which of them survive.
        routes: Names of the routes.
        example: Where the print fails, for a reader.
        alone: Why there is no second route, where there is none.
        headline: What judges the row in the headline tier, where that is more.
        cases: Of a row that is judged case by case, the cases by name; see ``by_case``.
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
    """The score of a check by checks of the same kind with a mutant, at seed 0."""

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
        results: Results of the routes, of the run's seed.
        score: Mutants in the case's formula, and which of them survive.
        routes: Names of the routes.
        headline: What judges the case in the headline tier, where that is more.
    """

    results: Callable[[int], Iterable[RouteResult]]
    score: Callable[[], Score]
    routes: tuple[str, ...]
    headline: Callable[[int], Iterable[RouteResult]] | None = None


def by_case(cases: Mapping[str, Case]) -> Check:
    """One check of a statement that is judged case by case.

    Points, and mutants that survive, begin with the name of their case.

    Raises:
        ValueError: If a case has fewer than two routes, which the routes of the other
            cases would hide, or if some cases alone have a headline tier.
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
    """A claim, and what it is judged on: nothing, if it has no truth value.

    Raises:
        ValueError: If a point violates what the claim's paper assumes.
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
    """The rows that the headline tier judges more closely than the quick one.

    Raises:
        ValueError: If there are none.
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
    """The points that a row is judged at, each as values by name."""
    if isinstance(basis, Evidence):
        return basis.points
    return [vars(point) for point in basis.points] if isinstance(basis, Grid) else []
