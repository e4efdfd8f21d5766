"""Claims: statements of a paper, as printed and as derived, with how to judge them.

Importing this module reads no paper; ``registry()`` does.  Nothing here computes or
knows how a claim is judged: that stands in ``sigprop.evidence``, file by file.
"""

import difflib
import functools
import importlib
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from sigprop.theory.errata import DOUBTFUL, Erratum

if TYPE_CHECKING:  # a list of commands names the papers, and needs no SymPy
    from sympy import Expr

    from sigprop.theory.derivation import Derivation


class Paper(NamedTuple):
    """Citation and title of a paper."""

    name: str
    title: str


class Numbered(NamedTuple):
    """Counts of a paper's numbered statements, all of which must have rows.

    Attributes:
        equations: Numbers of its equations, from 1 on.
        figures: Numbers of its figures, from 1 on.
        tables: Numbers of its tables, from 1 on.
        others: Lemmas, theorems and the like, as the locators of their rows.
    """

    equations: int
    figures: int
    tables: int
    others: tuple[str, ...] = ()


PAPERS = {
    "zucchet": Paper(
        "Zucchet & Orvieto (2024)",
        "Recurrent neural networks: vanishing and exploding gradients are not the end of "
        "the story",
    ),
    "lru": Paper(
        "Orvieto et al. (2023)",
        "Resurrecting Recurrent Neural Networks for Long Sequences",
    ),
    "rotrnn": Paper("RotRNN (2024)", "RotRNN: Modelling Long Sequences with Rotations"),
    "blur": Paper(
        "BLUR (2025)",
        "Bidirectional Linear Recurrent Models for Sequence-Level Multisource Fusion",
    ),
    "sigprop": Paper("sigprop", "Statements of this suite"),
}


class Status(StrEnum):
    """Status of a statement: how far it is true, as far as is known."""

    DEFINITION = "definition"
    PROVED = "proved"
    CONFIRMED = "confirmed"
    CONDITIONAL = "conditional"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    NOT_CHECKABLE = "not-checkable"


class Kind(StrEnum):
    """Kind of a statement, by what it asserts."""

    DEFINITION = "definition"
    IDENTITY = "identity"
    MOMENT = "moment"
    DISTRIBUTION = "distribution"
    LIMIT = "limit"
    BOUND = "bound"
    ALGORITHM = "algorithm"
    TABLE = "table"
    TEXT = "text"
    FIGURE = "figure"


def anywhere(**_: object) -> bool:
    """True at every point, as of a condition that the values of no point can violate."""
    return True


@dataclass(frozen=True)
class Condition:
    """An assumption of a statement, as text and as a predicate on points.

    Attributes:
        text: The assumption for the reader.
        holds: Predicate on a point; takes the values that it reads by their names, and
            the others as ``**_``.
    """

    text: str
    holds: Callable[..., bool] = anywhere


@dataclass(frozen=True)
class Claim:
    """One statement and everything needed to decide it.

    Attributes:
        id: ``paper:locator``, e.g. ``zucchet:59``.
        locator: Position in the paper, e.g. ``Eq. 59, Appendix B.2.2``.
        statement: LaTeX of the statement as printed.
        derive: Gives the derivation; its result is the derived form.
        printed: The printed form in the symbols of ``sigprop.theory.symbols``; ``None`` where
            it is the derived form letter by letter.
        correction: LaTeX of the corrected statement, where the printed one is wrong.
        corrected: The form that ``correction`` writes; judged like the derived one.
        assumes: Domain and standing assumptions under which the paper states it.  A
            point that violates them is no evidence, neither for it nor against it.
        condition: What it needs beyond them.  Points that do not meet it are judged as
            printed alone: where the statement fails there, it is conditional.
        expected: The status that verification is to find.
        code: Dotted name of the code that computes it.
        note: One or two plain sentences for the reader.
        topic: What it is about, in one word, for filters.
        reason: Why it is not checkable.
        erratum: Report to the authors, where the statement fails.
        as_extracted: Whether our copy's extraction, not the paper, is likely at fault.
            The statement is then written and judged as it is meant.
        uncounted: Why it is not counted among a paper's statements: ``repeats`` and the
            id of a row, ``nothing is printed`` at its number, or ``the formula is ours``.
    """

    id: str
    locator: str
    kind: Kind
    title: str
    statement: str
    expected: Status
    code: str
    derive: "Callable[[], Derivation] | None" = None
    printed: "Callable[[], Expr] | None" = None
    correction: str | None = None
    corrected: "Callable[[], Expr] | None" = None
    assumes: Condition = Condition("")
    condition: Condition | None = None
    note: str = ""
    topic: str = ""
    reason: str = ""
    erratum: Erratum | None = None
    as_extracted: bool = False
    uncounted: str = ""

    @property
    def paper(self) -> str:
        """The paper's key."""
        return self.id.split(":")[0]

    @property
    def errata_class(self) -> str | None:
        """A key of ``sigprop.theory.errata.CLASSES``, or ``None`` where nothing is wrong."""
        if self.as_extracted:
            return DOUBTFUL
        return self.erratum.letter if self.erratum else None

    @property
    def source(self) -> str:
        """Paper and locator in words."""
        return f"{PAPERS[self.paper].name}, {self.locator}"


@functools.cache
def registry() -> dict[str, Claim]:
    """Every claim by its id, paper by paper: numbered equations first, in their order.

    Raises:
        ValueError: If two claims share an id.
    """
    claims: dict[str, Claim] = {}
    for paper in PAPERS:
        for claim in sorted(_of_paper(paper), key=_equation_order):
            if claim.id in claims:
                raise ValueError(f"need one claim an id, got {claim.id} twice")
            claims[claim.id] = claim
    return claims


def _of_paper(paper: str) -> Iterator[Claim]:
    for leaf in leaves(paper):
        yield from leaf.part.claims


def home(claim_id: str) -> str:
    """Dotted name of the module that has the row of a claim.

    Raises:
        KeyError: If there is no such claim; the message suggests the nearest.
    """
    return _row(claim_id)[1]


@functools.cache
def _rows(paper: str) -> dict[str, tuple[Claim, str]]:
    """The claims of a paper and their modules, by their ids in small letters."""
    return {
        claim.id.casefold(): (claim, leaf.__name__)
        for leaf in leaves(paper)
        for claim in leaf.part.claims
    }


def leaves(paper: str) -> list[ModuleType]:
    """The modules that have the rows of a paper, in the order of their first equations.

    They are all modules of the paper's package that have a ``part``.
    """
    folder = Path(__file__).parent / "papers" / paper
    files = sorted(file for file in folder.rglob("*.py") if file.stem != "__init__")
    modules = [_module(paper, file.relative_to(folder)) for file in files]
    return sorted((module for module in modules if hasattr(module, "part")), key=_first)


def _module(paper: str, file: Path) -> ModuleType:
    name = ".".join(file.with_suffix("").parts)
    return importlib.import_module(f"sigprop.theory.papers.{paper}.{name}")


def _first(module: ModuleType) -> tuple[float, str]:
    return min(map(_equation_order, module.part.claims), default=(math.inf, ""))


def _equation_order(claim: Claim) -> tuple[float, str]:
    """Sort numbered equations by number and suffix, before all other claims."""
    number = re.match(r"(\d+)(.*)", claim.id.partition(":")[2])
    return (float(number[1]), number[2]) if number else (math.inf, "")


def find(claim_id: str) -> Claim:
    """Return one claim, whatever the case of its id's letters.

    Raises:
        KeyError: If there is none of that id; the message suggests the nearest.
    """
    return _row(claim_id)[0]


def _row(claim_id: str) -> tuple[Claim, str]:
    """A claim and its module; of the papers, only its own is read."""
    folded = claim_id.strip().casefold()
    paper = folded.partition(":")[0]
    if paper in PAPERS and folded in _rows(paper):
        return _rows(paper)[folded]
    keys = {key.casefold(): key for key in registry()}
    near = [
        keys[name] for name in difflib.get_close_matches(folded, keys, n=3, cutoff=0.4)
    ]
    hint = f"did you mean {', '.join(near)}?" if near else "none is near;"
    raise KeyError(f"no claim {claim_id!r}; {hint} `sigprop claims` lists them all")


def select(paper: str | None = None, ids: tuple[str, ...] = ()) -> tuple[Claim, ...]:
    """Return the claims of a paper, or of some ids, or all.

    Raises:
        KeyError: If the paper or an id is unknown, or an id is of another paper.
    """
    if paper is not None and paper.casefold() not in PAPERS:
        raise KeyError(f"need a paper in {', '.join(PAPERS)}, got {paper!r}")
    paper = paper and paper.casefold()
    chosen = [find(claim_id) for claim_id in ids] if ids else list(registry().values())
    strangers = [c.id for c in chosen if paper is not None and c.paper != paper]
    if ids and strangers:
        raise KeyError(
            f"the claims {', '.join(strangers)} are not of the paper {paper!r}; drop one "
            "of the two options"
        )
    return tuple(c for c in chosen if paper is None or c.paper == paper)
