"""Entries of the ledger: verdicts and expected statuses of rows, and their JSON."""

import dataclasses
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sigprop.judge.results import ClaimResult, Run
from sigprop.ledger.addresses import address
from sigprop.numerics.files import write_text
from sigprop.theory.claims import Claim


@dataclass(frozen=True)
class Entry(ClaimResult):
    """The verdict on one claim, and the expected status of its row."""

    expected: str = ""

    @property
    def as_expected(self) -> bool:
        """True if the status is the expected one."""
        return self.status == self.expected


@dataclass(frozen=True)
class Ledger(Run):
    """Verdicts of a run, and the expected statuses of its rows.

    ``overview`` has pictures for the pages, as SVG by file name, and ``captions`` has
    their captions.  If the verdicts are read from a file without their numbers,
    ``stored`` says when they were reached; otherwise it is empty.
    """

    claims: tuple[Entry, ...]
    overview: dict[str, str] = field(default_factory=dict)
    captions: dict[str, str] = field(default_factory=dict)
    stored: str = ""

    @property
    def as_expected(self) -> bool:
        """True where every claim has its expected status."""
        return all(claim.as_expected for claim in self.claims)


def announced(run: Run, claims: Iterable[Claim]) -> Ledger:
    """Add the expected statuses of the claims to the verdicts of a run.

    No route of a run reads an expected status.
    """
    expected = {claim.id: str(claim.expected) for claim in claims}
    entries = tuple(Entry(**vars(row), expected=expected[row.id]) for row in run.claims)
    return Ledger(**{**vars(run), "claims": entries})


VALUELESS = ("definition", "not-checkable")  # statuses of rows without a truth value


def tally(claims: Iterable[Entry]) -> str:
    """Count the expected verdicts, and the rows without a verdict."""
    rows = list(claims)
    valued = [row for row in rows if row.status not in VALUELESS]
    good = sum(row.as_expected for row in valued)
    parts = [f"{good} of {len(valued)} verdicts are as expected"]
    counts = Counter(row.status for row in rows)
    if counts["definition"]:
        plural = "s" if counts["definition"] > 1 else ""
        parts.append(f"{counts['definition']} definition{plural}")
    if counts["not-checkable"]:
        parts.append(f"{counts['not-checkable']} not checkable")
    bad = sum(not row.as_expected for row in rows if row.status in VALUELESS)
    if bad:
        parts.append(f"{bad} of these unexpectedly")
    return (
        parts[0]
        + ("; rows without a verdict: " if parts[1:] else "")
        + ", ".join(parts[1:])
    )


def _plain(value: Any) -> Any:
    """Replace infinities, which JSON does not have, by strings."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def rows(
    claims: Iterable[Entry], grounds: Mapping[str, Iterable[str]] | None = None
) -> list[dict[str, Any]]:
    """One dictionary per claim, with the keys that all JSON outputs share.

    Args:
        claims: The verdicts.
        grounds: What each statement rests on, by id.  Rows lack this key without a
            graph.
    """
    return [
        _plain(
            {
                **dataclasses.asdict(claim),
                "mutants": claim.formula_mutants,
                "killed": claim.killed_formula_mutants,
                "as_expected": claim.as_expected,
                "address": address(claim.id),
                **(
                    {"rests_on": list(grounds.get(claim.id, ()))}
                    if grounds is not None
                    else {}
                ),
            }
        )
        for claim in claims
    ]


def write_json(
    path: Path,
    claims: Iterable[Entry],
    grounds: Mapping[str, Iterable[str]] | None = None,
) -> None:
    """Write all rows of a run as a JSON list (see ``rows``), or keep the old file."""
    listed = rows(claims, grounds)
    write_text(path, json.dumps(listed, indent=2, ensure_ascii=False) + "\n")
