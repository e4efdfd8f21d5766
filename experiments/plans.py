"""Cost of every sweep and study at a preset: number of trainings, core-hours and memory.

The cost of a study was measured when its stored result was computed.  For a sweep, one chunk
of cells of each shape is trained for a while, in a process of its own.  Its pace between the
first and the last progress report is extrapolated, so that the start counts once.  Times are
CPU times, which do not depend on other work on the machine.

Hours of one H100 are estimated: core-hours times the ratio of the speeds of a core and the
device.  The ratio is measured if there is a stored ``gpu_check`` of a GPU.  Otherwise it is
half of what instructions or memory allow.  Trainings at the sizes of the papers are scaled
from one measured step, by the amount of data that passes through the memory.
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
from sigprop.networks import NetworkConfig
from sigprop.networks.presets import TASKS, blur_paper, lru_paper, rotrnn_paper
from sigprop.numerics.devices import cores, peak_memory
from sigprop.training.presets import BLUR_BATCH, LRU_SCHEDULES, ROTRNN_SCHEDULES

STUDY, VERSION = "plans", 3
# Papers' sizes that no preset runs, in core-hours scaled from fewer sequences.
NOT_RUN = {"deep_signals at width 256, 768 features (FULL)": 4.0}

DEVICE = "H100"
# The compiled kernel issues 20.4 instructions per complex neuron-step, on four schedulers
# of each of 132 processors.  A copied byte is read and written, at 3.35 TB/s in total.
BOUNDS = {"moments": 1.45e12, "network": 3.35e12 / 2}
SHARE = 0.5  # assumed fraction of these bounds
MOMENTS = ("curse_of_memory", "relu_leakage", "ring_gain", "statuses")
NETWORKS = (
    *("deep_signals", "depth_map", "embedding_correlation", "gated_moments"),
    *("gated_neurons", "layer_moments", "network_curvature", "network_landscapes"),
    *("network_moments", "normalisation", "transients"),
)
LENGTHS = {
    "scifar": 1024,
    "listops": 2048,
    "text": 4096,
    "retrieval": 2 * 4000,  # two documents of 4000 bytes
    "pathfinder": 1024,
    "pathx": 16_384,
    "speech": 16_000,
}
BLUR_STEPS = {"listops": 60_000, "scifar": 28_120}  # 40 epochs in batches of 64


@dataclass(frozen=True)
class Config:
    """Preset, sweeps and studies to plan, and the measured seconds of each shape of cell."""

    preset: str = "paper"
    sweeps: tuple[str, ...] | None = None  # all if left out
    studies: tuple[str, ...] | None = None  # all but studies of speed if left out
    seconds: float = 30.0


SMOKE = Config("smoke", ("memory_gap",), ("ring_gain",), 0.0)
QUICK = Config(seconds=5.0)
PAPER = Config()


class Cost(NamedTuple):
    """Hours of one core and peak bytes, NaN if unknown."""

    core_hours: float
    peak: float


def run(config: Config) -> xr.Dataset:
    """Measure the cost of every sweep, and look up the cost of every study."""
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
    names, replaced = (*sweeps, *others), gains()
    kinds = [_kind(name) for name in names]
    device = [hour / replaced[kind] for hour, kind in zip(hours, kinds, strict=True)]
    trained = trainings(replaced["network"])
    return xr.Dataset(
        {
            "device_hours": ("plan", device, {"units": f"h of one {DEVICE}"}),
            "kind": ("plan", kinds, {"units": "kind of work"}),
            "training_hours": (
                "training",
                [*trained.values()],
                {"units": f"h of one {DEVICE}, one seed"},
            ),
            "cells": ("plan", counts + [1] * len(others), {"units": "cells"}),
            "core_hours": ("plan", np.array(hours), {"units": "h of one core"}),
            "peak": ("plan", np.array(peaks), {"units": "bytes of one process"}),
        },
        {"plan": list(names), "training": [*trained]},
        {"of": config.preset, "cores": cores(), "assumption": assumption()},
    )


def _kind(name: str) -> str:
    """Return the kind of work; closed forms are ``CPU``, since they stay on it."""
    if name in MOMENTS:
        return "moments"
    if name in studies.sweeps():
        return "moments" if studies.package_of(name) == "verdicts" else "network"
    return "network" if name in NETWORKS else "CPU"


def _checked() -> xr.Dataset | None:
    """Return the stored check of a GPU, if there is one."""
    try:
        data = store.shipped("gpu_check")
    except FileNotFoundError:
        return None
    return data if data.attrs["platform"] == "gpu" else None


def assumption() -> str:
    """Describe the source of the device's rates: a measurement, or assumed bounds."""
    data = _checked()
    if data is not None:
        return f"rates measured on {data.attrs['checked']}"
    return (
        f"{SHARE:.0%} of the bounds of an {DEVICE}: {BOUNDS['moments']:.3g} neuron-steps "
        f"and {BOUNDS['network']:.3g} copied bytes a second"
    )


def gains() -> dict[str, float]:
    """Return the core-hours that one hour of the device replaces, by kind of work.

    Raises:
        FileNotFoundError: If the stored speeds of a CPU do not come with the code.
    """
    moments, limits = (store.shipped(f"speed_{name}") for name in ("moments", "limits"))
    core = {
        "moments": float(moments["rate"].sel(way="kernel")) / moments.attrs["cores"],
        "network": _copied(limits) / limits.attrs["cores"],
    }
    device = {kind: SHARE * most for kind, most in BOUNDS.items()}
    checked = _checked()
    if checked is not None:
        rate = checked["rate"].sel(route="kernel").median("repeat")
        limit = checked["limit"].sel(limited="copied_bytes").max("repeat")
        device = {"moments": float(rate), "network": float(limit) / 2}
    return {kind: device[kind] / core[kind] for kind in core} | {"CPU": math.inf}


def _copied(limits: xr.Dataset) -> float:
    return float(limits["rate"].sel(limit="copied_bytes").max("repeat"))


def trainings(gain: float) -> dict[str, float]:
    """Return the device-hours of one seed of each training at its paper's size.

    Args:
        gain: Core-hours of training that one hour of the device replaces.

    Raises:
        FileNotFoundError: If the stored speed of a training does not come with the code.
    """
    checked = _checked()
    if checked is not None:
        seconds = checked["step_seconds"].sel(model="LRU")
        scale, task = 1.0, "listops"
    else:
        measured = store.shipped("speed_training")
        seconds = measured["seconds"].sel(way="engine")
        scale, task = measured.attrs["cores"] / gain, "scifar"
    hour = scale * float(seconds.median("repeat")) / 3600
    hour /= _numbers(lru_paper(task), task, LRU_SCHEDULES[task].batch)
    papers = {
        "LRU": (lru_paper, LRU_SCHEDULES),
        "RotRNN": (rotrnn_paper, ROTRNN_SCHEDULES),
    }
    hours = {
        f"{model}, {task}": row.steps * hour * _numbers(network(task), task, row.batch)
        for model, (network, rows) in papers.items()
        for task, row in rows.items()
    }
    for task, steps in BLUR_STEPS.items():
        network = blur_paper(TASKS[task].inputs, TASKS[task].outputs)
        numbers = _numbers(network, task, BLUR_BATCH)
        hours[f"BLUR, {task}"] = steps * hour * numbers
    return hours


def _numbers(network: NetworkConfig, task: str, batch: int) -> float:
    """Return the amount of data that a training step moves, up to a factor."""
    both = network.layer == "blur" or network.layer.startswith("bidirectional")
    ways = 2 if both else 1
    width = network.width + ways * network.state_size
    return float(batch * LENGTHS[task] * network.depth * width)


def _of_a_sweep(name: str, config: Config, known: dict[object, list[float]]) -> Cost:
    """Return the cost of a sweep; one chunk of each shape and size is measured."""
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
        peak = np.maximum(peak, known[kind][1])  # unlike max, keeps NaN
    return Cost(seconds / 3600, float(peak))


def _of_a_study(name: str) -> Cost:
    """Return the recorded cost of the result that comes with the code, or NaN."""
    about: dict[str, float] = {}
    with suppress(FileNotFoundError):
        about = store.shipped(name).attrs
    seconds, used = (about.get(key, math.nan) for key in ("seconds", "cores"))
    return Cost(seconds * used / 3600, about.get("peak_bytes", math.nan))


class _LongEnough(Exception):
    """Raised when enough of a chunk was trained."""


def measure(name: str, preset: str, index: int, seconds: float) -> tuple[float, float]:
    """Train a part of one chunk in this process.

    Returns:
        Estimated core-seconds of the whole chunk, and the peak bytes of this process.  Both
        are NaN if files of the task do not exist.
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
    """Extrapolate the total seconds from at least two reports of seconds and progress.

    >>> whole([(10.0, 0.1), (11.0, 0.2), (12.0, 0.3)])
    19.0
    """
    (began, first), *_, (ended, last) = reports
    return began + (1 - first) * (ended - began) / (last - first)


def show(data: xr.Dataset) -> None:
    """Print the costs, and their total."""
    table = Table(box=None, header_style="bold")
    table.add_column(f"at the preset {data.attrs['of']}")
    for head in ("cells", "core-hours", "peak, GiB", f"{DEVICE}-hours"):
        table.add_column(head, justify="right")
    for name in data["plan"].values:
        plan = data.sel(plan=name)
        hours, peak = float(plan["core_hours"]), float(plan["peak"]) / 2**30
        device = (
            "CPU" if plan["kind"] == "CPU" else f"{float(plan['device_hours']):.2g}"
        )
        table.add_row(
            str(name), str(int(plan["cells"])), f"{hours:.3g}", f"{peak:.2g}", device
        )
    out = Console(highlight=False)
    out.print(table)
    known = data["core_hours"].dropna("plan")
    missing = data.sizes["plan"] - known.size
    out.print(f"together {float(known.sum()):.3g} core-hours; {missing} not measured")
    out.print(f"{DEVICE}-hours: {data.attrs['assumption']}", soft_wrap=True)
    for name in data["training"].values:
        hours = float(data["training_hours"].sel(training=name))
        out.print(f"one training of the paper, {name}: {hours:.2g} {DEVICE}-hours")
    for name, hours in NOT_RUN.items():
        out.print(f"not run: {name}, about {hours:.3g} core-hours", soft_wrap=True)


if __name__ == "__main__":
    main(STUDY)
