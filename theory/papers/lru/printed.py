"""Numbers of the tables of Orvieto et al. (2023), as they are printed.

In a row stand a label and a number for each column, with its standard error in brackets
if there is one; ``fails`` where the paper has a cross, ``-`` where it has nothing.
"""

from dataclasses import dataclass
from typing import NamedTuple

FAILS, NOTHING = "fails", "-"
TASKS = ("sCIFAR", "ListOps", "Text", "Retrieval", "Pathfinder", "PathX")
RADII = ("r_min 0", "r_min 0.5", "r_min 0.9")


@dataclass(frozen=True)
class Table:
    """A table: where it stands, its columns, and its rows ``label | number ...``."""

    place: str
    columns: tuple[str, ...]
    block: str

    @property
    def rows(self) -> dict[str, list[str]]:
        """What is printed in each row, by its label."""
        lines = (line.split("|") for line in self.block.strip().splitlines())
        return {label.strip(): printed.split() for label, printed in lines}


OTHERS = """
S4D (reproduced)      | 91.5(0.2) 60.2(0.3) 86.4(0.0) 89.5(0.0) 94.2(0.3) 97.5(0.0)
S5 (reproduced)       | 88.8(0.1) 58.5(0.3) 86.2(0.1) 88.9(0.0) 95.7(0.1) 96.0(0.1)
S4 (its paper)        | 91.1      59.6      86.8      90.9      94.2      96.4
S4D-LegS (its paper)  | 89.9      60.5      86.2      89.5      93.1      91.9
S5 (its paper)        | 90.1      62.2      89.3      91.4      95.3      98.6
"""  # the same in Tables 3, 6, 7 and 8

TABLE_1 = Table(
    "Table 1, Section 3.1",
    TASKS[:4],
    """
RNN-ReLU | 69.7(0.2) 37.6(8.0) 88.0(0.1) 88.5(0.1)
RNN-Tanh | 69.9(0.3) 43.9(0.1) 87.2(0.1) 88.9(0.2)
RNN-Lin  | 72.2(0.2) 50.4(0.2) 89.1(0.1) 89.1(0.1)
""",
)
TABLE_2 = Table(
    "Table 2, Section 3.2",
    ("sCIFAR", "ListOps", "Pathfinder"),
    """
Dense A      | 72.2(0.2) 50.4(0.2) fails
Λ Real + Im  | 86.5(0.1) 58.8(0.3) fails
Λ Exp        | 85.4(0.7) 60.5(0.3) 65.4(9.0)
Λ Stable Exp | 87.2(0.4) 59.4(0.3) 93.5(0.5)
+ Ring Init  | 88.1(0.0) 59.4(0.3) 94.4(0.3)
""",
)
TABLE_3 = Table(
    "Table 3, Section 3.3",
    TASKS,
    "LRU | 89.0(0.1) 60.2(0.8) 89.4(0.1) 89.9(0.1) 95.1(0.1) 94.2(0.4)" + OTHERS,
)
TABLE_4 = Table(
    "Table 4, Appendix C.1",
    TASKS,
    """
Tanh RNN           | 2.0  1.1 0.5  0.5  2.1  0.14
LRU                | 15.9 2.1 14.7 5.7  15.5 2.4
LRU over tanh RNN  | 8    1.9 29   11.4 7.4  17
S4D (reproduced)   | 13.5 2.2 10.6 3.0  24.5 2.6
S5 (reproduced)    | 15.9 2.2 14.4 5.7  15.6 2.3
""",
)
TABLE_5A = Table(
    "Table 5(A), Appendix C.2",
    RADII,
    """
r_max 0.9   | 87.6(0.4) 87.8(0.1) 87.9(0.2)
r_max 0.99  | 83.8(0.9) 85.8(1.2) 81.9(3.8)
r_max 0.999 | 83.9(0.2) 84.8(0.4) 84.8(0.8)
""",
)
TABLE_5B = Table(
    "Table 5(B), Appendix C.2",
    RADII,
    """
r_max 0.9   | 86.2(0.2) 86.6(0.3) 87.3(0.1)
r_max 0.99  | 87.8(0.2) 87.7(0.1) 88.1(0.0)
r_max 0.999 | 87.4(0.2) 87.4(0.1) 87.5(0.4)
""",
)
TABLE_5C = Table(
    "Table 5(C), Appendix C.2",
    RADII,
    """
r_max 0.9   | 86.4(0.1) 86.5(0.1) 88.3(0.1)
r_max 0.99  | 88.1(0.1) 88.4(0.1) 89.0(0.2)
r_max 0.999 | 88.1(0.1) 88.6(0.0) 89.0(0.1)
""",
)
TABLE_6 = Table(
    "Table 6, Appendix C.3",
    TASKS,
    """
RNN-Lin  | 72.2(0.2) 50.4(0.2) 89.1(0.1) 89.1(0.1) fails fails
RNN-ReLU | 69.7(0.2) 37.6(8.0) 88.0(0.1) 88.5(0.1) fails fails
RNN-Tanh | 69.9(0.3) 43.9(0.1) 87.2(0.1) 88.9(0.2) fails fails"""
    + OTHERS,
)
TABLE_7 = Table(
    "Table 7, Appendix C.3",
    TASKS,
    """
Dense A      | 72.2(0.2) 50.4(0.2) 89.1(0.1) 89.1(0.1) fails     fails
Λ Real + Im  | 86.5(0.1) 58.8(0.3) 87.4(0.3) 87.8(0.5) fails     fails
Λ Exp        | 85.4(0.7) 60.5(0.3) 86.5(0.4) 89.4(0.1) 65.4(9.0) fails
Λ Stable Exp | 87.2(0.4) 59.4(0.3) 87.6(0.3) 89.1(0.2) 93.5(0.5) fails
+ Ring Init  | 88.1(0.0) 59.4(0.3) 89.4(0.1) 90.1(0.1) 94.4(0.3) fails"""
    + OTHERS,
)
TABLE_8 = Table(
    "Table 8, Appendix C.3",
    TASKS,
    """
Linear dense RNN      | 72.2(0.2) 50.4(0.2) 89.1(0.1) 89.1(0.1) fails     fails
Diagonal complex RNN  | 86.5(0.1) 58.8(0.3) 87.4(0.3) 87.8(0.5) fails     fails
Stable exp, ring init | 88.1(0.0) 59.4(0.3) 89.4(0.1) 90.1(0.1) 94.4(0.3) fails
[r_min, r_max]  | [0.9,0.99] [0.0,1.0] [0.0,0.9] [0.5,0.9] [0.9,0.999] -
+ γ normalization     | 89.0(0.1) 60.2(0.8) 89.4(0.1) 89.9(0.1) 95.1(0.1) 94.2(0.4)
[r_min, r_max] with γ | [0.9,0.999] [0.0,0.99] [0.5,0.9] [0.5,0.9] [0.9,0.999] \
[0.999,0.9999]"""
    + OTHERS,
)
TABLES = {
    "1": TABLE_1,
    "2": TABLE_2,
    "3": TABLE_3,
    "4": TABLE_4,
    "5A": TABLE_5A,
    "5B": TABLE_5B,
    "5C": TABLE_5C,
    "6": TABLE_6,
    "7": TABLE_7,
    "8": TABLE_8,
}

RUNGS = {
    **dict.fromkeys(("RNN-Lin", "Dense A", "Linear dense RNN"), "dense"),
    "RNN-ReLU": "relu",
    **dict.fromkeys(("RNN-Tanh", "Tanh RNN"), "tanh"),
    **dict.fromkeys(("Λ Real + Im", "Diagonal complex RNN"), "complex"),
    "Λ Exp": "exponential",
    "Λ Stable Exp": "stable",
    **dict.fromkeys(("+ Ring Init", "Stable exp, ring init"), "ring"),
    **dict.fromkeys(("+ γ normalization", "LRU"), "gamma"),
}
"""Labels and the rungs of ``sigprop.training.presets.LADDER`` that they name."""


class Settings(NamedTuple):
    """A row of Table 9: sizes of the network, and of its training."""

    depth: int
    width: int
    states: int
    steps: int
    batch: int
    factor: float  # on the recurrence's learning rate
    decay: float
    dropout: float


TABLE_9 = {
    "sCIFAR": Settings(6, 512, 384, 180_000, 50, 0.25, 0.05, 0.1),
    "ListOps": Settings(6, 128, 256, 80_000, 32, 0.5, 0.05, 0.0),
    "Text": Settings(6, 256, 192, 50_000, 32, 0.1, 0.05, 0.1),
    "Retrieval": Settings(6, 128, 256, 100_000, 64, 0.5, 0.05, 0.1),
    "Pathfinder": Settings(6, 192, 256, 500_000, 64, 0.25, 0.05, 0.0),
    "PathX": Settings(6, 128, 256, 250_000, 32, 0.25, 0.05, 0.0),
}
