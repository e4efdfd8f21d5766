"""Zucchet & Orvieto (2024), Appendix C.2.3: traces of the Hessian, Eq. 144-147."""

from sympy import Expr, Symbol, expand

from sigprop.theory import hessian as H
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.papers.zucchet.hessian.cartesian import AT_OPTIMALITY
from sigprop.theory.rows import Part

A_ii, A_jj = Symbol("A_ii"), Symbol("A_jj")
B_ii, B_jj = Symbol("B_ii", real=True), Symbol("B_jj", real=True)
S_ii, S_jj = Symbol("S_ii", real=True), Symbol("S_jj", real=True)
TRACE = r"\operatorname{Tr}[H^{\mathrm{RI}}] = "
OWN = r"S(\lambda_i, \bar{\lambda}_i)"
re = H.real_part

part = Part("Appendix C.2.3", "hessian", "sigprop.theory.hessian")


def total() -> Expr:
    """Return the trace of ``J^T H J`` over both units."""
    trace = H.trace(H.CARTESIAN)
    return sum(
        expand(
            trace.subs(
                {H.A_ij: A, H.bar(H.A_ij): H.conjugate(A), H.B_ij: B, H.bar(H.B_ij): B}
            )
        )
        for A, B in ((A_ii, B_ii), (A_jj, B_jj))
    )


def unit_by_unit() -> Derivation:
    """Return the trace as a derivation of one step."""
    return start(
        "Sum the trace of J^T H J over the units:",
        total(),
        r"\operatorname{Tr} H^{\mathrm{RI}}",
    )


def gains(b: Symbol, c: Symbol) -> Expr:
    """Return ``|b|^2 |c|^2``."""
    return b * H.bar(b) * c * H.bar(c)


part.row(
    "zucchet:144",
    "identity",
    "proved",
    "The trace of the real Hessian from its diagonal entries",
    TRACE + r"\sum_{i} \frac{1}{2} \left(\operatorname{Re}[A_{ii} + B_{ii}] + "
    r"\operatorname{Re}[-A_{ii} + B_{ii}] \right)",
    derive=unit_by_unit,
    printed=lambda: (
        (re(A_ii + B_ii) + re(-A_ii + B_ii) + re(A_jj + B_jj) + re(-A_jj + B_jj)) / 2
    ),
    code="trace",
    assumes=AT_OPTIMALITY,
)

part.row(
    "zucchet:145",
    "identity",
    "proved",
    "The trace of the real Hessian",
    TRACE + r"\sum_{i} \operatorname{Re}[B_{ii}]",
    derive=unit_by_unit,
    printed=lambda: re(B_ii) + re(B_jj),
    code="trace",
    assumes=AT_OPTIMALITY,
)


def eq_146() -> Expr:
    """Return Eq. 146 as printed, for two units."""
    return gains(H.b_i, H.c_i) * S_ii + gains(H.b_j, H.c_j) * S_jj


part.row(
    "zucchet:146",
    "identity",
    "proved",
    "The trace of the real Hessian in terms of the eigenvalues",
    TRACE + r"\sum_{i} |b_i|^2 |c_i|^2 S(\lambda_i, \bar{\lambda}_i)",
    derive=lambda: start(
        "The trace is the sum of B_ii:", total(), r"\operatorname{Tr} H"
    ).then(
        "By the definition of B this is",
        total().subs(
            {B_ii: gains(H.b_i, H.c_i) * S_ii, B_jj: gains(H.b_j, H.c_j) * S_jj}
        ),
    ),
    printed=eq_146,
    code="trace",
    assumes=AT_OPTIMALITY,
    as_extracted=True,
    note="Exact for complex eigenvalues: the parts in A cancel between the real "
    "and the imaginary direction. Our copy has a stray upper limit j of the sum.",
)

part.row(
    "zucchet:text:hessian-real-pair",
    "text",
    "proved",
    "S of an eigenvalue and its conjugate is real",
    rf"\overline{{{OWN}}} = {OWN}",
    where="text after Eq. 146",
    code="pair",
    note="S has real coefficients and is symmetric, for any real stationary input.",
)

MOMENT = r"\mathbb{E}\left[\left|\frac{\mathrm{d}h_{t,i}}{\mathrm{d}"
RIGHT = r"}\right|^2\right] = |b_i|^2 " + OWN

part.row(
    "zucchet:147",
    "moment",
    "confirmed",
    "The second moment of the sensitivity is one term of the trace",
    MOMENT + r"\theta" + RIGHT,
    code="pair",
    note="We read theta as lambda_i, which the sentence before names. Elsewhere theta is "
    "any parameter, or an angle. The trace of the block is |c_i|^2 times this moment.",
)
