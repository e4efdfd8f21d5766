"""Moments and curvature of the LRU, RotRNN and newer layers at equal time constants.

Inputs are independent Gaussian.  Sequences begin at the zero state and last ``spans`` time
constants.  The study measures three numbers of each layer:

- ``state``: ``E|h|^2`` per entry of the state;
- ``gradient``: ``E|dh/dlog tau|^2`` per entry of the state, where ``tau`` is the time constant
  of the gates.  A step of ``log tau`` is the same relative change of memory length in every
  layer.  The derivative is a finite difference of two layers with the same random draw;
- ``trace``: the trace of the Hessian over the recurrent parameters, divided by their number,
  for a layer that is its own teacher.  After long sequences it is ``E|dy/dtheta|^2``.

A power of ``tau`` is fitted to each number at the time constants from ``fitted`` on.

Source: Zucchet & Orvieto (2024), Section 3, for the question, and 4.3 for the Hessian.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sigprop.experiments import memories
from sigprop.experiments.command import main
from sigprop.experiments.memories import averages, final, in_double, steps
from sigprop.experiments.progress import counter
from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.lru import lru
from sigprop.layers.rotrnn import rotrnn
from sigprop.numerics.compilation import SOME
from sigprop.numerics.precision import double_precision

STUDY, VERSION = "equal_memory", 1
QUANTITIES = ("state", "gradient", "trace")
CLOSE = 1e-4  # half the step of log tau; its square is the order of the error


def _lru(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    radius = 1 - 1 / memory
    return lru(2 * n, 2 * n, key=key, r_min=radius, r_max=radius)


def _rotrnn(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    decay = 1 - 1 / memory
    return rotrnn(4 * n, 2 * n, key=key, heads=2, gamma_range=(decay, decay))


LAYERS: dict[str, Callable[[PRNGKeyArray, int, float], Layer]] = {
    "LRU": _lru,
    "RotRNN": _rotrnn,
    **memories.LAYERS,
}


@dataclass(frozen=True)
class Config:
    """Time constants, the smallest one of the fits, and sizes.

    Sizes are those of ``sigprop.experiments.newer_layers``.
    """

    layers: tuple[str, ...] = tuple(LAYERS)
    memories: tuple[float, ...] = (4.0, 16.0, 64.0)
    fitted: float = 16.0
    spans: float = 4.0
    neurons: int = 2
    sequences: int = 512
    batch: int = 128
    seed: int = 0


SMOKE = Config(
    layers=("LRU", "Mamba-2"), memories=(4.0, 8.0), fitted=4.0, sequences=256
)
QUICK = Config(sequences=256)
PAPER = Config(memories=(4.0, 16.0, 64.0, 256.0))


def draw(name: str, memory: float, config: Config) -> Layer:
    """Draw a layer with this time constant, in double precision."""
    key = jax.random.fold_in(jax.random.key(config.seed), list(LAYERS).index(name))
    return in_double(LAYERS[name](key, config.neurons, memory))


def recurrent(layer: Layer) -> dict[str, Array]:
    """Return the parameters of the recurrence and its gates."""
    groups = layer.groups()
    return {k: v for k, v in parameters(layer).items() if groups[k] == "recurrent"}


@functools.partial(jax.jit, compiler_options=SOME)
def squares(
    layers: tuple[Layer, Layer, Layer],
    u: Float[Array, "num time d_in"],
    length: int | Int[Array, ""],
) -> dict[str, Float[Array, " num"]]:
    """Return the three numbers of the study for each sequence.

    Args:
        layers: The layer, then layers with a smaller and a larger time constant.
        u: Input sequences.
        length: Number of inputs to use.
    """
    layer, *ends = layers
    values = recurrent(layer)
    entries = sum(value.size for value in values.values())

    def output(values: dict[str, Array], u: Float[Array, "time d_in"]) -> Array:
        moved = replace(layer, values)

        def step(t: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
            return moved.step(carry[0], u[t])

        start = moved.initial_state(), jnp.zeros(moved.widths[1])
        return jax.lax.fori_loop(0, length, step, start)[1]

    def one(u: Float[Array, "time d_in"]) -> tuple[Array, Array, Array]:
        h = final(layer, u, length)
        before, after = (final(end, u, length) for end in ends)
        derivative = (after - before) / (2 * CLOSE)
        jacobian = jax.tree.leaves(jax.jacfwd(output)(values, u))
        trace = sum((jnp.sum(part**2) for part in jacobian), jnp.zeros(()))
        return jnp.mean(h**2), jnp.mean(derivative**2), trace / entries

    return dict(zip(QUANTITIES, jax.vmap(one)(u), strict=True))


def exponents(
    memory: Float[np.ndarray, " memory"],
    mean: Float[np.ndarray, "*batch memory"],
    sem: Float[np.ndarray, "*batch memory"],
) -> tuple[Float[np.ndarray, "*batch"], Float[np.ndarray, "*batch"]]:
    """Fit powers of the time constant; return exponents and their standard errors.

    Args:
        memory: Time constants, two or more.
        mean: Positive values at each time constant.
        sem: Standard errors of the values, which are independent.
    """
    x = np.log(memory) - np.log(memory).mean()
    weights = x / (x**2).sum()
    error = np.sqrt(((weights * sem / mean) ** 2).sum(-1))
    return np.log(mean) @ weights, error


def run(config: Config) -> xr.Dataset:
    """Measure each layer at each time constant, and fit exponents."""
    sizes = len(QUANTITIES), len(config.layers), len(config.memories)
    mean, sem = np.empty((2, *sizes))
    longest = steps(max(config.memories), config.spans)
    tick = counter(sizes[1] * sizes[2], "layers")
    for i, name in enumerate(config.layers):
        for j, memory in enumerate(config.memories):
            with double_precision(True):
                layers = tuple(
                    draw(name, memory * math.exp(move), config)
                    for move in (0, -CLOSE, CLOSE)
                )
                length = steps(memory, config.spans)
                program = functools.partial(squares, layers, length=length)
                key = jax.random.fold_in(jax.random.key(config.seed + 1), 100 * i + j)
                shape = (config.batch, longest, layers[0].widths[0])
                estimates = averages(key, program, shape, config.sequences)
            for k, quantity in enumerate(QUANTITIES):
                mean[k, i, j], sem[k, i, j], _ = estimates[quantity]
            tick()
    memory = np.array(config.memories)
    late = memory >= config.fitted
    power, error = exponents(memory[late], mean[..., late], sem[..., late])
    dims: Any = ("quantity", "layer", "memory")
    units = {"units": "sum of squares"}
    return xr.Dataset(
        {
            "mean": (dims, mean, units),
            "sem": (dims, sem, units),
            "exponent": (dims[:2], power, {"units": "power of the time constant"}),
            "exponent_sem": (dims[:2], error, {"units": "power of the time constant"}),
        },
        {
            "quantity": list(QUANTITIES),
            "layer": list(config.layers),
            "memory": ("memory", list(config.memories), {"units": "steps"}),
        },
        {
            "dtype": "float64",
            "spans": config.spans,
            "fitted": config.fitted,
            "sequences": config.batch * -(-config.sequences // config.batch),
            "inputs": 2 * config.neurons,
        },
    )


if __name__ == "__main__":
    main(STUDY)
