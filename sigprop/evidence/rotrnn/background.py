"""What judges the recurrences of Sections 2 and 3 of RotRNN (2024), Eq. 1 to 5."""

from typing import Any

import mpmath
import numpy as np
import scipy
from jaxtyping import Complex, Float

from sigprop.evidence.kit import also, points, powered, recur
from sigprop.evidence.rotrnn.heads import WIDTH, Sequence
from sigprop.evidence.rotrnn.random_matrices import Matrix, contraction, draw
from sigprop.evidence.rotrnn.recurrences import all_at_once, linear_case, lru_outputs
from sigprop.evidence.rotrnn.rotations import BLOCKS, SIZES
from sigprop.evidence.rotrnn.special_orthogonal import member
from sigprop.judge.basis import Basis, Evidence
from theory import rotation

# Eq. 1: an input held over a step.


def system(seed: int, size: int) -> tuple[Matrix, Matrix]:
    """``A'`` of full rank and ``B'``."""
    return draw(seed, size, size) - np.eye(size), draw(seed + 1, size, 2)


def timed(power: Matrix, gain: Matrix, held: str) -> Matrix:
    """Weights of ``x_{t-1}, u_{t-1}, u_t``, ``u`` held ``before`` or ``after`` its time."""
    none = np.zeros(gain.shape)
    return np.hstack([power, none, gain] if held == "before" else [power, gain, none])


def held_by_formula(seed: int, size: int, step: float, **_: str) -> Matrix:
    """``[A 0 B]`` of Eq. 1, which knows of one way to hold."""
    A, B = system(seed, size)
    power = scipy.linalg.expm(step * A)
    return timed(power, (power - np.eye(size)) @ np.linalg.inv(A) @ B, "before")


def held_by_augmentation(seed: int, size: int, step: float, held: str) -> Matrix:
    """State and held input as one system, whose input does not move."""
    A, B = system(seed, size)
    zeros = np.zeros((B.shape[1], size + B.shape[1]))
    joint = scipy.linalg.expm(step * np.vstack([np.hstack([A, B]), zeros]))
    return timed(joint[:size, :size], joint[:size, size:], held)


def held_by_integration(seed: int, size: int, step: float, held: str) -> Matrix:
    """The differential equation integrated from each unit state and input."""
    A, B = system(seed, size)
    forced = np.hstack([np.zeros((size, size)), B])
    first = np.hstack([np.eye(size), np.zeros(B.shape)])

    def slope(_, x):
        return (A @ x.reshape(first.shape) + forced).ravel()

    solution = scipy.integrate.solve_ivp(
        slope, (0, step), first.ravel(), method="DOP853", rtol=1e-12, atol=1e-14
    )
    end = solution.y[:, -1].reshape(first.shape)
    return timed(end[:, :size], end[:, size:], held)


# Eq. 2: the recurrence unrolled.


def states_unrolled(**point) -> Float[np.ndarray, "time size"]:
    """States of ``linear_case`` by Eq. 2, which knows of no first state."""
    A, inputs, _ = linear_case(**point)
    return powered(A, inputs)


# Eq. 3 and 4: eigenvectors.


def nearly(seed: int, size: int, shift: float = 0.0) -> Matrix:
    """A random matrix, or, with a shift, a Jordan block whose diagonal is spread by it."""
    if not shift:
        return draw(seed, size, size)
    return np.eye(size, k=1) + np.diag(0.5 + shift * np.arange(size))


def diagonalised(seed: int, size: int, shift: float = 0.0) -> Matrix:
    """``P Lambda P^{-1}`` from LAPACK's eigenvectors."""
    values, P = np.linalg.eig(nearly(seed, size, shift))
    return (P * values) @ np.linalg.inv(P)


def diagonalised_precisely(seed: int, size: int, shift: float = 0.0) -> Any:
    """``P Lambda P^{-1}`` from eigenvectors with 40 digits."""
    with mpmath.workdps(40):
        values, P = mpmath.eig(mpmath.matrix(nearly(seed, size, shift).tolist()))
        return P * mpmath.diag(values) * P**-1


def real_system(seed: int, size: int, time: int):
    """``A`` inside the unit circle, ``B``, ``C``, ``D`` and inputs."""
    shapes = ((size, WIDTH), (WIDTH, size), (WIDTH, WIDTH), (time, WIDTH))
    drawn = (draw(seed + i + 1, *shape) for i, shape in enumerate(shapes))
    return contraction(seed, size), *drawn


def real_recurrence(seed: int, size: int, time: int, start: float = 0.0) -> Sequence:
    """Eq. 1 with the real matrices, from zero or from a random state of that scale."""
    A, B, C, D, u = real_system(seed, size, time)
    first = start * draw(seed + 6, size)
    return recur(A, u @ B.T, first) @ C.T + u @ D.T


def eigen_lru(seed: int, size: int, time: int) -> Sequence:
    """Eq. 4 through the LRU layer: eigenvalues and eigenvectors of a real ``A``."""
    A, B, C, D, u = real_system(seed, size, time)
    lam, P = np.linalg.eig(A)
    return lru_outputs(lam, np.linalg.solve(P, B), C @ P, D, u)


def eigen_sum(
    seed: int, size: int, time: int, start: float = 0.0
) -> Complex[np.ndarray, "time width"]:
    """Eq. 4: powers of the eigenvalues summed and read out; it knows of no ``start``."""
    A, B, C, D, u = real_system(seed, size, time)
    lam, P = np.linalg.eig(A)
    return powered(np.diag(lam), u @ np.linalg.solve(P, B).T) @ (C @ P).T + u @ D.T


EVIDENCE: dict[str, Basis] = {
    "rotrnn:1": Evidence(
        (
            *points(
                "seed size step held",
                *((1, 3, 0.4, "before"), (2, 2, 1.3, "before"), (3, 4, 0.01, "before")),
                (1, 3, 0.4, "after"),
            ),
        ),
        {"reference": held_by_augmentation, "integration": held_by_integration},
        held_by_formula,
    ),
    "rotrnn:2": Evidence(
        (
            *points("seed size time", (1, 3, 5), (2, 4, 8), (3, 1, 3)),
            dict(seed=1, size=3, time=5, start=1.0),
        ),
        {
            "reference": lambda **point: recur(*linear_case(**point)),
            "linear_system": lambda **point: all_at_once(*linear_case(**point)),
        },
        states_unrolled,
    ),
    "rotrnn:3": Evidence(
        (*points("seed size", (1, 3), (2, 4)), dict(seed=3, size=3, shift=0.02)),
        {"reference": diagonalised, "precise": diagonalised_precisely},
        nearly,
        proof=rotation.distinct_eigenvalues_are_generic,
    ),
    "rotrnn:4": Evidence(
        (
            *points("seed size time", (1, 4, 6), (2, 4, 6), (3, 4, 6)),
            dict(seed=1, size=4, time=6, start=1.0),
        ),
        {"reference": real_recurrence, "layer": eigen_lru},
        eigen_sum,
    ),
    "rotrnn:5": Evidence(
        also(SIZES, sign=1),
        {"reference": BLOCKS["reference"]},
        member,
        alone="a definition, on matrices made to meet it",
    ),
}
