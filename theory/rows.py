"""How the rows of a paper are written down: what a part shares is said once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sympy import Expr

from sigprop.theory.claims import Claim, Condition, Kind, Status
from sigprop.theory.derivation import Derivation
from sigprop.theory.errata import Erratum

KindName = Literal[
    "definition",
    "identity",
    "moment",
    "distribution",
    "limit",
    "bound",
    "algorithm",
    "table",
    "text",
    "figure",
]
StatusName = Literal[
    "definition",
    "proved",
    "confirmed",
    "conditional",
    "refuted",
    "undecided",
    "not-checkable",
]


class Part:
    """Rows of one part of a paper, in the order in which they are stated.

    Args:
        place: Where the part stands, as its locators end: ``Appendix C.1.2``.
        topic: What its rows are about, in one word, for filters.
        code: Dotted name of the module that computes most of it.
    """

    def __init__(self, place: str, topic: str, code: str = "") -> None:
        self.place, self.topic, self.code = place, topic, code
        self.claims: list[Claim] = []

    def at(self, place: str, topic: str = "", code: str = "") -> "Part":
        """Another place of the same rows; the topic and the code, unless given."""
        part = Part(place, topic or self.topic, code or self.code)
        part.claims = self.claims
        return part

    def row(
        self,
        claim_id: str,
        kind: KindName,
        expected: StatusName,
        where: str | None = None,
    ) -> "Head":
        """Begin a row; calling the head states it.

        Args:
            claim_id: ``paper:locator``, e.g. ``zucchet:59``.
            kind: What it asserts.
            expected: The status that verification is to find.
            where: Where in the part it stands, e.g. ``text after Eq. 94``; ``Eq. 94`` of
                an id that is a number.
        """
        if where is None:
            where = f"Eq. {claim_id.partition(':')[2]}"
        locator = ", ".join(filter(None, (where, self.place)))
        return Head(self, claim_id, Kind(kind), Status(expected), locator)


@dataclass(frozen=True)
class Head:
    """Id, kind, expected status and locator of a row that is about to be stated."""

    part: Part
    id: str
    kind: Kind
    expected: Status
    locator: str

    def __call__(
        self,
        title: str,
        statement: str,
        derive: Callable[[], Derivation] | None = None,
        printed: Callable[[], Expr] | None = None,
        *,
        code: str = "",
        topic: str = "",
        correction: str | None = None,
        corrected: Callable[[], Expr] | None = None,
        assumes: Condition | str = "",
        condition: Condition | None = None,
        note: str = "",
        reason: str = "",
        erratum: Erratum | None = None,
        as_extracted: bool = False,
    ) -> Claim:
        """State the row; arguments are those of ``Claim``.

        ``code`` without a dot is a name in the part's module; without any code, the
        module.  ``assumes`` in words alone is what the values of no point can violate.
        """
        module = self.part.code
        if code and "." not in code:
            code = f"{module}.{code}"
        claim = Claim(
            self.id,
            self.locator,
            self.kind,
            title,
            statement,
            self.expected,
            code or module,
            derive=derive,
            printed=printed,
            correction=correction,
            corrected=corrected,
            assumes=Condition(assumes) if isinstance(assumes, str) else assumes,
            condition=condition,
            note=note,
            topic=topic or self.part.topic,
            reason=reason,
            erratum=erratum,
            as_extracted=as_extracted,
        )
        self.part.claims.append(claim)
        return claim
