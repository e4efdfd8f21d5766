"""References to rows in a text, by their ids or by numbers as in ``Eq. 5``."""

import re
from collections.abc import Container, Iterator

from sigprop.theory.claims import Claim

ID = re.compile(r"\b[a-z]+:\w(?:[\w.:-]*\w)?")
PLACES = {
    "Eq.": "",
    "Equation": "",
    "Lemma": "lemma",
    "Theorem": "thm",
    "Proposition": "prop",
    "Definition": "def",
    "Figure": "fig",
    "Fig.": "fig",
    "Table": "table",
}
NUMBER = r"[A-Z]?\d*(?:\.\d+)*[A-D]?"
CITED = re.compile(
    rf"\b(?P<word>{'|'.join(map(re.escape, PLACES))})s? "
    rf"(?P<numbers>{NUMBER}(?:(?:, | and | to |-|–){NUMBER})*)(?P<other> of [A-Z])?"
)


def cited(text: str, known: Container[str], paper: str = "") -> Iterator[str]:
    """Ids of rows that a text cites, in the order of the text.

    Args:
        text: The text.
        known: All ids; others are ignored.
        paper: Paper whose equations, lemmas and tables ``Eq. 5 to 7`` means.

    Example:
        >>> list(cited("Eq. 5 and 7, see b:6", {"a:5", "a:7", "b:6"}, "a"))
        ['b:6', 'a:5', 'a:7']
    """
    yield from (match.group() for match in ID.finditer(text) if match.group() in known)
    for match in CITED.finditer(text):
        if match["other"]:
            continue
        for number in _numbers(match["numbers"]):
            row_id = f"{paper}:{PLACES[match['word']]}{number}"
            if row_id in known:
                yield row_id


def _numbers(text: str) -> Iterator[str]:
    """Each number of a list, including those inside a range."""
    parts = re.split(r"(, | and | to |-|–)", text)
    yield parts[0]
    for between, number in zip(parts[1::2], parts[2::2], strict=True):
        before = parts[parts.index(number) - 2]
        if between in (" to ", "-", "–") and before.isdigit() and number.isdigit():
            yield from map(str, range(int(before) + 1, int(number)))
        yield number


def mentions(claim: Claim, known: Container[str]) -> tuple[str, ...]:
    """Ids of other rows that the texts of a row cite, each once."""
    erratum = claim.erratum
    texts = [
        *(claim.title, claim.note, claim.reason, claim.assumes.text),
        claim.condition.text if claim.condition else "",
        *((erratum.root, erratum.bearing, *erratum.appears_in) if erratum else ()),
    ]
    ids = (row_id for text in texts for row_id in cited(text, known, claim.paper))
    return tuple(row_id for row_id in dict.fromkeys(ids) if row_id != claim.id)
