"""Zucchet & Orvieto (2024), Appendix C.2.3: traces of the Hessian, Eq. 144-147."""

from collections.abc import Callable
from math import isclose
from typing import Any

from sympy import Expr, I, Symbol, expand

from theory import hessian as H
from theory.claims import Claim, Condition, Kind, Status
from theory.derivation import start
from theory.evidence import Evidence
from theory.papers.zucchet.hessian import forms
from theory.papers.zucchet.hessian.forms import REAL, REFERENCE


def claims() -> tuple[Claim, ...]:
    """Eq. 144 to 147 and the sentences between them."""
    return (*_traces(), *_trace_sentences())


def _traces() -> tuple[Claim, ...]:
    A_ii, A_jj = Symbol("A_ii"), Symbol("A_jj")
    B_ii, B_jj = Symbol("B_ii", real=True), Symbol("B_jj", real=True)
    S_ii, S_jj = Symbol("S_ii", real=True), Symbol("S_jj", real=True)

    def of_unit(A: Expr, B: Expr) -> Expr:
        both = {H.A_ij: A, H.bar(H.A_ij): H.conjugate(A), H.B_ij: B, H.bar(H.B_ij): B}
        return expand(H.trace(H.CARTESIAN).subs(both))

    def total() -> Expr:
        return of_unit(A_ii, B_ii) + of_unit(A_jj, B_jj)

    def gains(b: Symbol, c: Symbol, S: Symbol) -> Expr:
        return b * H.bar(b) * c * H.bar(c) * S

    def row(
        number: int, title: str, latex: str, printed: Callable[[], Expr], **more: Any
    ):
        return Claim(
            f"zucchet:{number}",
            f"Eq. {number}, {REAL}",
            Kind.IDENTITY,
            title,
            latex,
            "evidence",
            Status.PROVED,
            "theory.hessian.trace",
            printed=printed,
            evidence=Evidence(
                forms.doubled(),
                {
                    "reference": REFERENCE + "cartesian_trace",
                    "sensitivities": REFERENCE + "cartesian_trace_of_sensitivities",
                },
            ),
            topic="hessian",
            **more,
        )

    trace = r"\operatorname{Tr}[H^{\mathrm{RI}}] = "
    re = H.real_part
    return (
        row(
            144,
            "The trace of the real Hessian from its diagonal entries",
            trace + r"\sum_{i} \frac{1}{2} \left(\operatorname{Re}[A_{ii} + B_{ii}] + "
            r"\operatorname{Re}[-A_{ii} + B_{ii}] \right)",
            lambda: (
                (
                    re(A_ii + B_ii)
                    + re(-A_ii + B_ii)
                    + re(A_jj + B_jj)
                    + re(-A_jj + B_jj)
                )
                / 2
            ),
            derive=lambda: start("the trace of J^T H J, unit by unit", total()),
        ),
        row(
            145,
            "The trace of the real Hessian",
            trace + r"\sum_{i} \operatorname{Re}[B_{ii}]",
            lambda: re(B_ii) + re(B_jj),
            derive=lambda: start("the trace of J^T H J, unit by unit", total()),
        ),
        row(
            146,
            "The trace of the real Hessian by the eigenvalues",
            trace + r"\sum_{i} |b_i|^2 |c_i|^2 S(\lambda_i, \bar{\lambda}_i)",
            lambda: gains(H.b_i, H.c_i, S_ii) + gains(H.b_j, H.c_j, S_jj),
            derive=lambda: start("the sum of B_ii", total()).then(
                "by the definition of B",
                total().subs(
                    {
                        B_ii: gains(H.b_i, H.c_i, S_ii),
                        B_jj: gains(H.b_j, H.c_j, S_jj),
                    }
                ),
            ),
            note="Exact for complex eigenvalues: the parts in A cancel between the real "
            "and the imaginary direction. Our copy prints an upper limit j of the sum.",
        ),
    )


def _trace_sentences() -> tuple[Claim, ...]:
    S = r"S(\lambda_i, \bar{\lambda}_i)"
    pairs = tuple(
        {"lambda_i": at["lambda_i"], "lambda_j": complex(at["lambda_i"]).conjugate()}
        | {"rho": at["rho"]}
        for at in forms.TWO_UNITS
    )
    own = forms.singles()
    return (
        Claim(
            "zucchet:text:hessian-real-pair",
            f"text after Eq. 146, {REAL}",
            Kind.TEXT,
            "S of an eigenvalue and its conjugate is real",
            rf"\overline{{{S}}} = {S}",
            "evidence",
            Status.PROVED,
            "theory.hessian.pair",
            evidence=Evidence(
                pairs,
                {
                    "reference": REFERENCE + "pair_sum",
                    "quadrature": REFERENCE + "pair_quadrature",
                },
                form=lambda lambda_i, lambda_j, rho: (
                    H.similarity(lambda_i, lambda_j, rho=rho).real
                ),
                proof=_pair_is_symmetric,
            ),
            note="S has real coefficients and is symmetric, for any stationary input.",
            topic="hessian",
        ),
        Claim(
            "zucchet:147",
            f"Eq. 147, {REAL}",
            Kind.MOMENT,
            "The second moment of the sensitivity is the trace's summand",
            r"\mathbb{E}\left[\left|\frac{\mathrm{d}h_{t,i}}{\mathrm{d}\theta}\right|^2"
            r"\right] = |b_i|^2 " + S,
            "evidence",
            Status.CONDITIONAL,
            "theory.hessian.pair",
            printed=lambda: H.b_i * H.bar(H.b_i) * H.S_ibarj,
            condition=Condition(
                "theta is lambda_i, or a real parameter with |dlambda_i/dtheta| = 1",
                lambda slope, **_: isclose(abs(slope), 1),
            ),
            evidence=Evidence(
                (
                    *({**at, "slope": 0.6 + 0.8j} for at in own),
                    *({**at, "slope": 1j * complex(at["lambda_i"])} for at in own),
                ),
                {
                    "reference": REFERENCE + "moment_of_sensitivity",
                    "quadrature": REFERENCE + "moment_by_spectrum",
                },
            ),
            note="The trace of the block is |c_i|^2 times this. For another parameter the "
            "right side needs |dlambda_i/dtheta|^2; the counterexample is the angle, where "
            "it is |lambda_i|^2.",
            topic="hessian",
        ),
    )


def _pair_is_symmetric() -> bool:
    """``S`` is symmetric, weight by weight, and has no complex coefficient."""
    weights = H.lemma_2()
    turned = weights.map(
        lambda x: x.subs({H.alpha: H.beta, H.beta: H.alpha}, simultaneous=True)
    )
    return weights.equals(turned) and not weights.as_sum().has(I)
