"""Our own statements on the experiments of Zucchet & Orvieto (2024)."""

from theory import gated, teacher
from theory.rows import Part

part = Part("", "gated", "theory.gated")

part.at("", "experiments", "theory.teacher").row(
    "sigprop:teacher-time",
    "moment",
    "proved",
    "after Section 4.2 and footnote 1 of Zucchet & Orvieto (2024)",
)(
    "Mean characteristic time of the teacher",
    r"\mathbb{E}\left[\frac{1}{1-|\lambda|}\right] = \frac{e^2 + 3}{4(1-\nu_0)}",
    teacher.mean_time,
    code="mean_time",
    note="The circular law through footnote 1, for many neurons: 260 steps at nu_0 = 0.99, "
    "where 1/(1 - nu_0) is 100.",
)
part.row(
    "sigprop:gate-order",
    "limit",
    "confirmed",
    "after Appendix D.3 of Zucchet & Orvieto (2024)",
)(
    "Order of the error of a constant gate",
    r"\mathbb{E}[h_t^2] = f(\lambda,\lambda)\left(1 + O(\|x\|^2)\right)",
    code="sigprop.linear.linearise.linearise",
    assumes="inputs of zero third moment",
    note="Of the approximation of zucchet:text:gate-constant, which has its size: its rate "
    "is two. Inputs that are not symmetric would make it one.",
)
part.row(
    "sigprop:gate-white",
    "moment",
    "proved",
    "after Eq. 160 of Zucchet & Orvieto (2024)",
)(
    "The gated state under white noise",
    r"\mathbb{E}[h_t^2] = \frac{1-\lambda}{1+\lambda} R_x(0)",
    lambda: gated.kernel().then("at lag zero", gated.white_share()),
    code="white_share",
    note="The coupling i = 1 - f does more than normalise: the state of white noise "
    "vanishes with growing memory. See zucchet:text:minimal-dependence.",
)
