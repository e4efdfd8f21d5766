"""Evidence for signal propagation, Section 2.2 of Zucchet & Orvieto (2024)."""

from sigprop.judge import grids
from sigprop.judge.basis import Basis, Grid

EVIDENCE: dict[str, Basis] = {
    "zucchet:5": Grid("state", grids.REAL_ANY, headline=True),
    "zucchet:6": Grid("sensitivity", grids.REAL_ANY, headline=True),
    "zucchet:7": Grid(
        "backward", grids.eigen(grids.REAL + grids.COMPLEX, (grids.FREE,))
    ),
}
