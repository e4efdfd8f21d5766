"""Zucchet & Orvieto (2024), Appendix C.2.3: Hessian in real parameters, Eq. 138-143."""

from collections.abc import Callable, Sequence

from sympy import Expr, I, Integer, Matrix, Rational, expand

from sigprop.theory import hessian as H
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.errata import Erratum
from sigprop.theory.papers.zucchet.hessian.samples import REPEATED
from sigprop.theory.rows import Part

A, B = H.A_ij, H.B_ij
re_i, im_i, re_j, im_j = H.re_i, H.im_i, H.re_j, H.im_j  # weights of a contraction
BLOCK = r"\begin{pmatrix} A_{ij} & B_{ij} \\ \bar{B}_{ij} & \bar{A}_{ij} \end{pmatrix}"
COMPLEX = (
    r"H_{ij}^{\lambda} := \begin{pmatrix} "
    r"\frac{\mathrm{d}^{2}L}{\mathrm{d}\lambda_{i}\mathrm{d}\lambda_{j}} & "
    r"\frac{\mathrm{d}^{2}L}{\mathrm{d}\lambda_{i}\mathrm{d}\bar{\lambda}_{j}} \\ "
    r"\frac{\mathrm{d}^{2}L}{\mathrm{d}\bar{\lambda}_{i}\mathrm{d}\lambda_{j}} & "
    r"\frac{\mathrm{d}^{2}L}{\mathrm{d}\bar{\lambda}_{i}\mathrm{d}\bar{\lambda}_{j}} "
    r"\end{pmatrix} = "
)

AT_OPTIMALITY = "at optimality"

part = Part("Appendix C.2.3", "hessian", "sigprop.theory.hessian")

part.row(
    "zucchet:138",
    "identity",
    "refuted",
    "The complex Hessian of two units as A, B and their conjugates",
    COMPLEX + BLOCK,
    code="complex_block",
    correction=COMPLEX + r"\frac{1}{4}" + BLOCK,
    note="The conjugates stand at the right places. The printed entries are 4 times "
    "too large, as in Eq. 133 and 137. Eq. 141 is right only with the printed H. With "
    "the right H, the quarter of Eq. 141 and the halves before Eq. 140 must be "
    "removed.",
    erratum=REPEATED,
)

part.row(
    "zucchet:text:hessian-left-right",
    "text",
    "proved",
    "A parametrisation multiplies the Hessian from left and right",
    r"H^{\omega} = \left(\frac{\mathrm{d}(\lambda, \bar{\lambda})}{\mathrm{d}\omega}"
    r"\right)^\top H^{\lambda} \frac{\mathrm{d}(\lambda, \bar{\lambda})}{\mathrm{d}"
    r"\omega} \text{ at optimality}",
    where="text before Eq. 138",
    code="real_block",
    assumes="a smooth parametrisation",
    note="Away from optimality the gradient adds dL/dlambda d^2 lambda/domega^2 and "
    "its conjugate. The test uses the exponential parametrisation of Eq. 21.",
)

part.row(
    "zucchet:text:hessian-cartesian",
    "definition",
    "definition",
    "The real-imaginary parametrisation",
    r"\lambda = \omega_{\mathrm{re}} + i\omega_{\mathrm{im}}",
    where="text before Eq. 139",
    printed=lambda: re_i + I * im_i,
    code="CARTESIAN",
    note="Our copy lacks the i and may have lost it. All lines that follow have it.",
    as_extracted=True,
)


def eq_139(upper: str) -> str:
    """Return the real block, whose upper right entry has the derivative by ``upper``."""

    def entry(first: str, second: str) -> str:
        return (
            r"\frac{\mathrm{d}^{2}L}{\mathrm{d}\omega_{\mathrm{"
            rf"{first}}},i}}\mathrm{{d}}\omega_{{\mathrm{{{second}}},j}}}}"
        )

    return (
        r"H_{ij}^{\mathrm{RI}} := \begin{pmatrix} "
        rf"{entry('re', 're')} & {entry('re', upper)} \\ "
        rf"{entry('im', 're')} & {entry('im', 'im')} \end{{pmatrix}}"
    )


part.row(
    "zucchet:139",
    "definition",
    "definition",
    "The real Hessian of two units, in real and imaginary parts",
    eq_139("re"),
    code="real_block",
    correction=eq_139("im"),
    note="The upper right entry repeats the upper left entry. Eq. 143 has the right "
    "entry.",
    erratum=Erratum(
        "C", bearing="No later result is affected: Eq. 143 has the right entry."
    ),
)

BY_RE = r"\mathrm{d}_{\omega_{\mathrm{re},i}}\lambda_i = "
BY_IM = r"\mathrm{d}_{\omega_{\mathrm{im},i}}\lambda_i = "
BAR_BY_IM = r"\mathrm{d}_{\omega_{\mathrm{im},i}}\bar{\lambda}_i = "
part.row(
    "zucchet:text:hessian-cartesian-slopes",
    "text",
    "refuted",
    "Derivatives of the eigenvalue with respect to its real and imaginary part",
    rf"{BY_RE}\frac{{1}}{{2}}, \; {BY_IM}\frac{{i}}{{2}}, \; {BAR_BY_IM}-\frac{{i}}{{2}}",
    where="text after Eq. 139",
    code="CARTESIAN",
    correction=rf"{BY_RE}1, \; {BY_IM}i, \; {BAR_BY_IM}-i",
    note="The paper prints a factor 1/2; it should be 1, because the parameters are real. "
    "The printed factor cancels the quarter that Eq. 138 lacks, so that Eq. 142 is "
    "right. Both must be corrected together. Eq. 80 has the same factors, and nothing "
    "cancels them there: Eq. 81-83 are too small by a factor of 4.",
    erratum=Erratum(
        "B",
        root="zucchet:80",
        bearing="No later result of Appendix C.2 is affected: Eq. 142-155 have the "
        "right factor.",
    ),
)

FIRST_ENTRY = (
    r"\frac{\mathrm{d}^2 L}{\mathrm{d}\omega_{\mathrm{re},i}\mathrm{d}\omega_{"
    r"\mathrm{re},j}} = "
)


def first_entry(
    number: int, title: str, latex: str, printed: Callable[[], Expr], note: str = ""
) -> None:
    """Add a row on a form of the entry (re, re)."""
    part.row(
        f"zucchet:{number}",
        "identity",
        "proved",
        title,
        FIRST_ENTRY + latex,
        derive=lambda: H.entry(Rational(1), Rational(1)),
        printed=printed,
        code="entry",
        assumes=AT_OPTIMALITY,
        note=note,
    )


def between(left: Sequence[Expr], block: Matrix, right: Sequence[Expr]) -> Expr:
    """Return the product of a block with two vectors."""
    return (Matrix([left]) * block * Matrix([right]).T)[0, 0]


ONES = (Integer(1), Integer(1))

first_entry(
    140,
    "The Hessian's entry (re, re) by the chain rule",
    r"(\mathrm{d}_{\omega_{\mathrm{re},j}}\lambda_j \ \mathrm{d}_{\omega_{\mathrm{re},j}"
    r"}\bar{\lambda}_j)H_{ij}^{\lambda}(\mathrm{d}_{\omega_{\mathrm{re},i}}\lambda_i \ "
    r"\mathrm{d}_{\omega_{\mathrm{re},i}}\bar{\lambda}_i)^{\top}",
    lambda: between(ONES, H.complex_block(), ONES),
    "H is the matrix of second derivatives, as Eq. 138 defines it. Units i and j are "
    "interchanged. This is harmless if all derivatives of lambda are equal. Otherwise unit i "
    "belongs on the left, or Im B in the mixed entries of Eq. 143 changes sign.",
)
SUM_OF_BLOCK = r"(1 \ 1) H_{ij}^{\lambda} (1 \ 1)^{\top}"
part.row(
    "zucchet:141",
    "identity",
    "refuted",
    "The Hessian's entry (re, re) as a sum over the complex block",
    FIRST_ENTRY + r"\frac{1}{4} " + SUM_OF_BLOCK,
    derive=lambda: H.entry(Rational(1), Rational(1)),
    printed=lambda: between(ONES, H.complex_block(), ONES) / 4,
    code="entry",
    assumes=AT_OPTIMALITY,
    correction=FIRST_ENTRY + SUM_OF_BLOCK,
    corrected=lambda: between(ONES, H.complex_block(), ONES),
    note="The paper prints a factor 1/4; it should be 1, because the derivatives of lambda "
    "are 1. H is the matrix of second derivatives, as Eq. 138 defines it. With the matrix "
    "of A and B, which is four times H, Eq. 142 is right.",
    erratum=Erratum("B", root="zucchet:80"),
)
first_entry(
    142,
    "The Hessian's entry (re, re)",
    r"\frac{1}{2} \left(\operatorname{Re}[A_{ij}] + \operatorname{Re}[B_{ij}] \right)",
    lambda: (H.real_part(A) + H.real_part(B)) / 2,
)


def weighed() -> Derivation:
    """Return the product of the whole block with two vectors of independent weights."""
    block = H.real_block(H.CARTESIAN, H.CARTESIAN)
    contracted = expand(between((re_i, im_i), block, (re_j, im_j)))
    return start(
        "Take J_i^T H J_j between two vectors:",
        contracted,
        r"v_i^\top J_i^\top H_{ij} J_j v_j",
    )


def eq_143() -> Expr:
    """Return Eq. 143 as printed, multiplied with the same two vectors."""
    re, im = H.real_part, H.imaginary_part
    block = Matrix([[re(A + B), im(-A + B)], [im(-A - B), re(-A + B)]]) / 2
    return between((re_i, im_i), block, (re_j, im_j))


part.row(
    "zucchet:143",
    "identity",
    "proved",
    "The real Hessian of two units, in real and imaginary parts, all four entries",
    r"H_{ij}^{\rm RI} := \frac{1}{2} \begin{pmatrix} {\rm Re}[A_{ij} + B_{ij}] & {\rm "
    r"Im}[-A_{ij} + B_{ij}] \\ {\rm Im}[-A_{ij} - B_{ij}] & {\rm Re}[-A_{ij} + B_{ij}] "
    r"\end{pmatrix}",
    derive=weighed,
    printed=eq_143,
    code="real_block",
    assumes=AT_OPTIMALITY,
    note="The test compares all four entries at once: it takes the block between two "
    "vectors of unrelated numbers. The equation is exact for general complex "
    "eigenvalues and gains and any stationary input. No entry may be dropped (see "
    "sigprop:hessian-off-diagonal).",
)
