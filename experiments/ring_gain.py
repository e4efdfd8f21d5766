"""The gain of a layer with eigenvalues on a ring, simulated and in closed form.

Eigenvalues are drawn by Lemma 3.2, and the input matrix ``B`` is a complex Glorot matrix.
The input ``u`` is white or constant Gaussian noise.  The recurrence ``x_k = lam x_{k-1} + B
u_k`` begins at zero and takes ``length`` steps.  The gain ``|x_L|^2 / E|B u|^2`` of
independent runs is compared with the closed form.  For a white input, ``E|B u|^2 = |B|_F^2``;
for a constant one, ``|B u|^2`` of the run is used.

Source: Orvieto et al. (2023), Figure 9, Proposition 3.3.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax import lax
from jaxtyping import Array, Complex, Float, Key

from sigprop.experiments.command import main
from sigprop.experiments.progress import counter
from sigprop.neuron import stable
from sigprop.neuron.recurrence import step
from sigprop.neuron.ring import sample_ring
from sigprop.numerics.precision import double_precision

STUDY, VERSION = "ring_gain", 1
INPUTS = ("white", "constant")
CHUNK = 100  # steps per matrix product of inputs and projection


@dataclass(frozen=True)
class Config:
    """Inner radii and outer gaps ``1 - r_max`` of the rings, and sizes of the simulation.

    ``length`` must be a multiple of 100.
    """

    inner: tuple[float, ...] = (0.0, 0.9)
    outer_gaps: tuple[float, ...] = (0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
    points: int = 101
    neurons: int = 500
    features: int = 32
    length: int = 10_000
    runs: int = 10
    seed: int = 0


SMOKE = Config(
    outer_gaps=(0.09, 0.05), points=11, neurons=50, features=4, length=400, runs=24
)
QUICK = Config()
PAPER = Config(
    inner=(0.0, 0.5, 0.9),
    outer_gaps=(
        *(0.09, 0.07, 0.05, 0.035, 0.02, 0.014, 0.01),
        *(0.007, 0.005, 0.0035, 0.002, 0.0014, 0.001),
    ),
    features=128,
)


def run(config: Config) -> xr.Dataset:
    """Simulate every ring with both inputs, in double precision."""
    if config.length % CHUNK:
        raise ValueError(f"need length in multiples of {CHUNK}, got {config.length}")
    gap = np.geomspace(max(config.outer_gaps), min(config.outer_gaps), config.points)
    simulated_gap = np.array(config.outer_gaps)
    inner_gap = 1 - np.array(config.inner)[:, None]
    with double_precision(True):
        measured = _measure(config)
        theory = np.asarray(stable.ring_gain(gap[None], inner_gap))
        exact = np.asarray(stable.ring_gain(simulated_gap[None], inner_gap))
    units = {"units": "E|x_L|^2 over E|B u|^2, dimensionless"}
    return xr.Dataset(
        {
            "theory": (("inner", "gap"), theory, units),
            "exact": (("inner", "simulated_gap"), exact, units),
            "measured": (("input", "inner", "simulated_gap", "run"), measured, units),
        },
        {
            "input": list(INPUTS),
            "inner": ("inner", list(config.inner), {"units": "r_min"}),
            "gap": ("gap", gap, {"units": "1 - r_max"}),
            "simulated_gap": ("simulated_gap", simulated_gap, {"units": "1 - r_max"}),
        },
        {
            "dtype": "complex128",
            "neurons": config.neurons,
            "length": config.length,
        },
    )


def _measure(config: Config) -> Float[np.ndarray, "input inner gap run"]:
    """Return one ratio for each run; all rings and inputs have separate draws."""
    keys = jax.random.split(
        jax.random.key(config.seed),
        (len(INPUTS), len(config.inner), len(config.outer_gaps), config.runs),
    )
    ratios = np.empty(keys.shape)
    tick = counter(ratios[..., 0].size, "rings")
    for i, kind in enumerate(INPUTS):
        for j, inner in enumerate(config.inner):
            for k, gap in enumerate(config.outer_gaps):
                ratios[i, j, k] = _runs(keys[i, j, k], kind, inner, 1 - gap, config)
                tick()
    return ratios


@functools.partial(jax.jit, static_argnames=("kind", "config"))
def _simulate(
    kind: str,
    config: Config,
    lam: Complex[Array, "run n"],
    projection: Float[Array, "run features 2*n"],
    keys: Key[Array, " run"],
) -> tuple[Complex[Array, "run n"], Float[Array, " run"]]:
    """Return the final states and the energies of the projected inputs of all runs."""
    shape = (config.runs, 1 if kind == "constant" else CHUNK, config.features)

    def inputs(index: Any) -> Complex[Array, "steps run n"]:
        chunk_keys = jax.vmap(jax.random.fold_in, (0, None))(keys, index)
        u = jax.vmap(lambda key: jax.random.normal(key, shape[1:]))(chunk_keys)
        projected = jnp.moveaxis(u @ projection, 1, 0)
        real, imag = jnp.split(projected, 2, axis=-1)
        return lax.complex(real, imag)

    def steps(x, projected):
        return lax.scan(lambda x, v: (step(lam, x, v), None), x, projected)[0]

    if kind == "constant":
        (fixed,) = inputs(0)
        energy = (jnp.abs(fixed) ** 2).sum(-1)
        x = lax.fori_loop(
            0, config.length, lambda _, x: step(lam, x, fixed), jnp.zeros_like(lam)
        )
        return x, energy
    energy = (projection**2).sum((1, 2))
    x, _ = lax.scan(
        lambda x, index: (steps(x, inputs(index)), None),
        jnp.zeros_like(lam),
        jnp.arange(config.length // CHUNK),
    )
    return x, energy


def _runs(
    keys: Key[Array, " run"], kind: str, inner: float, outer: float, config: Config
) -> Float[np.ndarray, " run"]:
    """Return ``|x_L|^2 / E|B u|^2`` of each run, with new eigenvalues, matrix and input."""
    eigenvalue_keys, projection_keys, input_keys = jnp.moveaxis(
        jax.vmap(lambda key: jax.random.split(key, 3))(keys), 1, 0
    )
    lam = jax.vmap(
        lambda key: sample_ring(key, config.neurons, inner, outer, dtype=jnp.complex128)
    )(eigenvalue_keys)
    # Real and imaginary part, side by side; each has half of Glorot's variance.
    scale = 1 / math.sqrt(2 * config.features)
    projection = scale * jax.vmap(
        lambda key: jax.random.normal(key, (config.features, 2 * config.neurons))
    )(projection_keys)
    x, energy = _simulate(kind, config, lam, projection, input_keys)
    return np.asarray((jnp.abs(x) ** 2).sum(-1) / energy)


if __name__ == "__main__":
    main(STUDY)
