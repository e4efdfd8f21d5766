"""The norm of a head's state under white noise, and factors that keep it constant.

Source: RotRNN (2024), Section 3.3.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from sigprop.evidence.kit import covariances
from sigprop.evidence.rotrnn.random_matrices import Matrix, draw, rotation

SIZE, WIDTH = 4, 3  # of the heads drawn here


def input_matrix(seed: int, s: float, size: int = SIZE) -> Matrix:
    """``B`` with ``Tr(B^T B) = s``."""
    B = draw(seed + 7, size, WIDTH)
    return math.sqrt(s) * B / np.linalg.norm(B)


def covariance(seed: int, c: float, size: int = SIZE) -> Matrix:
    """A random covariance of trace ``c``."""
    L = draw(seed + 11, size, size)
    return c * L @ L.T / np.linalg.norm(L) ** 2


def norm_after(
    gamma: float, c: float, s: float, scale: float, factor: float, steps: int, seed: int
) -> float:
    """``E|x_t|^2`` after steps from a covariance of trace ``c``, white inputs."""
    A, B = scale * gamma * rotation(seed, SIZE), scale * factor * input_matrix(seed, s)
    return np.trace(covariances(A, B @ B.T, steps, covariance(seed, c))[-1])


def stationary(gamma: float, s: float, factor: float, seed: int) -> float:
    """Limit of ``E|x_t|^2`` with a factor on ``B``, by Lyapunov's equation."""
    A, B = rotation(seed, SIZE), factor * input_matrix(seed, s)
    return np.trace(scipy.linalg.solve_discrete_lyapunov(gamma * A, B @ B.T))


def root(excess: Callable[[float], float], high: float) -> float:
    """Root of an increasing function of a positive number below ``high``, to rounding."""
    solution: Any = scipy.optimize.brentq(excess, 1e-6, high, xtol=1e-15)
    return solution


def factor_by_root(gamma: float, c: float, s: float, seed: int = 1) -> float:
    """The factor on ``B`` at which the stationary norm is ``c``."""
    high = 2 * math.sqrt(c / s)
    return root(lambda factor: stationary(gamma, s, factor, seed) - c, high)


def factor_by_steps(gamma: float, c: float, s: float, seed: int = 2) -> float:
    """The factor at which the norm is ``c`` six steps after it was ``c``."""
    high = 2 * math.sqrt(c / s)
    return root(lambda factor: norm_after(gamma, c, s, 1.0, factor, 6, seed) - c, high)
