"""What judges speed, stability and normalisation, Appendix C of Orvieto et al. (2023)."""

from sigprop.evidence.lru.accuracies import (
    TASKS,
    arithmetic,
    best_outer,
    best_ring,
    gains_of_both,
    least_change,
    least_speed_ratio,
    most_change,
    rings,
)
from sigprop.judge.basis import Basis

# The rings of the model without normalisation, the last row of Table 7.
RINGS = dict(zip(TASKS, rings("[r_min, r_max]"), strict=False))


def widest_ring(tasks: str) -> float:
    """The largest width of the rings of some tasks in Table 7's last row."""
    return max(round(RINGS[task][1] - RINGS[task][0], 6) for task in tasks.split(","))


def ring_is_disc(task: str) -> float:
    """One if Table 7's last row starts on the whole disc, nought if on less."""
    return float(RINGS[task] == (0.0, 1.0))


EVIDENCE: dict[str, Basis] = {
    "lru:text:speed-of-s5": arithmetic(
        least_speed_ratio, {"model": "lru", "other": "s5"}, 0.95, ">=", wrong=1.0
    ),
    "lru:text:best-unstable": arithmetic(
        best_ring, {"panel": "A"}, [0.9, 0.9], absolute=0.0005
    ),
    "lru:text:higher-r-max": arithmetic(
        best_outer, {"panel": "B"}, [0.99, 0.99, 0.99], absolute=0.0005
    ),
    "lru:text:best-stable": arithmetic(
        best_ring, {"panel": "B"}, [0.99, 0.9], absolute=0.0005, printed=[0.99, 0.0]
    ),
    "lru:text:sometimes-degrades": arithmetic(
        most_change, {"panel": "B", "row": 1}, 0.0, "<", wrong=-1.0
    ),
    "lru:text:no-degradation": arithmetic(
        least_change, {"panel": "C", "row": 1}, -1e-9, ">=", wrong=1.0
    ),
    "lru:text:best-normalised": arithmetic(
        best_ring, {"panel": "C"}, [0.999, 0.9], absolute=0.0005
    ),
    "lru:text:thin-ring": arithmetic(
        widest_ring,
        tuple(
            {"tasks": tasks}
            for tasks in ("scifar,pathfinder", "listops", "text", "retrieval")
        ),
        0.1,
        "<=",
        wrong=0.05,
    ),
    "lru:text:all-rows-disk": arithmetic(
        ring_is_disc,
        tuple({"task": task} for task in ("listops", "scifar", "text", "pathfinder")),
        1.0,
    ),
    "lru:text:dropping-helps": arithmetic(
        gains_of_both, {"tasks": "scifar,listops,text,retrieval"}, 0.0, ">", wrong=100.0
    ),
}
