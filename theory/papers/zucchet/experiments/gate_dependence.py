"""Zucchet & Orvieto (2024), Appendix D.3: the text on Figure 15."""

from sigprop.theory import gated
from sigprop.theory.rows import Part

part = Part("Appendix D.3", "gated", "sigprop.theory.gated")


part.row(
    "zucchet:text:constant-gates",
    "text",
    "not-checkable",
    "Theory and measurement with constant gates",
    r"\text{constant gates: an almost perfect match of theory and practice}",
    where="first result",
    code="sigprop.evidence.zucchet.experiments.gate_dependence.finite_share",
    reason="Almost perfect has no threshold.",
    note="The prediction is for infinitely many inputs, the measurement after 512 "
    "from the zero state: on the paper's own autocovariance the state reaches "
    "89 % of it at T = 256, the sensitivity 78 %. Up to T = 64 it is over 99 %.",
)

part.row(
    "zucchet:text:dependent-gates",
    "text",
    "not-checkable",
    "Theory and measurement with gates that depend on input and state",
    r"\text{context-dependent gates: a very precise, though not perfect, match}",
    where="second result",
    code="sigprop.evidence.zucchet.experiments.gate_dependence.simulated_excess",
    reason="Very precise has no threshold.",
    note="Mean over neurons of h_512^2 divided by its prediction, in our own gated "
    "networks on synthetic Gaussian inputs: 1.07 with the autocovariance of Fig. "
    "12, about 2 with white noise of the same variance, and about 5 with white "
    "noise of unit variance (see sigprop:moments-gated).",
)

part.row(
    "zucchet:text:minimal-dependence",
    "text",
    "not-checkable",
    "The dependence of the gated moments on the time constant",
    r"\mathbb{E}[h_t^2],\ \mathbb{E}\left[\left(\frac{\partial h_t}{\partial "
    r"b_f}\right)^2\right]: \text{ minimal dependence on } \lambda",
    where="third result",
    code="sigprop.evidence.zucchet.experiments.gate_dependence.spread",
    reason="Minimal has no threshold.",
    note="By the paper's own Eq. 160-161 on its own autocovariance both moments vary by a "
    "factor of 6.1 over T from 1 to 256; after 512 inputs from the zero state the state's "
    "by 6.8. That is little beside an ungated recurrence, whose moments vary by powers of "
    "T. Under white noise the state's would fall as (1 - lam)/(1 + lam), 171-fold.",
)

part.row(
    "zucchet:fig15",
    "figure",
    "proved",
    "Time constant and gate",
    r"\lambda = \frac{T}{1+T},\quad T \in [1, 256]",
    where="Figure 15",
    derive=gated.gate_at_time,
    code="sigprop.layers.gru.chrono",
    printed=lambda: gated.tau / (1 + gated.tau),
    note="Our copy has T/1 + T and may have lost the line of the fraction, or brackets. "
    "As b_f = log T, the gate is T/(1 + T) and its memory length is 1 + T steps. The authors' "
    "notebook plots samples and theory against 1/(1 - lambda), which is 1 + T. So its "
    "axis needs no shift, but it does not show the sampled T.",
    as_extracted=True,
)

part.row(
    "zucchet:fig15:samples",
    "definition",
    "definition",
    "Samples and kernel of the empirical mean",
    r"100 \text{ networks} \times 256 \text{ neurons},\quad \mathcal{K}(a, b) := "
    r"\exp(-(a - b)^2/100)",
    where="Figure 15",
    code="sigprop.layers.gated.gated_unit",
    note="Value: the weights of 25600 samples sum to about 1780 in the middle and to half "
    "of it at T = 1; for the noise of a mean 2500 and 1300 samples count, (sum K)^2/sum "
    "K^2, so it is a few per cent. The kernel's width of seven steps also smooths what "
    "varies fastest, near T = 1.",
)
