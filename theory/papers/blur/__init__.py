"""BLUR (2025), on linear recurrences in both directions of time.

"Bidirectional linear recurrent models for sequence-level multisource fusion", 2025.
The rows are in this order: numbered equations and theorems, tables, text, figures.
"""

from sigprop.theory.claims import Numbered

NUMBERED = Numbered(
    equations=23,
    figures=15,
    tables=13,
    others=(
        "def3.1",
        "def3.2",
        "def3.3",
        "thm4.1",
        "lemmaA.1",
        "thmA.2",
        "thmA.3",
        "lemmaA.4",
    ),
)
