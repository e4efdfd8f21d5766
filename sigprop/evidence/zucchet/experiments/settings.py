"""What judges details of the experiments, Appendix C.3 of Zucchet & Orvieto (2024)."""

import functools

import numpy as np

from sigprop.evidence.kit import across, points
from sigprop.evidence.programs import computed
from sigprop.judge.basis import ARITHMETIC, Basis, Evidence
from theory import teacher


@functools.cache
def lru_angles(theta0: float) -> float:
    """Largest phase of freshly drawn LRUs, in radians."""
    import jax

    from sigprop.layers.lru import ring_parameters

    sizes = {"n": 64, "inner": 0.9, "outer": 1.0, "max_phase": theta0}
    _, theta_log = computed(ring_parameters, jax.random.key(4), **sizes)
    return float(np.exp(theta_log).max())


def _table(number: int, *runs: int) -> Evidence:
    """The settings of Section 4.2 and ten seeds, and the runs of the two columns."""
    return Evidence(
        ({"table": number},),
        {"product": teacher.settings_and_runs, "listed": teacher.settings_and_listed},
        form=[128, 300, 10, 64, 10_000, 10, *runs],
    )


EVIDENCE: dict[str, Basis] = {
    "zucchet:table1": _table(1, 840, 350),
    "zucchet:table2": _table(2, 360, 100),
    "zucchet:table3": _table(3, 400, 800),
    "zucchet:table1:nu0": Evidence(
        points("index", 1, 2, 4, 0),
        {ARITHMETIC: teacher.halving},
        form=lambda index: 0.5 if index else 0.32 / 0.68,
        printed=0.5,
    ),
    "zucchet:text:initial-angles": Evidence(
        points("theta0", 3.0, 0.3),
        {"layer": lru_angles},
        form=lambda theta0: theta0,
        relation="<=",
        slips={"half": lambda theta0: theta0 / 2},
        alone="read off the layer's parameters",
    ),
    "zucchet:fig4:learning-rate": Evidence(
        ({"column": "RNN", "log_rate": -3.0}, {"column": "LRU", "log_rate": -3.0}),
        {ARITHMETIC: teacher.rate_is_scanned},
        form=lambda column, log_rate: float(column == "RNN"),
        printed=1.0,
        absolute=0.25,
    ),
    "zucchet:text:scans": Evidence(
        (
            *across(table=(1, 2, 3), together=(False,)),
            *across(table=(1, 3), together=(True,)),
        ),
        {"product": teacher.largest_scan, "listed": teacher.largest_listed},
        form=999,
        relation="<=",
        slips={"a hundred": 100},
    ),
    "zucchet:text:compute": Evidence(
        points("column", "RNN", "LRU"),
        {ARITHMETIC: teacher.days},
        form=lambda column: teacher.DAYS[column],
        relation="<=",
        slips={"ten times less": lambda column: teacher.DAYS[column] / 10},
    ),
}
