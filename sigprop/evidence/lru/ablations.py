"""Evidence for speed, stability and normalisation, Appendix C of Orvieto et al. (2023)."""

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import points
from sigprop.evidence.lru.accuracies import (
    TASKS,
    best_outer,
    best_ring,
    gains_of_both,
    least_change,
    most_change,
    rings,
)
from sigprop.judge.basis import Basis, Example

# The rings of the model without normalisation, the last row of Table 7.
RINGS = dict(zip(TASKS, rings("[r_min, r_max]"), strict=False))


def least_hole(tasks: str) -> float:
    """The least inner radius of the rings of some tasks in Table 7's last row."""
    return min(RINGS[task][0] for task in tasks.split(","))


EVIDENCE: dict[str, Basis] = {
    "lru:text:best-unstable": numbers(
        best_ring, [0.9, 0.9], dict(panel="A"), absolute=0.0005
    ),
    "lru:text:higher-r-max": numbers(
        best_outer, [0.99, 0.99, 0.99], dict(panel="B"), absolute=0.0005
    ),
    "lru:text:best-stable": numbers(
        best_ring,
        [0.99, 0.9],
        dict(panel="B"),
        printed=[0.99, 0.0],
        absolute=0.0005,
        example=Example(
            "r_min of the best accuracy of Table 5 (B)",
            {"r_max": 0.99},
            0.0,
            lambda r_max: best_ring("B")[1],
        ),
    ),
    "lru:text:sometimes-degrades": numbers(
        most_change, 0.0, dict(panel="B", row=1), "<", wrong=-1.0
    ),
    "lru:text:no-degradation": numbers(
        least_change, -1e-9, dict(panel="C", row=1), ">=", wrong=1.0
    ),
    "lru:text:best-normalised": numbers(
        best_ring, [0.999, 0.9], dict(panel="C"), absolute=0.0005
    ),
    "lru:text:thin-ring": numbers(
        least_hole,
        0.0,
        points("tasks", "scifar,pathfinder", "retrieval", "listops", "text"),
        ">",
        wrong=1.0,
        example=Example(
            "r_min and r_max of ListOps in Table 8, which Table 7's last row uses",
            {},
            "a thin ring close to the circle",
            lambda: "{:g} and {:g} (the whole disc)".format(*RINGS["listops"]),
        ),
    ),
    "lru:text:dropping-helps": numbers(
        gains_of_both,
        0.0,
        dict(tasks="scifar,listops,text,retrieval"),
        ">",
        wrong=100.0,
    ),
}
