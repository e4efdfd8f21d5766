"""Zucchet & Orvieto (2024), conference checklist, item 3: complete and correct proofs."""

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
