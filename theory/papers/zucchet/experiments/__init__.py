"""Zucchet & Orvieto (2024), Sections 4-6 and Appendices C.3 to D: the experiments."""

from sigprop.theory.papers.zucchet.experiments import (
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
