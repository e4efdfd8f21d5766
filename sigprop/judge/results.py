"""Records of what a verification run found about each claim."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RouteResult:
    """One route's answer at one grid point.

    ``value`` is measured over closed form, so 1 is agreement; ``low`` and ``high`` end
    its interval and equal ``value`` for a deterministic route.  ``form`` says which
    form was judged: ``derived``, or ``printed`` where the paper's differs from it or the
    point does not meet the claim's condition, which ``inside`` says.
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
    """The result of a deterministic route, which is right or wrong."""
    verdict = "confirmed" if bool(right) else "refuted"
    value = float(value)
    return RouteResult(route, point, value, value, value, verdict, form, inside=inside)


@dataclass(frozen=True)
class ClaimResult:
    """The verdict on one claim, with all that it rests on."""

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
    """Everything one call of ``sigprop verify`` found, and what it ran on."""

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
