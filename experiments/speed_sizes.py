"""Time and memory of moments, layers, losses and Hessians against size.

One call is measured over lengths of sequences and over numbers of neurons.  Sizes are powers
of two, and grow until a call takes longer than ``longest`` or more memory than ``memory``.
Every size has its own process, so that peaks of memory do not mix.  The first call compiles,
and the fastest of the next ``calls`` calls counts.  Memory is the excess over that of two
neurons and two steps.  Losses and Hessians are in double precision, everything else in single
precision.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import equinox as eqx
import jax
import numpy as np
import xarray as xr
from jaxtyping import Float
from rich.console import Console
from rich.table import Table

from sigprop.curvature.hessian import expand
from sigprop.experiments.command import main, measured_alone
from sigprop.experiments.progress import counted
from sigprop.inputs import AR1
from sigprop.layers.lru import lru, zucchet_lru
from sigprop.neuron.montecarlo import trajectories
from sigprop.neuron.ring import sample_ring
from sigprop.numerics.devices import cores, peak_memory
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import linear_teacher, teacher_student

STUDY, VERSION = "speed_sizes", 2
Call = Callable[[], Any]


def _moments(neurons: int, length: int) -> Call:
    """Return the simulation of 64 sequences for each neuron of a ring."""
    key, ring_key = jax.random.split(jax.random.key(0))
    lam = sample_ring(ring_key, neurons, 0.5, 0.99)[:, None]
    return lambda: trajectories(key, lam, AR1(0.9), (length,), 64, True)


def _layer(neurons: int, length: int) -> Call:
    """Return the gradient of an LRU with 128 features, for one sequence."""
    layer = lru(neurons, 128, key=jax.random.key(0), r_min=0.5, r_max=0.99)
    u = jax.random.normal(jax.random.key(1), (length, 128))
    gradients = eqx.filter_jit(eqx.filter_grad(lambda layer, u: (layer(u) ** 2).mean()))
    return lambda: gradients(layer, u)


def _student(neurons: int, length: int) -> tuple[Any, Any]:
    teacher_key, key = jax.random.split(jax.random.key(0))
    task = teacher_student(linear_teacher(teacher_key, nu0=0.9), length=length)
    return task, zucchet_lru(neurons, 1, key=key, nu0=0.9, theta0=math.pi)


def _loss(neurons: int, length: int) -> Call:
    """Return the exact loss of a student of a linear teacher."""
    task, student = _student(neurons, length)
    loss = eqx.filter_jit(lambda student: task.loss(student))
    return lambda: loss(student)


def _hessian(neurons: int, length: int) -> Call:
    """Return the whole Hessian of the exact loss, in closed form."""
    task, student = _student(neurons, length)
    return lambda: expand(task, student).hessian


class Task(NamedTuple):
    """A function to time, default numbers of neurons and steps, and the precision."""

    build: Callable[[int, int], Call]
    neurons: int
    length: int
    double: bool


TASKS = {
    "moments": Task(_moments, 256, 2048, False),
    "layer": Task(_layer, 256, 2048, False),
    "loss": Task(_loss, 64, 300, True),
    "Hessian": Task(_hessian, 64, 300, True),
}
AXES = ("neurons", "length")


@dataclass(frozen=True)
class Config:
    """Sizes as powers of two, and the limits that end a series.

    Attributes:
        neurons: First and last exponent of the numbers of neurons.
        length: First and last exponent of the lengths.
        stride: Difference of exponents between two sizes.
        calls: Timed calls at each size; the fastest one counts.
        longest: Longest time of a call, in seconds.
        memory: Largest memory of a call, in bytes.
    """

    neurons: tuple[int, int] = (4, 12)
    length: tuple[int, int] = (8, 20)
    stride: int = 2
    calls: int = 3
    longest: float = 2.0
    memory: int = 2 * 2**30


SMOKE = Config(neurons=(2, 3), length=(4, 4), stride=1, calls=1)
QUICK = Config()
PAPER = Config(stride=1, longest=4.0, memory=8 * 2**30)


def run(config: Config) -> xr.Dataset:
    """Measure every task against both sizes."""
    tried = {
        axis: range(first, last + 1, config.stride)
        for axis, (first, last) in (
            ("neurons", config.neurons),
            ("length", config.length),
        )
    }
    most = max(map(len, tried.values()))
    sizes = np.full((len(AXES), most), np.nan)
    costs = np.full((2, len(TASKS), len(AXES), most), np.nan)
    for row, (name, task) in enumerate(counted(TASKS.items(), "tasks")):
        often = config.calls, config.longest
        idle = _in_a_process(name, 2, 2, *often)[1]
        for column, axis in enumerate(AXES):
            for index, power in enumerate(tried[axis]):
                sizes[column, index] = 2**power
                size = {"neurons": task.neurons, "length": task.length, axis: 2**power}
                seconds, peak = _in_a_process(
                    name, size["neurons"], size["length"], *often
                )
                if math.isinf(seconds):
                    break
                costs[:, row, column, index] = seconds, max(peak - idle, 0)
                if seconds > config.longest or peak - idle > config.memory:
                    break
    where = ("task", "axis", "place")
    powers = np.array(
        [[list(map(exponent, sizes, task)) for task in cost] for cost in costs]
    )
    return xr.Dataset(
        {
            "size": (("axis", "place"), sizes, {"units": "neurons or steps"}),
            "seconds": (where, costs[0], {"units": "s"}),
            "memory": (where, costs[1], {"units": "bytes above those of two steps"}),
            "seconds_power": (where[:2], powers[0], {"units": "power of the size"}),
            "memory_power": (where[:2], powers[1], {"units": "power of the size"}),
        },
        {"task": list(TASKS), "axis": list(AXES)},
        {"dtype": "float32 and float64", "cores": cores()},
    )


def _in_a_process(
    task: str, neurons: int, length: int, calls: int, longest: float
) -> list[float]:
    """Measure seconds and peak bytes in a separate process.

    Both are infinite if the system kills the process, for example without free memory.

    Raises:
        RuntimeError: If the process fails for another reason.
    """
    try:
        return measured_alone(STUDY, task, neurons, length, calls, longest)
    except MemoryError:
        return [math.inf, math.inf]
    except RuntimeError as error:
        size = f"{task} of {neurons} neurons, {length} steps"
        raise RuntimeError(f"{size}: {error}") from None


def measure(
    name: str, neurons: int, length: int, calls: int, longest: float
) -> tuple[float, float]:
    """Return the fastest time of a call and the peak bytes, in this process.

    A call that takes longer than ``longest`` seconds is the last one.
    """
    task = TASKS[name]
    with double_precision(task.double):
        call = task.build(neurons, length)
        jax.block_until_ready(call())  # compiles
        seconds = []
        for _ in range(calls):
            began = time.perf_counter()
            jax.block_until_ready(call())
            seconds.append(time.perf_counter() - began)
            if seconds[-1] > longest:
                break
    return min(seconds), peak_memory()


def exponent(sizes: Float[np.ndarray, " n"], costs: Float[np.ndarray, " n"]) -> float:
    """Fit a power of the size to the costs of the larger half of the sizes.

    The result is NaN if fewer than three costs are known.
    """
    known = np.isfinite(costs) & (costs > 0)
    if known.sum() < 3:
        return math.nan
    x, y = np.log([sizes[known], costs[known]])[:, known.sum() // 2 - 1 :]
    return float(np.polyfit(x, y, 1)[0])


def show(data: xr.Dataset) -> None:
    """Print the largest size of each series, its costs, and their powers of the size."""
    table = Table(box=None, header_style="bold")
    heads = ("task", "over", "up to", "ms", "power", "MB", "power")
    for head in heads:
        table.add_column(head, justify="left" if head in heads[:2] else "right")
    for task in data["task"].values:
        for axis in data["axis"].values:
            sizes = data.sel(task=task, axis=axis).dropna("place", subset=["seconds"])
            last = sizes.isel(place=-1)
            grown = [
                f"{float(sizes[f'{cost}_power']):.2f}" for cost in ("seconds", "memory")
            ]
            table.add_row(
                *(str(task), str(axis), str(int(last["size"]))),
                *(f"{1e3 * float(last['seconds']):.3g}", grown[0]),
                *(f"{float(last['memory']) / 1e6:.3g}", grown[1]),
            )
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main(STUDY)
