"""Zucchet & Orvieto (2024), Eq. 10-33: teacher, students and Appendix A's networks."""

from sigprop.theory.papers.zucchet.networks import (
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
