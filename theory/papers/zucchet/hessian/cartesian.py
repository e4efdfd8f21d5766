"""Zucchet & Orvieto (2024), Appendix C.2.3: Hessian by real parameters, Eq. 138-143."""

from collections.abc import Callable, Sequence
from typing import Any

from sympy import Expr, I, Integer, Matrix, Rational, Symbol, expand

from theory import hessian as H
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation, start
from theory.evidence import AtPoint, Evidence
from theory.papers.zucchet.hessian import forms
from theory.papers.zucchet.hessian.forms import REAL, REFERENCE

re_i, im_i, re_j, im_j = H.re_i, H.im_i, H.re_j, H.im_j  # weights of a contraction
CARTESIAN_ENTRY = (
    r"\frac{\mathrm{d}^2 L}{\mathrm{d}\omega_{\mathrm{re},i}\mathrm{d}\omega_{\mathrm{re}"
    r",j}}"
)
HALVED = (
    "The derivative itself has no half. The half belongs to the chain rule if d/dlambda "
    "stands for twice Wirtinger's derivative, as Eq. 122-138 have it; with Wirtinger's "
    "derivatives neither the half here nor the missing quarter there is needed. The two "
    "slips cancel: Eq. 142-155 hold the right factor."
)


def claims() -> tuple[Claim, ...]:
    """Eq. 138 to 143 and the sentences between them."""
    return (*_blocks(), *_entries())


def _block_138(at: AtPoint) -> list[list[complex]]:
    same, mixed = complex(at["A_ij"]), complex(at["B_ij"])
    return [[same, mixed], [mixed.conjugate(), same.conjugate()]]


def _blocks() -> tuple[Claim, ...]:
    def entry(first: str, second: str) -> str:
        return (
            rf"\frac{{\mathrm{{d}}^{{2}}L}}{{\mathrm{{d}}{first}\mathrm{{d}}{second}}}"
        )

    i, j, i_bar, j_bar = (
        r"\lambda_{i}", r"\lambda_{j}", r"\bar{\lambda}_{i}", r"\bar{\lambda}_{j}",
    )  # fmt: skip
    left = (
        rf"H_{{ij}}^{{\lambda}} := \begin{{pmatrix}} {entry(i, j)} & {entry(i, j_bar)} \\ "
        rf"{entry(i_bar, j)} & {entry(i_bar, j_bar)} \end{{pmatrix}} = "
    )
    right = (
        r"\begin{pmatrix} A_{ij} & B_{ij} \\ \bar{B}_{ij} & \bar{A}_{ij} \end{pmatrix}"
    )
    return (
        Claim(
            "zucchet:138",
            f"Eq. 138, {REAL}",
            Kind.IDENTITY,
            "The complex Hessian of two units as A, B and their conjugates",
            left + right,
            "evidence",
            Status.REFUTED,
            "theory.hessian.complex_block",
            correction=left + r"\frac{1}{4}" + right,
            evidence=Evidence(
                forms.pairs(),
                {
                    "reference": REFERENCE + "complex_block",
                    "quadrature": REFERENCE + "complex_block_by_spectrum",
                },
                form=lambda **at: [[x / 4 for x in row] for row in _block_138(at)],
                printed=lambda **at: _block_138(at),
            ),
            note="The places of the conjugates are right; the factor is that of Eq. 133 "
            "and 137.",
            inherits="Eq. 142-155 do not: their halves undo it",
            topic="hessian",
        ),
        Claim(
            "zucchet:text:hessian-left-right",
            f"text before Eq. 138, {REAL}",
            Kind.TEXT,
            "A parametrisation multiplies the Hessian from left and right",
            r"H^{\omega} = \left(\frac{\mathrm{d}(\lambda, \bar{\lambda})}{\mathrm{d}\omega}"
            r"\right)^\top H^{\lambda} \frac{\mathrm{d}(\lambda, \bar{\lambda})}{\mathrm{d}"
            r"\omega} \text{ at optimality}",
            "evidence",
            Status.PROVED,
            "theory.hessian.real_block",
            assumes="a smooth parametrisation",
            evidence=Evidence(
                forms.charted(),
                {
                    "reference": REFERENCE + "lru_block",
                    "sensitivities": REFERENCE + "lru_gauss_newton",
                },
                form=lambda **at: H.block_value(H.polar("i"), H.polar("j"), at),
                proof=_parts_agree,
            ),
            note="Off optimality the gradient adds dL/dlambda d^2 lambda/domega^2 and its "
            "conjugate. Judged in the exponential parametrisation of Eq. 18.",
            topic="hessian",
        ),
        Claim(
            "zucchet:text:hessian-cartesian",
            f"text before Eq. 139, {REAL}",
            Kind.TEXT,
            "The real-imaginary parametrisation",
            r"\lambda = \omega_{\mathrm{re}} + \omega_{\mathrm{im}}",
            "evidence",
            Status.REFUTED,
            "theory.hessian.CARTESIAN",
            correction=r"\lambda = \omega_{\mathrm{re}} + i\omega_{\mathrm{im}}",
            printed=lambda: re_i + im_i,
            corrected=lambda: re_i + I * im_i,
            evidence=Evidence(
                ({"re_i": 0.3, "im_i": 0.6}, {"re_i": -0.5, "im_i": 0.2}),
                {"impulse": "sigprop.references.hessian_samples.layer_eigenvalue"},
                alone="a definition that its own use (Eq. 143) corrects",
            ),
            note="The i is missing; all that follows has it.",
            inherits="none",
            topic="hessian",
        ),
        _block_139(),
        _cartesian_slopes(),
    )


def _parts_agree() -> bool:
    """The chain rule's block is the real parts of Eq. 142-155, for any slopes."""
    p, q = Symbol("p"), Symbol("q")
    (value,) = H.real_block((p,), (q,))
    return expand(value - H.as_parts(p, q)) == 0


def _block_139() -> Claim:
    def latex(upper: str) -> str:
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

    return Claim(
        "zucchet:139",
        f"Eq. 139, {REAL}",
        Kind.IDENTITY,
        "The real Hessian of two units, (re, im)",
        latex("re"),
        "evidence",
        Status.REFUTED,
        "theory.hessian.real_block",
        correction=latex("im"),
        evidence=Evidence(
            forms.pairs(),
            {
                "reference": REFERENCE + "cartesian_block",
                "sensitivities": REFERENCE + "cartesian_gauss_newton",
            },
            form=lambda **at: H.block_value(H.CARTESIAN, H.CARTESIAN, at),
            printed=lambda **at: _first_column_twice(at),
        ),
        note="A misprint: the upper right entry repeats the upper left one. Eq. 143 has "
        "the right entry.",
        inherits="none",
        topic="hessian",
    )


def _first_column_twice(at: dict[str, Any]) -> list[list[complex]]:
    (first, _), lower = H.block_value(H.CARTESIAN, H.CARTESIAN, at)
    return [[first, first], lower]


def _cartesian_slopes() -> Claim:
    one = r"\mathrm{d}_{\omega_{\mathrm{re},i}}\lambda_i = "
    two = r"\mathrm{d}_{\omega_{\mathrm{im},i}}\lambda_i = "
    three = r"\mathrm{d}_{\omega_{\mathrm{im},i}}\bar{\lambda}_i = "
    return Claim(
        "zucchet:text:hessian-cartesian-slopes",
        f"text after Eq. 139, {REAL}",
        Kind.TEXT,
        "Derivatives of the eigenvalue by its real and imaginary part",
        rf"{one}\frac{{1}}{{2}}, \; {two}\frac{{i}}{{2}}, \; {three}-\frac{{i}}{{2}}",
        "evidence",
        Status.REFUTED,
        "theory.hessian.CARTESIAN",
        correction=rf"{one}1, \; {two}i, \; {three}-i",
        evidence=Evidence(
            tuple({"lam": lam} for lam in (0.5 + 0.4j, -0.3 + 0.6j)),
            {
                "reference": REFERENCE + "cartesian_slopes",
                "impulse": "sigprop.references.hessian_samples.layer_slopes",
            },
            form=lambda lam: [1.0, 1j, -1j],
            printed=lambda lam: [0.5, 0.5j, -0.5j],
        ),
        note=HALVED,
        inherits="none: the halves and the missing quarters of Eq. 122-138 cancel",
        topic="hessian",
    )


def _entries() -> tuple[Claim, ...]:
    A, B = H.A_ij, H.B_ij
    ones = (Integer(1), Integer(1))
    printed_block = Matrix([[A, B], [H.bar(B), H.bar(A)]])
    first_entry = {
        "reference": REFERENCE + "cartesian_first",
        "sensitivities": REFERENCE + "cartesian_first_of_sensitivities",
    }
    chain = (
        r"(\mathrm{d}_{\omega_{\mathrm{re},j}}\lambda_j \ \mathrm{d}_{\omega_{\mathrm{re},j}"
        r"}\bar{\lambda}_j)H_{ij}^{\lambda}(\mathrm{d}_{\omega_{\mathrm{re},i}}\lambda_i \ "
        r"\mathrm{d}_{\omega_{\mathrm{re},i}}\bar{\lambda}_i)^{\top}"
    )

    def row(
        number: int, title: str, latex: str, printed: Callable[[], Expr], note: str
    ):
        return Claim(
            f"zucchet:{number}",
            f"Eq. {number}, {REAL}",
            Kind.IDENTITY,
            title,
            CARTESIAN_ENTRY + " = " + latex,
            "evidence",
            Status.PROVED,
            "theory.hessian.entry",
            derive=lambda: H.entry(Rational(1), Rational(1)),
            printed=printed,
            evidence=Evidence(forms.pairs(), first_entry),
            note=note,
            topic="hessian",
        )

    def product(left: Sequence[Expr], block: Matrix, right: Sequence[Expr]) -> Expr:
        return (Matrix([left]) * block * Matrix([right]).T)[0, 0]

    return (
        row(
            140,
            "The entry (re, re) by the chain rule",
            chain,
            lambda: product(ones, H.complex_block(), ones),
            "Holds with Wirtinger's derivatives and slopes of one, and also with A, B and "
            "slopes of a half. Units i and j have changed sides: harmless where all slopes "
            "are equal; elsewhere unit i's slopes belong on the left, or Im B in the mixed "
            "entries of Eq. 143 changes sign.",
        ),
        row(
            141,
            "The entry (re, re) as a sum over the complex block",
            r"\frac{1}{4} (1 \ 1) H_{ij}^{\lambda} (1 \ 1)^{\top}",
            lambda: product(ones, printed_block, ones) / 4,
            "With the matrix of A and B that Eq. 138 prints; with true second derivatives "
            "the quarter is theirs already.",
        ),
        row(
            142,
            "The entry (re, re)",
            r"\frac{1}{2} \left(\operatorname{Re}[A_{ij}] + \operatorname{Re}[B_{ij}] "
            r"\right)",
            lambda: (H.real_part(A) + H.real_part(B)) / 2,
            "",
        ),
        _block_143(),
    )


def _block_143() -> Claim:
    """The whole block, contracted with two pairs of unrelated real weights."""
    weights = {"re_i": 0.7, "im_i": -1.2, "re_j": 1.6, "im_j": 0.45}
    A, B = H.A_ij, H.B_ij

    def contracted(block: Matrix) -> Expr:
        return (Matrix([[re_i, im_i]]) * block * Matrix([re_j, im_j]))[0, 0]

    def derive() -> Derivation:
        block = H.real_block(H.CARTESIAN, H.CARTESIAN)
        return start("J_i^T H J_j, weighed by two vectors", expand(contracted(block)))

    def printed() -> Expr:
        re, im = H.real_part, H.imaginary_part
        block = Matrix([[re(A + B), im(-A + B)], [im(-A - B), re(-A + B)]]) / 2
        return contracted(block)

    return Claim(
        "zucchet:143",
        f"Eq. 143, {REAL}",
        Kind.IDENTITY,
        "The real Hessian of two units, (re, im), all four entries",
        r"H_{ij}^{\rm RI} := \frac{1}{2} \begin{pmatrix} {\rm Re}[A_{ij} + B_{ij}] & {\rm "
        r"Im}[-A_{ij} + B_{ij}] \\ {\rm Im}[-A_{ij} - B_{ij}] & {\rm Re}[-A_{ij} + B_{ij}] "
        r"\end{pmatrix}",
        "evidence",
        Status.PROVED,
        "theory.hessian.real_block",
        derive=derive,
        printed=printed,
        evidence=Evidence(
            tuple({**at, **weights} for at in forms.pairs() + forms.singles()),
            {
                "reference": REFERENCE + "contracted_block",
                "sensitivities": REFERENCE + "contracted_sensitivities",
            },
        ),
        note="All four entries at once: the block is weighed by two vectors of unrelated "
        "numbers. Exact for general complex eigenvalues and gains and any stationary "
        "input; no entry may be dropped (see sigprop:hessian-off-diagonal).",
        topic="hessian",
    )
