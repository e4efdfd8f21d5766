"""Forecasts of the time and memory of a long simulation, from a short trial."""

import os
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from sigprop.judge.basis import Grid, Row
from sigprop.judge.plans import Reading, make_plans
from sigprop.judge.simulate import BATCH, jobs, run, whole_batches
from sigprop.neuron.montecarlo import Sums
from sigprop.numerics.devices import cores
from sigprop.numerics.text import plain

MINUTE, DAY = 60.0, 86400.0
SHORT = 2**33  # updates of a neuron, or fewer: a minute or so, not worth a trial
MOST = 2.0**53  # trajectories that floating point counts
UNITS = (
    ("years", 365.25 * DAY),
    ("days", DAY),
    ("hours", 3600.0),
    ("minutes", MINUTE),
)


class Forecast(NamedTuple):
    """Expected time and memory of a simulation.

    Attributes:
        n: Number of trajectories.
        seconds: Expected time in seconds.
        memory: Expected memory in bytes.
    """

    n: int
    seconds: float
    memory: float

    def __str__(self) -> str:
        return (
            f"{self.n:.3g} trajectories, an expected {_duration(self.seconds)} and "
            f"{self.memory / 2**30:.2g} GiB"
        )


def _duration(seconds: float) -> str:
    for name, unit in UNITS:
        if seconds >= 2 * unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds:.0f} s"


def memory_here() -> float:
    """Return this machine's memory in bytes, or infinity if it is unknown."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def program_memory(compiled: Any) -> float:
    """Return the memory in bytes of a compiled JAX program beside its arguments.

    It is zero if unknown.
    """
    stats = compiled.memory_analysis()
    if stats is None:
        return 0.0
    return float(stats.temp_size_in_bytes + stats.output_size_in_bytes)


def trial(work: Callable[[int], Any], batch: int, n: int) -> Forecast:
    """Forecast the time and memory of ``n`` trajectories from a few batches.

    Args:
        work: Function that simulates a given number of trajectories. Its first call
            compiles it.
        batch: Number of trajectories per batch.
        n: Number of trajectories to forecast.
    """
    more = 2 * cores()
    work(batch)
    began = time.perf_counter()
    work(batch)
    once = time.perf_counter() - began
    traced = tracemalloc.is_tracing()
    if not traced:
        tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    began = time.perf_counter()
    work((1 + more) * batch)
    # The first batch runs alone; the others share the cores.
    pace = max((time.perf_counter() - began - once) / more, once / more)
    bytes_per_batch = max(tracemalloc.get_traced_memory()[1] - before, 0) / (1 + more)
    if not traced:
        tracemalloc.stop()
    return Forecast(n, n / batch * pace, n / batch * bytes_per_batch)


def allow(
    forecast: Forecast,
    remedy: str,
    *,
    yes: bool,
    say: Callable[[str], None] | None = None,
) -> None:
    """Announce a simulation of a minute or more, and stop one that is too large.

    Args:
        forecast: Forecast of the simulation.
        remedy: Advice at the end of the error message.
        yes: True to allow any time and memory.
        say: Function that receives the announcement. By default it goes to standard
            error.

    Raises:
        ValueError: If it would take more than a day or half of the memory, and ``yes`` is
            false.
    """
    most = memory_here() / 2
    too_long, too_large = forecast.seconds > DAY, forecast.memory > most
    if (too_long or too_large) and not yes:
        limit = "more than a day" if too_long else "more than half of the memory"
        raise ValueError(f"need less than {forecast}: {limit}; {remedy}")
    if forecast.seconds >= MINUTE:
        line = f"{forecast} on this machine"
        (say or (lambda text: print(plain(text), file=sys.stderr, flush=True)))(line)


def of_rows(
    rows: Iterable[Row], tier: str, samples: int | None, seeds: int = 1
) -> Forecast:
    """Forecast the time and memory of all trajectories of a run.

    Args:
        rows: Rows to judge. Rows without a grid are ignored.
        tier: Tier of the run, ``quick`` or ``headline``.
        samples: Number of trajectories per point; by default that of the plans.
        seeds: Number of runs.

    Raises:
        ValueError: If the samples are too few to decide, or too many.
    """
    if samples is not None and samples > MOST:
        raise ValueError(f"need at most {MOST:.2g} samples, got {samples}; lower them")
    needed: dict[Reading, int] = {}
    for row in rows:
        grid, derive = row.basis, row.claim.derive
        if not isinstance(grid, Grid) or derive is None:
            continue
        plans = make_plans(grid, derive().result, {}, tier, samples)
        for point, planned in plans.items():
            reading = Reading(grid.quantity, point)
            needed[reading] = max(needed.get(reading, 0), planned.n)
    total = Forecast(0, 0.0, 0.0)
    for job in jobs(needed):

        def work(num: int, job: Any = job) -> dict[Reading, Sums]:
            return run(job._replace(n=num), 0, lambda count: None)

        part = trial(work, BATCH, whole_batches(job.n))
        total = Forecast(
            total.n + seeds * part.n,
            total.seconds + seeds * part.seconds,
            max(total.memory, part.memory),
        )
    return total
