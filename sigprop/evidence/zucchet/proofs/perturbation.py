"""Modes of a dense network after a change of one entry of its matrix.

The changed matrix is diagonalised again; no perturbation formula is used.

Source: Zucchet & Orvieto (2024), Appendix B.2.3.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Complex, Float, Inexact, Num

from sigprop.evidence.kit import contour, points, powered
from sigprop.theory import dense
from sigprop.theory.dense import COMPLEX, NORMAL, REAL, ROTATING, Dense

RADIUS = 0.02
ALL = points("system", ROTATING, REAL, COMPLEX, NORMAL)
REALS = ALL[:2]


def numbers(matrix: Any) -> Complex[np.ndarray, "rows columns"]:
    """A matrix of mpmath as an array."""
    return np.array(matrix.tolist(), complex)


@cache
def inputs(size: int) -> Float[np.ndarray, "steps n"]:
    """Inputs of the networks, with a row per step."""
    return np.array([dense.inputs(size, t) for t in range(dense.STEPS)])


def modes(
    A: Num[np.ndarray, "n n"], system: Dense
) -> tuple[Inexact[np.ndarray, " n"], Inexact[np.ndarray, "n n"]]:
    """Eigenvalues in the order of the system's, and unnormalised eigenvectors."""
    values, vectors = np.linalg.eig(A)
    ordered = np.array(system.eigenvalues)
    order = np.argmin(np.abs(values[None] - ordered[:, None]), axis=1)
    return values[order], vectors[:, order]


def left(system: Dense) -> Complex[np.ndarray, "n n"]:
    """Rows whose product with the unit eigenvectors is one, which fix the lengths."""
    return np.linalg.inv(numbers(system.vectors()))


def fixed(A: Num[np.ndarray, "n n"], system: Dense) -> Complex[np.ndarray, "n n"]:
    """Eigenvectors whose product with the rows of ``left`` is one."""
    vectors = modes(A, system)[1]
    return vectors / np.einsum("ki,ik->k", left(system), vectors)


def over_entries(
    system: Dense, derivative: Callable[[np.ndarray], Any]
) -> Num[np.ndarray, "n n ..."]:
    """A derivative along every entry of the matrix: by rows and columns."""
    moves = unit_moves(system.size)
    return np.array([[derivative(entry) for entry in row] for row in moves])


def unit_moves(n: int) -> Float[np.ndarray, "n n n n"]:
    """For each entry (i, j) the matrix with a one there: (i, j, rows, columns)."""
    return np.eye(n * n).reshape(n, n, n, n)


@cache
def eigenvalue_derivatives(
    system: Dense, radius: float = RADIUS
) -> Complex[np.ndarray, "n n n"]:
    """``dlam / dA_ij`` as contour integrals."""
    A = numbers(system.matrix())
    return over_entries(
        system,
        lambda entry: contour(lambda e: modes(A + e * entry, system)[0], 0, radius),
    )


def powered_states(system: Dense) -> Complex[np.ndarray, "steps n"]:
    """States of the dense recurrence as sums of matrix powers."""
    return powered(numbers(system.matrix()), inputs(system.size))


def diagonal_states(system: Dense) -> Complex[np.ndarray, "steps n"]:
    """``P^-1 h_t`` of the powered states."""
    return powered_states(system) @ left(system).T


def diagonalised(system: Dense) -> Any:
    """The modes that the package computes."""
    from sigprop.linear.linearise import System, diagonalise

    A = numbers(system.matrix())
    unit = np.eye(system.size)
    return diagonalise(System(A, unit, unit, np.zeros_like(unit)))
