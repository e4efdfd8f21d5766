"""Speed and memory of streaming moments, compared with scans that store all states.

Four methods compute the time averages of ``|h|^2`` and ``|dh/dlam|^2`` over many sequences,
in single precision.  Times include the random numbers:

- *kernel*: ``sigprop.neuron.montecarlo.trajectories``, the compiled kernel with running sums,
  with blocks of sequences distributed over the cores;
- *streaming*: ``sigprop.neuron.montecarlo.walk``, the scan of JAX with running sums, with the
  sequences split over the cores and one compiled program in each thread;
- *associative*: ``jax.lax.associative_scan`` over the states of all sequences at all times,
  a second scan over the delayed states, then means.  XLA uses its own threads, one per core;
- *one by one*: the same scans for one sequence after another, which needs less memory.

The methods must agree on identical inputs before they are timed.  Repeats alternate between
them, so that other work on the machine affects all of them.  Within a repeat, a fast method
is called until the least time of a repeat is reached.  Peak memory is that of a separate
process minus that of a process that only imports.
"""

import dataclasses
import functools
import json
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax import lax
from jaxtyping import Array, Complex, Float, PRNGKeyArray
from rich.console import Console
from rich.table import Table

from sigprop.experiments.command import main, measured_alone
from sigprop.experiments.progress import counted
from sigprop.inputs import AR1, Constant, GaussianProcess
from sigprop.neuron.montecarlo import Walk, scanned, split, trajectories
from sigprop.neuron.ring import sample_ring
from sigprop.numerics.devices import cores, peak_memory

STUDY, VERSION = "speed_moments", 4
CORES = cores()
AGREEMENT = 1e-4  # relative; rounding of a few thousand sums in single precision
Moments = tuple[Any, Any]  # of states and of sensitivities, with shape (n,)


@dataclass(frozen=True)
class Config:
    """Sizes of the timed problem.

    The kernel's memory is also measured at the length ``long``.  Memory needs new processes,
    and is not measured if ``memory`` is false.  A repeat lasts ``least`` seconds or one call,
    if that is longer.
    """

    neurons: int = 256
    sequences: int = 64
    length: int = 2048
    long: int = 131_072
    repeats: int = 7
    least: float = 0.1
    memory: bool = True
    seed: int = 0


SMOKE = Config(
    neurons=16,
    sequences=8,
    length=128,
    long=256,
    repeats=2,
    least=0.0,
    memory=False,
)
QUICK = Config()
PAPER = Config(repeats=25)


def _scan(key: PRNGKeyArray, lam: Any, *options: Any) -> list[Walk]:
    return jax.block_until_ready(scanned(key, split(lam), *options))


def _averages(
    simulate: Callable[..., list[Walk]],
    key: PRNGKeyArray,
    lam: Complex[Array, " n"],
    process: GaussianProcess,
    sequences: int,
    length: int,
) -> Moments:
    (end,) = simulate(key, lam[:, None], process, (length,), sequences, True)
    return end.sum_h.mean(-1) / length, end.sum_s.mean(-1) / length


def streaming(
    key: PRNGKeyArray,
    lam: Complex[Array, " n"],
    process: Any,
    config: Config,
) -> Moments:
    """Scan one part of the sequences per core, each in its own thread."""
    parts = min(CORES, config.sequences)
    counts = [len(share) for share in np.array_split(range(config.sequences), parts)]

    def part(index: int) -> Moments:
        part_key = jax.random.fold_in(key, index)
        return _averages(_scan, part_key, lam, process, counts[index], config.length)

    with ThreadPoolExecutor(parts) as pool:
        averages = zip(*pool.map(part, range(parts)), strict=True)
    state, sensitivity = (np.average(values, 0, counts) for values in averages)
    return state, sensitivity


def kernel(
    key: PRNGKeyArray, lam: Complex[Array, " n"], process: Any, config: Config
) -> Moments:
    """Simulate all sequences in one call of the kernel."""
    return _averages(trajectories, key, lam, process, config.sequences, config.length)


def _combine(first: Any, second: Any) -> Any:
    gate_1, value_1 = first
    gate_2, value_2 = second
    return gate_2 * gate_1, gate_2 * value_1 + value_2


def _scanned(
    lam: Complex[Array, " n"], x: Float[Array, "time ..."]
) -> tuple[Complex[Array, "time ... n"], Complex[Array, "time ... n"]]:
    """Return states and sensitivities at all times, by two associative scans."""
    shape = (*x.shape, *lam.shape)
    gates = jnp.broadcast_to(lam, shape)
    inputs = jnp.broadcast_to(x[..., None].astype(lam.dtype), shape)
    h = lax.associative_scan(_combine, (gates, inputs))[1]
    delayed = jnp.concatenate([jnp.zeros_like(h[:1]), h[:-1]])
    return h, lax.associative_scan(_combine, (gates, delayed))[1]


@functools.partial(jax.jit, static_argnames=("process", "config"))
def associative(
    key: PRNGKeyArray, lam: Complex[Array, " n"], process: Any, config: Config
) -> Moments:
    """Scan all sequences at once, with all states in memory."""
    x = process.sample(key, config.sequences, config.length)
    h, s = _scanned(lam, x.T)
    return (jnp.abs(h) ** 2).mean((0, 1)), (jnp.abs(s) ** 2).mean((0, 1))


@functools.partial(jax.jit, static_argnames=("process", "config"))
def one_by_one(
    key: PRNGKeyArray, lam: Complex[Array, " n"], process: Any, config: Config
) -> Moments:
    """Scan one sequence after another, with the states of one in memory."""

    def single(x: Float[Array, " time"]) -> Moments:
        h, s = _scanned(lam, x)
        return (jnp.abs(h) ** 2).mean(0), (jnp.abs(s) ** 2).mean(0)

    x = process.sample(key, config.sequences, config.length)
    state, sensitivity = lax.map(single, x)
    return state.mean(0), sensitivity.mean(0)


WAYS: dict[str, Callable[..., Moments]] = {
    "kernel": kernel,
    "streaming": streaming,
    "associative": associative,
    "one_by_one": one_by_one,
}
TIMED_INPUT = AR1(0.9)


def _problem(config: Config) -> tuple[PRNGKeyArray, Complex[Array, " n"]]:
    """Return the key of the inputs, and eigenvalues with moduli from 0.5 to 0.99."""
    key, ring_key = jax.random.split(jax.random.key(config.seed))
    return key, sample_ring(ring_key, config.neurons, 0.5, 0.99)


def disagreement(config: Config) -> float:
    """Return the largest relative difference of the methods on identical inputs.

    The inputs are constant in time, since all methods draw these equally from a key.
    """
    key, lam = _problem(config)
    size = (config.sequences, config.length)
    answers = [
        _averages(trajectories, key, lam, Constant(), *size),
        _averages(_scan, key, lam, Constant(), *size),
        associative(key, lam, Constant(), config),
        one_by_one(key, lam, Constant(), config),
    ]
    return max(
        float(jnp.max(jnp.abs(other / first - 1)))
        for answer in answers[1:]
        for first, other in zip(answers[0], answer, strict=True)
    )


def run(config: Config) -> xr.Dataset:
    """Compare the methods, time them in turns, then measure their memory.

    Raises:
        ArithmeticError: If the methods disagree beyond single-precision rounding.
    """
    if (difference := disagreement(config)) > AGREEMENT:
        raise ArithmeticError(f"the ways differ by {difference:.1e} on equal inputs")
    key, lam = _problem(config)
    seconds = np.empty((len(WAYS), config.repeats))
    for repeat in counted(
        range(-1, config.repeats), "repeats"
    ):  # the first round only compiles
        for row, way in enumerate(WAYS.values()):
            call = functools.partial(way, key, lam, TIMED_INPUT, config)
            took = seconds_a_call(call, config.least)
            if repeat >= 0:
                seconds[row, repeat] = took
    steps = config.neurons * config.sequences * config.length
    long = dataclasses.replace(config, length=config.long)
    idle = _peak_memory("nothing", config)
    memory = [_peak_memory(name, config) - idle for name in WAYS]
    return xr.Dataset(
        {
            "seconds": (("way", "repeat"), seconds, {"units": "s"}),
            "rate": (
                "way",
                steps / np.median(seconds, axis=1),
                {"units": "neuron-steps a second, median of the repeats"},
            ),
            "memory": ("way", memory, {"units": "bytes above an idle process"}),
            "long_memory": (
                "kernel_length",
                [memory[0], _peak_memory("kernel", long) - idle],
                {"units": "bytes above an idle process"},
            ),
        },
        {
            "way": list(WAYS),
            "kernel_length": [config.length, config.long],
        },
        {
            "dtype": "complex64",
            "cores": CORES,
            "neurons": config.neurons,
            "sequences": config.sequences,
            "length": config.length,
            "disagreement": difference,
        },
    )


def seconds_a_call(call: Callable[[], Any], least: float) -> float:
    """Return the mean seconds of a call, over at least ``least`` seconds."""
    started, calls = time.perf_counter(), 0
    while True:
        jax.block_until_ready(call())
        calls += 1
        if (took := time.perf_counter() - started) >= least:
            return took / calls


def _peak_memory(way: str, config: Config) -> float:
    """Return the peak bytes of a new process that runs one method once, or NaN."""
    if not config.memory:
        return math.nan
    return measured_alone(STUDY, way, dataclasses.asdict(config))


def measure(way: str, sizes: dict[str, Any]) -> float:
    """Run one method, or ``nothing``, in this process; return its peak bytes."""
    config = Config(**sizes)
    key, lam = _problem(config)
    if way in WAYS:
        jax.block_until_ready(WAYS[way](key, lam, TIMED_INPUT, config))
    return peak_memory()


def show(dataset: xr.Dataset) -> None:
    """Print rates, ratios and memory."""
    config = json.loads(dataset.attrs["config"])
    table = Table(
        title=f"{config['neurons']} neurons, {config['sequences']} sequences of "
        f"{config['length']} steps, complex64, {dataset.attrs['cores']} cores"
    )
    table.add_column("way", no_wrap=True)
    for name in ("neuron-steps/s", "kernel is faster by", "peak memory, MB"):
        table.add_column(name, justify="right")
    fastest = float(dataset["rate"].sel(way="kernel"))
    for way in map(str, dataset["way"].values):
        row = dataset.sel(way=way)
        rate, memory = float(row["rate"]), float(row["memory"])
        table.add_row(
            way, f"{rate:.3g}", f"{fastest / rate:.1f}", f"{memory / 1e6:.0f}"
        )
    short, long = (float(value) / 1e6 for value in dataset["long_memory"])
    console = Console()
    console.print(table)
    console.print(
        f"kernel memory: {short:.0f} MB at {config['length']} steps, {long:.0f} MB "
        f"at {config['long']} steps"
    )


if __name__ == "__main__":
    main(STUDY)
