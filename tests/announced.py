"""The whole ledger as it is announced: every row taken at its word, in no time."""

from sigprop.judge.mutants import Scores
from sigprop.judge.statuses import finish
from sigprop.ledger.entries import Entry, Ledger
from sigprop.theory.claims import Claim, registry
from tests.rows import row


def announced_run() -> Ledger:
    """A run whose statuses are those that the rows announce, without results."""
    return Ledger(
        tuple(map(_announced, registry().values())),
        tier="quick",
        margin=0.05,
        alpha=1e-6,
        beta=1e-7,
        seed=0,
        device="cpu",
        dtype="float64",
        versions={"sigprop": "0"},
        seconds=0.0,
    )


def _announced(claim: Claim) -> Entry:
    fields = vars(finish(row(claim.id), [], Scores(), 0.0))
    status = str(claim.expected)
    return Entry(**fields | {"status": status}, expected=status)
