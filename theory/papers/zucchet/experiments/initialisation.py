"""Zucchet & Orvieto (2024), Section 5, Appendix D.1: networks as drawn, Eq. 156."""

from math import isclose, pi

from sympy import simplify

from theory import gated, teacher
from theory.claims import Condition
from theory.derivation import Derivation, start
from theory.rows import Part

part = Part("Appendix D.1", "experiments", "theory.gated")
deep = part.at("", code="sigprop.networks.presets.zucchet_paper")
UNMEASURED = (
    "the experiment has not been re-run as it was; measuring the networks of Figure 5 "
    "on the embeddings will decide"
)


def _upper_time() -> Derivation:
    top = (1 + teacher.nu0) / 2
    return start("the largest modulus", top).then(
        "its time constant", simplify(1 / (1 - top))
    )


part.row("zucchet:fig12", "figure", "confirmed", "Figure 12")(
    "Variance of the embeddings",
    r"0.376\,\delta_{\Delta=0} \approx 0.332\,\delta_{\Delta=0} + 0.044 \times "
    r"0.997^{\Delta} \text{ at } \Delta = 0",
    code="sigprop.inputs.Mixed",
)

part.row("zucchet:fig12:fit", "figure", "not-checkable", "Figure 12")(
    "Coefficients of the fitted autocorrelation",
    r"R_x^{\text{empirical}}(\Delta) \approx 0.332\,\delta_{\Delta=0} + 0.044 \times "
    r"0.997^{\Delta}",
    code="sigprop.inputs.Mixed",
    reason="the experiment has not been re-run as it was; the autocorrelation of the "
    "embeddings, once they are at hand, will decide",
)

part.row("zucchet:text:iid-inputs", "text", "not-checkable", "")(
    "Independent inputs as a first approximation",
    r"\text{the i.i.d. assumption serves } (\rho = 0) \text{ as a good first order "
    r"approximation}",
    code="sigprop.evidence.zucchet.experiments.initialisation.over_white",
    reason="Good has no threshold.",
    note="Moment of the state on the paper's own fit over that on white noise of the same "
    "variance: 1.23 at lam = 0.5, 3.0 at 0.9, 19 at 0.99. The small correlated part adds "
    "up over the memory; the paper's subject is the limit where it dominates.",
)

part.row("zucchet:text:feature-dimension", "text", "refuted", "")(
    "Width of BERT's embeddings",
    r"1024 \text{ examples with length 512 and feature dimension 724}",
    code="bert_width",
    correction=r"\text{feature dimension 768}",
    note="BERT base has twelve heads of 64 and 109 482 240 parameters. The published "
    "code embeds with that model; it takes the first 2048 articles, padded to 512, "
    "rather than 1024 at random.",
    inherits="no",
)

deep.row(
    "zucchet:text:network", "definition", "definition", "Section 5 and Appendix D.1"
)(
    "Four blocks of 256 neurons",
    r"\text{4 blocks: recurrent layer, non-linearity, GLU, skip; 256 neurons}",
    note="Depth, width, states, features. Section 5 omits the nonlinearity before the "
    "GLU, which Appendix D.1 has without its name.",
)

part.row("zucchet:156", "definition", "definition")(
    "Next-token mean-squared error",
    r"L_t = \frac{1}{2} \|\hat{x}_t(x_{1:t-1}) - x_t\|^2",
    code="prediction_loss",
    note="The published code compares the output at t + 1, which has seen x_t, with the "
    "input x_t: it asks for a token that was seen, not for the next one.",
)

part.row("zucchet:text:time-interval", "text", "proved", "")(
    "Magnitudes and time constants",
    r"|\lambda| \in \left[\nu_0, \frac{1+\nu_0}{2}\right] \quad \text{and} \quad T \in "
    r"\left[\frac{1}{1-\nu_0}, \frac{2}{1-\nu_0}\right]",
    _upper_time,
    lambda: 2 / (1 - teacher.nu0),
    code="sigprop.layers.gru.chrono_times",
    note="Upper ends, with T = 1/(1 - |lam|); the lower ones are the definition. Appendix "
    "A.2 spreads the same networks up to modulus one.",
)

part.row("zucchet:text:time-constant", "text", "refuted", "")(
    "Time constant of the forget gate",
    r"\text{the time constant of } f \text{ is uniformly sampled from } "
    r"\left[\frac{1}{1-\nu_0}, \frac{2}{1-\nu_0}\right]",
    gated.time_constant,
    code="time_constant",
    correction=r"\frac{1}{1-f} = 1 + T,\quad T \in \left[\frac{1}{1-\nu_0}, "
    r"\frac{2}{1-\nu_0}\right]",
    corrected=lambda: 1 + gated.tau,
    note="With b_f = log T (Eq. 31) each neuron remembers one step longer; b_f = log(T - "
    "1), as Tallec and Ollivier have it, gives what is said.",
    inherits="the axis of Figure 15",
    topic="gated",
)

part.row("zucchet:text:input-gate", "text", "confirmed", "")(
    "Input gate of the Chrono initialisation",
    r"x = h = 0:\quad i = 1 - f",
    code="sigprop.layers.lstm.lstm",
    note="i + f of a freshly drawn LSTM; in the GRU it holds at all times.",
    topic="gated",
)

deep.row("zucchet:text:lstm-or-gru", "text", "refuted", "Appendix D.1")(
    "Which gated network Figure 5 shows",
    r"\text{for the LSTM, we use the Chrono initialization}",
    correction=r"\text{for the GRU, we use the Chrono initialization}",
    note="Section 5, Fig. 5 and the same appendix two paragraphs on have a GRU. Value: "
    "how many of the three networks of Fig. 5 the setup initialises.",
    inherits="no",
)

deep.row("zucchet:fig5:lru", "figure", "conditional", "Figure 5.A, Section 5")(
    "The LRU's activity does not depend on its memory",
    r"\text{the input normalization keeps neural activity constant across } \nu_0 \text{ "
    r"values}",
    code="sigprop.layers.lru.zucchet_lru",
    condition=Condition(
        "phases uniform on the circle; Appendix D.1 does not give theta_0",
        lambda theta0, **_: isclose(theta0, pi) or isclose(theta0, 2 * pi),
    ),
    note="First layer, the input of Fig. 12: averaged over phases every lag but zero "
    "drops out, for any autocovariance (sigprop:ring-any-input). Phases within pi/10 "
    "bring the correlated part back.",
)

deep.row("zucchet:fig5:recurrent", "figure", "proved", "Figure 5.B, Section 5")(
    "Recurrent parameters' gradients grow fastest",
    r"\text{recurrent parameters grow faster to infinity than the rest as } \nu_0 \to 1",
    teacher.recurrent_share,
    code="theory.teacher.recurrent_share",
    note="Theory, one layer and white inputs: the sensitivity to lam over the moment of "
    "the state, by which input and readout weights' gradients grow, is (1 + r^2)/(1 - "
    "r^2)^2.",
)

part.row("zucchet:fig13", "figure", "conditional", "Figure 13")(
    "Gradients of the layers of a chain",
    r"\text{the layer index does not significantly impact gradient magnitude}",
    code="sigprop.layers.stack.stack",
    condition=Condition(
        "linear layers with equal eigenvalues", lambda lams, **_: len(set(lams)) == 1
    ),
    note="Filters commute: in a linear chain of equal layers all gradients are the same "
    "function of the input, as small states meet large errors. With unequal eigenvalues "
    "the slower layer's is larger wherever it stands.",
)

deep.row("zucchet:fig5", "figure", "not-checkable", "Figure 5 and Section 5")(
    "Signal propagation in deep networks at initialisation",
    r"\text{consistent with the theory: } \mathbb{E}[h_t^2],\ "
    r"\mathbb{E}[(\mathrm{d}_{\theta}L)^2] \text{ by } \nu_0",
    note="What one linear layer does is in zucchet:fig5:lru and "
    "zucchet:fig5:recurrent. The published code takes batches of 16, the paper says 8.",
    reason=UNMEASURED,
)

deep.row("zucchet:fig5:gru", "figure", "not-checkable", "Figure 5 and Section 5")(
    "Gradients of the GRU",
    r"\text{GRU: gradients independent of } \nu_0 \text{, the GRU-specific ones smaller}",
    note="For the simplified unit see zucchet:text:minimal-dependence.",
    reason=UNMEASURED,
)

deep.row(
    "zucchet:fig5:normalisation", "figure", "not-checkable", "Figure 5 and Section 5"
)(
    "Layer normalisation instead of the LRU's",
    r"\text{mitigates the gradient explosion at the macroscopic level, likely kills "
    r"any learning signal for the smallest eigenvalues}",
    reason=UNMEASURED,
)

deep.row("zucchet:text:lstm-trends", "text", "not-checkable", "Section 5")(
    "LSTMs follow the same trends",
    r"\text{preliminary experiments revealed that same trends also hold for LSTMs}",
    reason=UNMEASURED,
)

deep.row(
    "zucchet:fig13:networks", "figure", "not-checkable", "Figure 13, Appendix D.1"
)(
    "Gradients of the layers of the networks",
    r"\text{the encoder gradients are the dominating ones}",
    reason=UNMEASURED,
)
