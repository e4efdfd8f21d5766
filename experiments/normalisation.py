"""Effect of normalisation and small phases before training, against the image size.

Pictures of Pathfinder are read pixel by pixel by the LRU paper's network for Path-X, with its
ring of eigenvalues.  The study measures the loss of a batch and the power of the first
layer's states in three cases: without ``gamma``, with ``gamma``, and with ``gamma`` and small
phases.

Source: Orvieto et al. (2023), Section 3.4 and Figure 5, at the start of training.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sigprop.experiments.command import main
from sigprop.experiments.progress import counter
from sigprop.networks import Network, build, lru_paper, over_batch
from sigprop.networks.probing import state_powers
from sigprop.neuron import stable
from sigprop.tasks.contours import (
    PATH_X,
    PATHFINDER_16,
    PATHFINDER_32,
    PATHFINDER_64,
    Rules,
)
from sigprop.tasks.examples import Batch
from sigprop.tasks.pathfinder import pathfinder
from sigprop.training.supervised import cross_entropy

STUDY, VERSION = "normalisation", 1
RULES = {
    rules.window: rules
    for rules in (PATHFINDER_16, PATHFINDER_32, PATHFINDER_64, PATH_X)
}
WIDE = 2 * np.pi
SETTINGS = {
    "ring": {"gamma": "absent", "max_phase": WIDE},
    "gamma": {"max_phase": WIDE},
    "phase": {},
}


@dataclass(frozen=True)
class Config:
    """Sides of the pictures (``windows``), sizes of network and batch, and draws."""

    windows: tuple[int, ...] = (16, 32, 64, 128)
    width: int = 64
    states: int = 64
    depth: int = 6
    pictures: int = 8
    draws: int = 3
    seed: int = 0


SMOKE = Config(windows=(16,), width=8, states=8, depth=1, draws=2)
QUICK = Config()
PAPER = Config(width=128, states=256, draws=5)


def run(config: Config) -> xr.Dataset:
    """Draw pictures and networks; measure each network on one batch."""
    loss = np.empty((len(config.windows), len(SETTINGS), config.draws))
    power = np.empty_like(loss)
    tick = counter(loss.size, "networks")
    for row, window in enumerate(config.windows):
        for draw, batch in enumerate(_batches(config, RULES[window])):
            for column, options in enumerate(SETTINGS.values()):
                measured = _look(config, options, batch, draw)
                loss[row, column, draw], power[row, column, draw] = measured
                tick()
    ring = lru_paper("pathx").layer_options
    gain = float(stable.ring_gain(1 - ring["r_max"], 1 - ring["r_min"]))
    dims = ("pixels", "setting", "draw")
    return xr.Dataset(
        {
            "loss": (dims, loss, {"units": "nats"}),
            "power": (dims, power, {"units": "E|h|^2 of a neuron"}),
        },
        {
            "pixels": ("pixels", np.square(config.windows), {"units": "steps"}),
            "setting": list(SETTINGS),
        },
        {
            "dtype": "float32",
            "r_min": ring["r_min"],
            "r_max": ring["r_max"],
            "gain": gain,
            "depth": config.depth,
        },
    )


def _batches(config: Config, rules: Rules) -> Iterator[Batch]:
    """Return one batch of pictures for each draw."""
    counts = config.draws * config.pictures, 1, 1
    pictures = pathfinder(rules=rules, counts=counts, seed=config.seed).train
    rows = np.arange(len(pictures)).reshape(config.draws, config.pictures)
    return map(pictures.take, rows)


def _look(
    config: Config, options: dict[str, object], batch: Batch, draw: int
) -> tuple[float, float]:
    """Draw a network; return its loss on a batch and the power of its first states."""
    base = lru_paper("pathx")
    shape = dataclasses.replace(
        base,
        layer_options={**base.layer_options, **options},
        width=config.width,
        state_size=config.states,
        depth=config.depth,
    )
    key = jax.random.fold_in(jax.random.key(config.seed), draw)
    network_key, dropout_key = jax.random.split(key)
    network: Any
    network, state = build(shape, key=network_key)
    u, labels = jnp.asarray(batch.inputs), jnp.asarray(batch.labels)
    outputs = _forward(network, state, u, labels, dropout_key)
    return float(outputs[0]), float(outputs[1]) / network.blocks[0].layer.state_size


@eqx.filter_jit
def _forward(
    network: Network,
    state: eqx.nn.State,
    u: Float[Array, "batch time 1"],
    labels: Int[Array, " batch"],
    key: PRNGKeyArray,
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Return the loss of a batch with its own normalisation, and the sum of powers."""
    scores, state = over_batch(network, state, u, key=key)
    powers = state_powers(eqx.nn.inference_mode(network), state, u)
    return cross_entropy(scores, labels).mean(), powers[0]


if __name__ == "__main__":
    main(STUDY)
