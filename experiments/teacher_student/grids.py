"""The grids of Zucchet & Orvieto's learning experiments.

The networks of a grid are LRUs, other diagonal layers, dense RNNs, and RNNs with blocks.

Source: Zucchet & Orvieto (2024), Tables 1-3, Figures 3, 4C-D, 9C-D, 10D and 11.
"""

import dataclasses
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from sigprop.experiments.teacher_student.cells import Config
from sigprop.theory.teacher import FAST, HEADS, NU0, SLOW, TABLES

SIZES: dict[str, dict[str, Any]] = {
    "smoke": {"steps": 50, "hidden": 8, "teacher": 4, "length": 20}
}
SEEDS = {"smoke": 2, "quick": 3, "paper": 10}
BLOCK = 2  # neurons of the smallest real block with a pair of complex eigenvalues


def _rates(preset: str, log_rates: Sequence[float], quick: Sequence[float]):
    return {"smoke": quick[:2], "quick": quick, "paper": log_rates}[preset]


def _students(
    preset: str,
    log_rates: Sequence[float],
    starts: Sequence[float | None],
    **fixed: Any,
) -> list[Config]:
    """Return all rates, starts and seeds of one network at one condition."""
    fixed = {**SIZES.get(preset, {}), **fixed}
    if preset == "smoke" and "hidden" in fixed:
        fixed["heads"] = min(fixed.get("heads", 1), fixed["hidden"] // BLOCK)
    seeds = range(SEEDS[preset])
    return [
        Config(log_rate=rate, start_nu0=start, seed=seed, **fixed)
        for rate, start, seed in product(log_rates, starts, seeds)
    ]


def _dense(
    preset: str, log_rates: Sequence[float] = SLOW, **fixed: Any
) -> list[Config]:
    """Return the cells of a dense or block-diagonal RNN, with both starts of the tables."""
    rates = _rates(preset, log_rates, (-4.0, -3.5, -3.0))
    return _students(preset, rates, (None, 0.0), architecture="rnn", **fixed)


def _diagonal(
    preset: str, architecture: str, log_rates: Sequence[float] = FAST, **fixed: Any
) -> list[Config]:
    rates = _rates(preset, log_rates, (-2.5, -2.0, -1.5, -1.0))
    return _students(preset, rates, (None,), architecture=architecture, **fixed)


def _memories(preset: str) -> tuple[float, ...]:
    return (0.32, 0.99) if preset == "smoke" else NU0


def _lrus(preset: str, architecture: str) -> list[Config]:
    return [
        cell
        for nu0 in _memories(preset)
        for cell in _diagonal(preset, architecture, nu0=nu0)
    ]


def memory_gap(preset: str) -> dict[str, list[Config]]:
    """Figure 3A, Table 1: a dense RNN and the LRU at several time constants."""
    return {
        "RNN": [cell for nu0 in _memories(preset) for cell in _dense(preset, nu0=nu0)],
        "LRU": _lrus(preset, "lru"),
    }


def starts(preset: str) -> dict[str, list[Config]]:
    """Figure 3A's LRU, as described in the paper and as in the authors' code."""
    return {
        "LRU": _lrus(preset, "lru"),
        "released LRU": _lrus(preset, "released lru"),
    }


def ablation(preset: str) -> dict[str, list[Config]]:
    """Figure 3B, Table 2: from a dense RNN to the LRU, one change at a time."""
    hidden = SIZES["smoke"]["hidden"] if preset == "smoke" else 64
    blocks: dict[str, Any] = {"heads": hidden // BLOCK, "hidden": hidden}
    more: dict[str, Any] = {"heads": 2 * hidden // BLOCK, "hidden": 2 * hidden}
    return {
        "RNN": _dense(preset),
        "block diagonal": _dense(preset, **blocks),
        "more neurons": _dense(preset, **more),
        "complex diagonal": _diagonal(preset, "complex"),
        "LRU": _diagonal(preset, "lru"),
    }


def concentration(preset: str) -> dict[str, list[Config]]:
    """Figure 10D, Table 3: eigenvalues with smaller and smaller phases."""
    table = TABLES[3]
    angles = (-2.0, 0.0) if preset == "smoke" else table["RNN"].log_angles
    slow, fast = table["RNN"].log_rates, table["LRU"].log_rates
    return {
        "RNN": [
            cell
            for angle in angles
            for cell in _dense(preset, slow, theta0=10.0**angle)
        ],
        "complex diagonal": [
            cell
            for angle in angles
            for cell in _diagonal(preset, "complex", fast, theta0=10.0**angle)
        ],
        "LRU": [
            cell
            for angle in angles
            for cell in _diagonal(preset, "lru", fast, theta0=10.0**angle)
        ],
    }


def heads(preset: str) -> dict[str, list[Config]]:
    """Figure 11: the same number of neurons in more and smaller blocks."""
    counts = (1, 4) if preset == "smoke" else HEADS
    return {str(count): _dense(preset, heads=count) for count in counts}


def adaptive_rates(preset: str) -> dict[str, list[Config]]:
    """Figures 4C-D and 9C-D: effective rates of Adam at a constant rate of 1e-3."""
    fixed: dict[str, Any] = {"schedule": "constant", "details": True}
    return {
        name: _students(preset, (-3.0,), starts, architecture=architecture, **fixed)
        for name, architecture, starts in (
            ("RNN", "rnn", (0.0,)),
            ("complex diagonal", "complex", (None,)),
            ("LRU", "lru", (None,)),
            ("S4", "s4", (None,)),
        )
    }


def s4_steps(preset: str) -> dict[str, list[Config]]:
    """Appendix C.4.1: S4 with three initial step sizes, each tuned separately."""
    students = {"step 1": "s4", "step 0.1": "s4 0.1", "step 0.01": "s4 0.01"}
    return {name: _diagonal(preset, student) for name, student in students.items()}


def agreement(preset: str) -> dict[str, list[Config]]:
    """Training by the exact and by the sampled loss, from the same parameters (ours)."""
    steps = {"smoke": 50, "quick": 2_000, "paper": 10_000}[preset]
    size: dict[str, Any] = {**SIZES.get(preset, {}), "steps": steps}
    cells = [
        Config(architecture, rate, 0, nu0=nu0, start_nu0=start, **size)
        for architecture, rate, start in (("lru", -2.0, None), ("rnn", -3.5, 0.0))
        for nu0 in (0.9, 0.99)
    ]
    return {
        loss: [dataclasses.replace(cell, loss=loss) for cell in cells]
        for loss in ("population", "sampled")
    }


SWEEPS: dict[str, Callable[[str], dict[str, list[Config]]]] = {
    sweep.__name__: sweep
    for sweep in (
        memory_gap,
        starts,
        ablation,
        concentration,
        heads,
        adaptive_rates,
        s4_steps,
        agreement,
    )
}


def cells(sweep: str, preset: str) -> list[Config]:
    """Return all cells of a sweep, network by network; a cell may be repeated."""
    return [cell for cells in SWEEPS[sweep](preset).values() for cell in cells]
