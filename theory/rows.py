"""Rows of a paper, collected in groups with common properties."""

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
        section: Section that ends the locators of the rows, such as ``Appendix C.1.2``.
        topic: Subject of the rows in one word, for filters.
        code: Dotted name of the module that computes most of the statements.
    """

    def __init__(self, section: str, topic: str, code: str = "") -> None:
        self.section, self.topic, self.code = section, topic, code
        self.claims: list[Claim] = []

    def at(self, section: str, topic: str = "", code: str = "") -> "Part":
        """Return a part for another section that adds to the same rows.

        By default it has the same topic and code.
        """
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
        """Add a row; the arguments have the meaning of the fields of ``Claim``.

        ``kind`` and ``expected`` are members of ``Kind`` and ``Status``, or their values.
        ``where`` is the position in the section, e.g. ``text after Eq. 94``.  If the id ends
        in a number, as in ``zucchet:94``, the default is ``Eq. 94``.  A ``code`` without a dot
        is a name in the part's module, which is also the default.  The default of ``topic``
        is that of the part.  ``assumes`` can be a text if no point can violate it.

        Raises:
            ValueError: If the kind or the status is unknown.
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
