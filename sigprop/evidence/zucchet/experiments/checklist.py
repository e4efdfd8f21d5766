"""What judges item 3 of the checklist of Zucchet & Orvieto (2024)."""

from sympy import Rational

from sigprop.judge.basis import Basis, Evidence
from theory import diagonal
from theory.papers.zucchet import forms
from theory.symbols import lam, lam_bar, n, rho


def misprints() -> int:
    """How many of Eq. 53 and 59 differ from their derivations at a point."""
    point = {lam: Rational(1, 2), lam_bar: Rational(1, 2), rho: Rational(1, 3), n: 3}
    pairs = (
        (forms.eq_53(), diagonal.sensitivity_kernel().result),
        (forms.eq_59(), diagonal.moment("sensitivity", "exponential").result),
    )
    return sum(printed.subs(point) != derived.subs(point) for printed, derived in pairs)


EVIDENCE: dict[str, Basis] = {
    "zucchet:text:correct-proofs": Evidence(
        ({},),
        {"symbolic count": misprints},
        form=2,
        printed=0,
        alone="the rows of these equations have the routes",
    )
}
