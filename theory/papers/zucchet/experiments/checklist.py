"""Zucchet & Orvieto (2024), item 3 of the checklist: complete and correct proofs."""

from theory.rows import Part

part = Part("", "backward", "sigprop.evidence.zucchet.experiments.checklist.misprints")

part.row("zucchet:text:correct-proofs", "text", "refuted", "checklist, item 3")(
    "Complete and correct proofs",
    r"\text{a complete (and correct) proof for each theoretical result: Yes}",
    correction=r"\text{Eq. 34, 53, 57 and 59, at least, are misprinted}",
    note="Value: misprints among Eq. 53 and 59; see their rows. What the text draws "
    "from them survives correction; the curves of Fig. 1.A need it.",
)
