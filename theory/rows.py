"""Rows of a paper: a part collects them and adds what they share."""

from collections.abc import Callable
from typing import TypeVar

from sympy import Expr

from sigprop.theory.claims import Claim, Condition, Kind, Status
from sigprop.theory.derivation import Derivation
from sigprop.theory.errata import Erratum

Named = TypeVar("Named", Kind, Status)


class Part:
    """Rows of one part of a paper, in the order in which they are stated.

    Args:
        section: End of the part's locators, such as ``Appendix C.1.2``.
        topic: What its rows are about, in one word, for filters.
        code: Dotted name of the module that computes most of it.
    """

    def __init__(self, section: str, topic: str, code: str = "") -> None:
        self.section, self.topic, self.code = section, topic, code
        self.claims: list[Claim] = []

    def at(self, section: str, topic: str = "", code: str = "") -> "Part":
        """Return another section of the same rows, by default with the same topic and code."""
        part = Part(section, topic or self.topic, code or self.code)
        part.claims = self.claims
        return part

    def row(
        self,
        claim_id: str,
        kind: Kind | str,
        expected: Status | str,
        title: str,
        statement: str,
        *,
        where: str = "",
        derive: Callable[[], Derivation] | None = None,
        printed: Callable[[], Expr] | None = None,
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
        uncounted: str = "",
    ) -> Claim:
        """State a row: the arguments and their meaning are those of ``Claim``.

        ``kind`` and ``expected`` are members of ``Kind`` and ``Status``, or their values.
        ``where`` says where in the part the row stands, e.g. ``text after Eq. 94``; the
        row ``zucchet:94``, whose id is a number, stands at ``Eq. 94`` by default.
        ``code`` without a dot is a name in the part's module; the default is the module
        itself.  ``topic`` is the part's by default.  ``assumes`` is words alone if the
        values of no point can violate it.

        Raises:
            ValueError: If there is no such kind or status.
        """
        number = claim_id.partition(":")[2]
        if not where and number.isdecimal():
            where = f"Eq. {number}"
        if code and "." not in code:
            code = f"{self.code}.{code}"
        claim = Claim(
            claim_id,
            ", ".join(filter(None, (where, self.section))),
            _named(Kind, kind, claim_id),
            title,
            statement,
            _named(Status, expected, claim_id),
            code or self.code,
            derive=derive,
            printed=printed,
            correction=correction,
            corrected=corrected,
            assumes=Condition(assumes) if isinstance(assumes, str) else assumes,
            condition=condition,
            note=note,
            topic=topic or self.topic,
            reason=reason,
            erratum=erratum,
            as_extracted=as_extracted,
            uncounted=uncounted,
        )
        self.claims.append(claim)
        return claim


def _named(names: type[Named], value: str, claim_id: str) -> Named:
    """The member of an enumeration that has this value.

    Raises:
        ValueError: If there is none; the message lists the values.
    """
    try:
        return names(value)
    except ValueError:
        raise ValueError(
            f"row {claim_id}: need a {names.__name__.lower()} in {', '.join(names)}, "
            f"got {value!r}"
        ) from None
