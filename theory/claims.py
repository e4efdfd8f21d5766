"""Claims: statements of the papers, as printed and as derived.

``registry()`` imports the modules of all papers; importing this module does not.  The
evidence for each claim is in ``sigprop.evidence``, in a file of the same name.
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

if TYPE_CHECKING:  # commands list the papers without importing SymPy
    from sympy import Expr

    from sigprop.theory.derivation import Derivation


class Paper(NamedTuple):
    """Short name and title of a paper."""

    name: str
    title: str


class Numbered(NamedTuple):
    """Numbers of a paper's statements, all of which must have rows.

    Attributes:
        equations: Number of equations.
        figures: Number of figures.
        tables: Number of tables.
        others: Locators of lemmas, theorems and similar statements.
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
    """Status of a statement, i.e. the verdict on it."""

    DEFINITION = "definition"
    PROVED = "proved"
    CONFIRMED = "confirmed"
    CONDITIONAL = "conditional"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    NOT_CHECKABLE = "not-checkable"


class Kind(StrEnum):
    """Kind of a statement, such as an identity or a bound."""

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
    """Return True at every point."""
    return True


@dataclass(frozen=True)
class Condition:
    """An assumption of a statement, as text and as a predicate on points.

    Attributes:
        text: The assumption in words.
        holds: Function of the values of a point, by name, that returns True if the point
            satisfies the assumption.
    """

    text: str
    holds: Callable[..., bool] = anywhere


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, its forms, its assumptions and its expected status.

    Attributes:
        id: Id ``paper:locator``, e.g. ``zucchet:59``.
        locator: Position in the paper, e.g. ``Eq. 59, Appendix B.2.2``.
        kind: Kind of the statement.
        title: Title of the row.
        statement: LaTeX of the statement as printed.
        expected: Status that verification should find.
        code: Dotted name of the code that computes it.
        derive: Function that returns the derivation. Its result is the derived form.
        printed: Function that returns the printed form in the symbols of
            ``sigprop.theory.symbols``. It is ``None`` if this is the derived form.
        correction: LaTeX of the corrected statement, if the printed statement is wrong.
        corrected: Function that returns the form in ``correction``, which is judged like
            the derived form.
        assumes: Assumptions that the paper states. Points that violate them are not used
            as evidence.
        condition: Assumption that the paper omits. At points that violate it, only the
            printed form is judged. If it fails there, the statement is conditional.
        note: One or two sentences for the reader.
        topic: Subject in one word, for filters.
        reason: Reason why the statement is not checkable.
        erratum: Report to the authors, if the statement fails.
        as_extracted: True if an error is probably in our copy, not in the paper. The
            statement is then written and judged as intended.
        uncounted: Reason why it does not count as a statement of the paper: ``repeats``
            and the id of a row, ``nothing is printed``, or ``the formula is ours``.
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
        """Key of the paper."""
        return self.id.split(":")[0]

    @property
    def errata_class(self) -> str | None:
        """Key of ``sigprop.theory.errata.CLASSES``, or ``None`` if there is no error."""
        if self.as_extracted:
            return DOUBTFUL
        return self.erratum.letter if self.erratum else None

    @property
    def source(self) -> str:
        """Paper and locator in words."""
        return f"{PAPERS[self.paper].name}, {self.locator}"


@functools.cache
def registry() -> dict[str, Claim]:
    """Return every claim by its id, paper by paper, with numbered equations first.

    Raises:
        ValueError: If two claims have the same id.
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
    """Return the dotted name of the module with the row of a claim.

    Raises:
        KeyError: If there is no such claim. The message suggests a similar id.
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
    """Return the modules with the rows of a paper, in the order of their first equations.

    These are all modules of the paper's package with an object ``part``.
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
    """Return the claim with an id, ignoring the case of letters.

    Raises:
        KeyError: If there is no such claim. The message suggests a similar id.
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
    """Return all claims, or the claims of a paper, or the claims with some ids.

    Raises:
        KeyError: If the paper or an id is unknown, or an id belongs to another paper.
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
