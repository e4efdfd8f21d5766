"""What judges closed forms of layers of 2024-2026: matrices, sums and simulations."""

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import points
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision

SIZE = 5  # entries of keys whose eigenvalues are computed


def _householder(beta: float, key: Float[np.ndarray, " d"]) -> Float[np.ndarray, "d d"]:
    return np.eye(len(key)) - beta * np.outer(key, key)


def pair_by_determinant(beta_1: float, beta_2: float, c: float, z: complex) -> complex:
    """In five dimensions, over the three eigenvalues one."""
    first, second = np.eye(SIZE)[0], np.zeros(SIZE)
    second[[1, 4]] = math.sqrt((1 - c) / 2)
    second[0] = -math.sqrt(c)
    A = _householder(beta_1, first) @ _householder(beta_2, second)
    return complex(np.linalg.det(z * np.eye(SIZE) - A) / (z - 1) ** (SIZE - 2))


def pair_by_eigenvalues(beta_1: float, beta_2: float, c: float, z: complex) -> complex:
    """By the eigenvalues of a plane whose keys are turned."""
    turn = 0.7
    angle = turn + math.acos(math.sqrt(c))
    keys = [np.array([math.cos(t), math.sin(t)]) for t in (turn, angle)]
    A = _householder(beta_1, keys[0]) @ _householder(beta_2, keys[1])
    return complex(np.prod(z - np.linalg.eigvals(A)))


def _axes(d: int) -> Float[np.ndarray, "keys d"]:
    """Keys along the axes: their mean of ``k k^T`` is that of isotropic ones."""
    return np.eye(d)


def _simplex(d: int) -> Float[np.ndarray, "keys d"]:
    """Keys to the corners of a regular simplex, of the same mean."""
    centred = np.eye(d + 1) - 1 / (d + 1)
    basis = np.linalg.svd(centred)[0][:, :d]
    corners = centred @ basis
    return corners / np.linalg.norm(corners, axis=1)[:, None]


def over_keys(
    keys: Callable[[int], Float[np.ndarray, "keys d"]],
    energy: bool,
    beta: float,
    d: int,
    T: int,
) -> float:
    """The mean over all sequences of ``T`` keys out of a few."""
    values = []
    for chosen in itertools.product(keys(d), repeat=T):
        A = np.eye(d)
        for key in chosen:
            A = _householder(beta, np.array(key)) @ A
        values.append((A**2).sum() if energy else np.trace(A))
    return math.fsum(values) / len(values) / d


def trapezoid_by_sum(alpha: float, beta: float, gamma: float) -> float:
    """Squares of the response, of each input by its age."""
    response, state, past = [], 0.0, 0.0
    for x in [1.0] + [0.0] * 600:
        state = alpha * state + beta * past + gamma * x
        past = x
        response.append(state)
    return math.fsum(g * g for g in response)


def trapezoid_by_covariance(alpha: float, beta: float, gamma: float) -> float:
    """Lyapunov's equation of the state and the last input."""
    A = np.array([[alpha, beta], [0.0, 0.0]])
    B = np.array([[gamma], [1.0]])
    return float(scipy.linalg.solve_discrete_lyapunov(A, B @ B.T)[0, 0])


def stable_map(v: Any) -> Any:
    """The best map of StableSSM to a discrete eigenvalue."""
    return 1 - 1 / (v * v + 0.5)


def scale_by_autodiff(v: float) -> float:
    """By JAX, in double precision."""
    with double_precision(True):
        slope = jax.grad(stable_map)(jnp.asarray(float(v)))
        return float(abs(slope) / (1 - stable_map(v)) ** 2)


def scale_by_complex_step(v: float) -> float:
    """By an imaginary step."""
    step = 1e-30
    return abs(stable_map(complex(v, step)).imag / step) / (1 - stable_map(v)) ** 2


def gap_by_survival(N: int) -> float:
    """The probability that all gaps are wider, integrated."""
    integral, _ = scipy.integrate.quad(lambda x: (1 - (N - 1) * x) ** N, 0, 1 / (N - 1))
    return integral


def gap_by_exponentials(N: int) -> float:
    """Gaps are exponential variables of mean one over the sum of ``N + 1`` of them.

    Sum and shares are independent, so that the mean of the least is a ratio of means.
    """
    least, _ = scipy.integrate.quad(lambda x: math.exp(-(N - 1) * x), 0, math.inf)
    return least / (N + 1)


_STEPS = points("beta d T", (0.5, 3, 2), (1.0, 2, 5), (1.7, 4, 3), (2.0, 3, 4))


def _by_keys(energy: bool) -> dict[str, Callable[..., float]]:
    return {
        "axes": partial(over_keys, _axes, energy),
        "simplex": partial(over_keys, _simplex, energy),
    }


EVIDENCE: dict[str, Basis] = {
    "sigprop:householder-pair": Evidence(
        points(
            "beta_1 beta_2 c z",
            (0.4, 1.3, 0.3, 0.6 + 0.2j),
            (2.0, 2.0, 0.7, -0.5),
            (1.9, 0.1, 0.95, 2.0),
        ),
        {"determinant": pair_by_determinant, "eigenvalues": pair_by_eigenvalues},
    ),
    "sigprop:householder-mean": Evidence(_STEPS, _by_keys(energy=False)),
    "sigprop:householder-energy": Evidence(_STEPS, _by_keys(energy=True)),
    "sigprop:trapezoid": Evidence(
        points(
            "alpha beta gamma", (0.9, 0.45, 0.5), (-0.6, 0.2, 1.5), (0.97, 0.03, 0.01)
        ),
        {"sum": trapezoid_by_sum, "covariance": trapezoid_by_covariance},
    ),
    "sigprop:reparametrised-scale": Evidence(
        points("v", 0.3, 1.0, 7.5),
        {"autodiff": scale_by_autodiff, "complex_step": scale_by_complex_step},
    ),
    "sigprop:least-gap": Evidence(
        points("N", 2, 3, 17, 256),
        {"survival": gap_by_survival, "exponentials": gap_by_exponentials},
        tolerance=1e-7,
    ),
}
