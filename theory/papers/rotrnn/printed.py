"""Numbers of the tables of RotRNN (2024), as printed, depths, a reference."""

from math import pi
from typing import NamedTuple

# The head of Table 1: tasks, and lengths of their sequences.
LENGTHS = {
    "ListOps": 2048,
    "Text": 4096,
    "Retrieval": 4000,
    "Image": 1024,
    "Pathfinder": 1024,
    "Path-X": 16384,
}
# Accuracies in these tasks in per cent, and their average.
TABLE_1 = {
    "S4": (59.6, 86.8, 90.9, 91.1, 94.2, 96.4, 86.5),
    "S4D": (60.5, 86.2, 89.5, 88.2, 93.1, 92.0, 84.9),
    "Liquid-S4": (62.8, 89.0, 91.2, 89.5, 94.8, 96.7, 87.3),
    "S5": (62.2, 89.3, 91.4, 90.1, 95.3, 98.6, 87.8),
    "LRU": (60.2, 89.4, 89.9, 89.0, 95.1, 94.2, 86.3),
    "LRU again": (57.9, 89.4, 89.4, 85.2, 90.0, 92.8, 84.1),
    "RotRNN": (61.1, 89.6, 89.9, 85.9, 93.0, 89.2, 84.8),
}
# Thousands of parameters, and accuracy on Speech Commands.
TABLE_2 = {
    "S4": (307, 96.1),
    "S4D": (306, 95.8),
    "Liquid-S4": (224, 96.8),
    "S5": (280, 96.8),
    "LRU again": (283, 95.2),
    "RotRNN": (284, 95.2),
}


class Settings(NamedTuple):
    """A row of Table 3: sizes of the network and its initial ranges, batch and steps."""

    width: int
    states: int
    dropout: float
    gamma_min: float
    gamma_max: float
    theta_max: float
    batch: int
    steps: int


TABLE_3 = {
    "ListOps": Settings(128, 256, 0.0, 0.5, 0.999, pi / 100, 32, 80_000),
    "Text": Settings(256, 192, 0.1, 0.5, 0.8, pi / 10, 32, 50_000),
    "Retrieval": Settings(128, 256, 0.1, 0.5, 0.999, 2 * pi, 32, 50_000),
    "Image": Settings(512, 384, 0.1, 0.99, 0.999, 2 * pi, 50, 250_000),
    "Pathfinder": Settings(192, 256, 0.05, 0.1, 0.9999, pi / 10, 64, 500_000),
    "Path-X": Settings(192, 256, 0.2, 0.999, 0.9999, pi / 10, 32, 250_000),
    "Speech Commands": Settings(96, 128, 0.1, 0.1, 0.9999, pi / 10, 16, 212_000),
}
CITED_FOR_LRU = {"Table 1": 2024, "all other places": 2023}  # Axler; Orvieto et al.
DEPTHS = {"Tables 1 and 2": 6, "Figure 3 (a)": 8, "Figure 3 (b)": 1}
