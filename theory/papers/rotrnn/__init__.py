"""RotRNN (2024), on rotations as recurrent matrices.

"RotRNN: modelling long sequences with rotations", under review in 2024.  The rows are in this
order: numbered equations and lemmas, text, figures, tables, listing.
"""

from sigprop.theory.claims import Numbered

NUMBERED = Numbered(
    equations=19, figures=3, tables=3, others=("lemma1", "lemma2", "lemma3")
)
