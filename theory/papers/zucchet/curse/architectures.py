"""Zucchet & Orvieto (2024), Sections 3.1 (complex numbers), 3.2 and 4.1 (angle)."""

import cmath
import math

from sigprop.theory import recurrences
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.papers.zucchet.conditions import has_power
from sigprop.theory.papers.zucchet.curse.normalisation import DETACHED
from sigprop.theory.rows import Part
from sigprop.theory.symbols import lam, r

part = Part("Section 3.1", "parametrisation", "sigprop.theory.recurrences")

part.row(
    "zucchet:text:complex-magnitude",
    "text",
    "proved",
    "The magnitude of a complex eigenvalue behaves as a real eigenvalue",
    r"\rho = 0: \quad \mathbb{E}|\mathrm{d}_{\nu} h_t|^2 \text{ is that of the real "
    r"case at } |\lambda|",
    where="The case of complex numbers",
    derive=recurrences.controlled_magnitude,
    code="controlled",
    assumes=Condition(f"{DETACHED}; white input", lambda rho, **_: rho == 0),
    note="nu is the parameter of the LRU, as in Figure 2. For white input alone is the "
    "moment one of the modulus; the text says similar, and names no input. Eq. 83 as "
    "printed would give a quarter of the real case.",
)
part.row(
    "zucchet:text:complex-angle",
    "limit",
    "proved",
    "The sensitivity to the angle explodes, normalised or not",
    r"\rho = 0: \quad \gamma^2 \mathbb{E}|\mathrm{d}_\theta h_t|^2 = \frac{r^2 (1 + "
    r"r^2)}{(1 - r^2)^2} \to \infty \quad (r = |\lambda| \to 1)",
    where="The case of complex numbers",
    derive=recurrences.polar_sensitivity,
    printed=lambda: r**2 * (1 + r**2) / (1 - r**2) ** 2,
    code="polar_sensitivity",
    assumes=Condition(
        f"{DETACHED}; white input, or one whose spectrum is positive at the phase: "
        "Appendix B.3.2, whose implication it is, has a moment of the modulus alone",
        lambda lam, rho, **_: has_power(rho, cmath.phase(lam)),
    ),
    note="dlam/dtheta = i lam keeps its size for |lambda| -> 1, so only a derivative "
    "that depends on r removes the explosion. Constant input at a phase other than "
    "zero, under which nothing explodes, is none of that appendix.",
)

task = part.at("", "landscape")
task.row(
    "zucchet:text:teacher-student",
    "definition",
    "definition",
    "The one-dimensional task: loss of a student against its teacher",
    r"L_t := \frac{1}{2}|h_t - h_t^*|^2, \quad h_{t+1} = \lambda h_t + x_{t+1}, "
    r"\quad R_x(\Delta) = \delta_{\Delta=0}",
    where="Section 4.1",
    derive=recurrences.white_loss,
    code="white_loss",
    note="What is compared is its expectation, Eq. 91 in closed form, here for a real "
    "teacher.",
)
task.row(
    "zucchet:text:flat",
    "limit",
    "proved",
    "Away from the teacher's angle the loss is flat",
    r"\lambda = \lambda^* e^{i\theta}: \quad \frac{\mathrm{d}L}{\mathrm{d}\theta} "
    r"\to 0 \quad (|\lambda^*| \to 1, \theta \neq 0)",
    where="Section 4.1",
    derive=recurrences.circle_derivative,
    code="circle_derivative",
    note="With a = r^2 the derivative is a (1 - a^2) sin(theta) / (1 - 2 a cos(theta) + "
    "a^2)^2, of the order of the gap at any fixed theta, while the curvature at the "
    "teacher grows as 1/gap^3. On the real axis the derivative at lambda = 0 stays "
    "-lambda^*.",
)

models = part.at("Deep state-space models, Section 3.2")
models.row(
    "zucchet:text:euler",
    "text",
    "confirmed",
    "Euler's scheme approximates the differential equation",
    r"\dot{h} = Ah + Bx: \quad h_{t+1} = (\text{Id} + \text{d}tA)h_t + "
    r"\text{d}tBx_{t+1} \text{, of first order}",
    code="sigprop.evidence.zucchet.curse.architectures.euler_order",
    topic="models",
    note="The newest input enters at the end of the step. The order of the error is "
    "one for either end.",
)
models.row(
    "zucchet:text:euler-normalises",
    "text",
    "proved",
    "Euler's scheme normalises the input",
    r"\lambda = 1 + \text{d}t\,a, \gamma = \text{d}t: \quad \mathbb{E}[h_t^2] = "
    r"\frac{\text{d}t}{-a(2 + a\,\text{d}t)} \text{ for white input}",
    derive=recurrences.euler_gain,
    code="euler_gain",
    assumes=Condition("|1 + dt a| < 1", lambda dt, a: abs(1 + dt * a) < 1),
    note="The text says some input normalisation; the formula is ours. "
    "gamma is proportional to 1 - lambda: exact for constant input, "
    "(1/a)^2, and too much for white input, whose moment vanishes with dt.",
    uncounted="the formula is ours",
)
models.row(
    "zucchet:text:zero-order-hold",
    "text",
    "confirmed",
    "The zero-order hold parametrises the recurrence by a matrix exponential",
    r"\lambda = \exp(\text{d}tA)",
    code="sigprop.evidence.zucchet.curse.architectures.zero_order_hold",
    note="The zero-order hold also changes the input matrix to A^-1 (exp(dt A) - Id) "
    "B.",
)
models.row(
    "zucchet:text:input-gates",
    "text",
    "confirmed",
    "Gates that read only the input keep the Jacobian diagonal",
    r"\frac{\partial h_{t+1}}{\partial h_t} = \text{diag}(f_{t+1})",
    code="sigprop.layers.gated.GatedUnit",
    topic="gated",
    assumes=Condition(
        "the gates depend on the input alone, as the text says of Mamba",
        lambda gain, **_: gain == 0,
    ),
)
models.row(
    "zucchet:text:smooth-mappings",
    "text",
    "conditional",
    "Deep state-space models approximate any smooth mapping",
    r"\text{Deep SSMs, linear recurrences } h \text{ with } |\lambda| < 1 \text{ and a "
    r"continuous readout of } h \text{, can approximate any smooth mapping of sequences}",
    code="sigprop.evidence.zucchet.curse.architectures.trace",
    topic="models",
    assumes="the mapping is causal and the inputs are bounded",
    condition=Condition(
        "sequences have a bounded length, or the mapping forgets old inputs (fading "
        "memory)",
        lambda age, **_: math.isfinite(age),
    ),
    note="The test uses what a readout needs: where an input changes the target, it must "
    "change the state. An input leaves |lambda|^age, which is not zero at any finite age "
    "and tends to zero with the age. The sum of all inputs is smooth and causal, and "
    "does not forget. Both cited works have the condition: Boyd and Chua treat fading "
    "memory, and Orvieto et al. (2024) sequences of bounded length.",
    erratum=Erratum(
        "D", bearing="No result of the paper rests on it: expressivity is not studied."
    ),
)
part.at("Section 2.2", "models").row(
    "zucchet:text:s4-s5-lru",
    "text",
    "not-checkable",
    "Published models that are linear and diagonal",
    r"\text{S4, S5 and LRUs satisfy } f_\theta(h_t, x_{t+1}) = \lambda \odot h_t + "
    r"x_{t+1}",
    where="assumption a",
    code="sigprop.layers.s4.S4",
    reason="Of the three cited papers only the LRU's is among the four of this suite.",
    note="The LRU satisfies it up to its factor gamma on the input, which depends on "
    "lambda. The S4 of Appendix A.3 is diagonal; the text calls it slightly modified.",
)
part.at("introduction, before Section 1", "models").row(
    "zucchet:text:quadratic-attention",
    "text",
    "confirmed",
    "Cost of attention in the length of the sequence",
    r"\text{The computational and memory costs of attention scale as } T^2 \text{ in the "
    r"length } T \text{ of the sequence}",
    code="sigprop.evidence.lru.listing.growth_of_cost",
    note="The test concerns the exponent: of the entries that all operations write, "
    "between 1024 and 4096 steps, and of the products, between 16 and 64. RotRNN has "
    "the same sentence: rotrnn:text:linear-cost.",
)

gates = part.at("Gated RNNs, Section 3.2", "gated")
gates.row(
    "zucchet:text:gated-update",
    "definition",
    "definition",
    "The update of a gated network",
    r"h_{t+1} = f_{t+1} \odot h_t + i_{t+1} \odot x_{t+1}",
    code="sigprop.layers.gated.GatedUnit",
    note="With i = 1 - f, the coupling that the text ascribes to the GRU; it prints "
    "f_t = 1 - i_t. In the LSTM the state of this equation is the cell.",
)
gates.row(
    "zucchet:text:gates-nondiagonal",
    "text",
    "confirmed",
    "Gates that read the state make the Jacobian nearly diagonal at small weights",
    r"\frac{\partial h_{t+1}}{\partial h_t} = \text{diag}(f_{t+1}) + \text{diag}("
    r"f_{t+1}(1 - f_{t+1})(h_t - x_{t+1})) W_{fh}",
    code="sigprop.layers.gated.GatedUnit",
    note="For the coupled gate i = 1 - f; the formula is ours. To first order linear in "
    "the weights from the state to the gate.",
    uncounted="the formula is ours",
)
gates.row(
    "zucchet:text:gate-normalises",
    "text",
    "proved",
    "A coupled input gate can normalise the input",
    r"h_{t+1} = \lambda h_t + (1 - \lambda) x_{t+1}, 0 \le \lambda < 1: \quad "
    r"\mathbb{E}[h_t^2] \le R_x(0)",
    code="coupled_state",
    note="The weights of the inputs sum to one, so that no input explodes; constant input "
    "reaches the bound. For |rho| < 1 the moment (1 - lam)(1 + rho lam)/((1 + lam)(1 - "
    "rho lam)) vanishes with the gap: at rho = 0 and lam = 0.9 it is 0.0526.",
)
gates.row(
    "zucchet:text:sigmoid",
    "text",
    "proved",
    "A sigmoid has a similar effect as reparametrising the eigenvalue",
    r"\lambda = \sigma(b), \gamma^2 = 1 - \lambda^2: \quad \mathbb{E}[(\mathrm{d}_b "
    r"h_t)^2] = \frac{\lambda^2(1+\lambda^2)}{(1+\lambda)^2}, \rho = 0",
    derive=recurrences.sigmoid_controlled,
    printed=lambda: lam**2 * (1 + lam**2) / (1 + lam) ** 2,
    code="sigmoid_controlled",
    assumes=DETACHED,
    note="The text says a similar effect; the formula is ours. gamma is that of the "
    "LRU. Bounded by 1/2, which is also its limit for |lambda| -> 1 and that of the "
    "double exponential of Figure 2B.",
    uncounted="the formula is ours",
)
