"""Zucchet & Orvieto (2024), Sections 1-3: the curse of memory and its cures."""

from sigprop.theory.papers.zucchet.curse import (
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
