"""Growth of states in a linear RNN with Glorot's initialisation.

Source: Orvieto et al. (2023), Section 3.2.2.
"""

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Float

from sigprop.evidence.kit import points
from sigprop.evidence.programs import computed
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.layers.dense import LinearRNN
from sigprop.linear.infinite_loss import gramian
from sigprop.neuron.ginibre import sample_matrices
from sigprop.theory.papers.sigprop.initialisation import SINGLE

SIMULATED = 11  # largest number of matrices; sums are cheaper


@functools.cache
def glorot_decades(
    size: int, steps: int, matrices: int
) -> Float[np.ndarray, " matrices"]:
    """Growth in decades from inputs to states of linear RNNs, in increasing order.

    White inputs of variance one enter every neuron, so that the mean square of a state
    is ``sum over k of |A**k|_F**2 / size``.  The growth is infinite beyond double
    precision.

    Args:
        size: Number of neurons.
        steps: Number of steps, a power of two.
        matrices: Number of random matrices.

    Source: Orvieto et al. (2023), Section 3.2.2: Glorot's initialisation.
    """

    def decades(A: Any) -> Any:
        energy = jnp.trace(gramian(A, jnp.eye(size), int(math.log2(steps))))
        return jnp.log10(energy / size) / 2

    return _sorted(computed(jax.vmap(decades), _glorot(size, matrices)))


def glorot_growth(size: int, steps: int, matrices: int) -> float:
    """The median of ``glorot_decades``."""
    return float(np.median(glorot_decades(size, steps, matrices)))


def glorot_simulated(size: int, steps: int, matrices: int) -> float:
    """Growth in decades from inputs to states, simulated; median over some matrices.

    The layer runs one sequence for each matrix, and the last state is used.
    """

    def decades(matrix_and_key: tuple[Any, Any]) -> Any:
        return jnp.log10(jnp.mean(_last_state(*matrix_and_key, steps) ** 2)) / 2

    def each(*pairs: Any) -> Any:  # one matrix at a time fits the processor's cache
        return lax.map(decades, pairs)

    matrices_and_inputs = _glorot(size, min(matrices, SIMULATED))
    keys = jax.random.split(jax.random.key(1), len(matrices_and_inputs))
    return float(np.median(_sorted(computed(each, matrices_and_inputs, keys))))


def _glorot(size: int, matrices: int) -> Float[np.ndarray, "matrices n n"]:
    return sample_matrices(np.random.default_rng(0), matrices, size)


def _sorted(decades: Float[np.ndarray, " matrices"]) -> Float[np.ndarray, " matrices"]:
    return np.sort(np.where(np.isfinite(decades), decades, np.inf))


def _last_state(A: Any, key: Any, steps: int) -> Any:
    size = len(A)
    silent = jnp.zeros((1, size))
    layer = LinearRNN(A[None], jnp.eye(size), silent, silent)

    def advance(t: Any, h: Any) -> Any:
        return layer.step(h, jax.random.normal(jax.random.fold_in(key, t), (size,)))[0]

    return lax.fori_loop(0, steps, advance, layer.initial_state())


EVIDENCE: dict[str, Basis] = {
    "sigprop:glorot-range": Evidence(
        points("size steps matrices", (384, 1024, 11), (192, 4096, 101)),
        {"gramian": glorot_growth, "steps": glorot_simulated},
        form=SINGLE,
        relation="<",
        mutants={
            "a radius of one": lambda steps, **_: math.log10(steps) / 2,
            "a radius of 1 + 1/N": lambda size, steps, **_: (
                steps * math.log10(1 + 1 / size)
            ),
            "the width for the steps": lambda size, **_: math.log10(size),
        },
        hand={"half precision": math.log10(65504.0)},
        example=Example(
            "the median of the decades from inputs to states, of 101 matrices",
            {"N": 192, "T": 4096},
            SINGLE,
            lambda N, T: glorot_growth(N, T, 101),
        ),
    )
}
