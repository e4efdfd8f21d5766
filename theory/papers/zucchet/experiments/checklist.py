"""Zucchet & Orvieto (2024), conference checklist, items 3 and 7."""

from sigprop.theory.rows import Part

part = Part("", "backward", "sigprop.theory.claims")

part.row(
    "zucchet:text:correct-proofs",
    "text",
    "not-checkable",
    "Complete and correct proofs",
    r"\text{a complete (and correct) proof for each theoretical result: Yes}",
    where="checklist, item 3",
    reason="A ticked box of a form; every equation has its own row.",
)
part.row(
    "zucchet:text:error-bars",
    "text",
    "not-checkable",
    "Error bars of the learning experiments",
    r"\text{All learning experiments have error bars}",
    where="checklist, item 7",
    topic="experiments",
    reason="Our copy has no pictures, and the captions do not say what bars are.",
    note="Tables 1 to 3 give ten seeds. The runs of Figure 7 are single trajectories, "
    "for which the caption names no seeds.",
)
