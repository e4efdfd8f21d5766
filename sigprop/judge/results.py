"""Records of the results of a verification run."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RouteResult:
    """Result of one route at one grid point.

    Attributes:
        route: Key of the route.
        point: The point as text.
        value: Measured value divided by the closed form; 1 is agreement.
        low: Lower end of the interval; equal to ``value`` for a deterministic route.
        high: Upper end of the interval; equal to ``value`` for a deterministic route.
        verdict: Outcome at this point.
        form: Form that was judged: ``derived``, or ``printed`` if the printed form differs
            or the point violates the condition of the claim.
        n: Number of samples of a simulation.
        inside: True if the point satisfies the condition of the claim.
    """

    route: str
    point: str
    value: float
    low: float
    high: float
    verdict: str
    form: str = "derived"
    n: int | None = None
    inside: bool = True


def decided(
    route: str,
    point: str,
    value: Any,
    right: Any,
    form: str = "derived",
    inside: bool = True,
) -> RouteResult:
    """Return the result of a deterministic route, which is confirmed or refuted."""
    verdict = "confirmed" if bool(right) else "refuted"
    value = float(value)
    return RouteResult(route, point, value, value, value, verdict, form, inside=inside)


@dataclass(frozen=True)
class ClaimResult:
    """The verdict on one claim, with the results of all routes."""

    id: str
    paper: str
    kind: str
    title: str
    source: str
    statement: str
    printed: str | None
    corrected: str | None
    assumes: str
    condition: str | None
    counterexample: str | None
    status: str
    routes: tuple[str, ...]
    results: tuple[RouteResult, ...]
    formula_mutants: int
    killed_formula_mutants: int
    value_mutants: int
    killed_value_mutants: int
    hand_mutants: int
    killed_hand_mutants: int
    arithmetic: bool
    code: str
    seconds: float
    note: str = ""
    topic: str = ""
    reason: str = ""
    errata_class: str | None = None
    root: str = ""
    appears_in: tuple[str, ...] = ()
    inherits: tuple[str, ...] = ()
    bearing: str = ""
    as_extracted: bool = False
    uncounted: str = ""


@dataclass(frozen=True)
class Run:
    """The results of one call of ``sigprop verify``, with device and versions."""

    claims: tuple[ClaimResult, ...]
    tier: str
    margin: float
    alpha: float
    beta: float
    seed: int
    device: str
    dtype: str
    versions: dict[str, str]
    seconds: float
