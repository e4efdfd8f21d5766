"""Evidence for details of the experiments, Appendix C.3 of Zucchet & Orvieto (2024)."""

import functools

import numpy as np
from jaxtyping import Float

from sigprop.evidence.kit import across, points
from sigprop.evidence.programs import computed
from sigprop.judge.basis import ARITHMETIC, Basis, Evidence
from sigprop.theory import teacher


@functools.cache
def lru_extremes(nu0: float, theta0: float) -> Float[np.ndarray, "3"]:
    """Largest phase and modulus of a freshly drawn LRU, and least modulus times -1."""
    import jax

    from sigprop.layers.lru import ring_parameters

    sizes = {"n": 64, "inner": nu0, "outer": 1.0, "max_phase": theta0}
    nu_log, theta_log = computed(ring_parameters, jax.random.key(4), **sizes)
    modulus = np.exp(-np.exp(nu_log))
    return np.array([np.abs(np.exp(theta_log)).max(), modulus.max(), -modulus.min()])


def hundreds(table: int, column: str) -> int:
    """Power of ten of the runs of a column."""
    return int(np.log10(teacher.TABLES[table][column].runs()))


def _table(number: int, *runs: int) -> Evidence:
    """The settings of Section 4.2 and ten seeds, and the runs of the two columns."""
    return Evidence(
        ({"table": number},),
        {ARITHMETIC: teacher.settings_and_runs},
        form=[128, 300, 10, 64, 10_000, 10, *runs],
        hand={"one seed": [128, 300, 10, 64, 10_000, 1, *(n // 10 for n in runs)]},
    )


EVIDENCE: dict[str, Basis] = {
    "zucchet:table1": _table(1, 840, 350),
    "zucchet:table2": _table(2, 360, 100),
    "zucchet:table3": _table(3, 400, 800),
    "zucchet:text:initial-angles": Evidence(
        points("nu0 theta0", (0.9, 3.0), (0.5, 0.3)),
        {"layer": lru_extremes},
        form=lambda nu0, theta0: [theta0, 1, -nu0],
        relation="<=",
        mutants={
            "half of the angles": lambda nu0, theta0: [theta0 / 2, 1, -nu0],
            "moduli as in Appendix D.1": lambda nu0, theta0: [
                theta0,
                (1 + nu0) / 2,
                -nu0,
            ],
            "moduli above the root": lambda nu0, theta0: [theta0, 1, -(nu0**0.5)],
        },
        alone="read off the layer's parameters",
    ),
    "zucchet:fig4:learning-rate": Evidence(
        ({"column": "RNN", "log_rate": -3.0}, {"column": "LRU", "log_rate": -3.0}),
        {ARITHMETIC: teacher.rate_is_scanned},
        form=lambda column, log_rate: float(column == "RNN"),
        absolute=0.25,
        hand={"in both grids": 1.0, "in neither": 0.0},
    ),
    "zucchet:text:scans": Evidence(
        across(table=(1, 2, 3), column=("RNN", "LRU")),
        {ARITHMETIC: hundreds},
        form=2,
        hand={"thousands": 3},
    ),
}
