"""Headline numbers of a paper: statements that were judged, and errors by class.

An error is a root cause.  Several wrong statements with the same root cause count as
one error and several rows.  Rows that are not statements of the paper
(``Claim.uncounted``) are not counted.  Class F is not counted either, because it may be
an error of our copy.  README, site and errata take their numbers from here.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sigprop.ledger.entries import Entry
from sigprop.ledger.faults import faults
from sigprop.theory.citations import CITATIONS
from sigprop.theory.errata import REPORTED


@dataclass(frozen=True)
class Headline:
    """Counts of one paper.

    Attributes:
        statements: Statements of the paper that have a row.
        errors: Root causes by class, every key of ``REPORTED``.
        rows: Statements that are wrong, or true only under a condition, by these errors.
    """

    statements: int
    errors: dict[str, int]
    rows: int

    @property
    def total(self) -> int:
        """The number of errors of all classes."""
        return sum(self.errors.values())

    @property
    def sentence(self) -> str:
        """The counts in words, without a full stop.

        >>> Headline(90, {"A": 2, "B": 0, "C": 1}, 12).sentence
        '3 errors in 90 statements: 2 of class A, 1 of class C; 12 statements are affected'
        """
        plural = "" if self.total == 1 else "s"
        counts = [f"{n} of class {letter}" for letter, n in self.errors.items() if n]
        found = f"{self.total} error{plural} in {self.statements} statements"
        if not counts:
            return found
        affected = "1 statement is" if self.rows == 1 else f"{self.rows} statements are"
        return f"{found}: {', '.join(counts)}; {affected} affected"


def headlines(claims: Iterable[Entry]) -> dict[str, Headline]:
    """Count the statements and the errors of each cited paper, in the given order."""
    by_paper: dict[str, list[Entry]] = {}
    for claim in claims:
        if claim.paper in CITATIONS:
            by_paper.setdefault(claim.paper, []).append(claim)
    return {paper: _headline(rows) for paper, rows in by_paper.items()}


def _headline(claims: list[Entry]) -> Headline:
    counted = [claim for claim in claims if not claim.uncounted]
    errata = faults(counted)
    letters = Counter(fault.letter for fault in errata)
    return Headline(
        statements=len(counted),
        errors={letter: letters[letter] for letter in REPORTED},
        rows=sum(len(fault.rows) for fault in errata),
    )
