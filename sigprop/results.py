"""What a verification run says about each claim: plain records, ready for JSON."""

import dataclasses
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sigprop.files import require_writable as require_writable
from sigprop.files import write_text as write_text


@dataclass(frozen=True)
class RouteResult:
    """One route's answer at one grid point.

    ``value`` is measured over closed form, so 1 is agreement; ``low`` and ``high`` end
    its interval and equal ``value`` for a deterministic route.  ``form`` says which
    form was judged: ``derived``, or ``printed`` where the paper's differs from it.
    """

    route: str
    point: str
    value: float
    low: float
    high: float
    verdict: str
    form: str = "derived"
    n: int | None = None


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
    condition: str | None
    counterexample: str | None
    status: str
    expected: str
    routes: tuple[str, ...]
    results: tuple[RouteResult, ...]
    mutants: int
    killed: int
    waived: tuple[str, ...]
    code: str
    seconds: float
    note: str = ""
    topic: str = ""
    reason: str = ""
    inherits: str = ""
    as_extracted: bool = False

    @property
    def as_expected(self) -> bool:
        """Whether the status is the one the claim announces."""
        return self.status == self.expected


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

    @property
    def as_expected(self) -> bool:
        """Whether every claim has its expected status."""
        return all(claim.as_expected for claim in self.claims)


def _plain(value: Any) -> Any:
    """JSON has no infinities: they become strings, never silently null."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def rows(claims: Iterable[ClaimResult]) -> list[dict[str, Any]]:
    """One dictionary a claim, with the keys that all JSON outputs share."""
    return [
        _plain({**dataclasses.asdict(claim), "as_expected": claim.as_expected})
        for claim in claims
    ]


def write_json(path: Path, claims: Iterable[ClaimResult]) -> None:
    """Write the rows of a run as a JSON list, whole or not at all."""
    write_text(path, json.dumps(rows(claims), indent=2, ensure_ascii=False) + "\n")
