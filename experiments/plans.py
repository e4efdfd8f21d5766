"""Cost of every sweep and study at a preset: cells, core-hours, memory.

A study was measured when its stored result was made.  Of a sweep one chunk of every
shape of cell is trained for a while, in a process of its own; its pace between the first
report and the last is taken for the rest, so that what comes before counts once.  Seconds
are those of the cores, which other work on the machine does not stretch.
"""

import math
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import xarray as xr
from rich.console import Console
from rich.table import Table

from sigprop.experiments import store, studies, sweep
from sigprop.experiments.command import main, measured_alone
from sigprop.experiments.progress import counted
from sigprop.numerics.devices import cores, peak_memory

STUDY, VERSION = "plans", 2
# Sizes of the papers that no preset has, and hours of a core from fewer sequences.
NOT_RUN = {"deep_signals at width 256, 768 features (FULL)": 4.0}


@dataclass(frozen=True)
class Config:
    """Sweeps and presets to plan, and the core-seconds of training for each shape of cell."""

    preset: str = "paper"
    sweeps: tuple[str, ...] | None = None  # all of them
    studies: tuple[str, ...] | None = None  # all but those of speed
    seconds: float = 30.0


SMOKE = Config("smoke", ("memory_gap",), ("ring_gain",), 0.0)
QUICK = Config(seconds=5.0)
PAPER = Config()


class Cost(NamedTuple):
    """Hours of one core and bytes; not a number where that is not known."""

    core_hours: float
    peak: float


def run(config: Config) -> xr.Dataset:
    """Measure or look up every plan."""
    known: dict[object, list[float]] = {}
    sweeps, others = config.sweeps, config.studies
    if sweeps is None:
        sweeps = tuple(studies.sweeps())
    if others is None:
        others = tuple(
            name for name in studies.studies() if name != STUDY and "speed" not in name
        )
    counts = [len(studies.grid(name, config.preset)) for name in sweeps]
    costs = [_of_a_sweep(name, config, known) for name in counted(sweeps, "sweeps")]
    costs += map(_of_a_study, others)
    hours, peaks = zip(*costs, strict=True)
    return xr.Dataset(
        {
            "cells": ("plan", counts + [1] * len(others), {"units": "cells"}),
            "core_hours": ("plan", np.array(hours), {"units": "h of one core"}),
            "peak": ("plan", np.array(peaks), {"units": "bytes of one process"}),
        },
        {"plan": [*sweeps, *others]},
        {"of": config.preset, "cores": cores()},
    )


def _of_a_sweep(name: str, config: Config, known: dict[object, list[float]]) -> Cost:
    """Of all chunks, each as long as one of its shape and size."""
    study = studies.package_of(name)
    shape = studies.part(study, "cells").shape
    seconds, peak = 0.0, 0.0
    for index, chunk in enumerate(sweep.chunks(name, config.preset)):
        kind = study, shape(chunk.cells[0]), len(chunk.cells)
        if kind not in known:
            known[kind] = measured_alone(
                STUDY, name, config.preset, index, config.seconds
            )
        seconds += known[kind][0]
        peak = np.maximum(peak, known[kind][1])  # keeps what is not a number
    return Cost(seconds / 3600, float(peak))


def _of_a_study(name: str) -> Cost:
    """Of the run whose result comes with the code, if it says so."""
    about: dict[str, float] = {}
    with suppress(FileNotFoundError):
        about = store.shipped(name).attrs
    seconds, used = (about.get(key, math.nan) for key in ("seconds", "cores"))
    return Cost(seconds * used / 3600, about.get("peak_bytes", math.nan))


class _LongEnough(Exception):
    """Enough of a chunk was trained."""


def measure(name: str, preset: str, index: int, seconds: float) -> tuple[float, float]:
    """Train a part of one chunk here.

    Returns:
        Seconds of a core that the whole would take and the most bytes that this process
        has held; not a number where the task's files are not there.
    """
    chunk = sweep.chunks(name, preset)[index]
    began = time.process_time()
    reports: list[tuple[float, float]] = []

    def report(share: float) -> None:
        reports.append((time.process_time() - began, share))
        if len(reports) > 1 and reports[-1][0] - reports[0][0] >= seconds:
            raise _LongEnough

    try:
        studies.part(chunk.study, "cells").run_cells(chunk.cells, None, report)
    except _LongEnough:
        return whole(reports), peak_memory()
    except FileNotFoundError:
        return math.nan, math.nan
    return time.process_time() - began, peak_memory()


def whole(reports: list[tuple[float, float]]) -> float:
    """Seconds of all of it, from seconds and shares done at some reports, two at least.

    >>> whole([(10.0, 0.1), (11.0, 0.2), (12.0, 0.3)])
    19.0
    """
    (began, first), *_, (ended, last) = reports
    return began + (1 - first) * (ended - began) / (last - first)


def show(data: xr.Dataset) -> None:
    """Print the plans, and what they take together."""
    table = Table(box=None, header_style="bold")
    table.add_column(f"at the preset {data.attrs['of']}")
    for head in ("cells", "core-hours", "peak, GiB"):
        table.add_column(head, justify="right")
    for name in data["plan"].values:
        plan = data.sel(plan=name)
        hours, peak = float(plan["core_hours"]), float(plan["peak"]) / 2**30
        table.add_row(str(name), str(int(plan["cells"])), f"{hours:.3g}", f"{peak:.2g}")
    out = Console(highlight=False)
    out.print(table)
    known = data["core_hours"].dropna("plan")
    missing = data.sizes["plan"] - known.size
    out.print(f"together {float(known.sum()):.3g} core-hours; {missing} not measured")
    for name, hours in NOT_RUN.items():
        out.print(f"not run: {name}, about {hours:.3g} core-hours", soft_wrap=True)


if __name__ == "__main__":
    main(STUDY)
