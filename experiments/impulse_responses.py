"""Impulse responses of a layer with phases from the whole circle, and with small phases.

Eigenvalues have modulus ``exp(-decay)`` and phases uniform on [0, ``max_phase``].  For a few
modes, the real part of the state is stored.  For many modes, the number of turns within
several lengths is counted, as half of the number of sign changes, and compared with the mean
over all phases.

Source: Orvieto et al. (2023), Figure 4.
"""

import functools
import math
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax import lax
from jaxtyping import Array, Complex, Float

from sigprop.experiments.command import main
from sigprop.neuron.recurrence import impulse_response
from sigprop.neuron.ring import mean_turns, sample_ring
from sigprop.numerics.precision import double_precision

STUDY, VERSION = "impulse_responses", 1
BATCH = 50  # modes in memory at a time


@dataclass(frozen=True)
class Config:
    """Numbers of modes, their largest phases, and the lengths over which turns are counted.

    Stored responses have the last of ``lengths``.
    """

    decay: float = 0.00005
    max_phases: tuple[float, ...] = (2 * math.pi, math.pi / 50)
    shown: int = 3
    counted: int = 200
    lengths: tuple[int, ...] = (512, 1024, 2048, 4096, 8192, 16_384)
    seed: int = 0


SMOKE = Config(counted=100, lengths=(512, 1024))
QUICK = Config()
PAPER = Config(counted=2000)


def run(config: Config) -> xr.Dataset:
    """Compute the impulse responses of all modes, in double precision."""
    radius, length = math.exp(-config.decay), config.lengths[-1]
    key, age = jax.random.key(config.seed), np.arange(config.lengths[-1])
    phases, states, turns = [], [], []
    with double_precision(True):
        for index, largest in enumerate(config.max_phases):
            shown, counted = (
                sample_ring(ring_key, count, radius, radius, largest, jnp.complex128)
                for ring_key, count in zip(
                    jax.random.split(jax.random.fold_in(key, index)),
                    (config.shown, config.counted),
                    strict=True,
                )
            )
            phases.append(np.angle(shown) % (2 * math.pi))
            states.append(np.asarray(impulse_response(shown, length)[0].real.T))
            turns.append(np.asarray(_turns(counted, config.lengths)))
    exact = [
        [mean_turns(steps, largest) for steps in config.lengths]
        for largest in config.max_phases
    ]
    periods = {"units": "periods"}
    return xr.Dataset(
        {
            "state": (
                ("max_phase", "mode", "age"),
                np.stack(states).astype(np.float32),
                {"units": "real part of the state, of an impulse of one"},
            ),
            "envelope": ("age", np.exp(-config.decay * age), {"units": "modulus"}),
            "phase": (("max_phase", "mode"), np.stack(phases), {"units": "radians"}),
            "turns": (("max_phase", "draw", "length"), np.stack(turns), periods),
            "mean_turns": (("max_phase", "length"), np.array(exact), periods),
        },
        {
            "max_phase": ("max_phase", list(config.max_phases), {"units": "radians"}),
            "age": ("age", age, {"units": "steps"}),
            "length": ("length", list(config.lengths), {"units": "steps"}),
        },
        {"dtype": "complex128", "decay": config.decay},
    )


@functools.partial(jax.jit, static_argnames="lengths")
def _turns(
    lam: Complex[Array, " n"], lengths: tuple[int, ...]
) -> Float[Array, "n lengths"]:
    """Return half the number of sign changes of each mode within each length."""

    def per_mode(lam: Complex[Array, ""]) -> Float[Array, " lengths"]:
        positive = impulse_response(lam[None], lengths[-1])[0][:, 0].real > 0
        changes = jnp.cumsum(positive[1:] != positive[:-1])
        return changes[jnp.array(lengths) - 2] / 2

    return lax.map(per_mode, lam, batch_size=BATCH)


if __name__ == "__main__":
    main(STUDY)
