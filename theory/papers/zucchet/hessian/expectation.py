"""Zucchet & Orvieto (2024), Appendix C.2.2: expected complex Hessian, Eq. 129-134."""

from sympy import Expr

from sigprop.theory import hessian as H
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import inside
from sigprop.theory.derivation import Derivation
from sigprop.theory.errata import Erratum
from sigprop.theory.papers.zucchet.hessian.samples import D_H, times
from sigprop.theory.rows import Part

SECOND = r"\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda_i \mathrm{d}\lambda_j} = "
SUM = r"\sum_{n,m\geq 0} "


def in_full(conjugated: bool) -> Derivation:
    """Return the derivation up to the product of the gains and ``S``."""
    return Derivation(H.complex_entry(conjugated).steps[:2])


part = Part("Appendix C.2.2", "hessian", "sigprop.theory.hessian")

times(
    part,
    "zucchet:129",
    "The Hessian as gains times the covariance of the sensitivities",
    r"\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda^2} = ",
    r"(cc^{\top}) \odot \mathbb{E}_{x,y} \left[\lim_{t \to \infty} "
    + D_H
    + D_H
    + r"^{\top} \right]",
    H.A_EXPR,
    4,
    lambda: in_full(False),
)


def covariance(number: int, title: str, right: str) -> None:
    """Add a row on a form of the covariance of two sensitivities."""
    part.row(
        f"zucchet:{number}",
        "moment",
        "proved",
        title,
        r"\mathbb{E}_{x,y}\left[\lim_{t\to\infty}\frac{\mathrm{d}h_{t,i}}{\mathrm{d}"
        r"\lambda_i}\frac{\mathrm{d}h_{t,j}}{\mathrm{d}\lambda_j}\right] = " + right,
        code="pair",
        assumes=Condition(
            "|lambda| < 1, real stationary input; the limit is in distribution",
            inside("lambda_i", "lambda_j"),
        ),
        note="The test takes the stationary covariance of the joint recurrence of "
        "both states, both sensitivities and the input. With Eq. 113 the weight n "
        "lambda^(n-1) belongs to x_{-n-1}; the moment is the same.",
    )


covariance(
    130,
    "The covariance of two sensitivities as filters of the input",
    rf"\mathbb{{E}}\left[{SUM}"
    r"n\lambda_i^{n-1}b_ix_{-n}m\lambda_j^{m-1}b_jx_{-m}\right]",
)
covariance(
    131,
    "The covariance of two sensitivities with the input gains in front",
    rf"b_i b_j \mathbb{{E}} \left[{SUM}"
    r"n \lambda_i^{n-1} x_{-n} m \lambda_j^{m-1} x_{-m} \right]",
)
covariance(
    132,
    "The covariance of two sensitivities as a double sum over the autocovariance",
    rf"b_i b_j {SUM}nm\lambda_i^{{n-1}}\lambda_j^{{m-1}} R_x(n-m)",
)

times(
    part,
    "zucchet:133",
    "The unmixed entry of the complex Hessian",
    SECOND,
    r"b_i b_j c_i c_j S(\lambda_i, \lambda_j)",
    H.A_EXPR,
    4,
    lambda: in_full(False),
)


def eq_134() -> Expr:
    """Return Eq. 134 as printed."""
    alpha, beta, rho = H.alpha, H.beta, H.rho
    P = alpha * beta
    numerator = (
        (1 - rho) * (1 + P)
        + rho**2 * (1 - P) ** 3
        + rho * (1 - rho) * P * (rho * P * (1 + P) - 2 * alpha - 2 * beta)
    )
    return numerator / ((1 - P) ** 3 * (1 - rho * alpha) ** 2 * (1 - rho * beta) ** 2)


def latex(factor: str) -> str:
    """Return the LaTeX of Eq. 134 with ``factor`` in place of ``1 - rho``."""
    return (
        rf"S(\lambda_i, \lambda_j) = \frac{{({factor})(1+\lambda_i\lambda_j) + "
        rf"\rho^2(1-\lambda_i\lambda_j)^3 + \rho({factor})\lambda_i\lambda_j("
        r"\rho\lambda_i\lambda_j(1+\lambda_i\lambda_j) - 2\lambda_i - 2\lambda_j)}{"
        r"(1-\lambda_i\lambda_j)^3(1-\rho\lambda_i)^2(1-\rho\lambda_j)^2}"
    )


part.row(
    "zucchet:134",
    "moment",
    "refuted",
    "S under an exponential autocovariance",
    latex(r"1-\rho"),
    derive=lambda: H.pair("exponential"),
    printed=eq_134,
    code="tidy_pair",
    correction=latex(r"1-\rho^2"),
    corrected=H.tidy_pair,
    assumes=Condition(
        "|lambda_i|, |lambda_j| < 1, |rho| <= 1",
        lambda rho, **point: inside("alpha", "beta")(**point) and abs(rho) <= 1,
    ),
    note="The paper prints the factor 1 - rho twice; it should be 1 - rho^2. The printed "
    "form is exact at rho = 0 and rho = 1 only. For a conjugate pair near the unit "
    "circle the printed value divided by the true value tends to 1/(1 + rho). For "
    "other pairs this ratio has no bound, because the true numerator may vanish. The "
    "authors' notebook of Figure 8 computes the printed form. The authors' notebook "
    "of Figure 1A computes the right form (zucchet:59).",
    erratum=Erratum(
        "A",
        root="zucchet:59",
        inherits=("zucchet:fig8",),
        bearing="Figure 8 is wrong for rho between 0 and 1. Eq. 142-155 hold for any "
        "form of S, and Figure 10 has white inputs.",
    ),
)
