"""Evidence for the text on rotations and their groups, Sections 1-4 of RotRNN (2024)."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.counting import (
    growth_of_products,
    products_of,
    traced_products,
)
from sigprop.evidence.kit import crossed, from_modes, points
from sigprop.evidence.lru.listing import growth_of_cost
from sigprop.evidence.rotrnn.proofs import (
    WRONG_DETERMINANTS,
    inverse_determinant_of_transpose,
)
from sigprop.evidence.rotrnn.random_matrices import (
    Matrix,
    angles,
    blocks,
    draw,
    orthogonal,
    rotation,
    skew,
    turns,
)
from sigprop.evidence.rotrnn.rotations import REBUILT, of_unit_determinant
from sigprop.evidence.rotrnn.special_orthogonal import (
    exponential_by_eigenvalues,
    exponential_series,
    sample_of_rotations,
    share_by_eigenvectors,
    share_reached,
    skew_logarithm,
)
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory.rotation import (
    block_is_rotation,
    flip_reverses_angle,
    powers_add_angles,
)

# Exponentials, and the two halves of O(N).


def stacked(seed: int, size: int, change=np.asarray) -> Matrix:
    """A sample of rotations, each changed, stacked."""
    return np.vstack([change(A) for A in sample_of_rotations(seed, size)])


def exponential_of_logarithm(A: Matrix) -> Matrix:
    """``exp(S)`` of the skew logarithm of a rotation."""
    return exponential_series(skew_logarithm(A))


def exponential_of_angles(A: Matrix) -> Matrix:
    """``exp(S)`` of the skew logarithm of a rotation, from eigenvalues."""
    return exponential_by_eigenvalues(skew_logarithm(A))


WRONG_LOGARITHMS = {
    "S for S/2 in M - M^T": lambda A: exponential_series(2 * skew_logarithm(A)),
    "the inverse": lambda A: A.T,
    "the first terms of the series": lambda A: np.eye(len(A)) + skew_logarithm(A),
}


def _path(seed: int, size: int) -> Callable[[float], Matrix]:
    ends = orthogonal(seed, size, 1), orthogonal(seed + 1, size, -1)
    detour = draw(seed + 2, size, size)
    return lambda t: (1 - t) * ends[0] + t * ends[1] + t * (1 - t) * detour


def sign_changes(seed: int, size: int) -> int:
    """Zeros, modulo 2, of the determinant on a path between the two halves of O(N)."""
    path = _path(seed, size)
    values = [np.linalg.det(path(t)) for t in np.linspace(0, 1, 4001)]
    return int(np.count_nonzero(np.diff(np.sign(values)))) % 2


def sign_changes_by_roots(seed: int, size: int) -> int:
    """Zeros, modulo 2, of the determinant on a path in ``t``, as a polynomial's roots."""
    path, degree = _path(seed, size), 2 * size
    nodes = 0.5 - 0.5 * np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    fitted = np.polynomial.Chebyshev.fit(
        nodes, [np.linalg.det(path(t)) for t in nodes], degree, domain=[0, 1]
    )
    roots = fitted.roots()
    real = roots.real[abs(roots.imag) < 1e-9]
    return int(np.count_nonzero((real > 0) & (real < 1))) % 2


# Eigenvalues and powers of a rotation.


def phases_of_product(seed: int, size: int) -> Float[np.ndarray, " size"]:
    """Phases of the eigenvalues of ``P Theta P^T``, sorted."""
    return np.sort(np.angle(np.linalg.eigvals(rotation(seed, size))))


def phases_of_schur(seed: int, size: int) -> Float[np.ndarray, " size"]:
    """Phases of the eigenvalues of ``P Theta P^T``, sorted, from its Schur form."""
    triangle = scipy.linalg.schur(rotation(seed, size), output="complex")[0]
    return np.sort(np.angle(np.diag(triangle)))


def phases_of_blocks(
    seed: int, size: int, times: int = 1, partner: int = -1, left: float = 0.0
) -> Float[np.ndarray, " size"]:
    """Both signs of each angle, and what is left if the size is odd, sorted."""
    phases = np.angle(np.exp(1j * times * angles(seed, size)))
    return np.sort(np.concatenate([phases, partner * phases, [left] * (size % 2)]))


def product_of_power(seed: int, size: int, times: int) -> Matrix:
    """``P Theta(k theta) P^T``."""
    P = orthogonal(seed, size, 1)
    return P @ blocks(seed, size, times) @ P.T


def power_by_eigenvalues(seed: int, size: int, times: int) -> Matrix:
    """``A^k`` from the eigenvalues of ``A``."""
    lam, vectors = np.linalg.eig(rotation(seed, size))
    return np.real(from_modes(lam**times, vectors))


def angles_to_a_power(seed: int, size: int, times: int) -> Matrix:
    """``P Theta P^T`` with each angle to the power ``k``."""
    P = orthogonal(seed, size, 1)
    return P @ turns(angles(seed, size) ** times, size) @ P.T


def powers_of_all(seed: int, size: int, times: int) -> Matrix:
    """``P^k Theta^k (P^T)^k``, which do not cancel."""
    P = np.linalg.matrix_power(orthogonal(seed, size, 1), times)
    return P @ blocks(seed, size, times) @ P.T


def moduli(A: Matrix) -> Float[np.ndarray, " size"]:
    """Moduli of eigenvalues."""
    return np.abs(np.linalg.eigvals(A))


# Products of numbers, counted.


def by_entries(x: Any, cos: Any, sin: Any) -> Any:
    """Eq. 19, cosines and sines being known."""
    turned = np.stack([-x[1::2], x[0::2]], -1).ravel()
    return x * cos + turned * sin


def products_elementwise(size: int) -> int:
    """Products of numbers that Eq. 19 takes."""
    return products_of(by_entries, *(draw(i, size) for i in range(3)))


def products_traced(size: int) -> int:
    """Products of entries in the trace of Eq. 19 for pairs, cosines and sines known."""

    def turn(first: Any, second: Any, cos: Any, sin: Any) -> Any:
        return first * cos - second * sin, second * cos + first * sin

    return traced_products(turn, *(draw(i, size // 2) for i in range(4)))


def products_dense(size: int) -> int:
    """Products of numbers that a dense product takes."""
    return products_of(np.dot, draw(1, size, size), draw(2, size))


SIZES = points("seed size", (1, 3), (1, 4), (1, 5))

DETERMINANTS = {
    "reference": lambda **point: np.linalg.det(orthogonal(**point)),
    "transpose": inverse_determinant_of_transpose,
}

EVIDENCE: dict[str, Basis] = {
    "rotrnn:text:linear-cost": Evidence(
        points("model", "attention", "recurrence"),
        {"traced": growth_of_cost, "counted": growth_of_products},
        lambda model: 2.0 if model == "attention" else 1.0,
        tolerance=0.02,
        hand={"no difference": 1.0, "a power more": 3.0},
    ),
    "rotrnn:text:diagonal-necessary": Evidence(
        points("size", 4, 8, 12),
        {"counted": products_elementwise, "traced": products_traced},
        lambda size: 2 * size,
        printed=lambda size: size**2,
        mutants={
            "as a diagonal matrix": lambda size: size,
            "whole blocks of complex numbers": lambda size: 4 * size,
            "a triangle": lambda size: size * (size + 1) // 2,
        },
        example=Example(
            "the number of products of numbers that apply a power of a rotation of 8 rows "
            "without a diagonal matrix",
            {"N": 8},
            lambda N: N**2,
            lambda N: 2 * N,
        ),
    ),
    "rotrnn:text:orthogonal-group": Evidence(
        crossed(SIZES, points("sign", 1, -1)),
        DETERMINANTS,
        lambda seed, size, sign: sign,
        mutants=WRONG_DETERMINANTS,
    ),
    "rotrnn:text:exponential-surjective": Evidence(
        (dict(seed=1, size=2), *SIZES),
        {
            "series": partial(stacked, change=exponential_of_logarithm),
            "eigenvalues": partial(stacked, change=exponential_of_angles),
        },
        stacked,
        mutants={
            name: partial(stacked, change=change)
            for name, change in WRONG_LOGARITHMS.items()
        },
    ),
    "rotrnn:text:no-map-onto-orthogonal": Evidence(
        SIZES,
        {"scan": sign_changes, "roots": sign_changes_by_roots},
        1,
        mutants={"halves that a path joins": 0},
    ),
    "rotrnn:text:surjectivity": Evidence(
        SIZES,
        {"schur": share_reached, "eigenvectors": share_by_eigenvectors},
        1.0,
        proof=flip_reverses_angle,
        mutants=REBUILT | {"P as it comes": partial(share_reached, flip=False)},
    ),
    "rotrnn:text:blocks": Evidence(
        SIZES,
        {"reference": phases_of_product, "schur": phases_of_schur},
        phases_of_blocks,
        mutants={
            "each angle doubled": partial(phases_of_blocks, times=2),
            "one sign of each angle": partial(phases_of_blocks, partner=1),
            "a minus one left over": partial(phases_of_blocks, left=math.pi),
        },
    ),
    "rotrnn:text:powers": Evidence(
        crossed(SIZES, points("times", 2, 5)),
        {
            "reference": lambda times, **point: np.linalg.matrix_power(
                rotation(**point), times
            ),
            "eigenvalues": power_by_eigenvalues,
        },
        product_of_power,
        proof=powers_add_angles,
        mutants={
            "angles to the power": angles_to_a_power,
            "P to the power too": powers_of_all,
            "the blocks alone": blocks,
        },
    ),
    "rotrnn:text:unit-circle": Evidence(
        SIZES,
        {
            "reference": lambda **point: moduli(rotation(**point)),
            "singular_values": lambda **point: np.linalg.svd(rotation(**point))[1],
        },
        lambda seed, size: [1.0] * size,
        proof=block_is_rotation,
        mutants={
            "of determinant one alone": lambda **point: moduli(
                of_unit_determinant(**point)
            ),
            "of the skew matrix": lambda **point: moduli(skew(**point)),
            "the diagonal of Theta": lambda **point: abs(np.diag(blocks(**point))),
        },
    ),
    "rotrnn:text:products": Evidence(
        points("size", 4, 8, 12),
        {"counted": products_elementwise, "traced": products_traced},
        products_dense,
        relation="<",
        hand={"one product an entry": lambda size: size},
    ),
}
