"""Findings: the outcome of judging a statement, in a few words."""

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
    """Return the outcome for a row in words, without a full stop.

    The text says so if a statement about a paper's results is only compared with the
    paper's own numbers.
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
