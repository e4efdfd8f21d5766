"""Zucchet & Orvieto (2024), Appendix C.2: the Hessian at optimality, Eq. 113-115."""

from sympy import Expr, Symbol

from theory import hessian as H
from theory.claims import Condition
from theory.rows import Part

u, v = Symbol("u"), Symbol("v")  # derivatives of lambda by two real parameters
t_i = Symbol("t_i")  # one sample of d^2 h_i / dlambda_i^2

part = Part("Appendix C.2", "hessian", "theory.hessian")

part.row("zucchet:113", "definition", "definition")(
    "The complex diagonal recurrence",
    r"h_{t+1} = \lambda \odot h_t + bx_t",
    code="sigprop.layers.complex_diagonal.ComplexDiagonal",
    note="Here h_{t+1} sees x_t; in Eq. 10 and in the one-dimensional case it "
    "sees x_{t+1}. One step of delay changes no stationary moment, and the "
    "weights n lambda^(n-1) of x_{-n} in Eq. 130 are those of Eq. 10.",
)

part.row("zucchet:114", "definition", "definition")(
    "A real output of complex states",
    r"y_t = \operatorname{Re}[c^\top h_t] + dx_t",
    code="sigprop.layers.complex_diagonal.ComplexDiagonal",
    note="The real part is what halves every derivative by lambda; Eq. 122-137 "
    "lose that half. Judged with d = 0.6.",
)


def sample_hessian() -> Expr:
    """Gauss-Newton and curvature terms of one sample, in two real directions."""
    slopes = H.real_part(H.c_i * H.s_i * u) * H.real_part(H.c_i * H.s_i * v)
    return slopes + H.e_y * H.real_part(H.c_i * t_i * u * v)


part.row("zucchet:115", "identity", "confirmed")(
    "The Hessian of the loss by the chain rule",
    r"\frac{\mathrm{d}^2 L}{\mathrm{d}\theta^2} = \sum_t \mathbb{E}_x \left["
    r"\frac{\mathrm{d}h_t}{\mathrm{d}\theta} \frac{\partial^2 L_t}{\partial h_t^2}"
    r" \frac{\mathrm{d}h_t}{\mathrm{d}\theta}^\top + \frac{\partial L_t}{\partial "
    r"h_t} \frac{\mathrm{d}^2 h_t}{\mathrm{d}\theta^2} \right]",
    printed=sample_hessian,
    code="real_block",
    assumes="the loss of Eq. 1, which sees theta through the states alone; theta is "
    "real; a complex state counts as its two real coordinates",
    note="Eq. 11 again. Enough for the recurrent parameters. For the readout c and the skip d, "
    "which are parameters of the networks of Figure 4 too, dh/dtheta = 0 and the "
    "right side is nought while the Hessian is E[(Re h)^2]. Judged sample by "
    "sample, off optimality.",
)

part.row(
    "zucchet:text:hessian-one-term",
    "text",
    "confirmed",
    "text after Eq. 11, Section 4.3, and after Eq. 115",
)(
    "At optimality only the product of first derivatives remains",
    r"\frac{\mathrm{d}^2 L}{\mathrm{d}\theta^2} = \mathbb{E}\left[\frac{"
    r"\mathrm{d}h_t}{\mathrm{d}\theta}\frac{\partial^2 L_t}{\partial h_t^2}\frac{"
    r"\mathrm{d}h_t}{\mathrm{d}\theta}^\top\right] \text{ where } \frac{\partial "
    r"L_t}{\partial h_t} = 0 \text{ for all data}",
    code="real_block",
    note="Differences of the exact loss, with all its terms, equal the covariance "
    "of the first derivatives of the output.",
)

part.row(
    "zucchet:text:hessian-most-sensitive", "text", "conditional", "text after Eq. 115"
)(
    "The recurrent parameters are the most sensitive ones",
    r"\operatorname{Tr} H_{\lambda} > \operatorname{Tr} H_{b}",
    code="pair",
    assumes="white input",
    condition=Condition(
        "|b|^2 (1+|lambda|^2) > (1-|lambda|^2)^2, so always in the limit of long "
        "memories at fixed b",
        lambda lam, b_i, **_: (
            abs(b_i) ** 2 * (1 + abs(lam) ** 2) > (1 - abs(lam) ** 2) ** 2
        ),
    ),
    note="Compared are the traces of the diagonal blocks of one unit by (re, im) of "
    "lambda and of b. With the normalisation |b|^2 = 1 - |lambda|^2 it always holds.",
)
