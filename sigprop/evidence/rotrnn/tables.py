"""What judges the tables of RotRNN (2024), and what the text says of them."""

import dataclasses
from typing import Any

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Float

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import points
from sigprop.judge.basis import Basis, Evidence
from sigprop.networks import build, parameter_table
from sigprop.networks.presets import ROTRNN_HEADS, ROTRNN_ROWS, rotrnn_paper
from theory.papers.blur import printed as blur
from theory.papers.lru import printed as lru
from theory.papers.rotrnn.printed import DEPTHS, LENGTHS, TABLE_1, TABLE_2, TABLE_3

PRESETS = ("listops", "text", "retrieval", "scifar", "pathfinder", "pathx", "speech")
MIXING_MAPS = {"none": 0, "half_glu": 1, "glu": 2}
IN_BLUR = ("Image", "ListOps", "Text", "Retrieval", "Pathfinder")
AS_IN_LRU_PAPER = ("ListOps", "Text", "Retrieval", "sCIFAR", "Pathfinder", "PathX")


def accuracies(task: str) -> dict[str, float]:
    """The accuracies of all models in a task."""
    place = list(LENGTHS).index(task)
    return {name: row[place] for name, row in TABLE_1.items()}


def best_of_others(task: str) -> float:
    """The highest accuracy that a baseline has in a task."""
    return max(value for name, value in accuracies(task).items() if name != "RotRNN")


def better(task: str) -> int:
    """How many of the six baselines are better in a task."""
    by_model = accuracies(task)
    return sum(value > by_model["RotRNN"] for value in by_model.values())


def in_lru_paper(label: str) -> list[float]:
    """A row of the LRU's Table 3, its columns in the order of Table 1."""
    cells = dict(zip(lru.TABLE_3.columns, lru.TABLE_3.rows[label], strict=True))
    return [float(cells[task].partition("(")[0]) for task in AS_IN_LRU_PAPER]


def parameters_in_thousands(both: bool, mixing: str, skew: bool) -> float:
    """Parameters of the network for Speech Commands, counted in the network itself.

    ``skew`` counts the free entries of ``M - M^T`` in place of all of ``M``.
    """
    config = dataclasses.replace(
        rotrnn_paper("speech"),
        layer="bidirectional_rotrnn" if both else "rotrnn",
        mixing=mixing,
    )
    network: Any = eqx.filter_eval_shape(build, jax.random.key(0), config)[0]
    total = parameter_table(network)["total"]
    size = config.state_size // ROTRNN_HEADS
    spare = config.depth * ROTRNN_HEADS * size * (size + 1) // 2
    return (total - skew * spare) / 1000


def parameters_by_hand(both: bool, mixing: str, skew: bool) -> float:
    """Thousands of parameters for Speech Commands, from Table 3 and Appendix B.2."""
    width, states, *_ = TABLE_3["Speech Commands"]
    heads, layers, classes = 32, DEPTHS["Tables 1 and 2"], 35
    size = states // heads
    turning = heads * (size // 2 + 1 + (size * (size - 1) // 2 if skew else size**2))
    layer = turning + (3 if both else 2) * states * width + width
    linear = width * (width + 1)
    block = layer + MIXING_MAPS[mixing] * linear + 2 * width
    return (layers * block + 2 * width + classes * (width + 1)) / 1000


def head_sizes() -> list[float]:
    """Numbers a head has, by the presets."""
    return [rotrnn_paper(task).state_size / ROTRNN_HEADS for task in PRESETS]


def preset_rows() -> Float[np.ndarray, "tasks columns"]:
    """D, N, dropout, ranges of gamma and theta of the presets."""
    rows = [ROTRNN_ROWS[task] for task in PRESETS]
    sizes = [(row.width, row.state_size, row.dropout) for row in rows]
    ranges = [(*row.gamma_range, row.theta_max) for row in rows]
    return np.hstack([sizes, ranges])


EVIDENCE: dict[str, Basis] = {
    "rotrnn:table1": numbers(
        [sum(row[:6]) / 6 for row in TABLE_1.values()],
        [row[6] for row in TABLE_1.values()],
        absolute=0.05,
    ),
    "rotrnn:text:tasks": numbers(
        [len(LENGTHS), min(LENGTHS.values()) / 1024, max(LENGTHS.values()) / 1024],
        [6, 1, 16],
    ),
    "rotrnn:text:best-text": numbers(
        accuracies("Text")["RotRNN"],
        best_of_others("Text"),
        relation=">",
        slips={"0.3 more": 89.7},
    ),
    "rotrnn:text:discrete": numbers(
        max(map(better, ("ListOps", "Text", "Retrieval"))),
        min(map(better, ("Image", "Pathfinder", "Path-X"))),
        relation="<",
        slips={"three": 3},
    ),
    "rotrnn:text:pixels": numbers(
        [better("Path-X"), better("Image")],
        [1, 1],
        relation=">=",
        slips={"seven": [7, 7]},
    ),
    "rotrnn:table1:lru-paper": numbers(
        [in_lru_paper(label) for label in ("S4 (its paper)", "S5 (its paper)", "LRU")],
        [TABLE_1[name][:6] for name in ("S4", "S5", "LRU")],
    ),
    "rotrnn:table1:blur": numbers(
        [accuracies(task)["S4"] for task in IN_BLUR], blur.TABLE_2["S4"]
    ),
    "rotrnn:table2": Evidence(
        points(
            "both mixing skew",
            (True, "half_glu", True),
            (False, "glu", False),
            (False, "half_glu", False),
            (False, "none", False),
            (True, "half_glu", False),
        ),
        {"network": parameters_in_thousands, "by_hand": parameters_by_hand},
        TABLE_2["RotRNN"][0],
        absolute=0.5,
    ),
    "rotrnn:text:identical": numbers(TABLE_2["RotRNN"][1], TABLE_2["LRU again"][1]),
    "rotrnn:text:waveforms": numbers(1 * 16_000, 16_000),
    "rotrnn:table3": Evidence(
        ({},),
        {"presets": head_sizes, "count": [row.states / 32 for row in TABLE_3.values()]},
        [2 * (row.states // 64) for row in TABLE_3.values()],
    ),
    "rotrnn:table3:values": numbers(preset_rows, [row[:6] for row in TABLE_3.values()]),
}
