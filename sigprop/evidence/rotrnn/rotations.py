"""Evidence for Lemmas 1 and 2 of RotRNN (2024), on rotations."""

from functools import partial

import numpy as np

from sigprop.evidence.kit import crossed, each, points
from sigprop.evidence.rotrnn.random_matrices import (
    Matrix,
    blocks,
    draw,
    orthogonal,
    rotation,
    skew,
    turns,
)
from sigprop.evidence.rotrnn.special_orthogonal import (
    exponential_by_eigenvalues,
    exponential_series,
    member,
    member_of_precise_blocks,
    membership,
    share_by_eigenvectors,
    share_reached,
)
from sigprop.judge.basis import Basis, Evidence
from sigprop.theory.rotation import block_is_rotation, products_of_members

SIZES = points("seed size", (1, 2), (2, 3), (3, 6))
BOTH_SIGNS = crossed(SIZES, points("sign", 1, -1))


def is_member(matrix, **point: int) -> Matrix:
    """Membership of a matrix that a routine gives."""
    return membership(matrix(**point))


def with_square(seed: int, size: int, **_: int) -> Matrix:
    """Membership of a rotation, its square in place of ``A A^T`` and ``A^T A``."""
    A = rotation(seed, size)
    return np.vstack([A @ A, A @ A, np.ones((1, size))])


def of_unit_determinant(seed: int, size: int, **_: int) -> Matrix:
    """A matrix of determinant one or minus one, otherwise generic."""
    M = draw(seed, size, size)
    return M / abs(np.linalg.det(M)) ** (1 / size)


def reflected_planes(seed: int, size: int, sign: int) -> Matrix:
    """``P Theta P^T`` with a reflection for each block."""
    P = orthogonal(seed, size, sign)
    signs = [*[1, -1] * (size // 2), *[1] * (size % 2)]
    return P @ (blocks(seed, size) * signs) @ P.T


def with_any_basis(seed: int, size: int, sign: int) -> Matrix:
    """``M Theta M^T`` with a general ``M``."""
    M = sign * draw(seed, size, size)
    return M @ blocks(seed, size) @ M.T


def without_transpose(seed: int, size: int, sign: int) -> Matrix:
    """``P Theta``."""
    return orthogonal(seed, size, sign) @ blocks(seed, size)


def exponential_of(change, seed: int, size: int) -> Matrix:
    """The exponential of another matrix made of ``M``."""
    return exponential_series(change(draw(seed, size, size)))


def cut_series(seed: int, size: int) -> Matrix:
    """The first two terms of the exponential of ``M - M^T``."""
    return np.eye(size) + skew(seed, size)


EXPONENTIALS = each(
    is_member,
    {
        "series": lambda **point: exponential_series(skew(**point)),
        "eigenvalues": lambda **point: exponential_by_eigenvalues(skew(**point)),
    },
)
BLOCKS = {
    "reference": lambda **point: membership(rotation(**point)),
    "precise": member_of_precise_blocks,
}
# Matrices that are similar to rotations but are not rotations.
WRONG_MEMBERS = {
    "a square for a product with the transpose": with_square,
    "a reflection": lambda seed, size, **_: membership(orthogonal(seed, size, -1)),
    "of determinant one alone": partial(is_member, of_unit_determinant),
}
WRONG_EXPONENTIALS = {
    "M + M^T": partial(exponential_of, lambda M: M + M.T),
    "M alone": partial(exponential_of, lambda M: M),
    "two terms of the series": cut_series,
}
WRONG_BLOCKS = {
    "a reflection in each plane": reflected_planes,
    "P not orthogonal": with_any_basis,
    "P^T lost": without_transpose,
}
# Products of P and Theta other than P Theta P^T.
WRONG_REBUILT = {
    "P^T first": lambda P, phases: P.T @ turns(phases, len(P)) @ P,
    "turned back": lambda P, phases: P @ turns(-phases, len(P)) @ P.T,
    "P for P^T": lambda P, phases: P @ turns(phases, len(P)) @ P,
}
REBUILT = {
    name: partial(share_reached, by=wrong) for name, wrong in WRONG_REBUILT.items()
}

EVIDENCE: dict[str, Basis] = {
    "rotrnn:lemma1": Evidence(
        SIZES,
        EXPONENTIALS,
        member,
        proof=block_is_rotation,
        mutants=each(is_member, WRONG_EXPONENTIALS),
    ),
    "rotrnn:lemma2": Evidence(
        BOTH_SIGNS,
        BLOCKS,
        member,
        proof=products_of_members,
        mutants=each(is_member, WRONG_BLOCKS),
    ),
    "rotrnn:lemma2:converse": Evidence(
        points("seed size", (1, 2), (1, 3), (1, 4), (1, 5)),
        {"schur": share_reached, "eigenvectors": share_by_eigenvectors},
        1.0,
        mutants=REBUILT,
    ),
}
