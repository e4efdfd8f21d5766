"""Brute force for RotRNN's background: a held input, and eigenvectors.

Source: RotRNN (2024), Sections 2.1 and 2.2, Eq. 1 and 3.
"""

from typing import Any

import mpmath
import numpy as np
import scipy.integrate
import scipy.linalg

from sigprop.references.rotation import Matrix, draw


def system(seed: int, size: int, singular: bool = False) -> tuple[Matrix, Matrix]:
    """``A'`` and ``B'``, ``A'`` of full rank or with a row of zeros."""
    A, B = draw(seed, size, size) - np.eye(size), draw(seed + 1, size, 2)
    if singular:
        A[0] = 0
    return A, B


def held_by_formula(
    seed: int, size: int, step: float, singular: bool = False
) -> Matrix:
    """``[A B]`` of Eq. 1; not numbers where ``A'`` has no inverse."""
    A, B = system(seed, size, singular)
    power = scipy.linalg.expm(step * A)
    try:
        held = (power - np.eye(size)) @ np.linalg.inv(A) @ B
    except np.linalg.LinAlgError:
        held = np.full(B.shape, np.nan)
    return np.hstack([power, held])


def held_by_augmentation(
    seed: int, size: int, step: float, singular: bool = False
) -> Matrix:
    """State and held input as one system, whose input does not move."""
    A, B = system(seed, size, singular)
    still = np.zeros((B.shape[1], size + B.shape[1]))
    joint = scipy.linalg.expm(step * np.vstack([np.hstack([A, B]), still]))
    return joint[:size]


def held_by_integration(
    seed: int, size: int, step: float, singular: bool = False
) -> Matrix:
    """The differential equation integrated from each unit state and input."""
    A, B = system(seed, size, singular)
    forced = np.hstack([np.zeros((size, size)), B])
    first = np.hstack([np.eye(size), np.zeros(B.shape)])

    def slope(_, x):
        return (A @ x.reshape(first.shape) + forced).ravel()

    found = scipy.integrate.solve_ivp(
        slope, (0, step), first.ravel(), method="DOP853", rtol=1e-12, atol=1e-14
    )
    return found.y[:, -1].reshape(first.shape)


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
