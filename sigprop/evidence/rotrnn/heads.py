"""RotRNN's heads with random parameters, run by the layer and by dense matrices.

Source: RotRNN (2024), Eq. 11-13, Appendices B and C.
"""

import functools
import math
from collections.abc import Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import recur
from sigprop.evidence.rotrnn.random_matrices import Matrix, draw, turns
from sigprop.layers.rotrnn import RotRNN
from sigprop.numerics.precision import double_precision

WIDTH, TIME = 3, 6
Sequence = Float[np.ndarray, "time width"]


class Parameters(NamedTuple):
    """The parameters that the listing's ``init_params`` returns, in its shapes."""

    theta: Float[np.ndarray, "heads half"]
    gamma_log: Float[np.ndarray, "heads 1"]
    M: Float[np.ndarray, "heads size size"]
    B: Float[np.ndarray, "heads size width"]
    C: Float[np.ndarray, "width n"]
    D: Float[np.ndarray, " width"]

    @property
    def decays(self) -> Float[np.ndarray, " heads"]:
        """``gamma``."""
        return np.exp(-np.exp(self.gamma_log[:, 0]))


def same(p: Parameters) -> Parameters:
    """The parameters without a change."""
    return p


def parameters(seed: int, heads: int, size: int) -> Parameters:
    """Random parameters; sizes are odd too."""
    generator = np.random.default_rng(seed)
    return Parameters(
        generator.uniform(0.1, 6.2, (heads, size // 2)),
        np.log(-np.log(generator.uniform(0.3, 0.98, (heads, 1)))),
        draw(seed + 1, heads, size, size),
        draw(seed + 2, heads, size, WIDTH),
        draw(seed + 3, WIDTH, heads * size),
        draw(seed + 4, WIDTH),
    )


def inputs(seed: int) -> Sequence:
    """A random sequence."""
    return draw(seed + 5, TIME, WIDTH)


def layer(p: Parameters) -> RotRNN:
    """``sigprop.layers.RotRNN`` of given parameters."""
    arrays = p.theta, p.gamma_log[:, 0], p.M, p.B.reshape(-1, WIDTH), p.C, p.D
    return RotRNN(*map(jax.device_put, arrays))  # avoids a program for each shape


@functools.cache
def layer_outputs(seed: int, heads: int, size: int) -> Sequence:
    """Outputs of the layer."""
    with double_precision(True):
        model = layer(parameters(seed, heads, size))
        return np.asarray(jax.jit(RotRNN.__call__)(model, jnp.asarray(inputs(seed))))


def factors(decays, B) -> Float[np.ndarray, " heads"]:
    """Eq. 11 at ``c = 1``, head by head."""
    return np.array(
        [
            math.sqrt((1 - gamma**2) / np.trace(weights.T @ weights))
            for gamma, weights in zip(decays, B, strict=True)
        ]
    )


def dense(p: Parameters) -> Iterator[tuple[Matrix, Matrix]]:
    """``gamma A`` and ``xi B`` of each head, by dense matrices."""
    for head, gamma in enumerate(p.decays):
        P = scipy.linalg.expm(p.M[head] - p.M[head].T)
        A = P @ turns(p.theta[head], len(P)) @ P.T
        yield gamma * A, factors(p.decays, p.B)[head] * p.B[head]


def dense_states(
    seed: int, heads: int, size: int, start: float = 0.0, change=same
) -> Sequence:
    """States by Eq. 12 for changed parameters, head by head, concatenated."""
    p, u = change(parameters(seed, heads, size)), inputs(seed)
    first = start * draw(seed + 6, size)
    return np.hstack([recur(A, u @ B.T, first) for A, B in dense(p)])


def dense_outputs(seed: int, heads: int, size: int, change=same) -> Sequence:
    """Eq. 13 of the states of the recurrence, ``D`` as a diagonal matrix."""
    p, u = change(parameters(seed, heads, size)), inputs(seed)
    states = dense_states(seed, heads, size, change=change)
    return states @ p.C.T + u @ np.diag(p.D).T


WRONG_OUTPUTS = {
    name: functools.partial(dense_outputs, change=change)
    for name, change in {
        "D u lost": lambda p: p._replace(D=0 * p.D),
        "heads from the last to the first": lambda p: p._replace(
            C=np.hstack(np.split(p.C, len(p.B), axis=1)[::-1])
        ),
        "P for P^T": lambda p: p._replace(M=-p.M),
        "turned back": lambda p: p._replace(theta=-p.theta),
        "one decay for all heads": lambda p: p._replace(
            gamma_log=np.full(p.gamma_log.shape, p.gamma_log.mean())
        ),
    }.items()
}
