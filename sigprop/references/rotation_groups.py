"""Brute force for RotRNN's rotations: all of them reached, and products with few of them.

Source: RotRNN (2024), Sections 3.1 and 3.2, Appendix B.1.
"""

import math

import numpy as np
import scipy.linalg
from jaxtyping import Float

from sigprop.references.rotation import (
    Matrix,
    angles,
    blocks,
    draw,
    exponential_series,
    orthogonal,
    rotation,
)

# Surjectivity: each rotation from one P of determinant one.


def _angle(block: Matrix) -> float:
    return math.atan2(block[1, 0] - block[0, 1], block[0, 0] + block[1, 1])


def schur_form(A: Matrix) -> tuple[Matrix, Float[np.ndarray, " pairs"]]:
    """``P`` and angles of a rotation, from its real Schur form; ``det P`` as it comes."""
    size = len(A)
    form, P = scipy.linalg.schur(A)[:2]
    pairs, singles, at = [], [], 0
    while at < size:
        paired = at + 1 < size and abs(form[at + 1, at]) > 1e-8
        (pairs if paired else singles).append(at)
        at += 2 if paired else 1
    # Eigenvalues -1 come in pairs, and so do those of 1 but for one in an odd size.
    singles.sort(key=lambda i: form[i, i])
    order = [i for first in pairs for i in (first, first + 1)] + singles
    P, form = P[:, order], form[np.ix_(order, order)]
    found = [
        _angle(form[2 * i : 2 * i + 2, 2 * i : 2 * i + 2]) for i in range(size // 2)
    ]
    return P, np.array(found)


def _theta(turned: Float[np.ndarray, " pairs"], size: int) -> Matrix:
    parts = [
        np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
        for a in turned
    ]
    return np.asarray(scipy.linalg.block_diag(*parts, *[1.0] * (size % 2)))


def _sample(seed: int, size: int) -> list[Matrix]:
    """Rotations, among them the identity, half turns and repeated angles."""
    Q = orthogonal(seed, size, -1)
    special = [np.eye(size), Q @ np.diag([-1.0, -1.0, *[1.0] * (size - 2)]) @ Q.T]
    if size % 2 == 0:
        special += [
            -np.eye(size),
            np.kron(np.eye(size // 2), [[0.6, -0.8], [0.8, 0.6]]),
        ]
    return [*special, *(rotation(seed + i, size, (-1) ** i) for i in range(16))]


def share_reached(seed: int, size: int, flip: bool = True) -> float:
    """Share of rotations that ``exp(M - M^T) Theta exp(M - M^T)^T`` reproduces.

    A ``P`` of determinant -1 has its last paired axis flipped, which turns the angle of
    that plane over.  Without flips only those count whose ``P`` has determinant 1 already.
    """
    reached = 0
    for A in (sample := _sample(seed, size)):
        P, turned = schur_form(A)
        if np.linalg.det(P) < 0 and flip:
            P[:, 1] *= -1
            turned[0] *= -1
        if np.linalg.det(P) > 0:
            P = exponential_series(_skew_logarithm(P))
            reached += np.allclose(P @ _theta(turned, size) @ P.T, A, atol=1e-10)
    return reached / len(sample)


def _skew_logarithm(P: Matrix) -> Matrix:
    """A skew ``S`` with ``exp(S) = P``, for ``P`` of determinant one."""
    Q, turned = schur_form(P)
    parts = [np.array([[0.0, -a], [a, 0.0]]) for a in turned]
    return Q @ scipy.linalg.block_diag(*parts, *[0.0] * (len(P) % 2)) @ Q.T


def share_by_eigenvectors(seed: int, size: int) -> float:
    """Share of rotations reproduced with ``P`` and angles from complex eigenvectors."""
    sample = [A for A in _sample(seed, size) if _simple(A)]
    reached = 0
    for A in sample:
        values, vectors = np.linalg.eig(A)
        columns, turned, last = [], [], np.zeros(size)
        for value, vector in zip(values, vectors.T, strict=True):
            if value.imag > 1e-9:
                columns += [math.sqrt(2) * vector.real, -math.sqrt(2) * vector.imag]
                turned.append(np.angle(value))
            elif abs(value.imag) < 1e-9:
                last = vector.real
        if size % 2:
            columns.append(last / np.linalg.norm(last))
        P, turned = np.array(columns).T, np.array(turned)
        if np.linalg.det(P) < 0:
            P[:, 0] *= -1
            turned[0] *= -1
        inside = np.isclose(np.linalg.det(P), 1) and np.allclose(P.T @ P, np.eye(size))
        reached += inside and np.allclose(P @ _theta(turned, size) @ P.T, A, atol=1e-9)
    return reached / len(sample)


def _simple(A: Matrix) -> bool:
    """True where no two eigenvalues coincide."""
    values = np.linalg.eigvals(A)
    gaps = np.abs(values[:, None] - values) + np.eye(len(A))
    return bool(gaps.min() > 1e-6)


def exponential_of_logarithm(seed: int, size: int) -> Matrix:
    """``exp(S)`` of the skew logarithms of a sample of rotations, stacked."""
    return np.vstack(
        [exponential_series(_skew_logarithm(A)) for A in _sample(seed, size)]
    )


def sample_stacked(seed: int, size: int) -> Matrix:
    """The sample itself."""
    return np.vstack(_sample(seed, size))


def sign_changes(seed: int, size: int) -> int:
    """Zeros, modulo 2, of the determinant on a path between the two halves of O(N)."""
    path = _path(seed, size)
    values = [np.linalg.det(path(t)) for t in np.linspace(0, 1, 4001)]
    return int(np.sum(np.diff(np.sign(values)) != 0)) % 2


def sign_changes_by_roots(seed: int, size: int) -> int:
    """Zeros, modulo 2, of the determinant on a path in ``t``, as a polynomial's roots."""
    path, degree = _path(seed, size), 2 * size
    nodes = 0.5 - 0.5 * np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    fitted = np.polynomial.Chebyshev.fit(
        nodes, [np.linalg.det(path(t)) for t in nodes], degree, domain=[0, 1]
    )
    roots = fitted.roots()
    return (
        int(np.sum((abs(roots.imag) < 1e-9) & (roots.real > 0) & (roots.real < 1))) % 2
    )


def _path(seed: int, size: int):
    ends = orthogonal(seed, size, 1), orthogonal(seed + 1, size, -1)
    bend = draw(seed + 2, size, size)
    return lambda t: (1 - t) * ends[0] + t * ends[1] + t * (1 - t) * bend


# Eq. 19: a block-diagonal product, entry by entry.


def elementwise_product(seed: int, size: int) -> Float[np.ndarray, " size"]:
    """Eq. 19, with ``x_{N-1}`` last in the turned vector; no numbers in an odd size."""
    if size % 2:
        return np.full(size, np.nan)
    x, theta = draw(seed, size), np.repeat(angles(seed, size), 2)
    turned = np.stack([-x[1::2], x[0::2]], -1).ravel()
    return x * np.cos(theta) + turned * np.sin(theta)


def dense_product(seed: int, size: int) -> Float[np.ndarray, " size"]:
    """``Theta x`` by the dense matrix."""
    return blocks(seed, size) @ draw(seed, size)


def complex_product(seed: int, size: int) -> Float[np.ndarray, " size"]:
    """``Theta x`` with one complex product for each plane."""
    z = draw(seed, size).view(complex) * np.exp(1j * angles(seed, size))
    return z.view(float)


class Counted(float):
    """A number that counts its products."""

    products = 0

    def __mul__(self, other):
        Counted.products += 1
        return Counted(float(self) * float(other))

    def __add__(self, other):
        return Counted(float(self) + float(other))

    def __neg__(self):
        return Counted(-float(self))


def _numbers(values: Float[np.ndarray, "*shape"]) -> np.ndarray:
    return np.vectorize(Counted, otypes=[object])(values)


def products_elementwise(size: int) -> int:
    """Products of numbers that Eq. 19 takes, cosines and sines being known."""
    x, cos, sin = (_numbers(draw(i, size)) for i in range(3))
    turned = np.stack([-x[1::2], x[0::2]], -1).ravel()
    Counted.products = 0
    _ = x * cos + turned * sin
    return Counted.products


def products_dense(size: int) -> int:
    """Products of numbers that a dense product takes."""
    A, x = _numbers(draw(1, size, size)), _numbers(draw(2, size))
    Counted.products = 0
    _ = A.dot(x)
    return Counted.products


def products_saved(size: int) -> list[int]:
    """Both counts."""
    return [products_elementwise(size), products_dense(size)]


def share_without_flips(seed: int, size: int) -> float:
    """The share reached if only those count whose ``P`` has determinant 1 already."""
    return share_reached(seed, size, flip=False)


def products_of_steps(time: int) -> list[int]:
    """Products of a recurrence of one number, and of the weights of all pairs of steps."""
    decay, x, state = Counted(0.5), _numbers(draw(1, time)), Counted(0.0)
    Counted.products = 0
    for now in x:
        state = decay * state + now
    recurrent = Counted.products
    _ = np.multiply.outer(x, x)
    return [recurrent, Counted.products - recurrent]
