"""Limits of this machine: rates of multiply-adds, memory copies and random numbers.

All on every core at once, in single precision, as what is held against it runs on all
of them: fused multiply-adds of vectors that stay in registers, bytes copied between
places that no cache holds, and normal numbers of the moments' kernel.
"""

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass

import jax
import numpy as np
import xarray as xr
from rich.console import Console

from sigprop.experiments.command import main
from sigprop.experiments.progress import counted
from sigprop.inputs import White
from sigprop.neuron import noise
from sigprop.numerics.devices import cores
from sigprop.numerics.native import (
    VECTOR,
    available,
    compile_function,
    llvmlite,
    multiply_add,
    over_cores,
    repeat,
)

STUDY, VERSION = "speed_limits", 1
CHAINS = 12  # independent sums, enough to hide the latency of an addition
LANES = VECTOR // 4  # numbers in single precision
RATES = ("multiply_adds", "copied_bytes", "normals")


@dataclass(frozen=True)
class Config:
    """Turns of the multiplications, bytes copied a core, steps drawn, and repeats."""

    turns: int = 2_000_000
    copied: int = 2**26
    steps: int = 4096
    repeats: int = 7


SMOKE = Config(turns=1000, copied=2**16, steps=64, repeats=2)
QUICK = Config()
PAPER = Config(repeats=25)


def run(config: Config) -> xr.Dataset:
    """Rates of all three, in turns; of the copies alone where llvmlite is missing."""
    tasks = {"copied_bytes": (_copy(config.copied), cores() * config.copied)}
    if available():
        count = cores() * CHAINS * LANES * config.turns
        tasks["multiply_adds"] = _multiply(config.turns), count
        batch = cores() * 8 * LANES
        source = noise.follow(jax.random.key(0), White(), batch, np.float32)
        if source is not None:
            normals = source
            tasks["normals"] = lambda: normals.steps(config.steps), batch * config.steps
    rates = np.full((len(RATES), config.repeats), np.nan)
    for turn in counted(
        range(-1, config.repeats), "repeats"
    ):  # the first round compiles
        for name, (task, count) in tasks.items():
            began = time.perf_counter()
            task()
            if turn >= 0:
                took = time.perf_counter() - began
                rates[RATES.index(name), turn] = count / took
    return xr.Dataset(
        {"rate": (("limit", "repeat"), rates, {"units": "a second"})},
        {"limit": list(RATES)},
        {"dtype": "float32", "cores": cores(), "vector": VECTOR},
    )


def _copy(size: int) -> Callable[[], object]:
    pairs = [np.ones((2, size), np.uint8) for _ in range(cores())]

    def part(first: int, count: int) -> None:
        for source, target in pairs[first : first + count]:
            np.copyto(target, source)

    return lambda: over_cores(part, cores(), size)


def _multiply(turns: int) -> Callable[[], object]:
    function = compile_function(_program(), "multiply", ctypes.c_void_p, ctypes.c_int64)
    values = [np.full((CHAINS + 1) * LANES, 0.5, np.float32) for _ in range(cores())]

    def part(first: int, count: int) -> None:
        for array in values[first : first + count]:
            function(array.ctypes.data, turns)

    return lambda: over_cores(part, cores(), CHAINS * LANES * turns)


def _program() -> object:
    """``z = a z + a`` for a few vectors at once, over and over."""
    ir = llvmlite("ir")
    vector, long = ir.VectorType(ir.FloatType(), LANES), ir.IntType(64)
    module = ir.Module("limits")
    kind = ir.FunctionType(ir.VoidType(), [vector.as_pointer(), long])
    function = ir.Function(module, kind, "multiply")
    start, turns = function.args
    build = ir.IRBuilder(function.append_basic_block())
    fused = multiply_add(build, vector)
    pointers = [build.gep(start, [long(i)]) for i in range(CHAINS + 1)]
    a, *begun = [build.load(pointer, align=4) for pointer in pointers]
    ends = repeat(build, turns, begun, lambda _, now: [fused(a, z, a) for z in now])
    for end, pointer in zip(ends, pointers[1:], strict=True):
        build.store(end, pointer, align=4)
    build.ret_void()
    return module


def show(data: xr.Dataset) -> None:
    """Print each rate, the best of the repeats."""
    console = Console(highlight=False)
    for name in RATES:
        rate = float(data["rate"].sel(limit=name).max())
        text = "not measured" if np.isnan(rate) else f"{rate / 1e9:.3g} G a second"
        console.print(f"{name.replace('_', ' ')}: {text}")


if __name__ == "__main__":
    main(STUDY)
