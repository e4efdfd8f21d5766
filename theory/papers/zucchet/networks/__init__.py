"""Zucchet & Orvieto (2024), Eq. 10-33: teacher, students and Appendix A's networks."""

from theory.claims import Claim
from theory.papers.zucchet.networks import (
    diagonal,
    gru,
    initialisation,
    linear,
    teacher,
)

PARTS = (
    teacher,
    linear,
    diagonal,
    gru,
    initialisation,
)


def claims() -> tuple[Claim, ...]:
    """The definitions of the networks, and how they are drawn."""
    return tuple(claim for part in PARTS for claim in part.claims())
