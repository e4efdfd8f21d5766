"""What the authors of a paper are told of a statement that fails: an erratum."""

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


@dataclass(frozen=True)
class Erratum:
    """How serious the fault of a statement is, and how far it reaches.

    Attributes:
        letter: Its class, a key of ``CLASSES``.
        root: Id of the row whose fault it repeats; empty where it is its own.
        appears_in: Where else the paper has the same fault: ids of rows, or places in
            words where no row stands.
        inherits: Later results that rest on it: ids of rows, or places in words where
            no row stands.
        bearing: What rests on it, or why nothing does, in a sentence.

    Raises:
        ValueError: If there is no such class, or nothing says what rests on it.
    """

    letter: str
    root: str = ""
    appears_in: tuple[str, ...] = ()
    inherits: tuple[str, ...] = ()
    bearing: str = ""

    def __post_init__(self) -> None:
        """Refuse an unknown class, and silence on what rests on the fault."""
        if self.letter not in CLASSES:
            raise ValueError(
                f"need a class of {', '.join(CLASSES)}, got {self.letter!r}"
            )
        if not (self.root or self.inherits or self.bearing):
            raise ValueError(
                "need the rows that inherit a fault, or a sentence why none does; "
                "write 'unknown' where nobody has looked"
            )
