"""Zucchet & Orvieto (2024), item 3 of the checklist: complete and correct proofs."""

from sympy import Rational

from theory import diagonal
from theory.claims import Claim, Status
from theory.evidence import Evidence
from theory.papers.zucchet import forms
from theory.papers.zucchet.rows import judged
from theory.symbols import lam, lam_bar, n, rho


def misprints() -> int:
    """How many of Eq. 53 and 59 differ from their derivations at a point."""
    at = {lam: Rational(1, 2), lam_bar: Rational(1, 2), rho: Rational(1, 3), n: 3}
    pairs = (
        (forms.eq_53(), diagonal.sensitivity_kernel().result),
        (forms.eq_59(), diagonal.moment("sensitivity", "exponential").result),
    )
    return sum(printed.subs(at) != derived.subs(at) for printed, derived in pairs)


def claims() -> tuple[Claim, ...]:
    """Item 3 of the checklist."""
    return (
        judged(
            "text:correct-proofs",
            "checklist, item 3",
            "Complete and correct proofs",
            r"\text{a complete (and correct) proof for each theoretical result: Yes}",
            Status.REFUTED,
            "theory.papers.zucchet.experiments.checklist.misprints",
            Evidence(
                ({},),
                {"symbolic count": misprints},
                form=lambda: 2,
                printed=lambda: 0,
                alone="the rows of these equations have the routes",
            ),
            correction=r"\text{Eq. 34, 53, 57 and 59, at least, are misprinted}",
            topic="backward",
            note="Value: misprints among Eq. 53 and 59; see their rows. What the text "
            "draws from them survives correction; the curves of Fig. 1.A need it.",
        ),
    )
