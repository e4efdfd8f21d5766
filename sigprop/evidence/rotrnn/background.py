"""Evidence for the recurrences of Sections 2 and 3 of RotRNN (2024), Eq. 1 to 5."""

from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath
import numpy as np
import scipy
from jaxtyping import Complex, Float

from sigprop.evidence.kit import also, from_modes, points, powered, recur
from sigprop.evidence.rotrnn.heads import WIDTH, Sequence
from sigprop.evidence.rotrnn.random_matrices import Matrix, contraction, draw
from sigprop.evidence.rotrnn.recurrences import (
    all_at_once,
    linear_case,
    lru_outputs,
    wrong_sums,
)
from sigprop.evidence.rotrnn.rotations import BLOCKS, SIZES, WRONG_MEMBERS
from sigprop.evidence.rotrnn.special_orthogonal import member
from sigprop.judge.basis import Basis, Evidence
from sigprop.theory import rotation

# Eq. 1: an input held over a step.


def system(seed: int, size: int) -> tuple[Matrix, Matrix]:
    """``A'`` of full rank and ``B'``."""
    return draw(seed, size, size) - np.eye(size), draw(seed + 1, size, 2)


def zero_order_hold(A: Matrix, B: Matrix, step: float) -> tuple[Matrix, Matrix]:
    """``A`` and ``B`` of Eq. 1."""
    power = scipy.linalg.expm(step * A)
    return power, (power - np.eye(len(A))) @ np.linalg.inv(A) @ B


def _euler(A: Matrix, B: Matrix, step: float) -> tuple[Matrix, Matrix]:
    return np.eye(len(A)) + step * A, step * B


def _bilinear(A: Matrix, B: Matrix, step: float) -> tuple[Matrix, Matrix]:
    ahead, behind = (np.eye(len(A)) + sign * step / 2 * A for sign in (1, -1))
    return np.linalg.solve(behind, ahead), np.linalg.solve(behind, step * B)


def hold_by_formula(
    seed: int, size: int, step: float, by: Callable[..., Any] = zero_order_hold
) -> Matrix:
    """``[A B]`` of a rule of discretisation, Eq. 1's unless another is given."""
    return np.hstack(by(*system(seed, size), step))


WRONG_HOLDS = {
    "Euler's rule": _euler,
    "the bilinear rule": _bilinear,
    "the inverse lost": lambda A, B, step: (
        zero_order_hold(A, B, step)[0],
        A @ zero_order_hold(A, B, step)[1],
    ),
    "the identity lost": lambda A, B, step: (
        zero_order_hold(A, B, step)[0],
        scipy.linalg.expm(step * A) @ np.linalg.inv(A) @ B,
    ),
}


def hold_by_augmentation(seed: int, size: int, step: float) -> Matrix:
    """State and held input as one system, whose input does not move."""
    A, B = system(seed, size)
    zeros = np.zeros((B.shape[1], size + B.shape[1]))
    return scipy.linalg.expm(step * np.vstack([np.hstack([A, B]), zeros]))[:size]


def hold_by_integration(seed: int, size: int, step: float) -> Matrix:
    """The differential equation integrated from each unit state and input."""
    A, B = system(seed, size)
    forced = np.hstack([np.zeros((size, size)), B])
    first = np.hstack([np.eye(size), np.zeros(B.shape)])

    def derivative(_, x):
        return (A @ x.reshape(first.shape) + forced).ravel()

    solution = scipy.integrate.solve_ivp(
        derivative, (0, step), first.ravel(), method="DOP853", rtol=1e-12, atol=1e-14
    )
    return solution.y[:, -1].reshape(first.shape)


# Eq. 2: the recurrence unrolled.


def states_unrolled(by=powered, **point) -> Float[np.ndarray, "time size"]:
    """States of ``linear_case`` by Eq. 2's sum, which knows of no first state."""
    A, inputs, _ = linear_case(**point)
    return by(A, inputs)


# Eq. 3 and 4: eigenvectors.


def nearly(seed: int, size: int, shift: float = 0.0) -> Matrix:
    """A random matrix, or, with a shift, a Jordan block whose diagonal is spread by it."""
    if not shift:
        return draw(seed, size, size)
    return np.eye(size, k=1) + np.diag(0.5 + shift * np.arange(size))


def diagonalised(
    seed: int, size: int, shift: float = 0.0, by: Callable[..., Any] = from_modes
) -> Matrix:
    """``P Lambda P^{-1}`` from LAPACK's eigenvectors, or another product of them."""
    return by(*np.linalg.eig(nearly(seed, size, shift)))


WRONG_PRODUCTS = {
    "P^T for the inverse": lambda values, P: P * values @ P.T,
    "the inverse first": lambda values, P: np.linalg.solve(P, values[:, None] * P),
    "no inverse": lambda values, P: P * values @ P,
}


def diagonalised_precisely(seed: int, size: int, shift: float = 0.0) -> Any:
    """``P Lambda P^{-1}`` from eigenvectors with 40 digits."""
    with mpmath.workdps(40):
        values, P = mpmath.eig(mpmath.matrix(nearly(seed, size, shift).tolist()))
        return P * mpmath.diag(values) * P**-1


def real_system(seed: int, size: int, time: int):
    """``A`` inside the unit circle, ``B``, ``C``, ``D`` and inputs."""
    shapes = ((size, WIDTH), (WIDTH, size), (WIDTH, WIDTH), (time, WIDTH))
    arrays = (draw(seed + i + 1, *shape) for i, shape in enumerate(shapes))
    return contraction(seed, size), *arrays


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
    seed: int, size: int, time: int, by=powered
) -> Complex[np.ndarray, "time width"]:
    """Eq. 4: powers of the eigenvalues summed and read out."""
    A, B, C, D, u = real_system(seed, size, time)
    lam, P = np.linalg.eig(A)
    return by(np.diag(lam), u @ np.linalg.solve(P, B).T) @ (C @ P).T + u @ D.T


EVIDENCE: dict[str, Basis] = {
    "rotrnn:1": Evidence(
        points("seed size step", (1, 3, 0.4), (2, 2, 1.3), (3, 4, 0.01)),
        {"reference": hold_by_augmentation, "integration": hold_by_integration},
        hold_by_formula,
        proof=rotation.held_input_is_exact,
        mutants={
            name: partial(hold_by_formula, by=by) for name, by in WRONG_HOLDS.items()
        },
    ),
    "rotrnn:2": Evidence(
        points("seed size time", (1, 3, 5), (2, 4, 8), (3, 1, 3)),
        {
            "reference": lambda **point: recur(*linear_case(**point)),
            "linear_system": lambda **point: all_at_once(*linear_case(**point)),
        },
        states_unrolled,
        mutants=wrong_sums(states_unrolled)
        | {
            "from another state": lambda **point: recur(
                *linear_case(**point, start=1.0)
            )
        },
    ),
    "rotrnn:3": Evidence(
        (*points("seed size", (1, 3), (2, 4)), dict(seed=3, size=3, shift=0.02)),
        {"reference": diagonalised, "precise": diagonalised_precisely},
        nearly,
        proof=rotation.distinct_eigenvalues_are_generic,
        mutants={
            name: partial(diagonalised, by=by) for name, by in WRONG_PRODUCTS.items()
        },
    ),
    "rotrnn:4": Evidence(
        points("seed size time", (1, 4, 6), (2, 4, 6), (3, 4, 6)),
        {"reference": real_recurrence, "layer": eigen_lru},
        eigen_sum,
        mutants=wrong_sums(eigen_sum)
        | {"from another state": partial(real_recurrence, start=1.0)},
    ),
    "rotrnn:5": Evidence(also(SIZES, sign=1), BLOCKS, member, mutants=WRONG_MEMBERS),
}
