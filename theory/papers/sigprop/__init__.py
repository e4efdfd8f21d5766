"""Our own statements, which go beyond the papers."""

from theory.claims import Claim
from theory.papers.sigprop import (
    audits,
    curvature,
    hessian,
    initialisation,
    moments,
    trained,
)

PARTS = (
    moments,
    hessian,
    curvature,
    trained,
    audits,
    initialisation,
)


def claims() -> tuple[Claim, ...]:
    """Our claims."""
    return tuple(claim for part in PARTS for claim in part.claims())
