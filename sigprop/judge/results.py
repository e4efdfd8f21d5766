"""Records of what a verification run found about each claim, ready for JSON."""

import dataclasses
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sigprop.numerics.files import require_writable as require_writable
from sigprop.numerics.files import write_text as write_text


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
    expected: str | None = None

    @property
    def as_expected(self) -> bool:
        """True where the status is the one that was announced; see ``announced``."""
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
        """True where every claim has its expected status; see ``announced``."""
        return all(claim.as_expected for claim in self.claims)


def announced(run: Run, expected: Mapping[str, str]) -> Run:
    """The run beside the status that each row announces, which no judge has read."""
    return dataclasses.replace(
        run,
        claims=tuple(
            dataclasses.replace(one, expected=str(expected[one.id]))
            for one in run.claims
        ),
    )


VALUELESS = ("definition", "not-checkable")  # statuses of rows without a truth value


def tally(claims: Iterable[ClaimResult]) -> str:
    """How many rows that are true or false came out as expected; the others, apart."""
    rows = list(claims)
    valued = [one for one in rows if one.status not in VALUELESS]
    good = sum(one.as_expected for one in valued)
    said = [f"{good} of {len(valued)} rows with a truth value as expected"]
    counts = Counter(one.status for one in rows)
    if counts["definition"]:
        plural = "s" if counts["definition"] > 1 else ""
        said.append(f"{counts['definition']} definition{plural}")
    if counts["not-checkable"]:
        said.append(f"{counts['not-checkable']} not checkable")
    bad = sum(not one.as_expected for one in rows if one.status in VALUELESS)
    if bad:
        said.append(f"{bad} of these not as expected")
    return said[0] + ("; " if said[1:] else "") + ", ".join(said[1:])


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
