"""What judges Lemmas 1 and 2 of RotRNN (2024), on rotations."""

from sigprop.evidence.rotrnn.special_orthogonal import (
    member,
    member_of_blocks,
    member_of_eigenvalues,
    member_of_precise_blocks,
    member_of_series,
    share_by_eigenvectors,
    share_reached,
)
from sigprop.judge.basis import Basis, Evidence
from theory import rotation

SIZES = (dict(seed=1, size=2), dict(seed=2, size=3), dict(seed=3, size=6))
BOTH_SIGNS = tuple({**at, "sign": sign} for at in SIZES for sign in (1, -1))
EXPONENTIALS = {"series": member_of_series, "eigenvalues": member_of_eigenvalues}
BLOCKS = {"reference": member_of_blocks, "precise": member_of_precise_blocks}

EVIDENCE: dict[str, Basis] = {
    "rotrnn:lemma1": Evidence(
        SIZES, EXPONENTIALS, member, proof=rotation.block_is_rotation
    ),
    "rotrnn:lemma2": Evidence(
        BOTH_SIGNS, BLOCKS, member, proof=rotation.products_of_members
    ),
    "rotrnn:lemma2:converse": Evidence(
        tuple(dict(seed=1, size=size) for size in (2, 3, 4, 5)),
        {"schur": share_reached, "eigenvectors": share_by_eigenvectors},
        1.0,
    ),
}
