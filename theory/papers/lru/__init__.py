"""Orvieto et al. (2023), on the linear recurrent unit (LRU).

"Resurrecting recurrent neural networks for long sequences", ICML 2023.  The rows are in this
order: numbered equations, lemmas and propositions, text, listing, tables, figures.
"""

from sigprop.theory.claims import Numbered

NUMBERED = Numbered(
    equations=41,
    figures=9,
    tables=9,
    others=("thm3.1", "lemma3.2", "prop3.3", "propE.1"),
)
