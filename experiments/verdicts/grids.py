"""Seeds at which each part is simulated.

Seed 0 is left out, because it is the default.
"""

from sigprop.evidence.fresh import GRIDS, parts
from sigprop.experiments.verdicts.cells import Config

SWEEPS = ("fresh_seeds",)
CHEAP = "lru:thm3.1"
SEEDS = {"quick": (3, 3), "paper": (200, 60)}  # of ``grids``, and of other parts


def cells(sweep: str, preset: str) -> list[Config]:
    """Return the cells of a preset, part by part, so that each part compiles once."""
    del sweep  # the only sweep
    if preset == "smoke":
        return [Config(CHEAP, seed) for seed in (1, 2)]
    grids, others = SEEDS[preset]
    return [
        Config(part, seed)
        for part in parts()
        for seed in range(1, 1 + (grids if part == GRIDS else others))
    ]
