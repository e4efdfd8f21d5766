"""Zucchet & Orvieto (2024), Sections 4-6 and Appendices C.3 to D: the experiments."""

from theory.claims import Claim
from theory.papers.zucchet.experiments import (
    checklist,
    gate_dependence,
    gates,
    initialisation,
    jacobian,
    learning_rates,
    settings,
    structure,
    teacher_student,
)

PARTS = (
    teacher_student,
    learning_rates,
    settings,
    structure,
    initialisation,
    jacobian,
    checklist,
    gates,
    gate_dependence,
)


def claims() -> tuple[Claim, ...]:
    """Statements on the experiments of Sections 4-6 and Appendices C.3 to D."""
    return tuple(claim for part in PARTS for claim in part.claims())
