"""Zucchet & Orvieto (2024), Appendix C.2: the Hessian at optimality."""

from theory.claims import Claim
from theory.papers.zucchet.hessian import (
    cartesian,
    conjugates,
    expectation,
    magnitude,
    optimality,
    polar,
    samples,
    spectrum,
    traces,
    wirtinger,
)

PARTS = (
    optimality,
    wirtinger,
    samples,
    expectation,
    magnitude,
    conjugates,
    cartesian,
    traces,
    polar,
    spectrum,
)


def claims() -> tuple[Claim, ...]:
    """Eq. 113 to 155, the sentences between them and those of Sections 4.2-4.3."""
    return tuple(claim for part in PARTS for claim in part.claims())
