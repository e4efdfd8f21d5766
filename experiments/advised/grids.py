"""Grids of trainings: each initialisation on each task, with the same seeds.

- ``advice`` compares the advised initialisation with the default one.
- ``advice_rates`` adds lower learning rates, on the tasks for which the largest stable rates
  as advised are less than half of those by default.
- ``advice_phases`` compares other ranges of phases, on the tasks by which one was chosen.
- ``advice_gates`` compares forget biases of mLSTM layers: the default ones, and those whose
  time constants are spread up to the length of the sequences.

The results of the preset ``paper`` are tracked; ``quick`` has two seeds.
"""

from sigprop.experiments.advised.cells import Config
from sigprop.experiments.advised.tasks import (
    ADVISED,
    GATED,
    PHASED,
    SIZES,
    SLOWED,
    TASKS,
    TEACHERS,
)

SWEEPS = {
    "advice": ("default", ADVISED),
    "advice_rates": ("default", ADVISED, SLOWED),
    "advice_phases": ("default", ADVISED, "advised-input", "advised-all"),
    "advice_gates": GATED,
}
OF = {
    "advice": TASKS,
    "advice_rates": ("correlated", "smnist-10k", "psmnist-10k", "fsdd"),
    "advice_phases": PHASED,
    "advice_gates": ("digits", "ETTh1", "smnist-10k"),
}
FIRST = 10  # seed; earlier rules were judged at those before
SEEDS = {"quick": 2, "paper": 5}
MORE = 10  # seeds for those of SHORT
SHORT = (*TEACHERS, "ETTh1", "WTH", "digits")  # trained within seconds
SMOKE = {"white": 100, "digits": 20}  # steps


def cells(sweep: str, preset: str) -> list[Config]:
    """Every training of a sweep."""
    if preset == "smoke":
        return [
            Config(task, arm, seed, SMOKE[task])
            for task in SMOKE
            for arm in SWEEPS[sweep]
            for seed in range(2)
            if not (task in TEACHERS and arm in GATED)
        ]

    def seeds(task: str) -> range:
        many = task in SHORT and preset == "paper"
        return range(FIRST, FIRST + (MORE if many else SEEDS[preset]))

    return [
        Config(task, arm, seed, SIZES[task].steps)
        for task in OF[sweep]
        for arm in SWEEPS[sweep]
        for seed in seeds(task)
    ]
