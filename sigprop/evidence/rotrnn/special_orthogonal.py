"""The special orthogonal group: exponentials, membership, ``P Theta P^T``.

Source: RotRNN (2024), Sections 3.1 and 3.2, Appendix A.
"""

import math
from collections.abc import Callable

import mpmath
import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.rotrnn.random_matrices import (
    Matrix,
    blocks,
    orthogonal,
    rotation,
    turns,
)


def exponential_series(S: Matrix, terms: int = 60) -> Matrix:
    """``exp(S)``: the series of ``exp(S / 16)``, to the 16th power."""
    half = np.eye(len(S))
    total = half.copy()
    for k in range(1, terms):
        half = half @ (S / 16) / k
        total += half
    return np.linalg.matrix_power(total, 16)


def exponential_by_eigenvalues(S: Matrix) -> Matrix:
    """The exponential of a skew matrix through the Hermitian ``i S``."""
    values, U = np.linalg.eigh(1j * S)
    return np.real((U * np.exp(-1j * values)) @ U.conj().T)


def membership(A: Matrix) -> Matrix:
    """``A A^T``, ``A^T A`` and ``det A``, stacked: of SO(N), two identities and a one."""
    return np.vstack([A @ A.T, A.T @ A, np.full((1, len(A)), np.linalg.det(A))])


def member(seed: int, size: int, **_) -> Matrix:
    """Membership as SO(N) has it: ``A A^T = A^T A = I`` and ``det A = 1``, stacked."""
    return np.vstack([np.eye(size), np.eye(size), np.ones((1, size))])


def member_of_precise_blocks(seed: int, size: int, sign: int) -> Matrix:
    """Membership of ``P Theta P^T``, product and determinant with 30 digits."""
    with mpmath.workdps(30):
        Q = mpmath.matrix(orthogonal(seed, size, sign).tolist())
        P, _ = mpmath.qr(Q)
        if mpmath.det(P) * sign < 0:
            P[:, 0] = -P[:, 0]
        A = P * mpmath.matrix(blocks(seed, size).tolist()) * P.T
        rows = [*(A * A.T).tolist(), *(A.T * A).tolist(), [mpmath.det(A)] * size]
        return np.array(rows, dtype=float)


# Surjectivity: each rotation comes from a P of determinant one.


def _angle(block: Matrix) -> float:
    return math.atan2(block[1, 0] - block[0, 1], block[0, 0] + block[1, 1])


def schur_form(A: Matrix) -> tuple[Matrix, Float[np.ndarray, " pairs"]]:
    """``P`` and angles of a rotation, from its real Schur form; ``det P`` as it comes."""
    size = len(A)
    form, P = scipy.linalg.schur(A)[:2]
    pairs, singles, index = [], [], 0
    while index < size:
        paired = index + 1 < size and abs(form[index + 1, index]) > 1e-8
        (pairs if paired else singles).append(index)
        index += 2 if paired else 1
    # Eigenvalues -1 come in pairs.  So do eigenvalues 1, except for one in an odd size.
    singles.sort(key=lambda i: form[i, i])
    order = [i for first in pairs for i in (first, first + 1)] + singles
    P, form = P[:, order], form[np.ix_(order, order)]
    phases = [
        _angle(form[2 * i : 2 * i + 2, 2 * i : 2 * i + 2]) for i in range(size // 2)
    ]
    return P, np.array(phases)


def sample_of_rotations(seed: int, size: int) -> list[Matrix]:
    """Rotations, among them the identity, half turns and repeated angles."""
    Q = orthogonal(seed, size, -1)
    special = [np.eye(size), Q @ np.diag([-1.0, -1.0, *[1.0] * (size - 2)]) @ Q.T]
    if size % 2 == 0:
        special += [
            -np.eye(size),
            np.kron(np.eye(size // 2), [[0.6, -0.8], [0.8, 0.6]]),
        ]
    return [*special, *(rotation(seed + i, size, (-1) ** i) for i in range(16))]


def skew_logarithm(P: Matrix) -> Matrix:
    """A skew ``S`` with ``exp(S) = P``, for ``P`` of determinant one."""
    Q, phases = schur_form(P)
    parts = [np.array([[0.0, -a], [a, 0.0]]) for a in phases]
    return Q @ scipy.linalg.block_diag(*parts, *[0.0] * (len(P) % 2)) @ Q.T


def rebuilt(P: Matrix, phases: Float[np.ndarray, " pairs"]) -> Matrix:
    """``P Theta P^T``."""
    return P @ turns(phases, len(P)) @ P.T


def share_reached(
    seed: int,
    size: int,
    flip: bool = True,
    by: Callable[[Matrix, np.ndarray], Matrix] = rebuilt,
) -> float:
    """Share of rotations that ``exp(M - M^T) Theta exp(M - M^T)^T`` reproduces.

    If ``P`` has determinant -1, the last paired axis is flipped, which changes the sign
    of the plane's angle.  Without flips, only rotations count whose ``P`` already has
    determinant 1.  ``by`` makes the rotation from ``P`` and the angles.
    """
    reached = 0
    for A in (sample := sample_of_rotations(seed, size)):
        P, phases = schur_form(A)
        if np.linalg.det(P) < 0 and flip:
            P[:, 1] *= -1
            phases[0] *= -1
        if np.linalg.det(P) > 0:
            P = exponential_series(skew_logarithm(P))
            reached += np.allclose(by(P, phases), A, atol=1e-10)
    return reached / len(sample)


def _simple(A: Matrix) -> bool:
    """True where no two eigenvalues coincide."""
    values = np.linalg.eigvals(A)
    gaps = np.abs(values[:, None] - values) + np.eye(len(A))
    return bool(gaps.min() > 1e-6)


def share_by_eigenvectors(seed: int, size: int) -> float:
    """Share of rotations reproduced with ``P`` and angles from complex eigenvectors."""
    sample = [A for A in sample_of_rotations(seed, size) if _simple(A)]
    reached = 0
    for A in sample:
        values, vectors = np.linalg.eig(A)
        columns, phases, last = [], [], np.zeros(size)
        for value, vector in zip(values, vectors.T, strict=True):
            if value.imag > 1e-9:
                columns += [math.sqrt(2) * vector.real, -math.sqrt(2) * vector.imag]
                phases.append(np.angle(value))
            elif abs(value.imag) < 1e-9:
                last = vector.real
        if size % 2:
            columns.append(last / np.linalg.norm(last))
        P, phases = np.array(columns).T, np.array(phases)
        if np.linalg.det(P) < 0:
            P[:, 0] *= -1
            phases[0] *= -1
        inside = np.isclose(np.linalg.det(P), 1) and np.allclose(P.T @ P, np.eye(size))
        reached += inside and np.allclose(rebuilt(P, phases), A, atol=1e-9)
    return reached / len(sample)
