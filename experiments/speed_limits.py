"""Limits of this machine: rates of multiply-adds, memory copies and random numbers.

All rates are in single precision, on all cores at once, as are the programs that are compared
with them.  They are fused multiply-adds of vectors in registers, bytes copied between arrays
larger than the caches, and normal numbers of the kernel for moments.
"""

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import no_type_check

import jax
import numpy as np
import xarray as xr
from jaxtyping import Float
from rich.console import Console

from sigprop.experiments.command import main
from sigprop.experiments.progress import counted
from sigprop.inputs import White
from sigprop.neuron import noise
from sigprop.numerics.devices import cores
from sigprop.numerics.tiles import over_cores

STUDY, VERSION = "speed_limits", 1
NUMBERS = 192  # numbers in 12 of the widest vectors, to hide an addition's latency
TURNS = 8  # multiply-adds of a vector while it stays in registers
RATES = ("multiply_adds", "copied_bytes", "normals")


@dataclass(frozen=True)
class Config:
    """Multiply-adds per number, copied bytes per core, random steps, and repeats."""

    turns: int = 2_000_000
    copied: int = 2**26
    steps: int = 4096
    repeats: int = 7


SMOKE = Config(turns=1000, copied=2**16, steps=64, repeats=2)
QUICK = Config()
PAPER = Config(repeats=25)


def run(config: Config) -> xr.Dataset:
    """Measure all three rates in turns, or only that of copies without Numba."""
    tasks = {"copied_bytes": (_copy(config.copied), cores() * config.copied)}
    if noise.available():
        count = cores() * NUMBERS * config.turns
        tasks["multiply_adds"] = _multiply(config.turns), count
        batch = cores() * 128
        source = noise.follow(jax.random.key(0), White(), batch, np.float32)
        if source is not None:
            normals = source
            tasks["normals"] = lambda: normals.steps(config.steps), batch * config.steps
    rates = np.full((len(RATES), config.repeats), np.nan)
    for turn in counted(
        range(-1, config.repeats), "repeats"
    ):  # the first round only compiles
        for name, (task, count) in tasks.items():
            began = time.perf_counter()
            task()
            if turn >= 0:
                took = time.perf_counter() - began
                rates[RATES.index(name), turn] = count / took
    return xr.Dataset(
        {"rate": (("limit", "repeat"), rates, {"units": "a second"})},
        {"limit": list(RATES)},
        {"dtype": "float32", "cores": cores(), "vector": 64},
    )


def _copy(size: int) -> Callable[[], object]:
    pairs = [np.ones((2, size), np.uint8) for _ in range(cores())]

    def part(first: int, count: int) -> None:
        for source, target in pairs[first : first + count]:
            np.copyto(target, source)

    return lambda: over_cores(part, cores(), size)


def _multiply(turns: int) -> Callable[[], object]:
    multiply = multiplication()
    values = [np.full(NUMBERS, 0.25, np.float32) for _ in range(cores())]

    def part(first: int, count: int) -> None:
        for array in values[first : first + count]:
            multiply(array, turns // TURNS)

    return lambda: over_cores(part, cores(), NUMBERS * turns)


@functools.cache
def multiplication() -> Callable[[Float[np.ndarray, " numbers"], int], None]:
    """Compile a function that replaces each ``z`` by ``(z + 1) / 2``, repeatedly.

    Its second argument counts rounds of ``TURNS`` replacements.
    """
    from sigprop.numerics.machine_code import called, wide_vectors

    half = np.float32(0.5)

    @called
    @no_type_check
    def multiply(values, rounds):
        wide_vectors()
        for _ in range(rounds):
            for i in range(NUMBERS):
                z = values[i]
                for _ in range(TURNS):
                    z = half * z + half
                values[i] = z

    return multiply


def show(data: xr.Dataset) -> None:
    """Print the best value of each rate."""
    console = Console(highlight=False)
    for name in RATES:
        rate = float(data["rate"].sel(limit=name).max())
        text = "not measured" if np.isnan(rate) else f"{rate / 1e9:.3g} G a second"
        console.print(f"{name.replace('_', ' ')}: {text}")


if __name__ == "__main__":
    main(STUDY)
