"""Random matrices for the statements of RotRNN: skew-symmetric, orthogonal, rotations.

Source: RotRNN (2024), Sections 3.1 and 3.2.
"""

import math

import numpy as np
import scipy
from jaxtyping import Float, Inexact

from sigprop.evidence import kit

Matrix = Inexact[np.ndarray, "_ _"]


def draw(seed: int, *shape: int) -> Float[np.ndarray, "*shape"]:
    """Random matrix with standard normal entries."""
    return np.random.default_rng(seed).normal(size=shape)


def skew(seed: int, size: int) -> Matrix:
    """``M - M^T`` of a random ``M``."""
    M = draw(seed, size, size)
    return M - M.T


def orthogonal(seed: int, size: int, sign: int) -> Matrix:
    """A random orthogonal matrix of the given determinant."""
    Q = kit.orthogonal(np.random.default_rng(seed), size, size)
    Q[:, -1] *= sign * np.sign(np.linalg.det(Q))
    return Q


def turns(by: Float[np.ndarray, " pairs"], size: int) -> Matrix:
    """``Theta``: rotations by given angles, with a one if the size is odd."""
    parts = [kit.block(eigenvalue) for eigenvalue in np.exp(1j * np.asarray(by))]
    return np.asarray(scipy.linalg.block_diag(*parts, *[1.0] * (size % 2)))


def angles(seed: int, size: int) -> Float[np.ndarray, " pairs"]:
    """Angles drawn uniformly, one for each plane."""
    return np.random.default_rng(seed + 99).uniform(0, 2 * math.pi, size // 2)


def blocks(seed: int, size: int, times: int = 1) -> Matrix:
    """``Theta`` to a power: rotations by random angles, and a one if the size is odd."""
    return turns(times * angles(seed, size), size)


def rotation(seed: int, size: int, sign: int = 1) -> Matrix:
    """``P Theta P^T`` with ``P`` of the given determinant."""
    P = orthogonal(seed, size, sign)
    return P @ blocks(seed, size) @ P.T


def contraction(seed: int, size: int) -> Matrix:
    """A real matrix with eigenvalues inside the unit circle, real and complex."""
    A = draw(seed, size, size)
    return 0.9 * A / np.abs(np.linalg.eigvals(A)).max()
