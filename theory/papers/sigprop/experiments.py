"""Our own statements on the experiments of Zucchet & Orvieto (2024)."""

from sigprop.theory import gated, recurrences, teacher
from sigprop.theory.rows import Part

part = Part("", "gated", "sigprop.theory.gated")

part.at("", "experiments", "sigprop.theory.teacher").row(
    "sigprop:teacher-time",
    "moment",
    "proved",
    "Mean characteristic time of the teacher",
    r"\mathbb{E}\left[\frac{1}{1-|\lambda|}\right] = \frac{e^2 + 3}{4(1-\nu_0)}",
    where="after Section 4.2 and footnote 1 of Zucchet & Orvieto (2024)",
    derive=teacher.mean_time,
    code="mean_time",
    note="The circular law through footnote 1, for many neurons: 260 steps at nu_0 = 0.99, "
    "where 1/(1 - nu_0) is 100.",
)
part.row(
    "sigprop:gate-order",
    "limit",
    "confirmed",
    "Order of the error of a constant gate",
    r"\mathbb{E}[h_t^2] = f(\lambda,\lambda)\left(1 + O(\|x\|^2)\right)",
    where="after Appendix D.3 of Zucchet & Orvieto (2024)",
    code="sigprop.linear.linearise.linearise",
    assumes="inputs of zero third moment",
    note="Of the approximation of zucchet:text:gate-constant, which has its size: its rate "
    "is two. Inputs that are not symmetric would make it one.",
)
part.row(
    "sigprop:gate-white",
    "moment",
    "proved",
    "The gated state under white noise",
    r"\mathbb{E}[h_t^2] = \frac{1-\lambda}{1+\lambda} R_x(0)",
    where="after Eq. 160 of Zucchet & Orvieto (2024)",
    derive=lambda: gated.kernel().then("At lag zero this is", gated.white_share()),
    code="white_share",
    note="The coupling i = 1 - f does more than normalise: the state of white noise "
    "vanishes with growing memory. See zucchet:text:minimal-dependence.",
)
part.row(
    "sigprop:chrono-time",
    "bound",
    "confirmed",
    "T is the time in which a gate at its bias forgets, up to half a step",
    r"b_f = \log T,\ f = \sigma(b_f),\ f^\tau = e^{-1}: \quad T < \tau < T + \frac{1}{2}",
    where="beside Appendix A.4 of Zucchet & Orvieto (2024)",
    code="sigprop.evidence.sigprop.experiments.decay_time",
    note="The paper calls T a characteristic time scale, and says no more. tau = 1/log(1 + "
    "1/T); 1/(1 - f) is T + 1.",
)
part.at("", "parametrisation", "sigprop.theory.recurrences").row(
    "sigprop:controlled-edge",
    "limit",
    "proved",
    "The limit of the controlled sensitivity for |lambda| -> 1, white input",
    r"\rho = 0, \lambda \to 1: \quad \mathbb{E}[(\mathrm{d}_\nu h_t)^2] \to "
    r"\frac{1}{2}, \quad \lambda = \exp(-\exp(\nu))",
    where="beside Figure 2B of Zucchet & Orvieto (2024)",
    derive=recurrences.controlled_limit,
    code="controlled_limit",
    assumes="gamma = sqrt(1 - lam^2) is not differentiated",
)
