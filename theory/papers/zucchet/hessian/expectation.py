"""Zucchet & Orvieto (2024), Appendix C.2.2: expected complex Hessian, Eq. 129-134."""

from collections.abc import Callable

from theory import hessian as H
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation
from theory.evidence import AtPoint, Evidence
from theory.papers.zucchet.hessian import forms
from theory.papers.zucchet.hessian.forms import EIGENVALUES, REFERENCE
from theory.papers.zucchet.hessian.samples import D_H, quarter

SUM = r"\sum_{n,m\geq 0} "


def claims() -> tuple[Claim, ...]:
    """Eq. 129 to 134."""
    return (*_expectation(), *_closed())


def _double_sum(
    points: tuple[AtPoint, ...], latex: str, number: int, title: str
) -> Claim:
    left = (
        r"\mathbb{E}_{x,y}\left[\lim_{t\to\infty}\frac{\mathrm{d}h_{t,i}}{\mathrm{d}"
        r"\lambda_i}\frac{\mathrm{d}h_{t,j}}{\mathrm{d}\lambda_j}\right] = "
    )
    return Claim(
        f"zucchet:{number}",
        f"Eq. {number}, {EIGENVALUES}",
        Kind.MOMENT,
        title,
        left + latex,
        "evidence",
        Status.PROVED,
        "theory.hessian.pair",
        assumes="|lambda| < 1, stationary input; the limit is in distribution",
        evidence=Evidence(
            points,
            {
                "reference": REFERENCE + "covariance_of_sensitivities",
                "closed_form": lambda b_i, b_j, S_ij, **_: b_i * b_j * S_ij,
            },
            form=REFERENCE + "double_sum",
            proof=H.pair_is_the_double_sum,
        ),
        note="The reference is the stationary covariance of the joint recurrence of both "
        "states, both sensitivities and the input. With Eq. 113 the weight n lambda^(n-1) "
        "belongs to x_{-n-1}; the moment is the same.",
        topic="hessian",
    )


def _expectation() -> tuple[Claim, ...]:
    points = forms.pairs()
    return (
        quarter(
            129,
            "The Hessian as gains times the covariance of the sensitivities",
            r"\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda^2} = (cc^{\top}) \odot \mathbb{E}_{x,y"
            r"} \left[\lim_{t \to \infty} " + D_H + D_H + r"^{\top} \right]",
            r"\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda^2} = \frac{1}{4}(cc^{\top}) \odot "
            r"\mathbb{E}_{x,y} \left[\lim_{t \to \infty} "
            + D_H
            + D_H
            + r"^{\top} \right]",
            H.A_EXPR,
            4,
            points,
            {"reference": REFERENCE + "unmixed_entry"},
            derive=in_full(False),
        ),
        _double_sum(
            points,
            r"\mathbb{E}\left["
            + SUM
            + r"n\lambda_i^{n-1}b_ix_{-n}m\lambda_j^{m-1}b_jx_{-m}"
            r"\right]",
            130,
            "The covariance of two sensitivities as filters of the input",
        ),
        _double_sum(
            points,
            r"b_i b_j \mathbb{E} \left["
            + SUM
            + r"n \lambda_i^{n-1} x_{-n} m \lambda_j^{m-1"
            r"} x_{-m} \right]",
            131,
            "The same with the input gains in front",
        ),
        _double_sum(
            points,
            r"b_i b_j " + SUM + r"nm\lambda_i^{n-1}\lambda_j^{m-1} R_x(n-m)",
            132,
            "The same as a double sum over the autocovariance",
        ),
    )


def in_full(conjugated: bool) -> Callable[[], Derivation]:
    """The derivation up to the gains times ``S``."""
    return lambda: Derivation(H.complex_entry(conjugated).steps[:2])


def _closed() -> tuple[Claim, ...]:
    second = r"\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda_i \mathrm{d}\lambda_j} = "
    numerator = (
        r"({0})(1+\lambda_i\lambda_j) + \rho^2(1-\lambda_i\lambda_j)^3 + \rho({0})\lambda_i"
        r"\lambda_j(\rho\lambda_i\lambda_j(1+\lambda_i\lambda_j) - 2\lambda_i - 2\lambda_j)"
    )
    denominator = r"(1-\lambda_i\lambda_j)^3(1-\rho\lambda_i)^2(1-\rho\lambda_j)^2"

    def latex(factor: str) -> str:
        top = numerator.replace("{0}", factor)
        return rf"S(\lambda_i, \lambda_j) = \frac{{{top}}}{{{denominator}}}"

    return (
        quarter(
            133,
            "The unmixed entry of the complex Hessian",
            second + r"b_i b_j c_i c_j S(\lambda_i, \lambda_j)",
            second + r"\frac{1}{4} b_i b_j c_i c_j S(\lambda_i, \lambda_j)",
            H.A_EXPR,
            4,
            forms.pairs(),
            {"reference": REFERENCE + "unmixed_entry"},
            derive=in_full(False),
        ),
        Claim(
            "zucchet:134",
            f"Eq. 134, {EIGENVALUES}",
            Kind.MOMENT,
            "S under an exponential autocovariance",
            latex(r"1-\rho"),
            "evidence",
            Status.REFUTED,
            "theory.hessian.tidy_pair",
            derive=lambda: H.pair("exponential"),
            printed=forms.eq_134,
            corrected=H.tidy_pair,
            correction=latex(r"1-\rho^2"),
            assumes="|lambda_i|, |lambda_j| < 1, |rho| <= 1",
            evidence=Evidence(
                forms.PAIRS,
                {
                    "reference": REFERENCE + "pair_sum_of_pair",
                    "quadrature": REFERENCE + "pair_quadrature_of_pair",
                },
            ),
            note="Both factors 1 - rho are 1 - rho^2. The printed form is exact at rho = 0 "
            "and rho = 1 only. For a conjugate pair it gives between a half and the whole of "
            "the true value where rho is positive (400 000 random points, magnitudes up to "
            "0.999), and more than it where rho is negative: up to ten times for rho > -0.9 "
            "and without limit towards -1. For other pairs the error has no bound, as the "
            "true numerator may vanish. The authors' notebook of Figure 8 computes the "
            "printed form, that of Figure 1A the right one (zucchet:59).",
            inherits="Eq. 142-155 through S for correlated inputs, and Figure 8, which is "
            "drawn from it; the limits at rho = 0 and 1 and Figure 10 are not touched",
            topic="hessian",
        ),
    )
