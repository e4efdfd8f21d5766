"""Errors of the papers by root cause, each with all statements that it makes wrong."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from sigprop.ledger.entries import Entry
from sigprop.theory.citations import CITATIONS, page
from sigprop.theory.errata import REPORTED

WRONG, DEFINITION = ("refuted", "conditional"), "definition"


@dataclass(frozen=True)
class Fault:
    """A root cause, with every place of its paper where it occurs.

    Attributes:
        row: Verdict on the row that shows the error.
        others: Verdicts on other statements that are wrong because of it.
    """

    row: Entry
    others: tuple[Entry, ...] = ()

    @property
    def letter(self) -> str:
        """Class of the error, a key of ``CLASSES``; empty without a class."""
        return self.row.errata_class or ""

    @property
    def appears_in(self) -> tuple[str, ...]:
        """Ids of the other rows with the error, and descriptions of other places."""
        named = [row.id for row in self.others]
        more = [where for row in self.rows for where in row.appears_in]
        return tuple(dict.fromkeys(p for p in [*named, *more] if p != self.row.id))

    @property
    def rows(self) -> tuple[Entry, ...]:
        """Verdicts on all statements that are wrong because of the error."""
        return (self.row, *self.others)

    @property
    def inherits(self) -> tuple[str, ...]:
        """Later results that rest on the error, including wrong ones."""
        named = [later for row in self.rows for later in row.inherits]
        return tuple(later for later in dict.fromkeys(named) if later != self.row.id)

    @property
    def bearing(self) -> str:
        """Return a description of the results that rest on it, or why none do."""
        return next((row.bearing for row in self.rows if row.bearing), "")

    @property
    def reach(self) -> str:
        """``some`` if later results rest on it, else ``none`` or ``unknown``."""
        if self.inherits:
            return "some"
        known = self.bearing and not self.bearing.casefold().startswith("unknown")
        return "none" if known else "unknown"

    @property
    def location(self) -> str:
        """Return its place in its paper: section, equation, and page if it is known."""
        number = page(self.row.id)
        where = self.row.source.partition(", ")[2]
        return f"{where}, p. {number}" if number else where

    @property
    def counterexample(self) -> str | None:
        """A counterexample of the row that shows the error, or of another row."""
        return next(
            (row.counterexample for row in self.rows if row.counterexample), None
        )


def is_listed(claim: Entry) -> bool:
    """True if a verdict accuses a cited paper, or names a misprint in its definition."""
    wrong = claim.status in WRONG or (
        claim.status == DEFINITION and claim.errata_class in REPORTED
    )
    return wrong and claim.paper in CITATIONS and not claim.as_extracted


def faults(claims: Iterable[Entry]) -> list[Fault]:
    """The root causes of all errors, sorted by class and then in the given order.

    If the row of a root cause is not among the given rows, the first row with the error
    represents it.
    """
    groups: dict[str, list[Entry]] = {}
    for claim in filter(is_listed, claims):
        groups.setdefault(claim.root or claim.id, []).append(claim)
    errata = []
    for root, members in groups.items():
        first = next((member for member in members if member.id == root), members[0])
        errata.append(
            Fault(first, tuple(member for member in members if member is not first))
        )
    letters = {letter: rank for rank, letter in enumerate(REPORTED)}
    return sorted(errata, key=lambda fault: letters.get(fault.letter, len(letters)))


def by_class(errata: Iterable[Fault]) -> Iterator[tuple[str, list[Fault]]]:
    """The errors by class, the most serious class first, without empty classes."""
    for letter, ones in groupby(errata, key=lambda fault: fault.letter):
        yield letter, list(ones)
