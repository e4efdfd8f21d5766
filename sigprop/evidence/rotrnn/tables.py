"""Evidence for the tables of RotRNN (2024), and for the text on them."""

import numpy as np
from jaxtyping import Float

from sigprop.evidence.arithmetic import numbers
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.networks.presets import ROTRNN_HEADS, ROTRNN_ROWS, rotrnn_paper
from sigprop.theory.papers.lru import printed as lru
from sigprop.theory.papers.rotrnn.printed import (
    CITED_FOR_LRU,
    LENGTHS,
    TABLE_1,
    TABLE_2,
    TABLE_3,
)

PRESETS = ("listops", "text", "retrieval", "scifar", "pathfinder", "pathx", "speech")
AS_IN_LRU_PAPER = ("ListOps", "Text", "Retrieval", "sCIFAR", "Pathfinder", "PathX")


def accuracies(task: str) -> dict[str, float]:
    """The accuracies of all models in a task."""
    column = list(LENGTHS).index(task)
    return {name: row[column] for name, row in TABLE_1.items()}


def best_of_others(task: str) -> float:
    """The highest accuracy that a baseline has in a task."""
    return max(value for name, value in accuracies(task).items() if name != "RotRNN")


def better(task: str) -> int:
    """Count the baselines, of six, whose accuracy in a task exceeds RotRNN's."""
    by_model = accuracies(task)
    return sum(value > by_model["RotRNN"] for value in by_model.values())


def in_lru_paper(label: str) -> list[float]:
    """A row of the LRU's Table 3, its columns in the order of Table 1."""
    row = lru.TABLES["3"].rows[label]
    return [float(row[task].partition("(")[0]) for task in AS_IN_LRU_PAPER]


def head_sizes() -> list[float]:
    """Sizes of heads in the presets."""
    return [rotrnn_paper(task).state_size / ROTRNN_HEADS for task in PRESETS]


def preset_rows() -> Float[np.ndarray, "tasks columns"]:
    """D, N, dropout, ranges of gamma and theta of the presets."""
    rows = [ROTRNN_ROWS[task] for task in PRESETS]
    sizes = [(row.width, row.state_size, row.dropout) for row in rows]
    ranges = [(*row.gamma_range, row.theta_max) for row in rows]
    return np.hstack([sizes, ranges])


def directions() -> list[bool]:
    """True where the preset of a task has two directions, and batch normalisation."""
    networks = [rotrnn_paper(task) for task in PRESETS]
    return [network.layer == "bidirectional_rotrnn" for network in networks] + [
        network.norm == "batch" for network in networks
    ]


def range_ends() -> list[float]:
    """Largest decays and angles at the start, the latter in turns, and least decays."""
    rows = TABLE_3.values()
    return [
        *(row.gamma_max for row in rows),
        *(row.theta_max / (2 * np.pi) for row in rows),
        *(1 - row.gamma_min for row in rows),
    ]


EVIDENCE: dict[str, Basis] = {
    "rotrnn:table1": numbers(
        [sum(row[:6]) / 6 for row in TABLE_1.values()],
        [row[6] for row in TABLE_1.values()],
        absolute=0.05,
    ),
    "rotrnn:table1:lru-citation": numbers(
        CITED_FOR_LRU["all other places"],
        2023,
        printed=CITED_FOR_LRU["Table 1"],
        hand={"S4's reference": 2021},
        example=Example(
            "the reference given for the LRU",
            {},
            "'LRU (Axler, 2024)', a textbook on linear algebra",
            "Orvieto et al. (2023), as everywhere else",
        ),
    ),
    "rotrnn:text:tasks": numbers(
        [len(LENGTHS), min(LENGTHS.values()) / 1024, max(LENGTHS.values()) / 1024],
        [6, 1, 16],
    ),
    "rotrnn:text:best-text": numbers(
        accuracies("Text")["RotRNN"],
        best_of_others("Text"),
        relation=">",
        hand={"the LRU 0.3 more": 89.7},
    ),
    "rotrnn:text:discrete": numbers(
        max(map(better, ("ListOps", "Text", "Retrieval"))),
        min(map(better, ("Image", "Pathfinder", "Path-X"))),
        relation="<",
        hand={"three": 3},
    ),
    "rotrnn:text:pixels": numbers(
        [better("Path-X"), better("Image")],
        [1, 1],
        relation=">=",
        hand={"seven": [7, 7]},
    ),
    "rotrnn:table1:lru-paper": numbers(
        in_lru_paper("LRU"),
        TABLE_1["LRU"][:6],
        hand={"the authors' own run": TABLE_1["LRU again"][:6]},
    ),
    "rotrnn:text:identical": numbers(TABLE_2["RotRNN"][1], TABLE_2["LRU again"][1]),
    "rotrnn:text:waveforms": numbers(1 * 16_000, 16_000),
    "rotrnn:table3": Evidence(
        ({},),
        {"presets": head_sizes, "count": [row.states / 32 for row in TABLE_3.values()]},
        [2 * (row.states // 64) for row in TABLE_3.values()],
        mutants={
            "16 heads": [row.states / 16 for row in TABLE_3.values()],
            "D/H": [row.width / 32 for row in TABLE_3.values()],
        },
    ),
    "rotrnn:table3:ranges": numbers(
        range_ends,
        [1.0] * 21,
        relation="<=",
        hand={"a radian for a turn": [1 / (2 * np.pi)] * 21},
    ),
    "rotrnn:text:directions": numbers(
        directions,
        [*(name in ("Pathfinder", "Path-X") for name in TABLE_3), *[True] * 7],
    ),
    "rotrnn:table3:values": numbers(preset_rows, [row[:6] for row in TABLE_3.values()]),
}
