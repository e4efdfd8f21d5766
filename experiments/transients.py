"""Norms of states over time from the zero state, for RotRNN and LRU.

The study measures ``E|h_t|^2`` after ``t`` inputs: of a head of a RotRNN, and of a neuron of
an LRU on average over a group.  The neurons of a group decay alike and have small phases.
The closed form is that of the layer's own matrices.  RotRNN's paper claims a constant norm,
which needs an initial state of that norm.  It is measured too, with random initial states.

Source: RotRNN (2024), Section 3.3 and Lemma 3; Orvieto et al. (2023), Section 3.4.
"""

import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax import lax
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.experiments.command import main
from sigprop.experiments.progress import counter
from sigprop.inputs import AR1, White
from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.lru import lru
from sigprop.layers.rotrnn import RotRNN, rotrnn
from sigprop.linear.linearise import diagonalise, linearise
from sigprop.linear.measured_moments import channels
from sigprop.linear.predicted_moments import pair_moment, state_moments
from sigprop.neuron.montecarlo import Estimate, Sums
from sigprop.numerics.precision import double_precision

STUDY, VERSION = "transients", 1
INPUTS: dict[str, Any] = {"white": White(), "rho=0.9": AR1(0.9)}
PHASE = math.pi / 10  # largest phase of RotRNN on Pathfinder and Path-X


@dataclass(frozen=True)
class Config:
    """Decays and sizes.

    ``size`` is the number of real numbers in a head of RotRNN, and of complex neurons in a
    group of the LRU.  ``places`` is the number of logarithmically spaced times.
    """

    decays: tuple[float, ...] = (0.9, 0.99, 0.999, 0.9999)
    size: int = 8
    width: int = 16
    steps: int = 4096
    places: int = 19
    sequences: int = 256
    batch: int = 32
    seed: int = 0


SMOKE = Config(
    decays=(0.5, 0.9), size=4, width=3, steps=24, places=7, sequences=256, batch=128
)
QUICK = Config()
PAPER = Config(steps=16_384, places=29, sequences=1024)


def layers(config: Config) -> dict[str, Layer]:
    """Return both layers, each with one decay per head or group."""
    groups, n = len(config.decays), len(config.decays) * config.size
    first, second = jax.random.split(jax.random.key(config.seed))
    nu = -np.log(np.array(config.decays))
    phases = 0.0, PHASE
    rotating = rotrnn(n, config.width, key=first, heads=groups, theta_range=phases)
    diagonal = lru(n, config.width, key=second, max_phase=PHASE, gamma="detached")
    return {
        "RotRNN": replace(rotating, {"gamma_log": jnp.log(jnp.asarray(nu))}),
        "LRU": replace(
            diagonal, {"nu_log": jnp.repeat(jnp.log(jnp.asarray(nu)), config.size)}
        ),
    }


def times(config: Config) -> np.ndarray:
    """Return the measured times, as numbers of inputs."""
    return np.unique(np.geomspace(1, config.steps, config.places).round().astype(int))


def _grouped(squares: Any, layer: Layer, config: Config) -> Any:
    """Return the sum of squares in each head of a RotRNN, or the mean in each group."""
    parts = squares.reshape(*squares.shape[:-1], len(config.decays), config.size)
    return parts.sum(-1) if isinstance(layer, RotRNN) else parts.mean(-1)


def predict(
    layer: Layer, process: Any, config: Config
) -> Float[np.ndarray, "group time"]:
    """Return the closed form at all times."""
    values = {name: np.asarray(x, float) for name, x in parameters(layer).items()}
    with double_precision(True):
        wide = replace(layer, {name: jnp.asarray(x) for name, x in values.items()})
        modes = diagonalise(linearise(wide))
    covariance = process.autocovariance(np.arange(config.steps))
    squares = [
        state_moments(
            modes, pair_moment(modes.lam, modes.lam.conj(), int(count), covariance)
        )
        for count in times(config)
    ]
    return _grouped(np.stack(squares), layer, config).T


def from_start(
    layer: Layer, start: Float[Array, " n"], u: Float[Array, "time d_in"]
) -> Float[Array, "time n"]:
    """Return the states from a given initial state."""

    def step(h: Array, u: Array):
        h, _ = layer.step(h, u)
        return h, h

    return lax.scan(step, start, u)[1]


def starts(
    key: PRNGKeyArray, num: int, config: Config
) -> Float[Array, "num group size"]:
    """Draw initial states of a RotRNN: random directions with norm one in each head."""
    directions = jax.random.normal(key, (num, len(config.decays), config.size))
    return directions / jnp.linalg.norm(directions, axis=-1, keepdims=True)


def measure(
    key: PRNGKeyArray, layer: Layer, process: Any, config: Config, started: bool
) -> Estimate:
    """Return averages over sampled inputs, with shape (group, time).

    Sequences begin at the zero state, or at norm one if ``started``.
    """
    indices = times(config) - 1

    @jax.jit
    def look(key: PRNGKeyArray) -> Float[Array, "num time group"]:
        input_key, start_key = jax.random.split(key)
        shape = config.batch, config.steps, config.width
        u = channels(input_key, process, *shape, jnp.float32)
        if started:
            begun = starts(start_key, config.batch, config).reshape(config.batch, -1)
            h = jax.vmap(lambda h, u: from_start(layer, h, u))(begun, u)
        else:
            h = jax.vmap(layer.states)(u)
        return _grouped(jnp.abs(h[:, indices]) ** 2, layer, config)

    total = Sums(np.zeros(()), np.zeros(()), 0)
    for index in range(-(-config.sequences // config.batch)):
        squares = np.asarray(look(jax.random.fold_in(key, index)), float)
        total += Sums(squares.sum(0), (squares**2).sum(0), len(squares))
    mean, sem, n = total.estimate()
    return Estimate(mean.T, sem.T, n)


def run(config: Config) -> xr.Dataset:
    """Measure and predict both layers for both inputs."""
    both = layers(config)
    sizes = len(both), len(INPUTS), len(config.decays), len(times(config))
    measured, sem, predicted = np.empty((3, *sizes))
    tick = counter(measured[..., 0, 0].size + 1, "layers")
    key = jax.random.key(config.seed + 1)
    for i, layer in enumerate(both.values()):
        for j, process in enumerate(INPUTS.values()):
            draw = jax.random.fold_in(key, len(INPUTS) * i + j)
            measured[i, j], sem[i, j], _ = measure(draw, layer, process, config, False)
            predicted[i, j] = predict(layer, process, config)
            tick()
    begun = measure(
        jax.random.fold_in(key, sizes[0] * sizes[1]),
        both["RotRNN"],
        INPUTS["white"],
        config,
        True,
    )
    tick()
    dims = ("layer", "input", "decay", "time")
    units = {"units": "squared norm of a head, or of a neuron"}
    return xr.Dataset(
        {
            "measured": (dims, measured, units),
            "sem": (dims, sem, units),
            "predicted": (dims, predicted, units),
            "started": (dims[2:], begun.mean, units),
            "started_sem": (dims[2:], begun.sem, units),
        },
        {
            "layer": list(both),
            "input": list(INPUTS),
            "decay": list(config.decays),
            "time": ("time", times(config), {"units": "inputs seen"}),
        },
        {
            "dtype": "float32",
            "sequences": begun.n,
            "sizes": f"{config.size} states a decay, {config.width} inputs",
        },
    )


if __name__ == "__main__":
    main(STUDY)
