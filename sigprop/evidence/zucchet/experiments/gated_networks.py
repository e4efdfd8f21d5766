"""Gated networks as they are drawn: orthogonal matrices and Chrono biases.

Source: Zucchet & Orvieto (2024), Appendix D.
"""

import jax
import numpy as np
from jaxtyping import Float

from sigprop.layers.gru import chrono
from sigprop.numerics.precision import double_precision


def orthogonal(
    generator: np.random.Generator, *shape: int
) -> Float[np.ndarray, "*batch n n"]:
    """Orthogonal matrices, uniformly: the signs of the factorisation are taken out."""
    Q, upper = np.linalg.qr(generator.normal(size=shape))
    return Q * np.sign(np.diagonal(upper, axis1=-2, axis2=-1))[..., None, :]


def time_constant_drawn(tau: float) -> float:
    """``1/(1 - f)`` at rest of a gate whose bias is drawn on ``[tau, tau]``."""
    with double_precision(True):
        bias = chrono(jax.random.key(0), 1, (tau, tau))
        return float(1 / (1 - jax.nn.sigmoid(bias[0])))
