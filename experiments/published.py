"""Accuracies and speeds as the papers print them, with the sizes they were found at.

Each block of text is a table as printed: a label, then a number for each column, with
its standard error in brackets if there is one; ``fails`` where the paper has a cross,
``-`` where it has nothing.

Source: Orvieto et al. (2023), Tables 1-9; RotRNN (2024), Tables 1 and 3; BLUR (2025),
Tables 2 and 6.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

NOTHING, FAILS = "-", "fails"
NUMBER = re.compile(r"(\d+(?:\.\d+)?)(?:\((\d+\.\d+)\))?")
RING = re.compile(r"\[0\.\d+,[01]\.\d+\]")

RUNGS = {
    **dict.fromkeys(("RNN-Lin", "Dense A", "Linear dense RNN"), "dense"),
    "RNN-ReLU": "relu",
    **dict.fromkeys(("RNN-Tanh", "Tanh RNN"), "tanh"),
    **dict.fromkeys(("Λ Real + Im", "Diagonal complex RNN"), "complex"),
    "Λ Exp": "exponential",
    "Λ Stable Exp": "stable",
    **dict.fromkeys(("+ Ring Init", "Stable exp, ring init"), "ring"),
    "+ γ normalization": "gamma",
    "LRU": "gamma",
}
"""Rows of Orvieto et al. and the rungs of ``sigprop.training.presets.LADDER``."""


@dataclass(frozen=True)
class Score:
    """A number as it is printed.

    Attributes:
        text: What is printed.
        mean: In the unit of its table; below every other where the paper has a cross,
            not-a-number where nothing is printed.
        error: Standard error of ``mean``, not-a-number if none is printed.
    """

    text: str
    mean: float
    error: float

    @classmethod
    def read(cls, text: str) -> "Score":
        """Read a printed number.

        Raises:
            ValueError: If it is not of a form that this module knows.
        """
        if text == FAILS:
            return cls(text, -math.inf, 0.0)
        if text == NOTHING or RING.fullmatch(text):
            return cls(text, math.nan, math.nan)
        found = NUMBER.fullmatch(text)
        if not found:
            raise ValueError(
                "need a number such as 88.1(0.2), a ring such as [0.5,0.9], "
                f"{FAILS} or {NOTHING}, got {text!r}"
            )
        mean, error = found.groups()
        return cls(text, float(mean), float(error or "nan"))


@dataclass(frozen=True)
class Size:
    """Sizes of a model and of its training; none where the paper does not say."""

    length: int
    width: int
    states: int
    depth: int
    batch: int
    steps: int | None = None


@dataclass(frozen=True)
class Row:
    """A model: its name in the paper, the name of ours if we train it, its scores."""

    label: str
    model: str | None
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class Published:
    """A table of a paper.

    Attributes:
        title: What it is about, in our words.
        source: Paper, table and section.
        columns: A task or setting each, with its size if it has one.
        rows: One score for each column.
        unit: Of the scores.
        note: What a reader must know besides.
    """

    title: str
    source: str
    columns: Mapping[str, Size | None]
    rows: tuple[Row, ...]
    unit: str = "test accuracy in %"
    note: str = ""

    def score(self, label: str, column: str) -> Score:
        """The score in a row and a column."""
        (row,) = (one for one in self.rows if one.label == label)
        return row.scores[list(self.columns).index(column)]


def rows(block: str, models: dict[str, str]) -> tuple[Row, ...]:
    """The rows of a block of text, ``label | score score ...`` a line.

    Args:
        block: The text.
        models: Our names by labels.

    Raises:
        ValueError: If a score cannot be read, or the rows have unlike lengths.
    """
    found = []
    for line in block.strip().splitlines():
        label, printed = (part.strip() for part in line.split("|"))
        scores = tuple(map(Score.read, printed.split()))
        found.append(Row(label, models.get(label), scores))
    lengths = {row.label: len(row.scores) for row in found}
    if len(set(lengths.values())) != 1:
        raise ValueError(f"need as many scores in every row, got {lengths}")
    return tuple(found)


# --- Orvieto et al. (2023) -----------------------------------------------------------

LRU = {
    "sCIFAR": Size(1024, 512, 384, 6, 50, 180_000),
    "ListOps": Size(2048, 128, 256, 6, 32, 80_000),
    "Text": Size(4096, 256, 192, 6, 32, 50_000),
    "Retrieval": Size(4000, 128, 256, 6, 64, 100_000),
    "Pathfinder": Size(1024, 192, 256, 6, 64, 500_000),
    "PathX": Size(16384, 128, 256, 6, 32, 250_000),
}
"""Their Table 9; lengths from the head of RotRNN's Table 1.  sCIFAR is in colour."""

OTHERS = """
S4D (reproduced)      | 91.5(0.2) 60.2(0.3) 86.4(0.0) 89.5(0.0) 94.2(0.3) 97.5(0.0)
S5 (reproduced)       | 88.8(0.1) 58.5(0.3) 86.2(0.1) 88.9(0.0) 95.7(0.1) 96.0(0.1)
S4 (its paper)        | 91.1      59.6      86.8      90.9      94.2      96.4
S4D-LegS (its paper)  | 89.9      60.5      86.2      89.5      93.1      91.9
S5 (its paper)        | 90.1      62.2      89.3      91.4      95.3      98.6
"""  # the same in Tables 3, 6, 7 and 8


def _lru(
    title: str,
    source: str,
    block: str,
    *columns: str,
    unit: str = "test accuracy in %, mean (standard error) of three runs",
    note: str = "",
) -> Published:
    sizes = {column: LRU[column] for column in columns or LRU}
    source = f"Orvieto et al. (2023), {source}"
    note = f"Sizes are those of the LRU. {note}".strip()
    return Published(title, source, sizes, rows(block, RUNGS), unit, note)


LRU_1 = _lru(
    "Recurrences with and without a nonlinearity",
    "Table 1, Section 3.1",
    """
RNN-ReLU | 69.7(0.2) 37.6(8.0) 88.0(0.1) 88.5(0.1)
RNN-Tanh | 69.9(0.3) 43.9(0.1) 87.2(0.1) 88.9(0.2)
RNN-Lin  | 72.2(0.2) 50.4(0.2) 89.1(0.1) 89.1(0.1)
""",
    *("sCIFAR", "ListOps", "Text", "Retrieval"),
)
LRU_2 = _lru(
    "Diagonal linear recurrences in several parametrisations",
    "Table 2, Section 3.2",
    """
Dense A      | 72.2(0.2) 50.4(0.2) fails
Λ Real + Im  | 86.5(0.1) 58.8(0.3) fails
Λ Exp        | 85.4(0.7) 60.5(0.3) 65.4(9.0)
Λ Stable Exp | 87.2(0.4) 59.4(0.3) 93.5(0.5)
+ Ring Init  | 88.1(0.0) 59.4(0.3) 94.4(0.3)
""",
    *("sCIFAR", "ListOps", "Pathfinder"),
)
LRU_3 = _lru(
    "The LRU beside deep state-space models",
    "Table 3, Section 3.3",
    "LRU | 89.0(0.1) 60.2(0.8) 89.4(0.1) 89.9(0.1) 95.1(0.1) 94.2(0.4)" + OTHERS,
    note="On PathX the LRU starts with small phases.",
)
LRU_4 = _lru(
    "Speed of training",
    "Table 4, Appendix C.1",
    """
Tanh RNN           | 2.0  1.1 0.5  0.5  2.1  0.14
LRU                | 15.9 2.1 14.7 5.7  15.5 2.4
LRU over tanh RNN  | 8    1.9 29   11.4 7.4  17
S4D (reproduced)   | 13.5 2.2 10.6 3.0  24.5 2.6
S5 (reproduced)    | 15.9 2.2 14.4 5.7  15.6 2.3
""",
    unit="steps a second on an A100",
)


def _rings(letter: str, title: str, block: str) -> Published:
    return Published(
        f"Rings of eigenvalues on sCIFAR, {title}",
        f"Orvieto et al. (2023), Table 5({letter}), Appendix C.2",
        dict.fromkeys(("r_min 0", "r_min 0.5", "r_min 0.9"), LRU["sCIFAR"]),
        rows(
            block, {name: name for name in ("r_max 0.9", "r_max 0.99", "r_max 0.999")}
        ),
        "test accuracy in %, mean (standard error) of three runs",
        "Learning rate 0.004.",
    )


LRU_5A = _rings(
    "A",
    "exponential, not made stable",
    """
r_max 0.9   | 87.6(0.4) 87.8(0.1) 87.9(0.2)
r_max 0.99  | 83.8(0.9) 85.8(1.2) 81.9(3.8)
r_max 0.999 | 83.9(0.2) 84.8(0.4) 84.8(0.8)
""",
)
LRU_5B = _rings(
    "B",
    "stable exponential",
    """
r_max 0.9   | 86.2(0.2) 86.6(0.3) 87.3(0.1)
r_max 0.99  | 87.8(0.2) 87.7(0.1) 88.1(0.0)
r_max 0.999 | 87.4(0.2) 87.4(0.1) 87.5(0.4)
""",
)
LRU_5C = _rings(
    "C",
    "stable exponential with normalisation",
    """
r_max 0.9   | 86.4(0.1) 86.5(0.1) 88.3(0.1)
r_max 0.99  | 88.1(0.1) 88.4(0.1) 89.0(0.2)
r_max 0.999 | 88.1(0.1) 88.6(0.0) 89.0(0.1)
""",
)
LRU_6 = _lru(
    "Recurrences with and without a nonlinearity, all tasks",
    "Table 6, Appendix C.3",
    """
RNN-Lin  | 72.2(0.2) 50.4(0.2) 89.1(0.1) 89.1(0.1) fails fails
RNN-ReLU | 69.7(0.2) 37.6(8.0) 88.0(0.1) 88.5(0.1) fails fails
RNN-Tanh | 69.9(0.3) 43.9(0.1) 87.2(0.1) 88.9(0.2) fails fails"""
    + OTHERS,
)
LRU_7 = _lru(
    "Diagonal linear recurrences in several parametrisations, all tasks",
    "Table 7, Appendix C.3",
    """
Dense A      | 72.2(0.2) 50.4(0.2) 89.1(0.1) 89.1(0.1) fails     fails
Λ Real + Im  | 86.5(0.1) 58.8(0.3) 87.4(0.3) 87.8(0.5) fails     fails
Λ Exp        | 85.4(0.7) 60.5(0.3) 86.5(0.4) 89.4(0.1) 65.4(9.0) fails
Λ Stable Exp | 87.2(0.4) 59.4(0.3) 87.6(0.3) 89.1(0.2) 93.5(0.5) fails
+ Ring Init  | 88.1(0.0) 59.4(0.3) 89.4(0.1) 90.1(0.1) 94.4(0.3) fails"""
    + OTHERS,
)
LRU_8 = _lru(
    "Normalisation of stable diagonal recurrences, with their rings",
    "Table 8, Appendix C.3",
    """
Linear dense RNN      | 72.2(0.2) 50.4(0.2) 89.1(0.1) 89.1(0.1) fails     fails
Diagonal complex RNN  | 86.5(0.1) 58.8(0.3) 87.4(0.3) 87.8(0.5) fails     fails
Stable exp, ring init | 88.1(0.0) 59.4(0.3) 89.4(0.1) 90.1(0.1) 94.4(0.3) fails
[r_min, r_max]  | [0.9,0.99] [0.0,1.0] [0.0,0.9] [0.5,0.9] [0.9,0.999] -
+ γ normalization     | 89.0(0.1) 60.2(0.8) 89.4(0.1) 89.9(0.1) 95.1(0.1) 94.2(0.4)
[r_min, r_max] with γ | [0.9,0.999] [0.0,0.99] [0.5,0.9] [0.5,0.9] [0.9,0.999] \
[0.999,0.9999]"""
    + OTHERS,
    note="On PathX the LRU starts with phases up to π/10, elsewhere up to 2π.",
)

# --- RotRNN (2024) and BLUR (2025) ----------------------------------------------------

ROTRNN_1 = Published(
    "RotRNN beside others",
    "RotRNN (2024), Table 1, Section 5.1",
    {
        "ListOps": Size(2048, 128, 256, 6, 32, 80_000),
        "Text": Size(4096, 256, 192, 6, 32, 50_000),
        "Retrieval": Size(4000, 128, 256, 6, 32, 50_000),
        "Image": Size(1024, 512, 384, 6, 50, 250_000),
        "Pathfinder": Size(1024, 192, 256, 6, 64, 500_000),
        "Path-X": Size(16384, 192, 256, 6, 32, 250_000),
        "Average": None,
    },
    rows(
        """
S4                | 59.6 86.8 90.9 91.1 94.2 96.4 86.5
S4D               | 60.5 86.2 89.5 88.2 93.1 92.0 84.9
Liquid-S4         | 62.8 89.0 91.2 89.5 94.8 96.7 87.3
S5                | 62.2 89.3 91.4 90.1 95.3 98.6 87.8
LRU (its paper)   | 60.2 89.4 89.9 89.0 95.1 94.2 86.3
LRU (reproduced)  | 57.9 89.4 89.4 85.2 90.0 92.8 84.1
RotRNN            | 61.1 89.6 89.9 85.9 93.0 89.2 84.8
""",
        {"LRU (reproduced)": "lru", "RotRNN": "rotrnn"},
    ),
    note="Sizes are those of RotRNN. Neither runs nor errors are printed, nor whether "
    "its Image is in colour.",
)
BLUR_SIZES = {"width": 256, "states": 128, "depth": 4, "batch": 64}
BLUR_2 = Published(
    "BLUR beside others",
    "BLUR (2025), Table 2, Section 5",
    {
        "sCIFAR": Size(1024, **BLUR_SIZES),
        "ListOps": Size(2048, **BLUR_SIZES),
        "Text": Size(4096, **BLUR_SIZES),
        "sMNIST": Size(784, **BLUR_SIZES),
        "psMNIST": Size(784, **BLUR_SIZES),
    },
    rows(
        """
LRU             | 89.0 54.8 86.7 99.3 98.1
S4 (its paper)  | 91.1 59.6 86.8 90.9 94.2
S5 (its paper)  | 88.8 58.5 86.2 88.9 95.7
BLUR            | 90.0 54.6 87.3 99.6 98.1
""",
        {"LRU": "lru", "BLUR": "blur"},
    ),
    unit="test accuracy in %, mean of five runs",
    note="Sizes are those of BLUR, trained for 40 to 180 epochs, lengths those of the "
    "tasks; no errors are printed.  Its Table 7 has 99.5 for BLUR on sMNIST.  What S4 "
    "and S5 have there and on psMNIST are their numbers on Retrieval and Pathfinder in "
    "Table 6 of Orvieto et al.",
)

TABLES = {
    "lru-1": LRU_1,
    "lru-2": LRU_2,
    "lru-3": LRU_3,
    "lru-4": LRU_4,
    "lru-5a": LRU_5A,
    "lru-5b": LRU_5B,
    "lru-5c": LRU_5C,
    "lru-6": LRU_6,
    "lru-7": LRU_7,
    "lru-8": LRU_8,
    "rotrnn-1": ROTRNN_1,
    "blur-2": BLUR_2,
}
