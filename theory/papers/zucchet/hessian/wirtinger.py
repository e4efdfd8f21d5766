"""Zucchet & Orvieto (2024), Appendix C.2.1: Wirtinger derivatives, Eq. 116-121."""

from typing import Any

from sympy import Expr, I, Symbol, diff, expand

from sigprop.theory import hessian as H
from sigprop.theory.claims import Condition
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

f_re, f_im = Symbol("f_re"), Symbol("f_im")  # derivatives of f by Re z and Im z
dz, dz_bar = Symbol("dz"), Symbol("dzbar")
i, j = H.lambda_i, H.lambda_j
POLYNOMIAL = i**2 * j + (2 - I) * i - I * j**2
LOSS = POLYNOMIAL * H.conjugate(POLYNOMIAL)  # a real function of two complex numbers

part = Part("Appendix C.2.1", "hessian", "sigprop.theory.hessian")


def derivative(
    number: int, name: str, by: str, sign: str, by_dz: Symbol, shown: str
) -> None:
    """Add a row on a Wirtinger derivative, the factor of ``dz`` or of its conjugate."""
    factor = -I if sign == "-" else I
    left = (
        rf"\frac{{\mathrm{{d}}f}}{{\mathrm{{d}}{by}}} = \frac{{1}}{{2}} \left(\frac{{"
    )

    def total() -> Expr:
        return f_re * (dz + dz_bar) / 2 + f_im * (dz - dz_bar) / (2 * I)

    part.row(
        f"zucchet:{number}",
        "definition",
        "definition",
        f"Wirtinger derivative with respect to {name}",
        left + r"\mathrm{d}\mathrm{Re}[f]}{\mathrm{d}\mathrm{Re}[z]} "
        rf"{sign} i \frac{{\mathrm{{d}}\mathrm{{Im}}[f]}}{{\mathrm{{d}}\mathrm{{Im}}[z]"
        r"} \right)",
        derive=lambda: start(
            "Write df = f_re dRe z + f_im dIm z in terms of dz and its conjugate:",
            expand(total()),
            r"\mathrm{d}f",
        ).then(f"The factor of {by_dz} is", diff(expand(total()), by_dz)),
        printed=lambda: (H.real_part(f_re) + factor * H.imaginary_part(f_im)) / 2,
        code="conjugate",
        correction=left + r"\mathrm{d}f}{\mathrm{d}\mathrm{Re}[z]} "
        rf"{sign} i \frac{{\mathrm{{d}}f}}{{\mathrm{{d}}\mathrm{{Im}}[z]}} \right)",
        corrected=lambda: (f_re + factor * f_im) / 2,
        note="The paper takes derivatives of Re f and Im f; they should be derivatives of f "
        f"itself. With the printed form f(z) = z has {shown}. For a real f the printed "
        "form loses the derivative with respect to Im z.",
        erratum=Erratum(
            "C",
            bearing="Nothing is computed from the printed form.",
        ),
    )


derivative(116, "z", "z", "-", dz, "the derivative (1 - i)/2 instead of 1")
derivative(
    117,
    "the conjugate of z",
    r"\bar{z}",
    "+",
    dz_bar,
    "the conjugate derivative (1 + i)/2 instead of 0",
)

part.row(
    "zucchet:118",
    "identity",
    "proved",
    "The two Wirtinger derivatives are conjugate",
    r"\frac{\mathrm{d}f}{\mathrm{d}z} = \overline{\frac{\mathrm{d}\bar{f}}{"
    r"\mathrm{d}\bar{z}}}",
    derive=lambda: start("The derivative of f is", (f_re - I * f_im) / 2),
    printed=lambda: H.conjugate((H.conjugate(f_re) + I * H.conjugate(f_im)) / 2),
    code="conjugate",
    note="Our copy has f without a bar on the right side and may have lost it. Without "
    "the bar the equation holds only for a real f. The next item says that conj(L) = L, "
    "so conj(f) was meant.",
    as_extracted=True,
)

REAL_LOSS = "the loss is real and twice differentiable"
SECOND = r"\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda^2} = "


def second(by: Symbol) -> Derivation:
    """Return the second derivative of the real loss by ``lambda_i`` and another variable."""
    return start(
        "The derivative is",
        expand(diff(LOSS, i, by)),
        r"\mathrm{d}\lambda/\mathrm{d}\omega",
    )


part.row(
    "zucchet:119",
    "definition",
    "definition",
    "The Hessian is the derivative of the gradient",
    SECOND + r"\frac{\mathrm{d}}{\mathrm{d}\lambda} \left[\frac{\mathrm{d}L}{"
    r"\mathrm{d}\lambda}^\top \right]",
    derive=lambda: second(j),
    printed=lambda: diff(diff(LOSS, j), i),
    code="complex_block",
    assumes=REAL_LOSS,
    note="The equation defines the second derivative; Eq. 120 and 121 say more. The "
    "test compares it with finite differences of a real polynomial of two complex "
    "numbers.",
)

part.row(
    "zucchet:120",
    "identity",
    "proved",
    "The gradient as the conjugate of the gradient with respect to the conjugate",
    SECOND + r"\frac{\mathrm{d}}{\mathrm{d}\lambda} \left[\overline{\frac{"
    r"\mathrm{d}L}{\mathrm{d}\bar{\lambda}}}^{\top} \right]",
    derive=lambda: second(j),
    printed=lambda: diff(H.conjugate(diff(LOSS, H.bar(j))), i),
    code="complex_block",
    assumes=REAL_LOSS,
    as_extracted=True,
    note="Our copy lacks the line over the inner derivative, without which the right "
    "side is the mixed derivative of Eq. 137; Eq. 118 and 121 need it.",
)

part.row(
    "zucchet:121",
    "identity",
    "proved",
    "The two unmixed Hessians are conjugate",
    SECOND + r"\overline{\frac{\mathrm{d}^2 L}{\mathrm{d}\bar{\lambda}^2}}",
    derive=lambda: second(j),
    printed=lambda: H.conjugate(diff(LOSS, H.bar(i), H.bar(j))),
    code="complex_block",
    assumes=REAL_LOSS,
    as_extracted=True,
    note="Our copy breaks the line over the fraction into two.",
)

part.row(
    "zucchet:text:hessian-mixed-conjugate",
    "identity",
    "proved",
    "The mixed Hessians are conjugate",
    r"\mathrm{d}_{\lambda}\mathrm{d}_{\bar{\lambda}}L = \overline{\mathrm{d}_{"
    r"\bar{\lambda}}\mathrm{d}_{\lambda}L}",
    where="text after Eq. 121",
    derive=lambda: second(H.bar(j)),
    printed=lambda: H.conjugate(diff(LOSS, H.bar(i), j)),
    code="complex_block",
    assumes=REAL_LOSS,
)


def A_is_real(**point: Any) -> bool:
    """True if every entry of ``A`` is real."""
    source = {name: point[name] for name in ("a", "b", "rho") if name in point}
    gain = {k: point[f"b_{k}"] * point[f"c_{k}"] for k in "ij"}
    entries = (
        gain[k]
        * gain[l]
        * H.similarity(point[f"lambda_{k}"], point[f"lambda_{l}"], **source)
        for k, l in ("ii", "ij", "jj")
    )
    return all(complex(entry).imag == 0 for entry in entries)


part.row(
    "zucchet:text:hessian-hermitian",
    "text",
    "conditional",
    "The complex Hessian is Hermitian",
    r"\mathrm{d}_{\lambda}\mathrm{d}_{\bar{\lambda}}L = \left(\mathrm{d}_{\bar{"
    r"\lambda}}\mathrm{d}_{\lambda}L\right)^\top \Rightarrow \text{the complex Hessian "
    r"is a Hermitian matrix}",
    where="text after Eq. 121",
    code="hermitian_defect",
    condition=Condition(
        "of the block of mixed derivatives, or of the whole with its rows taken by "
        "the conjugates; the matrix of Eq. 138 is Hermitian only where A is real",
        lambda part, **point: part == "mixed" or A_is_real(**point),
    ),
    note="Eq. 138 orders rows and columns as (lambda, conj). In this order the whole "
    "matrix is symmetric, because second derivatives commute. It is not Hermitian: "
    "its diagonal holds A_ii, which is complex.",
    erratum=Erratum(
        "D",
        bearing="No later result is affected. Eq. 138 writes out its four entries, "
        "and no step uses more than that the loss is real.",
    ),
)
