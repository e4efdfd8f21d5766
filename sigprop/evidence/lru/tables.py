"""Evidence for Tables 1-9 of Orvieto et al. (2023)."""

import math

import numpy as np
from jaxtyping import Float

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import points
from sigprop.evidence.lru.accuracies import (
    TASKS,
    best_outer,
    gains,
    gains_of_all,
    learnt,
    rings,
    row,
    shared,
    shared_again,
    speed_up_in_units,
)
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory.papers.lru.printed import TABLE_9, TABLES

SPEED_UPS = [*TABLES["4"].rows["LRU over tanh RNN"].values()]
UNITS = tuple(0.1 if "." in speed_up else 1.0 for speed_up in SPEED_UPS)


def preset_settings() -> Float[np.ndarray, "6 4"]:
    """Depth, width, state and dropout of the package's networks."""
    from sigprop.networks import lru_paper

    rows = []
    for task in TASKS:
        config = lru_paper(task)
        rows.append((config.depth, config.width, config.state_size, config.dropout))
    return np.array(rows, float)


def printed_settings() -> Float[np.ndarray, "6 4"]:
    """Depth, width, state and dropout as Table 9 prints them."""
    rows = TABLE_9.values()
    return np.array([(r.depth, r.width, r.states, r.dropout) for r in rows], float)


def preset_schedules() -> Float[np.ndarray, "6 4"]:
    """Iterations, batch, factor and decay of the package's trainings."""
    from sigprop.training.presets import LRU_SCHEDULES

    schedules = [LRU_SCHEDULES[task] for task in TASKS]
    return np.array([(s.steps, s.batch, s.factor, s.decay) for s in schedules], float)


def printed_schedules() -> Float[np.ndarray, "6 4"]:
    """Iterations, batch, factor and decay as Table 9 prints them."""
    rows = TABLE_9.values()
    return np.array([(r.steps, r.batch, r.factor, r.decay) for r in rows], float)


def preset_rings() -> Float[np.ndarray, "6 2"]:
    """Radii of the package's networks."""
    from sigprop.networks import lru_paper

    options = [lru_paper(task).layer_options for task in TASKS]
    return np.array([(o["r_min"], o["r_max"]) for o in options], float)


def preset_phases() -> Float[np.ndarray, " 6"]:
    """Largest phases of the package's networks."""
    from sigprop.networks import lru_paper

    return np.array([lru_paper(task).layer_options["max_phase"] for task in TASKS])


def same(first: int, second: int) -> Evidence:
    """Evidence that two tables have the same numbers where both have one."""
    pair = points("first second", (first, second))
    return numbers(shared, shared_again, pair, absolute=0.05)


EVIDENCE: dict[str, Basis] = {
    "lru:table1": same(1, 6),
    "lru:table2": same(2, 7),
    "lru:table3": same(3, 8),
    "lru:table4": numbers(
        speed_up_in_units,
        [
            round(float(speed_up) / unit)
            for speed_up, unit in zip(SPEED_UPS, UNITS, strict=True)
        ],
        points("units", UNITS),
        absolute=0.5,
    ),
    "lru:table5": numbers(
        best_outer, [0.99, 0.99, 0.99], dict(panel="B"), absolute=0.0005
    ),
    "lru:table6": same(6, 7),
    "lru:table7": gains(
        (7, "real+im", "dense", "scifar,listops"),
        (7, "exp", "dense", "scifar,listops,pathfinder"),
        (7, "stable", "dense", "scifar,listops,pathfinder"),
        (7, "ring", "dense", "scifar,listops,text,retrieval,pathfinder"),
        *(
            (7, "real+im", "dense", task)
            for task in ("text", "retrieval", "pathfinder")
        ),
        (7, "exp", "dense", "text"),
        *((7, "stable", "dense", task) for task in ("text", "retrieval")),
        example=Example(
            "the accuracy of Lambda Re + Im on Text (Table 7)",
            {},
            "above the dense 89.1",
            lambda: f"{row(7, 'real+im', 'text')[0]:.1f}",
        ),
    ),
    "lru:table8": same(7, 8),
    "lru:table8-rings": numbers(
        preset_rings, rings("[r_min, r_max] with γ"), absolute=0.00005
    ),
    "lru:table8-phases": numbers(preset_phases, [2 * math.pi] * 5 + [math.pi / 10]),
    "lru:table9": numbers(preset_settings, printed_settings, absolute=0.005),
    "lru:table1:chance": numbers(
        learnt,
        0,
        dict(table=6, models="linear,relu,tanh", tasks="pathfinder,pathx"),
        absolute=0.5,
        wrong=1,
    ),
    "lru:table2:improves": numbers(
        gains_of_all,
        0.0,
        dict(
            table=2,
            models="real+im,exp,stable,ring",
            other="linear",
            tasks="scifar,listops",
        ),
        ">",
        wrong=100.0,
    ),
    "lru:table2:pathx": numbers(
        learnt,
        0,
        dict(table=7, models="real+im,exp,stable,ring", tasks="pathx"),
        absolute=0.5,
        wrong=1,
    ),
    "lru:table3:s5": gains(
        *(
            (3, "S5 (its paper)", other, "pathx")
            for other in ("lru", "s4d", "s5", "S4 (its paper)", "S4D-LegS (its paper)")
        )
    ),
    "lru:table9:training": numbers(
        preset_schedules, printed_schedules, absolute=0.0005
    ),
}
