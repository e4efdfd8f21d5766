"""One part of the simulations at one seed: numbers of verdicts, and of wrong ones."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr

from sigprop.evidence.fresh import Answer, answers

VERSION = 1
COUNTS = ("comparisons", "confirmed", "refuted", "inconclusive", "wrong")
RATIO = {"units": "measured / closed form"}


@dataclass(frozen=True)
class Config:
    """Name of a part in ``sigprop.evidence.fresh.parts``, and a seed."""

    part: str
    seed: int


def shape(config: Config) -> Config:
    """Return the configuration itself, so that each cell is simulated alone."""
    return config


def chunk_size(config: Config) -> int:
    """Return the number of cells in a chunk, one."""
    del config
    return 1


def run_cells(
    configs: Sequence[Config],
    checkpoint: Path | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> list[xr.Dataset]:
    """Simulate all cells one after the other, with the same compiled programs.

    Args:
        configs: The cells to simulate.
        checkpoint: Not used: a cell takes seconds.
        progress: Called with the finished fraction.

    Raises:
        ValueError: If there is no such part.
    """
    del checkpoint
    tables = []
    for done, config in enumerate(configs, 1):
        tables.append(table(answers(config.part, config.seed)))
        progress(done / len(configs))
    return tables


def table(answers: Sequence[Answer]) -> xr.Dataset:
    """Count the verdicts on each claim, and give the range of ratios to the right forms."""
    claims = list(dict.fromkeys(answer.claim for answer in answers))
    columns: dict[str, list[float]] = {name: [] for name in (*COUNTS, "least", "most")}
    named = []
    for claim in claims:
        mine = [answer for answer in answers if answer.claim == claim]
        counts = Counter(str(answer.result.verdict) for answer in mine)
        bad = [answer for answer in mine if answer.wrong]
        columns["comparisons"].append(len(mine))
        columns["wrong"].append(len(bad))
        for status in ("confirmed", "refuted", "inconclusive"):
            columns[status].append(counts[status])
        ratios = [
            answer.result.value for answer in mine if answer.result.form == "derived"
        ]
        columns["least"].append(np.nanmin(ratios))
        columns["most"].append(np.nanmax(ratios))
        named.append(
            "; ".join(f"{r.point}: {r.verdict}" for r in (b.result for b in bad))
        )
    variables = {
        name: ("claim", np.array(values, int), {"units": "1"})
        for name, values in columns.items()
        if name in COUNTS
    }
    variables |= {name: ("claim", columns[name], RATIO) for name in ("least", "most")}
    return xr.Dataset({**variables, "where": ("claim", named)}, {"claim": claims})
