"""Zucchet & Orvieto (2024), Section 5, Appendix D.1: networks at initialisation, Eq. 156."""

from sympy import simplify

from sigprop.theory import teacher
from sigprop.theory.claims import Condition
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Appendix D.1", "experiments", "sigprop.theory.gated")
deep = part.at("", code="sigprop.networks.presets.zucchet_paper")
UNMEASURED = (
    "the experiment has not been re-run as it was; measuring the networks of Figure 5 "
    "on the embeddings will decide"
)


def _upper_time() -> Derivation:
    top = (1 + teacher.nu0) / 2
    return start("The largest modulus is", top, r"|\lambda|_{\max}").then(
        "The time constant of this modulus is", simplify(1 / (1 - top))
    )


part.row(
    "zucchet:fig12",
    "figure",
    "confirmed",
    "Variance of the embeddings",
    r"0.376\,\delta_{\Delta=0} \approx 0.332\,\delta_{\Delta=0} + 0.044 \times "
    r"0.997^{\Delta} \text{ at } \Delta = 0",
    where="Figure 12",
    code="sigprop.inputs.Mixed",
)

part.row(
    "zucchet:fig12:fit",
    "figure",
    "not-checkable",
    "Coefficients of the fitted autocorrelation",
    r"R_x^{\text{empirical}}(\Delta) \approx 0.332\,\delta_{\Delta=0} + 0.044 \times "
    r"0.997^{\Delta}",
    where="Figure 12",
    code="sigprop.inputs.Mixed",
    reason="the experiment has not been re-run as it was; the autocorrelation of the "
    "embeddings, once they are at hand, will decide",
)

part.row(
    "zucchet:text:iid-inputs",
    "text",
    "not-checkable",
    "Independent inputs as a first approximation",
    r"\text{the i.i.d. assumption serves } (\rho = 0) \text{ as a good first order "
    r"approximation}",
    code="sigprop.evidence.zucchet.experiments.initialisation.over_white",
    reason="Good has no threshold.",
    note="Moment of the state on the paper's own fit over that on white noise of the same "
    "variance: 1.23 at lam = 0.5, 3.0 at 0.9, 19 at 0.99. The small correlated part adds "
    "up over the memory; the paper's subject is the limit where it dominates.",
)

part.row(
    "zucchet:text:feature-dimension",
    "text",
    "refuted",
    "Width of BERT's embeddings",
    r"1024 \text{ examples with length 512 and feature dimension 724}",
    code="bert_width",
    correction=r"\text{feature dimension 768}",
    note="The paper prints 724; it should be 768. Devlin et al. give BERT base a hidden "
    "size of 768, twelve heads of 64. The published code embeds with that model. It "
    "takes the first 2048 articles, padded to 512, not 1024 random articles.",
    erratum=Erratum(
        "E",
        bearing="No later result is affected: the width is in no formula, and an "
        "encoder maps it to 256.",
    ),
)

deep.row(
    "zucchet:text:network",
    "definition",
    "definition",
    "Four blocks of 256 neurons",
    r"\text{4 blocks: recurrent layer, non-linearity, GLU, skip; 256 neurons}",
    where="Section 5 and Appendix D.1",
    note="Depth, width, states, features. Section 5 omits the nonlinearity before the "
    "GLU, which Appendix D.1 has without its name, and the skip connection. Features as "
    "BERT has them (zucchet:text:feature-dimension).",
)

part.row(
    "zucchet:156",
    "definition",
    "definition",
    "Next-token mean-squared error",
    r"L_t = \frac{1}{2} \|\hat{x}_t(x_{1:t-1}) - x_t\|^2",
    code="prediction_loss",
    note="The published code compares the output at t + 1, which depends on x_t, with "
    "the input x_t. So it asks for a token that was read, not for the next one.",
)

part.row(
    "zucchet:text:time-interval",
    "text",
    "proved",
    "Magnitudes and time constants",
    r"|\lambda| \in \left[\nu_0, \frac{1+\nu_0}{2}\right] \quad \text{and} \quad T \in "
    r"\left[\frac{1}{1-\nu_0}, \frac{2}{1-\nu_0}\right]",
    derive=_upper_time,
    printed=lambda: 2 / (1 - teacher.nu0),
    code="sigprop.layers.gru.chrono_times",
    note="Upper ends, with T = 1/(1 - |lam|); the lower ones are the definition. Under "
    "Eq. 31 the gate is T/(1 + T), with another T: zucchet:text:chrono-low. Appendix A.2 "
    "spreads the same networks up to modulus one.",
)

part.row(
    "zucchet:text:time-constant",
    "text",
    "confirmed",
    "Time constant of the forget gate",
    r"\text{the time constant of } f \text{ is uniformly sampled from } "
    r"\left[\frac{1}{1-\nu_0}, \frac{2}{1-\nu_0}\right]",
    code="sigprop.layers.gru.chrono",
    note="Figure 15 names T, with lambda = T/(1 + T), the time constant: value: f/(1 - f) "
    "at rest of a gate with b_f = log T, which is T; its law is zucchet:31. The time "
    "1/(1 - f) is T + 1, and with it the sentence repeats zucchet:text:chrono-low.",
    topic="gated",
)

part.row(
    "zucchet:text:input-gate",
    "text",
    "confirmed",
    "Input gate of the Chrono initialisation",
    r"x = h = 0:\quad i = 1 - f",
    code="sigprop.layers.lstm.lstm",
    note="The rule judged is b_i = -b_f, of a freshly drawn LSTM at rest; in the GRU i = 1 "
    "- f at all times.",
    topic="gated",
)

deep.row(
    "zucchet:text:lstm-or-gru",
    "text",
    "refuted",
    "Which gated network Figure 5 shows",
    r"\text{for the LSTM, we use the Chrono initialization}",
    where="Appendix D.1",
    correction=r"\text{for the GRU, we use the Chrono initialization}",
    note="The paper prints LSTM; it should be GRU. Section 5, Fig. 5 and the same "
    "appendix in the next paragraph have a GRU. As printed, the setup initialises only "
    "two of the three networks of Fig. 5 (cRNN, LRU).",
    erratum=Erratum(
        "C", bearing="No later result is affected: Figure 5 and its text have the GRU."
    ),
)

deep.row(
    "zucchet:fig5:lru",
    "figure",
    "conditional",
    "The activity of the LRU's first layer does not depend on its memory",
    r"\text{first layer, LRU: the input normalization effectively keeps neural activity "
    r"constant across } \nu_0 \text{ values}",
    where="Figure 5.A, Section 5",
    code="sigprop.layers.lru.zucchet_lru",
    assumes="the LRU initialisation with phases on the whole circle",
    condition=Condition(
        "the sequence is much longer than the time constant 1/(1 - nu_0)",
        lambda radius, steps, **_: 20 / (1 - radius) < steps + 1,
    ),
    note="After T steps of the input of Fig. 12 the mean square of a normalised state is "
    "1 - nu_0^(2T) of its limit. Averaged over phases, every lag but zero drops out, for "
    "any autocovariance (sigprop:ring-any-input). Phases within pi/10 would bring the "
    "correlated part back: 1.2 times the white value at modulus 0.5, 1.8 at 0.9. Fourth "
    "layer and GRU are not judged.",
    erratum=Erratum(
        "D",
        bearing="The figure shows the whole range of nu_0; no later result rests on it.",
    ),
)

deep.row(
    "zucchet:fig5:recurrent",
    "figure",
    "not-checkable",
    "Recurrent parameters' gradients grow fastest",
    r"\text{recurrent parameters grow faster to infinity than the rest as } \nu_0 \to 1",
    where="Figure 5.B, Section 5",
    note="In theory, one layer and white inputs, the sensitivity to lam over the moment "
    "of the state, by which input and readout weights' gradients grow, is (1 + r^2)/(1 - "
    "r^2)^2.",
    reason=UNMEASURED,
)

part.row(
    "zucchet:text:layers-explained",
    "text",
    "confirmed",
    "Why gradients do not depend on the layer",
    r"\text{in the first layers, hidden states are small and errors are large, in the last "
    r"ones the reverse; consequently, the gradient magnitude remains relatively constant "
    r"across layers}",
    where="explanation of Figure 13",
    code="sigprop.layers.stack.stack",
    assumes="a chain of linear layers of one law, unlike those of the figure, which have "
    "GLUs and skips",
    note="Filters commute. In such a chain all gradients are the same function of the "
    "input, because small states meet large errors. The test is that the gradients do "
    "not differ.",
)
deep.row(
    "zucchet:fig13",
    "figure",
    "not-checkable",
    "Gradients of the layers",
    r"\text{the layer index does not significantly impact gradient magnitude}",
    where="Figure 13, Appendix D.1",
    note="The row zucchet:text:layers-explained judges why the gradients may not "
    "depend on the layer.",
    reason=UNMEASURED,
)

deep.row(
    "zucchet:fig5",
    "figure",
    "not-checkable",
    "Signal propagation in deep networks at initialisation",
    r"\text{consistent with the theory: } \mathbb{E}[h_t^2],\ "
    r"\mathbb{E}[(\mathrm{d}_{\theta}L)^2] \text{ by } \nu_0",
    where="Figure 5 and Section 5",
    note="The rows zucchet:fig5:lru and zucchet:fig5:recurrent treat one linear "
    "layer. The published code takes batches of 16, the paper says 8.",
    reason=UNMEASURED,
)

deep.row(
    "zucchet:fig5:gru",
    "figure",
    "not-checkable",
    "Gradients of the GRU",
    r"\text{GRU: gradients independent of } \nu_0 \text{, the GRU-specific ones smaller}",
    where="Figure 5 and Section 5",
    note="For the simplified unit see zucchet:text:minimal-dependence.",
    reason=UNMEASURED,
)

deep.row(
    "zucchet:fig5:normalisation",
    "figure",
    "not-checkable",
    "Layer normalisation instead of the LRU's",
    r"\text{mitigates the gradient explosion at the macroscopic level, likely kills "
    r"any learning signal for the smallest eigenvalues}",
    where="Figure 5 and Section 5",
    reason=UNMEASURED,
)

deep.row(
    "zucchet:text:lstm-trends",
    "text",
    "not-checkable",
    "LSTMs follow the same trends",
    r"\text{preliminary experiments revealed that same trends also hold for LSTMs}",
    where="Section 5",
    reason=UNMEASURED,
)

deep.row(
    "zucchet:fig13:networks",
    "figure",
    "not-checkable",
    "Gradients of the layers of the networks",
    r"\text{the encoder gradients are the dominating ones}",
    where="Figure 13, Appendix D.1",
    reason=UNMEASURED,
)
