"""Tables of Orvieto et al. (2023) as printed.

In the files ``table*.csv`` beside this module, a cell is a number, perhaps with its standard
error in brackets.  ``fails`` stands for a cross in the paper, and ``-`` for an empty cell.
"""

from typing import NamedTuple

from sigprop.theory.tables import read

FAILS = "fails"
TASKS = ("sCIFAR", "ListOps", "Text", "Retrieval", "Pathfinder", "PathX")
RADII = ("r_min 0", "r_min 0.5", "r_min 0.9")
COLUMNS = {
    "1": TASKS[:4],
    "2": ("sCIFAR", "ListOps", "Pathfinder"),
    "3": TASKS,
    "4": TASKS,
    "5A": RADII,
    "5B": RADII,
    "5C": RADII,
    "6": TASKS,
    "7": TASKS,
    "8": TASKS,
}
TABLES = {number: read("lru", number, columns) for number, columns in COLUMNS.items()}
"""Tables 1 to 8 by their numbers."""

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
    """A row of Table 9: settings of the network and of its training."""

    depth: int
    width: int
    states: int
    steps: int
    batch: int
    factor: float  # on the recurrence's learning rate
    decay: float
    dropout: float


TABLE_9 = read("lru", "9", Settings._fields).records(Settings)
