"""Zucchet & Orvieto (2024), Section 2.2 and Appendix B.2: the closed-form moments.

The steps between them are in ``theory.papers.zucchet.proofs``.
"""

from theory.claims import Claim
from theory.papers.zucchet.moments import propagation, sensitivity, state

PARTS = (
    propagation,
    state,
    sensitivity,
)


def claims() -> tuple[Claim, ...]:
    """The moments that simulations judge."""
    return tuple(claim for part in PARTS for claim in part.claims())
