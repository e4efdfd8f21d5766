"""Moments of the layers of 2024 to 2026 against the time constant, predicted and measured.

The moments are ``E|h|^2`` and ``E|d(v . h)/dtheta|^2`` of one parameter of the gates.  The
error ``v`` at the state has unit covariance, and inputs are independent Gaussian.  Sequences
begin at the zero state and last ``spans`` time constants.  The time constant is that of the
gates at zero input.  Random gates, and keys that are overwritten, change the pace of
forgetting.  Layers with different time constants have the same random draw and differ only
in the parameter that sets the time constant:

- the bias of the step of Mamba-2, Mamba-3 and gated DeltaNet, with ``A_log = 0``;
- the bias of the decays of RWKV-7 and of the forget gate of mLSTM;
- the lower bound of the gates of HGRN2;
- the step of LinOSS, with oscillators of ``A = 1``;
- the upper bound of ``beta`` in DeltaNet and DeltaProduct.  These have no decay: a write
  keeps ``1 - beta/d`` of a state with keys of ``d`` entries, on average over keys.

Source: ``sigprop.linear.gated_moments``; for LinOSS, a sum over its impulse response.
"""

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax import lax
from jaxtyping import Array, Float, Int

from sigprop.experiments.command import main
from sigprop.experiments.memories import LAYERS, averages, final, in_double, real, steps
from sigprop.experiments.progress import counter
from sigprop.layers.base import Layer, parameters, replace
from sigprop.linear.gated_moments import predict_gated
from sigprop.numerics.compilation import SOME
from sigprop.numerics.precision import double_precision

STUDY, VERSION = "newer_layers", 2
GATE = {
    "Mamba-2": "bias",
    "Mamba-3": "bias",
    "gated DeltaNet": "bias",
    "DeltaNet": "W_beta",
    "DeltaProduct": "W_beta",
    "RWKV-7": "w_bias",
    "mLSTM": "b_f",
    "LinOSS": "dt_raw",
    "HGRN2": "W_f",
}
"""The parameter of each layer's gate or decay whose gradient is measured."""


@dataclass(frozen=True)
class Config:
    """Time constants (``memories``), sequence lengths relative to them, and sizes.

    A layer has ``2 * neurons`` inputs, and ``neurons`` keys, states or oscillators.  The delta
    rule and RWKV-7 have ``2 * neurons`` keys.
    """

    layers: tuple[str, ...] = tuple(GATE)
    memories: tuple[float, ...] = (4.0, 16.0, 64.0)
    spans: float = 2.0
    neurons: int = 2
    sequences: int = 1024
    batch: int = 128
    seed: int = 0


SMOKE = Config(
    layers=("Mamba-2", "DeltaProduct", "LinOSS"), memories=(4.0, 6.0), sequences=512
)
QUICK = Config()
PAPER = Config(memories=tuple(2.0**i for i in range(2, 9)), sequences=2048)


def draw(name: str, memory: float, config: Config) -> Layer:
    """Draw a layer with this time constant, in double precision."""
    key = jax.random.fold_in(jax.random.key(config.seed), list(LAYERS).index(name))
    return in_double(LAYERS[name](key, config.neurons, memory))


@functools.partial(jax.jit, static_argnames="gate", compiler_options=SOME)
def squares(
    layer: Layer,
    u: Float[Array, "num time d_in"],
    length: int | Int[Array, ""],
    gate: str,
) -> dict[str, Float[Array, " num"]]:
    """Return ``|h|^2`` after ``length`` inputs, and the squared derivative of ``h``."""

    def last(theta: Array, u: Float[Array, "time d_in"]):
        h = final(replace(layer, {gate: theta}), u, length)
        return h, h

    jacobian = jax.jacfwd(last, has_aux=True)
    theta = parameters(layer)[gate]
    derivative, h = jax.vmap(lambda one: jacobian(theta, one))(u)
    moved = (derivative**2).reshape(len(u), -1).sum(1)
    return {"state": (h**2).sum(1), "gate": moved}


def expected(layer: Layer, gate: str, length: int) -> dict[str, tuple[float, float]]:
    """Return the predicted moments with their numerical errors."""
    if layer.linear:
        return {
            name: (float(value), 0.0)
            for name, value in impulse_sums(layer, gate, length).items()
        }
    known = predict_gated(layer, steps=length, names=("state", gate))
    return {
        name: (float(known[of].value), float(known[of].error))
        for name, of in (("state", "state"), ("gate", gate))
    }


def impulse_sums(
    layer: Layer, gate: str, length: int
) -> dict[str, Float[Array | np.ndarray, ""]]:
    """Return the moments of a linear layer: sums of squared impulse responses."""
    width = layer.widths[0]
    impulses = jnp.zeros((length, width, width)).at[0].set(jnp.eye(width))

    def response(theta: Array) -> Float[Array, "time width numbers"]:
        moved = replace(layer, {gate: theta})

        def step(h: Array, u: Array):
            h = jax.vmap(lambda h, u: moved.step(h, u)[0])(h, u)
            return h, jax.vmap(real)(h)

        zero = layer.initial_state()
        return lax.scan(step, jnp.broadcast_to(zero, (width, *zero.shape)), impulses)[1]

    theta = parameters(layer)[gate]
    derivative, h = jax.jacfwd(lambda x: (response(x),) * 2, has_aux=True)(theta)
    return {"state": (h**2).sum(), "gate": (derivative**2).sum()}


def run(config: Config) -> xr.Dataset:
    """Predict and measure each layer at each time constant."""
    sizes = len(config.layers), len(config.memories), 2
    measured, sem, predicted, error = np.empty((4, *sizes))
    longest = steps(
        max(config.memories), config.spans
    )  # the same shape for all, so that programs compile once
    tick = counter(sizes[0] * sizes[1], "layers")
    states = []
    for i, name in enumerate(config.layers):
        gate = GATE[name]
        for j, memory in enumerate(config.memories):
            with double_precision(True):
                layer, length = draw(name, memory, config), steps(memory, config.spans)
                closed = expected(layer, gate, length)
                key = jax.random.fold_in(jax.random.key(config.seed + 1), 100 * i + j)
                program = functools.partial(squares, layer, length=length, gate=gate)
                shape = (config.batch, longest, layer.widths[0])
                estimates = averages(key, program, shape, config.sequences)
            for k, moment in enumerate(("state", "gate")):
                measured[i, j, k], sem[i, j, k], _ = estimates[moment]
                predicted[i, j, k], error[i, j, k] = closed[moment]
            tick()
        states.append(draw(name, config.memories[0], config).state_size)
    dims: Any = ("layer", "memory", "moment")
    units = {"units": "sum of squares"}
    return xr.Dataset(
        {
            "measured": (dims, measured, units),
            "sem": (dims, sem, units),
            "predicted": (dims, predicted, units),
            "error": (dims, error, units),
        },
        {
            "layer": list(config.layers),
            "memory": ("memory", list(config.memories), {"units": "steps"}),
            "moment": ["state", "gate"],
            "parameter": ("layer", [GATE[name] for name in config.layers]),
            "states": ("layer", states),
        },
        {
            "dtype": "float64",
            "spans": config.spans,
            "sequences": config.batch * -(-config.sequences // config.batch),
            "inputs": 2 * config.neurons,
        },
    )


if __name__ == "__main__":
    main(STUDY)
