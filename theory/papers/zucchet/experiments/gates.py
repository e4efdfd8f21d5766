"""Zucchet & Orvieto (2024), Appendix D.3: the theory for gates, Eq. 157-161."""

from sympy import factor

from sigprop.theory import gated
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import inside
from sigprop.theory.derivation import Derivation
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

UNIT = "sigprop.layers.gated.GatedUnit"
A_GATE = Condition(
    "0 < lambda < 1 constant, wide-sense-stationary input", lambda lam, **_: 0 < lam < 1
)
PAIR_SUM = (
    r"f(\alpha,\beta) := \frac{(1-\alpha)(1-\beta)}{1-\alpha\beta} \left(R_x(0) + "
    r"\sum_{\Delta \ge 1} (\alpha^{\Delta} + \beta^{\Delta}) R_x(\Delta)\right)"
)
BY_GATE = r"\mathbb{E}\left[\left(\frac{\partial h_t}{\partial \lambda}\right)^2\right]"
BY_BIAS = r"\mathbb{E}\left[\left(\frac{\partial h_t}{\partial b_f}\right)^2\right]"
part = Part("Appendix D.3", "gated", "sigprop.theory.gated")


def _pair() -> Derivation:
    return gated.kernel().then(
        "For the input of Fig. 12 the double sum over both impulse responses is",
        factor(gated.pair().on("mixed")),
    )


part.row(
    "zucchet:157",
    "definition",
    "definition",
    "The gate of the simplified GRU",
    r"f_{t+1} = \sigma(W_{fx}x_{t+1} + W_{fh}h_t + b_f)",
    code=UNIT,
    note="The test uses the gate that the layer used, recovered from its states.",
)

part.row(
    "zucchet:158",
    "definition",
    "definition",
    "The state of the simplified GRU",
    r"h_{t+1} = f_{t+1} \odot h_t + (1 - f_{t+1}) \odot x_{t+1}",
    code=UNIT,
    note="It needs one input a neuron. Fig. 15 has 256 neurons and inputs of 768 numbers "
    "(BERT's; the paper prints 724); the published code puts a learnt projection W x in "
    "place of x, which the equation lacks. With independent weights its autocovariance is "
    "that of x, averaged over features, times the weights' gain.",
)

part.row(
    "zucchet:text:gate-indices",
    "text",
    "refuted",
    "The inputs of the gate",
    r"f_{t+1} \text{ depends on both } h_{t+1} \text{ and } x_t",
    where="item 1",
    code=UNIT,
    correction=r"f_{t+1} \text{ depends on both } h_t \text{ and } x_{t+1}",
    note="The two time indices are exchanged; Eq. 157 has them right. We compare the "
    "times of the input and the state that the gate reads, counted from the gate's "
    "own time.",
    erratum=Erratum(
        "C", bearing="No later result is affected: the paper uses Eq. 157."
    ),
)

part.row(
    "zucchet:text:gate-constant",
    "text",
    "not-checkable",
    "The gate as a constant eigenvalue",
    r"f_{t+1} \approx \sigma(b_f) =: \lambda",
    where="item 1",
    code="sigprop.evidence.zucchet.experiments.gates.excess",
    reason="It names no size of its error, which sigprop:gate-order gives an order.",
    note="Four steps, lambda = sigma(1.2): the relative error of E|h|^2 is 1.6 % at "
    "inputs of size 0.1, 1.5 at size one, 4.9 at size two. 1 - f multiplies the "
    "very input it depends on, which gives the state a mean of size lam |w_ii| R(0) that "
    "does not fade with the time constant as the moment (1-lam)/(1+lam) R(0) does.",
)

part.row(
    "zucchet:159",
    "definition",
    "definition",
    "The double sum f for an impulse response that normalises its input",
    PAIR_SUM,
    derive=_pair,
    printed=lambda: gated.printed_pair().on("mixed"),
    code="pair",
    assumes=Condition(
        "|alpha|, |beta| < 1, wide-sense-stationary input", inside("alpha", "beta")
    ),
    note="It defines f. That it is the double sum of (1-alpha) alpha^n (1-beta) beta^m "
    "R(n-m), which Eq. 160 and 161 need, is what it is compared with.",
)

part.row(
    "zucchet:160",
    "moment",
    "proved",
    "Second moment of the gated state",
    r"\mathbb{E}[h_t^2] = f(\lambda, \lambda)",
    derive=lambda: gated.on_embeddings(
        gated.state(), "The double sum over both impulse responses is"
    ),
    printed=lambda: gated.printed_state().on("mixed"),
    code="state",
    assumes=A_GATE,
    note="Our copy has the expectation sign a few lines above the equation.",
    as_extracted=True,
)

part.row(
    "zucchet:161",
    "moment",
    "proved",
    "Second moment of the gated state's sensitivity",
    BY_GATE + r" = \left.\frac{\partial^2 f(\alpha,\beta)}{\partial \alpha \partial "
    r"\beta}\right|_{\alpha=\lambda,\beta=\lambda}",
    derive=lambda: gated.on_embeddings(
        gated.sensitivity(),
        "The double sum over the derivatives of both impulse responses is",
    ),
    printed=lambda: gated.printed_sensitivity().on("mixed"),
    code="sensitivity",
    assumes=A_GATE,
    note="The published code adds f and twice its first derivative to it before it "
    "draws Fig. 15: at T = 1 that is 36 % too little, at T = 256 0.8 %.",
)

part.row(
    "zucchet:text:bias-sensitivity",
    "moment",
    "proved",
    "From the eigenvalue to the bias of the gate",
    rf"{BY_BIAS} = \sigma'(b_f)^2 {BY_GATE}",
    where="after Eq. 161",
    derive=gated.bias_sensitivity,
    code="bias_sensitivity",
    printed=lambda: gated.sensitivity().on("mixed") * gated.gate_derivative().result,
    note="Our copy has squares within the derivative, as of a second derivative, and may "
    "have moved them. By the chain rule the right side is the square of the first "
    "derivative. The bullets below it and Figure 15 have the first derivative.",
    as_extracted=True,
)
