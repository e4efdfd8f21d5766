"""Forecasts of the time and memory of long work, from a short trial on this machine."""

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
    """Draws, and what they are expected to take.

    Attributes:
        n: Trajectories in all.
        seconds: By the trial's pace.
        memory: Bytes held at once.
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
    """Bytes of this machine's memory; infinite where the system does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def program_memory(compiled: Any) -> float:
    """Bytes that a compiled program of JAX holds beside its arguments, if it is known."""
    stats = compiled.memory_analysis()
    if stats is None:
        return 0.0
    return float(stats.temp_size_in_bytes + stats.output_size_in_bytes)


def trial(work: Callable[[int], Any], batch: int, n: int) -> Forecast:
    """The forecast for ``n`` draws, from a few batches.

    Args:
        work: Draws so many; compiled after the first call.
        batch: Draws that it does at once.
        n: Draws wanted, many batches.
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
    # The first batch is alone, the others share the cores.
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
    """Say what long work will take, and refuse what is too long or too large.

    Args:
        forecast: Forecast of the work.
        remedy: What to change, and how to do it all the same.
        yes: True if it is to be done all the same.
        say: Told of work of a minute or more; standard error if left out.

    Raises:
        ValueError: If it would take more than a day or half of the memory.
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
    """The forecast for all trajectories that a run draws on grids.

    Args:
        rows: Those to be judged; what is on no grid is left out.
        tier: As in ``verify``.
        samples: As in ``verify``.
        seeds: Runs.

    Raises:
        ValueError: If the samples are too few to decide, or more than can be counted.
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
