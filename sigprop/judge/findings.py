"""Findings: what was judged of a statement, and with what outcome, in a few words."""

from sigprop.judge.results import ClaimResult
from sigprop.theory.claims import Status
from sigprop.theory.errata import CLASSES

NOT_JUDGED = "not judged"

# How a statement was confirmed, by its routes.
_MEANS = {
    "monte_carlo": "by simulation",
    "trained": "by trainings",
}


def finding(claim: ClaimResult) -> str:
    """Return what was judged of a row, and the outcome, without a full stop.

    A statement about a paper's results that agrees with the paper's own numbers is said to
    do that alone, because no result of ours has confirmed it.
    """
    words = {
        Status.PROVED: "proved",
        Status.CONFIRMED: _confirmed(claim),
        Status.CONDITIONAL: f"true only under a condition: {claim.condition}",
        Status.REFUTED: CLASSES.get(claim.errata_class or "", "refuted"),
        Status.UNDECIDED: "undecided",
        Status.DEFINITION: "a definition",
        Status.NOT_CHECKABLE: NOT_JUDGED,
    }[Status(claim.status)]
    if claim.as_extracted:
        return f"{words}, but our copy of the paper may have lost a mark"
    return words


def _confirmed(claim: ClaimResult) -> str:
    if claim.arithmetic:
        return "agrees with the paper's own numbers"
    means = [text for route, text in _MEANS.items() if route in claim.routes]
    return f"confirmed {' and '.join(means) or 'numerically'}"
