"""Zucchet & Orvieto (2024), Appendix B.1: Lemmas 1 and 2, proved, Eq. 34-41."""

from sigprop.theory.autocorrelation import double_sum, lemma_1, lemma_2
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import inside
from sigprop.theory.derivation import start
from sigprop.theory.errata import Erratum
from sigprop.theory.papers.zucchet import forms
from sigprop.theory.papers.zucchet.conditions import is_bounded, is_even
from sigprop.theory.rows import Part
from sigprop.theory.symbols import alpha, beta

part = Part("Appendix B.1", "lemmas", "sigprop.theory.autocorrelation")

SMALL = inside("alpha", "beta")
BOUNDED = Condition(
    "|alpha| < 1, |beta| < 1, u bounded",
    lambda u, **point: SMALL(**point) and is_bounded(u),
)
EVEN = Condition(
    "|alpha| < 1, |beta| < 1, u even and bounded",
    lambda u, **point: SMALL(**point) and is_even(u) and is_bounded(u),
)
# An autocovariance of a real input is even and bounded.
OF_INPUTS = Condition(EVEN.text, SMALL)
CONDITIONS = (
    r"\alpha, \beta \in \mathbb{C},\ |\alpha| < 1,\ |\beta| < 1,\ u \text{ bounded},\ "
    r"u_{-n} = u_n:\quad "
)
BRACKET = (
    r"\frac{1}{1-\alpha\beta}\left(u_0+\sum_{\Delta\geq 1}(\alpha^{\Delta}+"
    r"\beta^{\Delta})u_{\Delta}\right)"
)
BRACKET_34 = (
    r"\frac{1}{1-\alpha\beta}\left(u_0 + \sum_{\Delta\geq 1} (\alpha^\Delta + "
    r"\beta^\Delta) u_\Delta\right)"
)
BOTH_DERIVATIVES = (
    r"\frac{\mathrm{d}}{\mathrm{d}\alpha}\frac{\mathrm{d}}{\mathrm{d}\beta}"
)

part.row(
    "zucchet:34",
    "identity",
    "refuted",
    "Lemma 1: double geometric sum over a stationary sequence",
    r"\sum_{n,m\geq 0} \alpha^n \beta^n u_{n-m} = " + BRACKET_34,
    where="Lemma 1, Eq. 34",
    derive=lambda: start(
        "Split the sum into n = m, n > m and n < m, and sum each part:",
        lemma_1().as_sum(),
    ),
    printed=forms.eq_34,
    code="lemma_1",
    correction=r"\sum_{n,m\geq 0} \alpha^n \beta^m u_{n-m} = " + BRACKET_34,
    corrected=forms.bracket,
    assumes=OF_INPUTS,
    note="The paper prints beta^n on the left side; it should be beta^m. The proof (Eq. "
    "35) and every later use of the lemma have beta^m.",
    erratum=Erratum(
        "C",
        appears_in=("zucchet:lemma1",),
        bearing="No later result is affected. Eq. 35, the first line of the proof, "
        "and every use of the lemma have the right power.",
    ),
)
part.row(
    "zucchet:39",
    "identity",
    "proved",
    "Lemma 2: the mixed derivative of Lemma 1",
    rf"\sum_{{n,m\geq 0}} nm\alpha^{{n-1}}\beta^{{m-1}}u_{{n-m}} = {BOTH_DERIVATIVES}\left["
    + BRACKET_34
    + r"\right]",
    where="Lemma 2, Eq. 39",
    derive=lambda: start(
        "Sum the double sum along its diagonals:",
        double_sum(lambda i, j: i * j * alpha ** (i - 1) * beta ** (j - 1)).as_sum(),
    ),
    printed=lambda: lemma_2().as_sum(),
    code="lemma_2",
    assumes=OF_INPUTS,
)
part.row(
    "zucchet:lemma1",
    "identity",
    "proved",
    "Lemma 1 with its conditions",
    CONDITIONS + r"\sum_{n,m\geq 0} \alpha^n \beta^m u_{n-m} = " + BRACKET,
    where="Lemma 1",
    code="lemma_1",
    assumes=EVEN,
    note="We read beta^m on the left side and judge the conditions. The row zucchet:34 "
    "reports the misprint beta^n. If u is not even, the proof ends at Eq. 36.",
)
part.row(
    "zucchet:35",
    "identity",
    "proved",
    "Lemma 1: pairs of indices in three sets",
    r"\sum_{n,m\geq 0} \alpha^n \beta^m u_{n-m} = \sum_{n=m} \alpha^n \beta^m "
    r"u_{n-m} + \sum_{n>m} \alpha^n \beta^m u_{n-m} + \sum_{n< m} \alpha^n "
    r"\beta^m u_{n-m}",
    code="double_sum",
    assumes=BOUNDED,
    note="The split does not need an even u. Boundedness makes the sum absolutely "
    "convergent, so the order does not matter.",
)
part.row(
    "zucchet:36",
    "identity",
    "proved",
    "Lemma 1: each set along its diagonals",
    r"=\sum_{n} \alpha^{n} \beta^{n} u_{0} + \sum_{m} \alpha^{m} \beta^{m} "
    r"\sum_{\Delta \ge 1} \alpha^{\Delta} u_{\Delta} + \sum_{n} \alpha^{n} "
    r"\beta^{n} \sum_{\Delta \ge 1} \beta^{\Delta} u_{-\Delta}",
    code="double_sum",
    assumes=BOUNDED,
    note="The equation holds for any bounded u, even or not.",
)
part.row(
    "zucchet:37",
    "identity",
    "proved",
    "Lemma 1: the two sides together",
    r"=\sum_{n} \alpha^{n} \beta^{n} \left(u_{0} + \sum_{\Delta \ge 1} "
    r"(\alpha^{\Delta} + \beta^{\Delta}) u_{\Delta} \right)",
    code="double_sum",
    assumes=EVEN,
    note="This step uses that u is even.",
)
part.row(
    "zucchet:38",
    "identity",
    "proved",
    "Lemma 1: the sum",
    "=" + BRACKET,
    code="lemma_1",
    assumes=EVEN,
)
part.row(
    "zucchet:lemma2",
    "identity",
    "proved",
    "Lemma 2 with its conditions",
    CONDITIONS + r"\sum_{n,m\geq 0} nm\alpha^{n-1}\beta^{m-1}u_{n-m} = "
    rf"{BOTH_DERIVATIVES}\left[{BRACKET}\right]",
    where="Lemma 2",
    code="lemma_2",
    assumes=Condition(
        f"{EVEN.text}; the terms n = 0 and m = 0 count as zero where alpha or beta is "
        "zero",
        EVEN.holds,
    ),
    note="Both derivatives are of a power series in two independent variables, "
    "which converges absolutely inside the polydisc. Set beta = conj(alpha) only afterwards.",
)
part.row(
    "zucchet:40",
    "identity",
    "proved",
    "Lemma 2: differentiate with respect to beta inside the sum",
    BOTH_DERIVATIVES + r"\left[\sum_{n,m\geq 0}\alpha^{n}\beta^{m}u_{n-m}\right] = "
    r"\frac{\mathrm{d}}{\mathrm{d}\alpha}\left[\sum_{n,m\geq 0}m\alpha^{n}"
    r"\beta^{m-1}u_{n-m}\right]",
    code="double_sum",
    assumes=BOUNDED,
    note="The test compares both sides before the derivative with respect to alpha, "
    "which both share. The equation does not need an even u.",
)
part.row(
    "zucchet:41",
    "identity",
    "proved",
    "Lemma 2: differentiate with respect to alpha inside the sum",
    r"=\sum_{n,m\geq 0}nm\alpha^{n-1}\beta^{m-1}u_{n-m}",
    code="double_sum",
    assumes=BOUNDED,
    note="The equation does not need an even u.",
)
