"""Small random recurrent systems, run by a loop and by a layer of the package.

Source: Orvieto et al. (2023), Section 2.1.
"""

import math
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float

from sigprop.layers.base import Layer
from sigprop.layers.dense import NonlinearRNN
from sigprop.numerics.precision import double_precision


def random_inputs(seed: int, steps: int, width: int) -> Float[np.ndarray, "time width"]:
    """Independent normal inputs."""
    return np.random.default_rng(seed + 1000).normal(size=(steps, width))


@eqx.filter_jit
def run(layer: Layer, u: Float[Array, "time width"]):
    """States and outputs of a layer, compiled together."""
    h = layer.states(u)
    return h, layer.read(h, u)


def random_matrix(
    seed: int, size: int = 4
) -> tuple[Float[np.ndarray, "n n"], complex, Complex[np.ndarray, " n"]]:
    """A real matrix with a complex pair, one such eigenvalue and its eigenvector."""
    A = np.random.default_rng(seed).normal(size=(size, size)) / math.sqrt(size)
    values, vectors = np.linalg.eig(A)
    index = int(np.argmax(np.imag(values)))
    return A, complex(values[index]), vectors[:, index]


def _dense_rest(seed: int):
    draw = np.random.default_rng(seed + 7)
    return (draw.normal(size=shape) for shape in ((4, 2), (3, 4), (3, 2)))


def dense_by_loop(
    seed: int,
    steps: int,
    activation: str,
    update: Callable[..., Any] = lambda act, old, new: act(old + new),
    of: Callable[[Any], Any] = np.asarray,
) -> Float[np.ndarray, "time out"]:
    """Outputs of a dense RNN in a plain loop; ``of`` changes its matrix.

    ``update`` is a function of the activation, ``A x`` and ``B u``.

    Source: Orvieto et al. (2023), Eq. 1.
    """
    A, _, _ = random_matrix(seed)
    B, C, D = _dense_rest(seed)
    act = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0), "identity": np.array}
    x, outputs = np.zeros(4), []
    for u in random_inputs(seed, steps, 2):
        x = update(act[activation], of(A) @ x, B @ u)
        outputs.append(C @ x + D @ u)
    return np.array(outputs)


def dense_by_layer(
    seed: int, steps: int, activation: str
) -> Float[np.ndarray, "time out"]:
    """Outputs of a dense RNN by the package's layer."""
    A, _, _ = random_matrix(seed)
    u = random_inputs(seed, steps, 2)
    with double_precision(True):
        B, C, D = map(jnp.asarray, _dense_rest(seed))
        layer = NonlinearRNN(jnp.asarray(A[None]), B, C, D, activation)
        return np.asarray(run(layer, jnp.asarray(u))[1])
