"""Zucchet & Orvieto (2024), Appendix D.3: the theory for gates, Eq. 157-161."""

from sympy import Expr, factor

from theory import gated
from theory.claims import Claim, Condition, Kind, Status
from theory.derivation import Derivation
from theory.evidence import Evidence
from theory.papers.zucchet.rows import judged

SECTION = "Appendix D.3"
REFERENCE = "sigprop.references.gated."
LAYER = "sigprop.layers.gated.GatedUnit"
POINTS = (
    {"lam": 0.5, "a": 0.3, "b": 0.7, "rho": 0.6},
    {"lam": 0.85, "a": 0.332, "b": 0.044, "rho": 0.997},
    {"lam": 0.7, "a": 0.4, "b": 0.9, "rho": -0.8},
    {"lam": 0.2, "a": 1.1, "b": 0.0, "rho": 0.3},
)
PAIRS = (
    {"alpha": 0.5, "beta": 0.8, "a": 0.3, "b": 0.7, "rho": 0.6},
    {"alpha": -0.4, "beta": 0.9, "a": 0.332, "b": 0.044, "rho": 0.997},
    {"alpha": 0.6 + 0.5j, "beta": 0.2 - 0.7j, "a": 0.4, "b": 0.9, "rho": -0.8},
)
F = r"f(\alpha,\beta)"
SUM = (
    r"\left(R_x(0) + \sum_{\Delta \ge 1} (\alpha^{\Delta} + \beta^{\Delta}) "
    r"R_x(\Delta)\right)"
)


def claims() -> tuple[Claim, ...]:
    """Eq. 157 to 161 and the text around them."""
    return (*_unit(), *_equations())


def _pair() -> Derivation:
    return gated.kernel().then(
        "the double sum over two kernels, on the input of Fig. 12",
        factor(gated.pair().on("mixed")),
    )


def _printed_pair() -> Expr:
    return gated.printed_pair().on("mixed")


def _unit() -> tuple[Claim, ...]:
    return (
        judged(
            "157",
            f"Eq. 157, {SECTION}",
            "The gate of the simplified GRU",
            r"f_{t+1} = \sigma(W_{fx}x_{t+1} + W_{fh}h_t + b_f)",
            Status.DEFINITION,
            LAYER,
            Evidence(
                (
                    {"w": 0.7, "v": 0.4, "bias": 0.3},
                    {"w": -1.2, "v": 0.9, "bias": -0.5},
                ),
                {
                    "layer": REFERENCE + "gate_by_layer",
                    "loop": REFERENCE + "gate_by_hand",
                },
                form=REFERENCE + "gate_as_defined",
            ),
            kind=Kind.DEFINITION,
            topic="gated",
            note="Judged on the gate that the layer used, recovered from its states.",
        ),
        judged(
            "158",
            f"Eq. 158, {SECTION}",
            "The state of the simplified GRU",
            r"h_{t+1} = f_{t+1} \odot h_t + (1 - f_{t+1}) \odot x_{t+1}",
            Status.DEFINITION,
            LAYER,
            Evidence(
                (
                    {"w": 0.7, "v": 0.4, "bias": 0.3},
                    {"w": -1.2, "v": 0.9, "bias": -0.5},
                ),
                {"layer": REFERENCE + "states_by_layer"},
                form=REFERENCE + "states_by_hand",
                alone="a definition: the layer against the loop that it stands for",
            ),
            kind=Kind.DEFINITION,
            topic="gated",
            note="It needs one input a neuron. Fig. 15 has 256 neurons and inputs of 768 "
            "numbers; the published code puts a learnt projection W x in place of x, "
            "which the equation lacks. With independent weights its autocovariance is "
            "that of x, averaged over features, times the weights' gain.",
        ),
        judged(
            "text:gate-indices",
            f"item 1, {SECTION}",
            "What the gate sees",
            r"f_{t+1} \text{ depends on both } h_{t+1} \text{ and } x_t",
            Status.REFUTED,
            LAYER,
            Evidence(
                ({},),
                {"autodiff": REFERENCE + "seen_by_gate"},
                form=lambda: [0.0, -1.0],
                printed=lambda: [-1.0, 0.0],
                alone="derivatives of the layer's gate by every input and state",
            ),
            correction=r"f_{t+1} \text{ depends on both } h_t \text{ and } x_{t+1}",
            topic="gated",
            note="The two time indices are exchanged; Eq. 157 has them right. Values: the "
            "times of the input and the state seen, counted from the gate's own.",
            inherits="no",
        ),
        judged(
            "text:gate-constant",
            f"item 1, {SECTION}",
            "The gate as a constant eigenvalue",
            r"f_{t+1} \approx \sigma(b_f) =: \lambda",
            Status.CONDITIONAL,
            "sigprop.linear.linearise.linearise",
            Evidence(
                tuple({"size": size} for size in (0.02, 0.05, 0.1, 1.0, 2.0)),
                {"reference": REFERENCE + "excess_size"},
                form=lambda size: 0.1,
                relation="<=",
                slips={"to six digits": lambda size: 1e-6},
                alone="quadrature over every input of the layer",
            ),
            condition=Condition(
                "inputs so small that their square, below 0.05, can be neglected",
                lambda size, **_: size**2 < 0.05,
            ),
            topic="gated",
            note="The relative error of E|h|^2 vanishes as the square of the inputs' size. "
            "At size one it is of order one and more: 1 - f multiplies the very input it "
            "depends on, which gives the state a mean of size lam |w_ii| R(0) that does "
            "not fade with the time constant as the moment (1-lam)/(1+lam) R(0) does.",
        ),
        judged(
            "text:gate-order",
            f"item 1, {SECTION}",
            "Order of the error of a constant gate",
            r"\mathbb{E}[h_t^2] = f(\lambda,\lambda)\left(1 + O(\|x\|^2)\right)",
            Status.CONFIRMED,
            "sigprop.linear.linearise.linearise",
            Evidence(
                ({"size": 0.02}, {"size": 0.05}, {"size": 0.1}),
                {"reference": REFERENCE + "rate_of_excess"},
                form=lambda size: 2.0,
                tolerance=1e-4,
                alone="quadrature over every input of the layer, at two sizes",
            ),
            kind=Kind.LIMIT,
            topic="gated",
            note="Our reading of the approximation: its rate is two.",
        ),
    )


def _equations() -> tuple[Claim, ...]:
    chain = (
        r"\mathbb{E}\left[\left(\frac{\partial h_t}{\partial \lambda}\right)^2\right]"
    )
    return (
        judged(
            "159",
            f"Eq. 159, {SECTION}",
            "Double sum over a kernel that normalises its input",
            F + r" := \frac{(1-\alpha)(1-\beta)}{1-\alpha\beta} " + SUM,
            Status.PROVED,
            "theory.gated.pair",
            Evidence(
                PAIRS,
                {"reference": REFERENCE + "pair_sum"},
                proof=lambda: gated.printed_pair().equals(gated.pair()),
            ),
            derive=_pair,
            printed=_printed_pair,
            kind=Kind.MOMENT,
            topic="gated",
            assumes="|alpha|, |beta| < 1, wide-sense-stationary input",
            note="It defines f; judged as the double sum of (1-alpha) alpha^n (1-beta) "
            "beta^m R(n-m) that Eq. 160 and 161 need.",
        ),
        judged(
            "160",
            f"Eq. 160, {SECTION}",
            "Second moment of the gated state",
            r"\mathbb{E}[h_t^2] = f(\lambda, \lambda)",
            Status.PROVED,
            "theory.gated.state",
            Evidence(
                POINTS,
                {
                    "reference": REFERENCE + "state_sum",
                    "impulse": REFERENCE + "state_by_layer",
                },
                proof=lambda: gated.printed_state().equals(gated.state()),
            ),
            derive=lambda: gated.on_embeddings(gated.state(), "its double sum"),
            printed=lambda: gated.printed_state().on("mixed"),
            kind=Kind.MOMENT,
            topic="gated",
            assumes="0 < lambda < 1 constant, wide-sense-stationary input",
            note="Our copy has the expectation sign a few lines above the equation.",
            as_extracted=True,
        ),
        judged(
            "161",
            f"Eq. 161, {SECTION}",
            "Second moment of the gated state's sensitivity",
            chain
            + r" = \left.\frac{\partial^2 f(\alpha,\beta)}{\partial \alpha \partial "
            r"\beta}\right|_{\alpha=\lambda,\beta=\lambda}",
            Status.PROVED,
            "theory.gated.sensitivity",
            Evidence(
                POINTS,
                {
                    "reference": REFERENCE + "sensitivity_sum",
                    "autodiff": REFERENCE + "sensitivity_by_layer",
                },
                proof=lambda: gated.printed_sensitivity().equals(gated.sensitivity()),
            ),
            derive=lambda: gated.on_embeddings(
                gated.sensitivity(), "the double sum over the kernel's derivative"
            ),
            printed=lambda: gated.printed_sensitivity().on("mixed"),
            kind=Kind.MOMENT,
            topic="gated",
            assumes="0 < lambda < 1 constant, wide-sense-stationary input",
            note="The published code adds f and twice its first derivative to it before "
            "it draws Fig. 15: at T = 1 that is 36 % too little, at T = 256 one per cent.",
        ),
        judged(
            "text:bias-sensitivity",
            f"after Eq. 161, {SECTION}",
            "From the eigenvalue to the bias of the gate",
            r"\mathbb{E}\left[\left(\frac{\partial^2 h_t}{\partial b_f^2}\right)^2\right] "
            r"= \sigma'(b_f)^2 " + chain,
            Status.REFUTED,
            "theory.gated.bias_sensitivity",
            Evidence(
                POINTS,
                {
                    "reference": REFERENCE + "bias_sensitivity_sum",
                    "autodiff": REFERENCE + "bias_sensitivity_by_layer",
                },
                printed=REFERENCE + "bias_curvature_sum",
            ),
            correction=r"\mathbb{E}\left[\left(\frac{\partial h_t}{\partial b_f}\right)^2"
            r"\right] = \sigma'(b_f)^2 " + chain,
            derive=gated.bias_sensitivity,
            corrected=lambda: (
                gated.sensitivity().on("mixed") * gated.gate_slope().result
            ),
            kind=Kind.MOMENT,
            topic="gated",
            note="By the chain rule the right side is the square of the first derivative, "
            "not of the second as our copy has it; Fig. 15 shows the first. The place of "
            "the squares may be an extraction fault.",
            inherits="no",
        ),
    )
