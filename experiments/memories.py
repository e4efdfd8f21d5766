"""Layers of 2024 to 2026 with a given time constant, and means over random sequences.

The time constant is that of a layer at zero input.  ``sigprop.experiments.newer_layers`` lists
the parameter of each layer that sets it.
"""

import functools
import math
from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sigprop.layers.base import Layer, doubled, parameters, replace
from sigprop.layers.delta_product import delta_product
from sigprop.layers.deltanet import gated_deltanet
from sigprop.layers.hgrn2 import hgrn2
from sigprop.layers.linoss import linoss
from sigprop.layers.mamba3 import mamba3
from sigprop.layers.mlstm import mlstm
from sigprop.layers.rwkv7 import FASTEST, rwkv7
from sigprop.layers.ssd import ssd
from sigprop.neuron.montecarlo import Estimate, Sums
from sigprop.numerics.precision import double_precision

RANK = 2  # rank of the weights of RWKV-7's gates
REFLECTIONS = 2  # Householder factors of DeltaProduct
LARGEST = 2.0  # largest bound of beta; above it, states explode


def _step(memory: float, rate: float = 1.0) -> tuple[float, float]:
    """Return the step with this time constant at a rate, as an equal least and largest."""
    step = -math.log1p(-1 / memory) / rate
    return step, step


def _logit(p: float) -> float:
    return math.log(p / (1 - p))


def _full(layer: Layer, **values: float) -> Layer:
    """Return the layer with all entries of some parameters set to a number."""
    known = parameters(layer)
    return replace(
        layer, {name: jnp.full(known[name].shape, x) for name, x in values.items()}
    )


def _mamba2(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    return _full(ssd(n, 2 * n, key=key, steps=_step(memory)), A_log=0.0)


def _mamba3(key: PRNGKeyArray, n: int, memory: float) -> Layer:
    return mamba3(n, 2 * n, key=key, steps=_step(memory, math.log(2)))


def _delta(key: PRNGKeyArray, n: int, memory: float, reflections: int) -> Layer:
    """Draw a layer whose mean ``beta`` keeps ``1 - 1/memory`` of the state per input."""
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
    bias = math.log(memory - 1)
    return mlstm(n, 2 * n, key=key, offsets=(bias, bias))


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


def in_double(layer: Layer) -> Layer:
    """Return the layer with parameters in double precision."""
    with double_precision(True):
        return doubled(layer)


def steps(memory: float, spans: float) -> int:
    """Return the length of a sequence: ``spans`` time constants."""
    return max(1, round(spans * memory))


def real(h: Array) -> Float[Array, " numbers"]:
    """Return the real and imaginary parts of a state."""
    return jnp.concatenate([h.real, h.imag]) if jnp.iscomplexobj(h) else h


def final(
    layer: Layer, u: Float[Array, "time d_in"], length: int | Int[Array, ""]
) -> Float[Array, " numbers"]:
    """Return the state after ``length`` inputs, by one program for all lengths."""
    zero = layer.initial_state()
    return real(lax.fori_loop(0, length, lambda t, h: layer.step(h, u[t])[0], zero))


def averages(
    key: PRNGKeyArray,
    program: Callable[[Float[Array, "num time d_in"]], Mapping[str, Array]],
    shape: tuple[int, int, int],
    sequences: int,
) -> dict[str, Estimate]:
    """Return means over sequences of Gaussian inputs, with standard errors.

    Args:
        key: Batch ``i`` uses ``fold_in(key, i)``.
        program: Returns some named numbers for each sequence.
        shape: Sequences in a batch, their length, and their number of features.
        sequences: Least number of sequences, rounded up to whole batches.
    """
    totals: dict[str, Sums] = {}
    for index in range(-(-sequences // shape[0])):
        batch_key = jax.random.fold_in(key, index)
        u = jax.random.normal(batch_key, shape, jnp.float64)
        for name, values in program(u).items():
            x = np.asarray(values)
            sums = Sums(x.sum(), (x**2).sum(), len(x))
            totals[name] = totals[name] + sums if name in totals else sums
    return {name: total.estimate() for name, total in totals.items()}
