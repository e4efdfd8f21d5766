"""Errors of the papers: a root cause, and the statements that are wrong by it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from sigprop.ledger.entries import Entry
from sigprop.theory.citations import CITATIONS, page
from sigprop.theory.errata import REPORTED

WRONG, DEFINITION = ("refuted", "conditional"), "definition"


@dataclass(frozen=True)
class Fault:
    """A root cause, and every place of its paper that has it.

    Attributes:
        row: The verdict that shows it.
        others: Verdicts on statements that are wrong by it, too.
    """

    row: Entry
    others: tuple[Entry, ...] = ()

    @property
    def letter(self) -> str:
        """Its class, a key of ``CLASSES``; empty where it has none."""
        return self.row.errata_class or ""

    @property
    def appears_in(self) -> tuple[str, ...]:
        """Ids of the other rows that have it, and places in words."""
        named = [row.id for row in self.others]
        more = [where for row in self.rows for where in row.appears_in]
        return tuple(dict.fromkeys(p for p in [*named, *more] if p != self.row.id))

    @property
    def rows(self) -> tuple[Entry, ...]:
        """The verdicts on all that is wrong by it."""
        return (self.row, *self.others)

    @property
    def inherits(self) -> tuple[str, ...]:
        """Later results that rest on it, those that are wrong by it among them."""
        named = [later for row in self.rows for later in row.inherits]
        return tuple(later for later in dict.fromkeys(named) if later != self.row.id)

    @property
    def bearing(self) -> str:
        """Return in words the statements that rest on it, or the reason why none does."""
        return next((row.bearing for row in self.rows if row.bearing), "")

    @property
    def reach(self) -> str:
        """``some`` where later results rest on it, else ``none`` or ``unknown``."""
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
        """Of the row that shows it, or else of another."""
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
    """The root causes of all that is wrong, by class and then in the order given.

    A row whose root is not among them shows the fault itself, for all that share it.
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
    """The faults of each class that has any, the most serious first."""
    for letter, ones in groupby(errata, key=lambda fault: fault.letter):
        yield letter, list(ones)
