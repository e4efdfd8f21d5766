"""How the rows on Zucchet & Orvieto's experiments are written."""

from typing import Any

from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence

RERUN = "the experiment has not been re-run yet; "
PRINTED = "arithmetic of printed numbers"


def judged(
    claim_id: str,
    locator: str,
    title: str,
    statement: str,
    expected: Status,
    code: str,
    evidence: Evidence,
    *,
    kind: Kind = Kind.TEXT,
    topic: str = "experiments",
    **more: Any,
) -> Claim:
    """A statement with a truth value."""
    return Claim(
        f"zucchet:{claim_id}",
        locator,
        kind,
        title,
        statement,
        "evidence",
        expected,
        code,
        evidence=evidence,
        topic=topic,
        **more,
    )


def unchecked(
    claim_id: str,
    locator: str,
    title: str,
    statement: str,
    decided_by: str,
    code: str,
    *,
    kind: Kind = Kind.TEXT,
    topic: str = "experiments",
    note: str = "",
) -> Claim:
    """An experiment's outcome, and what will decide it."""
    return Claim(
        f"zucchet:{claim_id}",
        locator,
        kind,
        title,
        statement,
        "",
        Status.NOT_CHECKABLE,
        code,
        topic=topic,
        note=note,
        reason=RERUN + decided_by,
    )
