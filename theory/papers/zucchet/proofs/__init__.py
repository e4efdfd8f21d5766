"""Zucchet & Orvieto (2024), Appendix B: the lemmas, and what is between the moments.

Beside the moments of ``sigprop.theory.papers.zucchet.moments``: the proofs of the lemmas, the
sums on the way to the moments, the dense network and the reparametrisation.
"""

from sigprop.theory.papers.zucchet.proofs import (
    complex_eigenvalues,
    dominance,
    lemmas,
    modes,
    real_eigenvalues,
    sensitivity,
    state,
)

PARTS = (
    lemmas,
    state,
    sensitivity,
    modes,
    dominance,
    real_eigenvalues,
    complex_eigenvalues,
)
