"""What judges Lemmas 1 and 2 of RotRNN (2024), on rotations."""

from sigprop.evidence.kit import crossed, points
from sigprop.evidence.rotrnn.random_matrices import rotation, skew
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
from theory.rotation import block_is_rotation, products_of_members

SIZES = points("seed size", (1, 2), (2, 3), (3, 6))
BOTH_SIGNS = crossed(SIZES, points("sign", 1, -1))
EXPONENTIALS = {
    "series": lambda **point: membership(exponential_series(skew(**point))),
    "eigenvalues": lambda **point: membership(
        exponential_by_eigenvalues(skew(**point))
    ),
}
BLOCKS = {
    "reference": lambda **point: membership(rotation(**point)),
    "precise": member_of_precise_blocks,
}

EVIDENCE: dict[str, Basis] = {
    "rotrnn:lemma1": Evidence(SIZES, EXPONENTIALS, member, proof=block_is_rotation),
    "rotrnn:lemma2": Evidence(BOTH_SIGNS, BLOCKS, member, proof=products_of_members),
    "rotrnn:lemma2:converse": Evidence(
        points("seed size", (1, 2), (1, 3), (1, 4), (1, 5)),
        {"schur": share_reached, "eigenvectors": share_by_eigenvectors},
        1.0,
    ),
}
