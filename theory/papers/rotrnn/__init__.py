"""RotRNN (2024), on rotations as recurrent matrices.

"RotRNN: modelling long sequences with rotations", under review in 2024.  First the
numbered equations, their lemmas beside them, then the text, the figures, the tables and
the listing.
"""

from sigprop.theory.papers.rotrnn import (
    background,
    comparison,
    decay,
    figures,
    groups,
    listing,
    norm,
    proofs,
    rotations,
    tables,
)

PARTS = (
    background,
    rotations,
    norm,
    proofs,
    groups,
    decay,
    comparison,
    figures,
    tables,
    listing,
)
