"""Numbers in the tables of RotRNN (2024) as printed, depths, and a reference."""

from math import pi
from typing import NamedTuple

from sigprop.theory.tables import read

# The header of Table 1: tasks, and lengths of their sequences.
LENGTHS = {
    "ListOps": 2048,
    "Text": 4096,
    "Retrieval": 4000,
    "Image": 1024,
    "Pathfinder": 1024,
    "Path-X": 16384,
}
# Accuracies in these tasks in per cent, and their average.
TABLE_1 = read("rotrnn", "1", (*LENGTHS, "Average")).numbers()
# Thousands of parameters, and accuracy on Speech Commands.
TABLE_2 = read("rotrnn", "2", ("parameters", "accuracy")).numbers()


class Settings(NamedTuple):
    """A row of Table 3: sizes and initial ranges of the network, and its training.

    ``rate`` is the global learning rate and ``recurrent_rate`` the learning rate of the
    recurrent layer.  ``decay`` is the weight decay.
    """

    width: int
    states: int
    dropout: float
    gamma_min: float
    gamma_max: float
    theta_max: float
    batch: int
    steps: int
    rate: float
    recurrent_rate: float
    decay: float


# The file has the largest phases in units of pi.
TABLE_3 = {
    task: row._replace(theta_max=pi * row.theta_max)
    for task, row in read("rotrnn", "3", Settings._fields).records(Settings).items()
}
CITED_FOR_LRU = {"Table 1": 2024, "all other places": 2023}  # Axler; Orvieto et al.
DEPTHS = {"Tables 1 and 2": 6, "Figure 3 (a)": 8, "Figure 3 (b)": 1}
