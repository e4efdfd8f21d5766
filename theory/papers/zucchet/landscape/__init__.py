"""Zucchet & Orvieto (2024), Appendix C.1: the loss of one linear unit."""

from theory.claims import Claim
from theory.papers.zucchet.landscape import (
    angle,
    captions,
    difficulty,
    loss,
    modulus,
    one_dimension,
)

PARTS = (
    loss,
    modulus,
    angle,
    difficulty,
    captions,
    one_dimension,
)


def claims() -> tuple[Claim, ...]:
    """Eq. 85 to 112 with their text and captions, and Sections 3.1 and 4.1."""
    return tuple(claim for part in PARTS for claim in part.claims())
