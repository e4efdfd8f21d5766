"""Moments of the layers of 2024 to 2026, predicted and measured over the time constant.

``E|h|^2`` and ``E|d(v . h)/dtheta|^2`` of one parameter of the gates, for an error ``v`` of
unit covariance at the state and independent Gaussian inputs, after ``spans`` time constants
from the zero state.  The time constant is that of the gates without an input; random gates,
and keys that are overwritten, forget at their own pace.  Every time constant has the same
draw of a layer, but for the number that sets it:

- the bias of the step of Mamba-2, Mamba-3 and gated DeltaNet, with ``A_log = 0``;
- the bias of the decays of RWKV-7 and of the forget gate of mLSTM;
- the lower bound of the gates of HGRN2;
- the step of LinOSS, with oscillators of ``A = 1``;
- the upper bound of ``beta`` in DeltaNet and DeltaProduct.  These have no decay: a write
  keeps ``1 - beta/d`` of a state with keys of ``d`` entries, on average over keys.

Gradients that ``sigprop.linear.gated_moments`` does not predict are measured alone; their
predictions are NaN.

Source: ``sigprop.linear.gated_moments``; for LinOSS, a sum over its impulse response.
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
from jax import lax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sigprop.experiments.command import main
from sigprop.experiments.gated_moments import averages
from sigprop.experiments.progress import counter
from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.delta_product import delta_product
from sigprop.layers.deltanet import gated_deltanet
from sigprop.layers.hgrn2 import hgrn2
from sigprop.layers.linoss import linoss
from sigprop.layers.mamba3 import mamba3
from sigprop.layers.mlstm import mlstm
from sigprop.layers.rwkv7 import FASTEST, rwkv7
from sigprop.layers.ssd import ssd
from sigprop.linear.gated_moments import covered, predict_gated
from sigprop.numerics.compilation import SOME
from sigprop.numerics.precision import double_precision

STUDY, VERSION = "newer_layers", 1
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
"""The parameter of each layer's gate or decay whose gradient is shown."""
RANK = 2  # of the weights of RWKV-7's gates
REFLECTIONS = 2  # of DeltaProduct
LARGEST = 2.0  # bound of beta above which states explode


@dataclass(frozen=True)
class Config:
    """Time constants of the gates, time constants of a sequence, and sizes.

    A layer has ``2 * neurons`` inputs, and ``neurons`` keys, states or oscillators; the keys
    of the delta rule and of RWKV-7 are twice as many.
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


def _step(memory: float, rate: float = 1.0) -> tuple[float, float]:
    """The least and largest step whose decay at this rate has a time constant."""
    step = -math.log1p(-1 / memory) / rate
    return step, step


def _logit(p: float) -> float:
    return math.log(p / (1 - p))


def _full(layer: Layer, **values: float) -> Layer:
    """The layer with all entries of some parameters equal to a number."""
    known = parameters(layer)
    return replace(
        layer, {name: jnp.full(known[name].shape, x) for name, x in values.items()}
    )


def _mamba2(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    return _full(ssd(n, 2 * n, key=key, steps=_step(memory)), A_log=0.0)


def _mamba3(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    return mamba3(n, 2 * n, key=key, steps=_step(memory, math.log(2)))


def _delta(key: PRNGKeyArray, n: int, memory: float, reflections: int) -> Layer:
    """Writes of a mean ``beta`` that keep ``1 - 1/memory`` of the state at each input."""
    lost = -math.expm1(math.log1p(-1 / memory) / reflections)
    beta, identity = 2 * n * lost, "identity"  # keys have 2 n entries
    return delta_product(
        *(2 * n, 2 * n),
        key=key,
        reflections=reflections,
        largest=min(2 * beta, LARGEST),
        activation=identity if reflections == 1 else "silu",
    )


def _gated_delta(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    return _full(gated_deltanet(n, 2 * n, key=key, steps=_step(memory)), A_log=0.0)


def _rwkv7(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    layer = rwkv7(2 * n, 2 * n, key=key, rank=RANK)
    return _full(layer, w_bias=_logit(_step(memory, FASTEST)[0]))


def _mlstm(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    return mlstm(n, 2 * n, key=key, offsets=(math.log(memory - 1),) * 2)


def _linoss(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    step = math.sqrt((1 - 1 / memory) ** -2 - 1)  # |lam|^2 = 1 / (1 + step^2 A)
    return _full(linoss(n, 2 * n, key=key), A_raw=1.0, dt_raw=_logit(step))


LAYERS: dict[str, Callable[[PRNGKeyArray, int, float], Layer]] = {
    "Mamba-2": _mamba2,
    "Mamba-3": _mamba3,
    "gated DeltaNet": _gated_delta,
    "DeltaNet": functools.partial(_delta, reflections=1),
    "DeltaProduct": functools.partial(_delta, reflections=REFLECTIONS),
    "RWKV-7": _rwkv7,
    "mLSTM": _mlstm,
    "LinOSS": _linoss,
    "HGRN2": lambda key, n, memory: hgrn2(n, 2 * n, key=key, bound=1 - 2 / memory),
}


def draw(name: str, memory: float, config: Config) -> Layer:
    """A layer of this time constant, in double precision."""
    key = jax.random.fold_in(jax.random.key(config.seed), list(LAYERS).index(name))
    return in_double(LAYERS[name](key, config.neurons, memory))


def in_double(layer: Layer) -> Layer:
    """The layer with parameters in double precision."""
    values = {name: np.asarray(x, float) for name, x in parameters(layer).items()}
    with double_precision(True):
        return replace(layer, {name: jnp.asarray(x) for name, x in values.items()})


def steps(memory: float, spans: float) -> int:
    """Inputs of a sequence."""
    return max(1, round(spans * memory))


def real(h: Array) -> Float[Array, " numbers"]:
    """Real and imaginary parts of a state."""
    return jnp.concatenate([h.real, h.imag]) if jnp.iscomplexobj(h) else h


@functools.partial(jax.jit, static_argnames="gate", compiler_options=SOME)
def squares(
    layer: Layer,
    u: Float[Array, "num time d_in"],
    length: int | Int[Array, ""],
    gate: str,
) -> dict[str, Float[Array, " num"]]:
    """``|h|^2`` after so many inputs of each sequence, and the squared derivative of ``h``."""

    def last(theta: Array, u: Float[Array, "time d_in"]):
        h = final(replace(layer, {gate: theta}), u, length)
        return h, h

    jacobian = jax.jacfwd(last, has_aux=True)
    theta = parameters(layer)[gate]
    derivative, h = jax.vmap(lambda one: jacobian(theta, one))(u)
    moved = (derivative**2).reshape(len(u), -1).sum(1)
    return {"state": (h**2).sum(1), "gate": moved}


def final(
    layer: Layer, u: Float[Array, "time d_in"], length: int | Int[Array, ""]
) -> Float[Array, " numbers"]:
    """The state after so many inputs, step by step: one small program for all lengths."""
    zero = layer.initial_state()
    return real(lax.fori_loop(0, length, lambda t, h: layer.step(h, u[t])[0], zero))


def expected(layer: Layer, gate: str, length: int) -> dict[str, tuple[float, float]]:
    """Moments by theory with their errors; NaN for a gradient that is not predicted."""
    if layer.linear:
        return {
            name: (float(value), 0.0)
            for name, value in impulse_sums(layer, gate, length).items()
        }
    known = predict_gated(layer, steps=length)
    unknown = math.nan, math.nan
    moved = known[gate] if gate in covered(layer) else unknown
    return {
        name: (float(value), float(error))
        for name, (value, error) in {"state": known["state"], "gate": moved}.items()
    }


def impulse_sums(
    layer: Layer, gate: str, length: int
) -> dict[str, Float[Array | np.ndarray, ""]]:
    """The moments of a linear layer: sums of squares of responses to unit impulses."""
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
    )  # one shape of inputs compiles once
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
        states.append(layer.state_size)
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
