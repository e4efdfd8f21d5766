"""Moments of layers whose gates depend only on the input, against the time constant.

``E|h|^2`` and ``E|d(v . h)/dtheta|^2`` of every gate are predicted and measured, for
independent Gaussian inputs, after ``spans`` time constants from the zero state.  The time
constant ``1/(1 - a)`` is that of the gates without an input; with inputs, each layer forgets
at its own pace.  Layers with different time constants have the same random draw and differ
only in the parameter that sets it.

Source: ``sigprop.theory.gated_moments``; Zucchet & Orvieto (2024), Section 5, for the
question.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import PRNGKeyArray

from sigprop.experiments import memories
from sigprop.experiments.command import main
from sigprop.experiments.progress import counter
from sigprop.layers.base import Layer, replace
from sigprop.layers.gated import gated_unit
from sigprop.layers.gla import gla
from sigprop.layers.mingru import mingru
from sigprop.layers.rglru import rglru
from sigprop.layers.selective import selective
from sigprop.linear.gated_moments import predict_gated, squares
from sigprop.neuron.montecarlo import Estimate
from sigprop.numerics.precision import double_precision

STUDY, VERSION = "gated_moments", 1
GATE = {
    "RG-LRU": "W_a",
    "minGRU": "W_z",
    "selective": "bias",
    "GLA": "bias",
    "gated unit": "W_fx",
    "gated DeltaNet": "bias",
}
"""The gate's parameter of each layer whose gradient is shown."""
TEMPER = 16.0  # GLA takes this root of its gates


@dataclass(frozen=True)
class Config:
    """Time constants (``memories``), sequence lengths relative to them, and sizes."""

    layers: tuple[str, ...] = tuple(GATE)
    memories: tuple[float, ...] = (4.0, 16.0, 64.0, 256.0)
    spans: float = 2.0
    neurons: int = 2
    sequences: int = 1024
    batch: int = 256
    seed: int = 0


SMOKE = Config(layers=("minGRU", "GLA"), memories=(3.0, 6.0), sequences=512)
QUICK = Config()
PAPER = Config(
    memories=tuple(float(round(4 * 250 ** (i / 11), 1)) for i in range(12)),
    sequences=4096,
)


def _gla(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    layer = gla(n, 2 * n, key=key, heads=2, rank=2)
    decay = (1 - 1 / memory) ** TEMPER
    return replace(
        layer, {"bias": jnp.full(layer.bias.shape, math.log(decay / (1 - decay)))}
    )


def _selective(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    step = -math.log1p(-1 / memory)
    return selective(n, 2 * n, key=key, steps=(step, step))


def _mingru(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    layer = mingru(2 * n, 2 * n, key=key)
    return replace(layer, {"b_z": jnp.full(layer.b_z.shape, -math.log(memory - 1))})


def _rglru(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    radius = (1 - 1 / memory) ** (1 / 4)  # at a gate of 1/2, the decay is radius^4
    return rglru(2 * n, 2 * n, key=key, heads=1, radii=(radius, radius))


LAYERS: dict[str, Callable[[PRNGKeyArray, int, float], Layer]] = {
    "RG-LRU": _rglru,
    "minGRU": _mingru,
    "selective": _selective,
    "GLA": _gla,
    "gated unit": lambda key, n, memory: gated_unit(
        2 * n, 2 * n, key=key, d_out=n, times=(memory - 1, memory - 1), state_gain=0
    ),
    "gated DeltaNet": memories.LAYERS["gated DeltaNet"],
}


def draw(name: str, memory: float, config: Config) -> Layer:
    """Draw a layer with this time constant, in double precision."""
    key = jax.random.fold_in(jax.random.key(config.seed), list(GATE).index(name))
    return memories.in_double(LAYERS[name](key, config.neurons, memory))


def steps(memory: float, config: Config) -> int:
    """Return the length of a sequence."""
    return memories.steps(memory, config.spans)


def measure(
    key: PRNGKeyArray, layer: Layer, length: int, config: Config
) -> dict[str, Estimate]:
    """Measure the moments on sequences of Gaussian inputs."""
    shape = (config.batch, length, layer.widths[0])
    return memories.averages(key, squares(layer), shape, config.sequences)


def run(config: Config) -> xr.Dataset:
    """Predict and measure the moments of each layer at each time constant."""
    sizes = len(config.layers), len(config.memories), 2
    measured, sem, predicted, error = np.empty((4, *sizes))
    worst = np.empty(sizes[:2])
    tick = counter(sizes[0] * sizes[1], "layers")
    for i, name in enumerate(config.layers):
        for j, memory in enumerate(config.memories):
            with double_precision(True):
                layer, length = draw(name, memory, config), steps(memory, config)
                closed = predict_gated(layer, steps=length)
                key = jax.random.fold_in(jax.random.key(config.seed + 1), 100 * i + j)
                estimates = measure(key, layer, length, config)
            for k, moment in enumerate(("state", GATE[name])):
                measured[i, j, k], sem[i, j, k], _ = estimates[moment]
                predicted[i, j, k], error[i, j, k] = closed[moment]
            apart = [
                abs(estimates[moment].mean - value) / estimates[moment].sem
                for moment, (value, _) in closed.items()
            ]
            worst[i, j] = max(map(float, apart))
            tick()
    dims: Any = ("layer", "memory", "moment")
    units = {"units": "sum of squares"}
    return xr.Dataset(
        {
            "measured": (dims, measured, units),
            "sem": (dims, sem, units),
            "predicted": (dims, predicted, units),
            "error": (dims, error, units),
            "farthest": (dims[:2], worst, {"units": "standard errors"}),
        },
        {
            "layer": list(config.layers),
            "memory": ("memory", list(config.memories), {"units": "steps"}),
            "moment": ["state", "gate"],
            "parameter": ("layer", [GATE[name] for name in config.layers]),
        },
        {
            "dtype": "float64",
            "spans": config.spans,
            "sequences": config.batch * -(-config.sequences // config.batch),
            "sizes": f"{2 * config.neurons} inputs",
        },
    )


if __name__ == "__main__":
    main(STUDY)
