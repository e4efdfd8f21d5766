"""Speed, memory and compile time of a recurrent layer against its usual implementation.

Loss and gradients of one LRU layer, ``h_t = lam h_{t-1} + gamma B u_t`` and
``y_t = Re(C h_t) + D u_t``, for every parameter and the inputs, in single precision,
written two ways and mapped over the batch by ``jax.vmap``:

- *engine*: ``sigprop.engine.scan_linear`` between ``sigprop.projections``;
- *usual*: complex products, and ``jax.lax.associative_scan`` over ``lam`` repeated at
  every step and the inputs, differentiated by JAX.

Before any timing both must agree in loss and gradients.  Repeats alternate between the
ways, so that another load on the machine meets both.  Memory is what the compiled
program takes besides arguments and results.  Leave JAX's persistent compilation cache
off, or compile times mean nothing.
"""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax import lax
from jaxtyping import Array, Complex, Float
from rich.console import Console
from rich.table import Table

from experiments.command import main
from sigprop.engine import scan_linear
from sigprop.projections import project_in, read_out

STUDY, VERSION = "speed_layers", 1
AGREEMENT = 1e-4  # of the largest entry: rounding of long sums in single precision
Parameters = dict[str, Float[Array, "..."]]


@dataclass(frozen=True)
class Config:
    """Sizes of the layer, lengths, and how often to run and to compile at each."""

    states: int = 256
    width: int = 128
    batch: int = 4
    lengths: tuple[int, ...] = (256, 512, 1024, 2048, 4096, 8192)
    repeats: int = 7
    compiles: int = 3
    seed: int = 0


SMOKE = Config(states=8, width=4, batch=2, lengths=(16, 33), repeats=2, compiles=1)
QUICK = Config()
PAPER = Config(lengths=(*QUICK.lengths, 16_384, 32_768, 65_536), repeats=15)


def parameters(config: Config) -> Parameters:
    """A layer with moduli between 0.5 and 0.99, normalised for white inputs."""
    names = ("modulus", "phase", "B_re", "B_im", "C_re", "C_im", "D")
    split = jax.random.split(jax.random.key(config.seed), len(names))
    keys: dict[str, Array] = dict(zip(names, split, strict=True))
    n, width = config.states, config.width
    square = jax.random.uniform(keys["modulus"], (n,), minval=0.5**2, maxval=0.99**2)
    shapes = {"B_re": (n, width), "B_im": (n, width), "C_re": (width, n)}
    shapes |= {"C_im": (width, n), "D": (width, 1)}
    weights = {
        name: jax.random.normal(keys[name], shape) / np.sqrt(2 * shape[1])
        for name, shape in shapes.items()
    }
    return {
        **weights,
        "D": weights["D"][:, 0],
        "nu": jnp.log(-0.5 * jnp.log(square)),
        "theta": jax.random.uniform(keys["phase"], (n,), maxval=2 * np.pi),
        "gamma": jnp.sqrt(1 - square),
    }


def _eigenvalues(layer: Parameters) -> Complex[Array, " n"]:
    return jnp.exp(lax.complex(-jnp.exp(layer["nu"]), layer["theta"]))


def engine(
    layer: Parameters, u: Float[Array, "time width"]
) -> Float[Array, "time width"]:
    """The layer by the recurrence engine and real products."""
    gamma = layer["gamma"][:, None]
    x = project_in(gamma * layer["B_re"], gamma * layer["B_im"], u)
    h = scan_linear(_eigenvalues(layer), x)
    return read_out(layer["C_re"], layer["C_im"], h) + layer["D"][None] * u


def _combine(first: Any, second: Any) -> Any:
    gate_1, value_1 = first
    gate_2, value_2 = second
    return gate_2 * gate_1, gate_2 * value_1 + value_2


def usual(
    layer: Parameters, u: Float[Array, "time width"]
) -> Float[Array, "time width"]:
    """The layer as published code has it: complex products and an associative scan."""
    inward = layer["gamma"][:, None] * lax.complex(layer["B_re"], layer["B_im"])
    outward = lax.complex(layer["C_re"], layer["C_im"])
    gates = jnp.repeat(_eigenvalues(layer)[None], u.shape[0], axis=0)
    inputs = jax.vmap(lambda u_t: inward @ u_t.astype(inward.dtype))(u)
    h = lax.associative_scan(_combine, (gates, inputs))[1]
    return jax.vmap(lambda h_t, u_t: (outward @ h_t).real + layer["D"] * u_t)(h, u)


WAYS: dict[str, Callable[..., Float[Array, "time width"]]] = {
    "engine": engine,
    "usual": usual,
}


def problem(config: Config, length: int) -> tuple[Any, ...]:
    """A layer, inputs, and the weights that make one loss of all outputs."""
    input_key, weight_key = jax.random.split(jax.random.key(config.seed + 1))
    shape = (config.batch, length, config.width)
    u, weights = (jax.random.normal(key, shape) for key in (input_key, weight_key))
    return parameters(config), u, weights


def compiled(
    way: str, arguments: tuple[Any, ...]
) -> tuple[Callable[..., Any], float, int]:
    """Loss and gradients as one program, the seconds to compile it, its memory."""

    def loss(layer, u, weights):
        return (jax.vmap(WAYS[way], (None, 0))(layer, u) * weights).mean()

    lowered = jax.jit(jax.value_and_grad(loss, (0, 1))).lower(*arguments)
    started = time.perf_counter()
    program = lowered.compile()
    seconds = time.perf_counter() - started
    memory: Any = program.memory_analysis()
    return program, seconds, memory.temp_size_in_bytes


def disagreement(found: Any, truth: Any) -> float:
    """Largest difference of two answers, relative to each array's largest entry."""
    pairs = zip(jax.tree.leaves(found), jax.tree.leaves(truth), strict=True)
    return max(float(jnp.abs(a - b).max() / jnp.abs(b).max()) for a, b in pairs)


def run(config: Config) -> xr.Dataset:
    """At each length compile both ways, check that they agree, then time them.

    Raises:
        ArithmeticError: If the ways disagree beyond single-precision rounding.
    """
    sizes = (len(WAYS), len(config.lengths))
    compile_seconds = np.empty((*sizes, config.compiles))
    seconds = np.empty((*sizes, config.repeats))
    memory, difference = np.empty(sizes), 0.0
    for column, length in enumerate(config.lengths):
        arguments, programs = problem(config, length), {}
        for repeat in range(config.compiles):
            for row, way in enumerate(WAYS):
                programs[way], compile_seconds[row, column, repeat], size = compiled(
                    way, arguments
                )
                memory[row, column] = size
        answers = [program(*arguments) for program in programs.values()]
        difference = max(difference, disagreement(*answers))
        if not difference <= AGREEMENT:
            raise ArithmeticError(
                f"the ways differ by {difference:.1e} on equal inputs at {length=}"
            )
        del answers
        for repeat in range(config.repeats):
            for row, program in enumerate(programs.values()):
                started = time.perf_counter()
                jax.block_until_ready(program(*arguments))
                seconds[row, column, repeat] = time.perf_counter() - started
    where = ("way", "length")
    return xr.Dataset(
        {
            "seconds": ((*where, "repeat"), seconds, {"units": "s"}),
            "compile_seconds": ((*where, "compile"), compile_seconds, {"units": "s"}),
            "memory": (where, memory, {"units": "bytes of temporaries"}),
        },
        {"way": list(WAYS), "length": list(config.lengths)},
        {
            "dtype": "complex64",
            "cores": os.cpu_count() or 1,
            "disagreement": difference,
        },
    )


def ratios(dataset: xr.Dataset) -> xr.Dataset:
    """Time, memory and compile time of the usual way, in those of the engine."""
    medians = dataset.assign(
        seconds=dataset["seconds"].median("repeat"),
        compile_seconds=dataset["compile_seconds"].median("compile"),
    )
    return medians.sel(way="usual", drop=True) / medians.sel(way="engine", drop=True)


def show(dataset: xr.Dataset) -> None:
    """Print times, memory and ratios."""
    config = json.loads(dataset.attrs["config"])
    table = Table(
        title=f"LRU forward and backward, {config['states']} states, width "
        f"{config['width']}, batch {config['batch']}, {dataset.attrs['cores']} cores"
    )
    table.add_column("steps", justify="right", no_wrap=True)
    names = ("engine, ms", "faster by", "engine, MB", "smaller by")
    for name in (*names, "compiles, s", "sooner by"):
        table.add_column(name, justify="right")
    gains = ratios(dataset)
    for length in map(int, dataset["length"].values):
        ours, gain = dataset.sel(way="engine", length=length), gains.sel(length=length)
        table.add_row(
            str(length),
            f"{1e3 * float(ours['seconds'].median()):.1f}",
            f"{float(gain['seconds']):.1f}",
            f"{float(ours['memory']) / 1e6:.1f}",
            f"{float(gain['memory']):.1f}",
            f"{float(ours['compile_seconds'].median()):.2f}",
            f"{float(gain['compile_seconds']):.1f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main(STUDY)
