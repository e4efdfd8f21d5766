"""Moments of BLUR's states against the position in a window.

A state of the forward half has seen the inputs before it, and a state of the backward half
has seen those after it.  Each half begins with the zero state at its end of the window.  Both
halves see the present input, and the layer adds their states.  The study predicts and
measures ``E|h_t|^2`` of each half, ``E|y_t|^2`` of the sum without the skip connection, and
``E|d(v . y_t)/dtheta|^2`` of each parameter group.  ``limit`` is the value in the middle of a
window so long that its ends have no effect.

Source: BLUR (2025), Eq. 10-11; ``sigprop.linear.predicted_moments``.
"""

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sigprop.experiments.command import main
from sigprop.experiments.progress import counter
from sigprop.inputs import AR1, White
from sigprop.layers.base import doubled, replace
from sigprop.layers.blur import BLUR, blur
from sigprop.linear.linearise import Perturbed, perturb
from sigprop.linear.measured_moments import by_group, channels, responses
from sigprop.linear.predicted_moments import pair_moment, predict, state_moments
from sigprop.neuron.montecarlo import Estimate, Sums
from sigprop.numerics.precision import double_precision

STUDY, VERSION = "edges", 2
INPUTS: dict[str, Any] = {"white": White(), "rho=0.9": AR1(0.9)}
MOMENTS = ("forward", "backward", "merged", "recurrent", "input", "readout")


@dataclass(frozen=True)
class Config:
    """Sizes: complex ``states`` in each direction, and ``steps`` in a window.

    Each sequence has one error ``v`` of random direction.  The limit of a long window is
    computed with ``far`` steps on either side.
    """

    states: int = 16
    width: int = 8
    ring: tuple[float, float] = (0.9, 0.99)
    steps: int = 96
    places: int = 17
    sequences: int = 1024
    batch: int = 64
    far: int = 1500
    seed: int = 0


SMOKE = Config(
    states=3,
    width=2,
    ring=(0.5, 0.8),
    steps=12,
    places=5,
    sequences=512,
    far=100,
)
QUICK = Config()
PAPER = Config(places=33, sequences=8192)


def layer(config: Config) -> BLUR:
    """Return a BLUR without a skip connection, in double precision."""
    with double_precision(True):
        initial = blur(
            config.states,
            config.width,
            key=jax.random.key(config.seed),
            r_min=config.ring[0],
            r_max=config.ring[1],
        )
        return replace(doubled(initial), {"D": jnp.zeros(config.width)})


def positions(config: Config) -> Int[np.ndarray, " places"]:
    """Return evenly spaced positions, with the first and last one of the window."""
    return np.unique(
        np.linspace(0, config.steps - 1, config.places).round().astype(int)
    )


def expect(
    perturbed: Perturbed, layer: BLUR, process: Any, steps: int, at: int
) -> list[float]:
    """Return the closed forms at one position, in the order of ``MOMENTS``."""
    covariance = process.autocovariance(np.arange(steps))
    moments = by_group(layer, predict(perturbed, covariance, steps, at))
    halves = [
        state_moments(
            half, pair_moment(half.lam, half.lam.conj(), count, covariance)
        ).sum()
        for half, count in zip(perturbed.modes, (at + 1, steps - at), strict=True)
    ]
    return [*halves, moments["output"], *(moments[name] for name in MOMENTS[3:])]


@functools.partial(jax.jit, static_argnums=(2, 3))
def _look(
    key: PRNGKeyArray, layer: BLUR, process: Any, config: Config
) -> Float[Array, "num position moment"]:
    input_key, error_key = jax.random.split(key)
    shape = config.batch, config.steps, config.width
    u = channels(input_key, process, *shape, jnp.float64)
    v = jax.random.normal(error_key, (config.batch, 1, layer.widths[1]))
    # v has unit covariance and a fixed norm; a random norm would scale all gradients.
    v *= jnp.sqrt(v.shape[-1]) / jnp.linalg.norm(v, axis=-1, keepdims=True)

    def at_position(u: Array, v: Array, position: Array) -> Float[Array, " moment"]:
        response = responses(layer, u, position, v)
        h = jnp.abs(response.pop("state")) ** 2
        squares = {name: jnp.sum(jnp.abs(x) ** 2) for name, x in response.items()}
        grouped = by_group(layer, squares)
        n = layer.state_size // 2
        halves = h[:n].sum(), h[n:].sum()
        return jnp.stack(
            [*halves, grouped["output"], *(grouped[name] for name in MOMENTS[3:])]
        )

    indices = jnp.asarray(positions(config))
    over_positions = jax.vmap(at_position, (None, None, 0))
    return jax.vmap(over_positions, (0, 0, None))(u, v, indices)


def measure(key: PRNGKeyArray, layer: BLUR, process: Any, config: Config) -> Estimate:
    """Return averages over sampled windows, with shape (position, moment)."""
    total = Sums(np.zeros(()), np.zeros(()), 0)
    with double_precision(True):
        for index in range(-(-config.sequences // config.batch)):
            sample = _look(jax.random.fold_in(key, index), layer, process, config)
            squares = np.asarray(sample)
            total += Sums(squares.sum(0), (squares**2).sum(0), len(squares))
    return total.estimate()


def run(config: Config) -> xr.Dataset:
    """Predict and measure at both inputs."""
    model, indices = layer(config), positions(config)
    with double_precision(True):
        perturbed = perturb(model)
    sizes = len(INPUTS), len(indices), len(MOMENTS)
    measured, sem, predicted = np.empty((3, *sizes))
    limit = np.empty((len(INPUTS), len(MOMENTS)))
    tick = counter(len(INPUTS), "inputs")
    for i, process in enumerate(INPUTS.values()):
        key = jax.random.fold_in(jax.random.key(config.seed + 1), i)
        measured[i], sem[i], _ = measure(key, model, process, config)
        predicted[i] = [
            expect(perturbed, model, process, config.steps, int(at)) for at in indices
        ]
        limit[i] = expect(perturbed, model, process, 2 * config.far + 1, config.far)
        tick()
    dims, units = ("input", "position", "moment"), {"units": "sum of squares"}
    return xr.Dataset(
        {
            "measured": (dims, measured, units),
            "sem": (dims, sem, units),
            "predicted": (dims, predicted, units),
            "limit": (("input", "moment"), limit, units),
        },
        {
            "input": list(INPUTS),
            "position": ("position", indices, {"units": "steps from the start"}),
            "moment": list(MOMENTS),
        },
        {
            "dtype": "float64",
            "steps": config.steps,
            "sequences": config.batch * -(-config.sequences // config.batch),
            "sizes": f"{config.states} states a direction, {config.width} inputs, moduli "
            f"from {config.ring[0]:g} to {config.ring[1]:g}",
        },
    )


if __name__ == "__main__":
    main(STUDY)
