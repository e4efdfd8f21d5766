"""Zucchet & Orvieto (2024), Appendix C.1: the loss of one linear unit."""

from sigprop.theory.papers.zucchet.landscape import (
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
