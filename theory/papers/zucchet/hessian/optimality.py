"""Zucchet & Orvieto (2024), Appendix C.2: the Hessian at optimality, Eq. 113-115."""

from sympy import Expr, Symbol

from sigprop.theory import hessian as H
from sigprop.theory.rows import Part

u, v = Symbol("u"), Symbol("v")  # derivatives of lambda by two real parameters
t_i = Symbol("t_i")  # one sample of d^2 h_i / dlambda_i^2

part = Part("Appendix C.2", "hessian", "sigprop.theory.hessian")

part.row(
    "zucchet:113",
    "definition",
    "definition",
    "The complex diagonal recurrence",
    r"h_{t+1} = \lambda \odot h_t + bx_t",
    code="sigprop.layers.complex_diagonal.ComplexDiagonal",
    note="The index of the input is a convention: here x_t, in Section 1 x_{t+1}. We "
    "take x_{t+1}, which fits Eq. 130 with its weights n lambda^(n-1) at x_{-n}. A delay "
    "of one step changes no stationary moment.",
)

part.row(
    "zucchet:114",
    "definition",
    "definition",
    "A real output of complex states",
    r"y_t = \operatorname{Re}[c^\top h_t] + dx_t",
    code="sigprop.layers.complex_diagonal.ComplexDiagonal",
    note="The real part halves every derivative of y with respect to lambda. Eq. 122 "
    "and the equations after it lose this factor. The test uses d = 0.6.",
)


def sample_hessian() -> Expr:
    """Return the Gauss-Newton and curvature terms of a sample in two real directions."""
    product = H.real_part(H.c_i * H.s_i * u) * H.real_part(H.c_i * H.s_i * v)
    return product + H.e_y * H.real_part(H.c_i * t_i * u * v)


part.row(
    "zucchet:115",
    "identity",
    "confirmed",
    "The Hessian of the loss by the chain rule",
    r"\frac{\mathrm{d}^2 L}{\mathrm{d}\theta^2} = \sum_t \mathbb{E}_x \left["
    r"\frac{\mathrm{d}h_t}{\mathrm{d}\theta} \frac{\partial^2 L_t}{\partial h_t^2}"
    r" \frac{\mathrm{d}h_t}{\mathrm{d}\theta}^\top + \frac{\partial L_t}{\partial "
    r"h_t} \frac{\mathrm{d}^2 h_t}{\mathrm{d}\theta^2} \right]",
    printed=sample_hessian,
    code="real_block",
    assumes="the loss of Eq. 1, which sees theta through the states alone; theta is "
    "real; a complex state counts as its two real coordinates",
    note="The equation repeats Eq. 11. It is enough for the recurrent parameters. The "
    "networks of Figure 4 also have the readout c and the skip d as parameters. For "
    "them dh/dtheta = 0 and the right side is zero. But the Hessian is E[(Re h)^2] "
    "for Re c, E[(Im h)^2] for Im c and E[x^2] for d. The test compares sample by "
    "sample, away from optimality.",
    uncounted="repeats zucchet:11",
)

part.row(
    "zucchet:text:hessian-one-term",
    "text",
    "confirmed",
    "At optimality only the product of first derivatives remains",
    r"\frac{\mathrm{d}^2 L}{\mathrm{d}\theta^2} = \sum_t \mathbb{E}_x\left[\frac{"
    r"\mathrm{d}h_t}{\mathrm{d}\theta}\frac{\partial^2 L_t}{\partial h_t^2}\frac{"
    r"\mathrm{d}h_t}{\mathrm{d}\theta}^\top\right] \text{ where } \frac{\partial "
    r"L_t}{\partial h_t} = 0 \text{ for all data}",
    where="text after Eq. 11, Section 4.3, and after Eq. 115",
    code="real_block",
    note="Differences of the exact loss, with all its terms, equal the covariance "
    "of the first derivatives of the output. Judged at one late step: each term of the "
    "sum loses its second half by itself.",
)

part.row(
    "zucchet:text:hessian-most-sensitive",
    "text",
    "proved",
    "The recurrent parameters are the most sensitive ones",
    r"\operatorname{Tr} H_{\lambda} > \max(\operatorname{Tr} H_{b}, \operatorname{Tr} "
    r"H_{c}, H_d) \text{ as } |\lambda| \to 1",
    where="text after Eq. 115",
    code="pair",
    assumes="white input; long memories at fixed b and c, of which Section B.2 shows it",
    note="Compared are the traces of the diagonal blocks of one unit by (re, im) of "
    "lambda, b and c, and the entry of d. At every |lambda| the first is larger than that "
    "of b where |b|^2 (1+|lambda|^2) > (1-|lambda|^2)^2, and than that of c with |c|^2 "
    "for |b|^2.",
)
