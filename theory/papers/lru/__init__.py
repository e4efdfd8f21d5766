"""Orvieto et al. (2023), on the linear recurrent unit (LRU).

"Resurrecting recurrent neural networks for long sequences", ICML 2023.  First the
numbered equations with their lemmas and propositions, then the prose, the listing, the
tables and the figures; the few equations of a section with prose stand with it.
"""

from sigprop.theory.papers.lru import (
    ablations,
    diagonalisation,
    experiments,
    expressivity,
    koopman,
    listing,
    models,
    optimisation,
    parametrisation,
    proofs,
    real_forms,
    restatements,
    ring,
    spectral,
    state_spaces,
    tables,
)

PARTS = (
    ring,
    spectral,
    koopman,
    proofs,
    models,
    diagonalisation,
    parametrisation,
    state_spaces,
    listing,
    tables,
    ablations,
    experiments,
    expressivity,
    optimisation,
    real_forms,
    restatements,
)
