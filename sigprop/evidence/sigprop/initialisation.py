"""Growth of a linear RNN from Glorot's initialisation, from inputs to states.

Source: Orvieto et al. (2023), Section 3.2.2.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Float

from sigprop.evidence.kit import points
from sigprop.evidence.programs import computed
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers.dense import LinearRNN
from sigprop.linear.infinite_loss import gramian
from sigprop.neuron.ginibre import sample_matrices
from theory.papers.sigprop.initialisation import SINGLE

MATRICES = 11  # whose median is taken


def glorot_growth(size: int, steps: int) -> float:
    """Decades from inputs to states of a linear RNN; the median of many matrices.

    White inputs of variance one reach every neuron, so that the mean square of a state
    is ``sum over k of |A**k|_F**2 / size``.  Infinite where it leaves double precision.

    Args:
        size: Neurons.
        steps: A power of two.

    Source: Orvieto et al. (2023), Section 3.2.2: Glorot's initialisation.
    """

    def decades(A: Any) -> Any:
        energy = jnp.trace(gramian(A, jnp.eye(size), int(math.log2(steps))))
        return jnp.log10(energy / size) / 2

    return _median(computed(jax.vmap(decades), _glorot(size)))


def glorot_simulated(size: int, steps: int) -> float:
    """Decades from inputs to states of a linear RNN, simulated; median of many matrices.

    By the layer's own last states, after one sequence for each matrix.
    """

    def decades(A: Any, key: Any) -> Any:
        return jnp.log10(jnp.mean(_last_state(A, key, steps) ** 2)) / 2

    keys = jax.random.split(jax.random.key(1), MATRICES)
    return _median(computed(jax.vmap(decades), _glorot(size), keys))


def _glorot(size: int) -> Float[np.ndarray, "matrices n n"]:
    return sample_matrices(np.random.default_rng(0), MATRICES, size)


def _median(decades: Float[np.ndarray, " matrices"]) -> float:
    return float(np.median(np.where(np.isfinite(decades), decades, np.inf)))


def _last_state(A: Any, key: Any, steps: int) -> Any:
    size = len(A)
    silent = jnp.zeros((1, size))
    layer = LinearRNN(A[None], jnp.eye(size), silent, silent)

    def advance(t: Any, h: Any) -> Any:
        return layer.step(h, jax.random.normal(jax.random.fold_in(key, t), (size,)))[0]

    return lax.fori_loop(0, steps, advance, layer.initial_state())


EVIDENCE: dict[str, Basis] = {
    "sigprop:glorot-range": Evidence(
        points("size steps", (384, 1024), (192, 4096)),
        {"gramian": glorot_growth, "steps": glorot_simulated},
        form=SINGLE,
        relation="<",
        slips={"half precision": math.log10(65504.0)},
    )
}
