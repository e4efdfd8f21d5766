"""Zucchet & Orvieto (2024), Sections 1-3: the curse of memory and its cures."""

from theory.claims import Claim
from theory.papers.zucchet.curse import (
    architectures,
    dense,
    gradients,
    memory,
    normalisation,
)

PARTS = (
    gradients,
    memory,
    dense,
    normalisation,
    architectures,
)


def claims() -> tuple[Claim, ...]:
    """The claims of Sections 1 to 3 but for Eq. 5 to 7."""
    return tuple(claim for part in PARTS for claim in part.claims())
