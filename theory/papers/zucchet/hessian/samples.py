"""Zucchet & Orvieto (2024), Appendix C.2.2: one sample's derivatives, Eq. 122-128."""

from collections.abc import Callable

from sympy import Expr, Symbol

from sigprop.theory import hessian as H
from sigprop.theory.claims import Condition
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

HALF = "For y = Re[c^T h] the Wirtinger derivative dy/dlambda is c dh/dlambda / 2. "
ROOT = "zucchet:122"
CARRIED = tuple(
    f"zucchet:{number}" for number in (*range(124, 130), 133, *range(135, 139))
)
REPEATED = Erratum("B", root=ROOT)
t_i = Symbol("t_i")  # one sample of d^2 h_i / dlambda_i^2
D_H = r"\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}"
GRADIENT = r"\frac{\mathrm{d}L_t}{\mathrm{d}\lambda} = "
SECOND = r"\frac{\mathrm{d}^2 L_t}{\mathrm{d}\lambda^2} = "
ENTRY = r"\left(\frac{\mathrm{d}^2 L_t}{\mathrm{d}\lambda^2}\right)_{ij} = "


def times(
    part: Part,
    claim_id: str,
    title: str,
    left: str,
    right: str,
    printed: Expr,
    factor: int,
    derive: Callable[[], Derivation],
    *,
    correction: str = "",
    code: str = "complex_entry",
    note: str = "",
    erratum: Erratum = REPEATED,
) -> None:
    """Add a refuted row, whose right side lacks a factor 1/2 or 1/4."""
    lacks = rf"\frac{{1}}{{{factor}}}" + (" " if right[0].isalpha() else "")
    part.row(
        claim_id,
        "identity",
        "refuted",
        title,
        left + right,
        derive=derive,
        printed=lambda: printed,
        code=code,
        correction=correction or left + lacks + right,
        corrected=lambda: printed / factor,
        note=f"{HALF}So the printed value is {factor} times too large. {note}".rstrip(),
        erratum=erratum,
    )


def gradient() -> Derivation:
    """Return the gradient of one sample's loss by ``lambda_i``."""
    return start(
        "Multiply dL_t/dy = e_y by dy/dlambda_i:",
        H.e_y * H.output_derivative("i"),
        r"\mathrm{d}L_t/\mathrm{d}\lambda_i",
    )


def product() -> Derivation:
    """Return the second derivative of one sample's loss by ``lambda_i`` and ``lambda_j``."""
    return start(
        "At optimality the error is zero. What remains is the product of dy/dlambda_i "
        "and dy/dlambda_j:",
        H.output_derivative("i") * H.output_derivative("j"),
        r"\mathrm{d}^2L_t/\mathrm{d}\lambda_i\mathrm{d}\lambda_j",
    )


PRODUCT = H.c_i * H.s_i * H.c_j * H.s_j

part = Part("Appendix C.2.2", "hessian", "sigprop.theory.hessian")

times(
    part,
    "zucchet:122",
    "The gradient of one sample's loss with respect to the eigenvalues",
    GRADIENT,
    r"\frac{\partial L_t}{\partial y_t} c^\top " + D_H,
    H.e_y * H.c_i * H.s_i,
    2,
    gradient,
    code="output_derivative",
    note="Reading d/dlambda as d/dRe - i d/dIm does not help, because it doubles the "
    "derivative of h as well. The halves of Eq. 140, 141 and 148-151 cancel the factor, "
    "so Eq. 142-155 are right. With the right Eq. 138, these halves and the quarter of "
    "Eq. 141 must be removed too.",
    erratum=Erratum(
        "B",
        appears_in=CARRIED,
        bearing="No later result is affected except the lines that carry the factor "
        "on to Eq. 138. From Eq. 142 on, the halves of the chain rule cancel the "
        "factor.",
    ),
)

part.row(
    "zucchet:123",
    "identity",
    "not-checkable",
    "The paper has an empty line",
    r"\text{(nothing is printed at this number)}",
    code="output_derivative",
    reason="The number stands beside an empty line.",
    uncounted="nothing is printed",
)

times(
    part,
    "zucchet:124",
    "The second derivative as the derivative of the gradient",
    SECOND,
    r"\frac{\mathrm{d}}{\mathrm{d}\lambda} \left[\frac{\mathrm{d}h_t}{"
    r"\mathrm{d}\lambda}^\top c \frac{\partial L_t}{\partial y_t}^\top \right]",
    PRODUCT / 2,
    2,
    product,
    note="We compare entries off the diagonal. There the derivative of unit j's bracket "
    "with respect to lambda_i is c_j dh_j c_i dh_i / 2.",
)

curved, squared = H.e_y * H.c_i * t_i, (H.c_i * H.s_i) ** 2
CURVED = (
    r"\frac{\mathrm{d}^2 h_t}{\mathrm{d}\lambda^2} c \frac{\partial L_t}{\partial y_t}"
)
SQUARED = (
    r"\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}^\top c \frac{\partial^2 L_t}{\partial "
    r"y_t^2} c^\top \frac{\mathrm{d}h_t}{\mathrm{d}\lambda}"
)
part.row(
    "zucchet:125",
    "identity",
    "refuted",
    "Both terms of the second derivative of one sample's loss",
    SECOND + CURVED + r"^\top + " + SQUARED,
    derive=lambda: start(
        "Add e_y times half the second derivative of c h, and the square of half its "
        "first derivative:",
        curved / 2 + squared / 4,
    ),
    printed=lambda: curved + squared,
    code="output_derivative",
    correction=SECOND + r"\frac{1}{2}" + CURVED + r"^\top + \frac{1}{4}" + SQUARED,
    corrected=lambda: curved / 2 + squared / 4,
    note=f"{HALF}So the first term lacks a factor 1/2 and the second a factor 1/4. At "
    "optimality the first term vanishes.",
    erratum=REPEATED,
)

times(
    part,
    "zucchet:126",
    "The second derivative of one sample's loss at optimality",
    ENTRY,
    r"\left(\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}^\top c c^\top \frac{"
    r"\mathrm{d}h_t}{\mathrm{d}\lambda}\right)_{ij}",
    PRODUCT,
    4,
    product,
)

times(
    part,
    "zucchet:127",
    "The same second derivative as a product of two output derivatives",
    ENTRY,
    r"\left(c^{\top} \frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right)_i \left("
    r"c^{\top} \frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right)_j",
    PRODUCT,
    4,
    product,
)

times(
    part,
    "zucchet:128",
    "The same second derivative, entry by entry",
    ENTRY,
    r"c_i \frac{\mathrm{d}h_{t,i}}{\mathrm{d}\lambda_i} c_j \frac{\mathrm{d}"
    r"h_{t,j}}{\mathrm{d}\lambda_j}",
    PRODUCT,
    4,
    product,
)

part.row(
    "zucchet:text:hessian-unit-curvature",
    "text",
    "confirmed",
    "The mean-squared error has unit curvature",
    r"L_t \text{ is the mean-squared error} \Rightarrow \partial_{y_t}^2 L_t = "
    r"\mathrm{Id}",
    where="text after Eq. 125",
    code="sigprop.evidence.zucchet.hessian.loss.loss",
    assumes=Condition(
        "the loss is half the squared error, as in Section 4.1",
        lambda scale, **_: scale == 0.5,
    ),
    note="For the squared error without the factor 1/2 the value is 2, and the whole "
    "Hessian doubles.",
)

part.row(
    "zucchet:text:hessian-diagonal-states",
    "text",
    "refuted",
    "An eigenvalue changes only its own state",
    r"\mathrm{d}_{\lambda_i} h_{t,i} = 0 \text{ if } i \neq j",
    where="text after Eq. 128",
    code="sigprop.evidence.zucchet.hessian.units.sampled",
    correction=r"\mathrm{d}_{\lambda_i} h_{t,j} = 0 \text{ if } i \neq j",
    note="The paper prints the index i of the state; it should be j. As printed, no "
    "eigenvalue changes its own state. The words before it state the right version.",
    erratum=Erratum(
        "C", bearing="No later result is affected: Eq. 128 has the right indices."
    ),
)
