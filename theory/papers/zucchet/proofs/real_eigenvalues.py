"""Zucchet & Orvieto (2024), Appendix B.3.1: normalised, real eigenvalues, Eq. 76-79."""

from sympy import sqrt

from sigprop.theory import diagonal
from sigprop.theory import parametrisation as polar
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import inside
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.errata import Erratum
from sigprop.theory.parametrisation import d_lam, gamma
from sigprop.theory.rows import Part
from sigprop.theory.symbols import lam, n

part = Part("Appendix B.3.1", "parametrisation", "sigprop.layers.lru")
model = part.at("Appendix B.3")

FACTOR = r"\gamma(\lambda) = \left(\mathbb{E}\left[(h_t)^2\right]\right)"
ERROR = r"\frac{\mathrm{d}L}{\mathrm{d}x_t} = \gamma(\lambda) \left("
LATER = (
    r"\lambda \frac{\mathrm{d}L}{\mathrm{d}%s_{t+1}} + \frac{\partial L}{\partial h_t}"
)
DERIVATIVE = r"\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}"
MOMENT = r"\mathbb{E}\left[\left(" + DERIVATIVE + r"\right)^2\right]"


def _unit_factor() -> Derivation:
    moment = diagonal.moment("state", "exponential").result
    return start("Without normalisation E|h|^2 is", moment, r"\mathbb{E}|h|^2").then(
        "The inverse of this moment is gamma^2:", 1 / sqrt(moment)
    )


model.row(
    "zucchet:76",
    "definition",
    "definition",
    "The normalised and reparametrised recurrence",
    r"h_{t+1} = \lambda(\omega)h_t + \gamma(\lambda)x_{t+1}",
    code="LRU",
)
part.row(
    "zucchet:77",
    "identity",
    "proved",
    "The normalised state as a filter of the inputs",
    r"h_t = \sum_{n \ge 0} \lambda^n \gamma(\lambda) x_{t-n}",
    derive=polar.input_kernel,
    printed=lambda: lam**n * gamma,
    code="LRU",
    assumes=Condition("|lambda| < 1", inside("lam")),
    note="The test uses the weight of one input, also for complex eigenvalues.",
)
part.row(
    "zucchet:text:ideal-gamma",
    "text",
    "refuted",
    "The factor that keeps the state from exploding",
    FACTOR + r"^{-1}",
    where="text after Eq. 77",
    derive=_unit_factor,
    printed=lambda: 1 / diagonal.moment("state", "exponential").result,
    code="sigprop.neuron.ring.normalisation",
    correction=FACTOR + r"^{-1/2}",
    note="The paper prints the inverse of E[h^2]; it should be the inverse of its square "
    "root, because the moment scales with gamma^2. With the printed gamma E[h^2] "
    "falls to zero as 1 - lam^2 for |lambda| -> 1.",
    erratum=Erratum(
        "C",
        bearing="No later result is affected. Section 3.1 has gamma^2 E[h^2], and "
        "before Eq. 84 the paper takes sqrt(1 - nu^2); both are right.",
    ),
)
part.row(
    "zucchet:78",
    "identity",
    "refuted",
    "Backpropagation through the normalised recurrence",
    ERROR + LATER % "x" + r"\right)",
    code="LRU",
    correction=ERROR + LATER % "h" + r"\right)",
    note="The paper prints dL/dx_{t+1}; it should be dL/dh_{t+1}, as in Eq. 7. The error "
    "from time t + 1 is dL/dh_{t+1} = (dL/dx_{t+1})/gamma. The factor gamma enters "
    "once, not at every step. With the printed form the errors decay with gamma lam "
    "in place of lam. For |lambda| -> 1 gamma is small, so the printed errors would "
    "vanish.",
    erratum=Erratum(
        "B",
        bearing="No later result is affected: the paper uses only that gamma rescales "
        "dL/dx_t, which is true.",
    ),
)
part.row(
    "zucchet:79",
    "identity",
    "proved",
    "The chain rule of a real reparametrisation",
    rf"\frac{{\mathrm{{d}}h_t}}{{\mathrm{{d}}\omega}} = {DERIVATIVE}"
    r"\frac{\mathrm{d}\lambda}{\mathrm{d}\omega}",
    derive=polar.real_derivative,
    printed=lambda: (gamma * n * lam ** (n - 1)) * d_lam,
    code="LRU",
    assumes="gamma held fixed in the derivatives, as the paper says",
    note="The value of dh/dlam is gamma times the value without normalisation. If "
    "gamma were differentiated too, (dgamma/domega)/gamma times h_t would be added.",
)
part.row(
    "zucchet:text:mitigation",
    "limit",
    "confirmed",
    "Normalisation and parametrisation both mitigate the curse of memory",
    rf"{MOMENT},\ \gamma^2 \,{MOMENT},\ \left(\frac{{\mathrm{{d}}\nu}}{{\mathrm{{d}}"
    rf"\omega}}\right)^2 \gamma^2 \,{MOMENT} \text{{ grow as }} (1-\nu)^{{-3}},\ "
    r"(1-\nu)^{-2},\ 1",
    where="text after Eq. 79",
    code="sigprop.theory.parametrisation.modulus_share",
    assumes="white input, gamma = sqrt(1 - nu^2) held fixed, nu = tanh(omega)",
    note="The orders of growth are ours; the paper says that both help. Normalisation "
    "alone does not remove the divergence, as Section 3.1 also says.",
    uncounted="the formula is ours",
)
