"""Which trainings are compared: every task, every way to begin, the same seeds.

``advice`` has the two ways that are compared, ``advice_rates`` the third beside them, on
the tasks where the ceilings ask for less than half of the rate: by 0.88 it would hardly
change on ListOps, and not at all on the forecast.  ``advice_phases`` has the fourth.
``paper`` is what is tracked; ``quick`` has two seeds.
"""

from experiments.advised.cells import Config
from experiments.advised.tasks import SIZES, TASKS, TEACHERS

WAYS = {
    "advice": ("default", "advised"),
    "advice_rates": ("default", "advised", "rates"),
    "advice_phases": ("default", "advised", "phases"),
}
OF = {
    "advice": TASKS,
    "advice_rates": ("white", "correlated", "smnist-10k", "psmnist-10k", "fsdd"),
    "advice_phases": TASKS,
}
SEEDS = {"quick": 2, "paper": 5}
OF_TEACHERS = 10  # seeds where a training takes a second
SMOKE = {"white": 100, "digits": 20}  # steps


def cells(sweep: str, preset: str) -> list[Config]:
    """Every training of a sweep.

    Raises:
        ValueError: If the sweep or the preset is unknown.
    """
    if sweep not in WAYS:
        raise ValueError(f"need a sweep in {', '.join(WAYS)}, got {sweep!r}")
    if preset == "smoke":
        return [
            Config(task, arm, seed, SMOKE[task])
            for task in SMOKE
            for arm in WAYS[sweep]
            for seed in range(2)
        ]
    if preset not in SEEDS:
        raise ValueError(f"need a preset in smoke, quick, paper, got {preset!r}")

    def seeds(task: str) -> range:
        many = task in TEACHERS and preset == "paper"
        return range(OF_TEACHERS if many else SEEDS[preset])

    return [
        Config(task, arm, seed, SIZES[task].steps)
        for task in OF[sweep]
        for arm in WAYS[sweep]
        for seed in seeds(task)
    ]
