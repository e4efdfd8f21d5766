"""Errata: reports to the authors of a paper on statements that fail."""

from dataclasses import dataclass

CLASSES = {
    "A": "a wrong result that is stated or used",
    "B": "a wrong step whose result survives",
    "C": "a misprint that the next line repairs",
    "D": "a missing hypothesis",
    "E": "a table, a number or a citation",
    "F": "perhaps an error of our text extraction, not of the paper",
}
DOUBTFUL = "F"  # never listed among the errors
REPORTED = tuple(letter for letter in CLASSES if letter != DOUBTFUL)


@dataclass(frozen=True)
class Erratum:
    """Severity of an error in a statement, and the results that it affects.

    Attributes:
        letter: Class of the error, a key of ``CLASSES`` other than ``DOUBTFUL``.
        root: Id of the row whose error it repeats, or empty.
        appears_in: Other positions of the same error in the paper: ids of rows, or text
            for positions without a row.
        inherits: Later results that depend on it: ids of rows, or text for positions
            without a row.
        bearing: Sentence on the results that depend on it, or the reason why none does.

    Raises:
        ValueError: If the class is unknown, or ``root``, ``inherits`` and ``bearing`` are
            all empty. If only our copy is wrong, set ``as_extracted`` of the claim instead.
    """

    letter: str
    root: str = ""
    appears_in: tuple[str, ...] = ()
    inherits: tuple[str, ...] = ()
    bearing: str = ""

    def __post_init__(self) -> None:
        """Refuse an unknown class, and an erratum without a stated reach."""
        if self.letter not in REPORTED:
            raise ValueError(
                f"need a class of {', '.join(REPORTED)}, got {self.letter!r}"
            )
        if not (self.root or self.inherits or self.bearing):
            raise ValueError(
                "need the rows that inherit a fault, or a sentence why none does; "
                "write 'unknown' where nobody has looked"
            )
