"""Zucchet & Orvieto (2024), Appendix C.2.2: mixed derivatives, Eq. 135-137."""

from sigprop.theory import hessian as H
from sigprop.theory.papers.zucchet.hessian.expectation import in_full
from sigprop.theory.papers.zucchet.hessian.samples import D_H, gradient, times
from sigprop.theory.rows import Part

SECOND = r"\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda_i \mathrm{d}\bar{\lambda}_j} = "
GRADIENT = r"\frac{\mathrm{d}L_t}{\mathrm{d}\bar{\lambda}} = "
CONJUGATE = r"\overline{\frac{\mathrm{d}L_t}{\mathrm{d}\lambda}} = "
BY_CONJUGATE = r"\frac{\partial L_t}{\partial y_t} \bar{c}^\top \overline{" + D_H + "}"

part = Part("Appendix C.2.2", "hessian", "sigprop.theory.hessian")

times(
    part,
    "zucchet:135",
    "The gradient with respect to the conjugate eigenvalues",
    GRADIENT + r"\frac{\mathrm{d}\bar{L}_t}{\mathrm{d}\lambda} = " + CONJUGATE,
    BY_CONJUGATE,
    H.e_y * H.bar(H.c_i) * H.bar(H.s_i),
    2,
    lambda: gradient().then(
        "As L_t is real, take the conjugate:", H.conjugate(gradient().result)
    ),
    correction=GRADIENT
    + r"\overline{\frac{\mathrm{d}\bar{L}_t}{\mathrm{d}\lambda}} = "
    + CONJUGATE
    + r"\frac{1}{2} "
    + BY_CONJUGATE,
    code="conjugate",
    note="The second member needs a line over the whole of it, which our copy may have "
    "lost: conj(L) = L, so without the line it is the gradient by lambda.",
)

times(
    part,
    "zucchet:136",
    "The mixed entry as an expectation",
    SECOND,
    r"\mathbb{E}\left[\frac{\overline{\mathrm{d}h_{t,j}}}{\mathrm{d}\lambda_j}\bar{c}_j "
    r"c_i \frac{\mathrm{d}h_{t,i}}{\mathrm{d}\lambda_i}\right]",
    H.B_EXPR,
    4,
    lambda: in_full(True),
)

times(
    part,
    "zucchet:137",
    "The mixed entry of the complex Hessian",
    SECOND,
    r"c_i \bar{c}_j b_i \bar{b}_j S(\lambda_i, \bar{\lambda}_j)",
    H.B_EXPR,
    4,
    lambda: in_full(True),
)

part.row(
    "zucchet:text:hessian-all-components",
    "text",
    "confirmed",
    "Two kinds of entries give the whole complex Hessian",
    r"\frac{\mathrm{d}^2 L}{\mathrm{d}\bar{\lambda}_i \mathrm{d}\bar{\lambda}_j} = "
    r"\overline{\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda_i \mathrm{d}\lambda_j}}, "
    r"\frac{\mathrm{d}^2 L}{\mathrm{d}\bar{\lambda}_i \mathrm{d}\lambda_j} = "
    r"\overline{\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda_i \mathrm{d}\bar{\lambda}_j}}",
    where="text after Eq. 137",
    code="whole_complex",
    note="All sixteen entries of two units follow from A and B and their conjugates.",
)
