"""Zucchet & Orvieto (2024), Appendix D.2 and Figure 14: the Jacobian of the GRU."""

from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Appendix D.2, Figure 14", "gated", "sigprop.layers.gru.gru")
elsewhere = part.at("")

part.row(
    "zucchet:text:non-diagonal",
    "text",
    "confirmed",
    "Non-diagonal entries of the GRU's Jacobian, at rest",
    r"\left|\left(\frac{\mathrm{d}h_{t+\Delta}}{\mathrm{d}h_t}\right)_{ij}\right| "
    r"\text{ much smaller off the diagonal}",
    assumes="x = h = 0",
    note="The test concerns the direction, smaller: the root mean square off the "
    "diagonal over that on it is 0.006 after one step, 0.05 after 16 and 0.18 after "
    "64 for T up to 16, 0.02 after 64 for T up to 256; 256 neurons. A step is f + (1 "
    "- f) W_nh/2, its entries off the diagonal of size (1 - f)/(2 sqrt(n)). A fast "
    "neuron's own entry dies as f^Delta, what it takes up from slow ones does not.",
)

part.row(
    "zucchet:text:diagonal-decay",
    "text",
    "not-checkable",
    "Diagonal entries decay as if the gates were constant",
    r"\left(\frac{\mathrm{d}h_{t+\Delta}}{\mathrm{d}h_t}\right)_{ii} \approx "
    r"\lambda_i^\Delta",
    code="sigprop.evidence.zucchet.experiments.jacobian.drift_of_diagonal",
    reason="Similarly has no threshold, and the figure's inputs are not those at rest.",
    note="At rest the median over neurons of the entry over f^Delta is off by 0.4 % "
    "after 16 steps for T up to 16, by 0.7 % after 256 for T up to 256, and by a factor "
    "of 15 after 256 for T up to 16.",
)

part.row(
    "zucchet:text:slow-dimensions",
    "text",
    "confirmed",
    "Slow neurons decay most as if their gates were constant, at rest",
    r"\text{similarly than in the constant case, particularly on slowly decaying "
    r"dimensions (large } T \text{ values)}",
    assumes="x = h = 0",
    note="Judged is particularly: the median over neurons of the diagonal entry over "
    "f^Delta, less one, in size, is smaller for T up to 256 than for T up to 16: 0.0003 "
    "against 0.004 after 16 steps, 0.002 against 0.02 after 64. On a sentence, as in the "
    "figure, it is zucchet:fig14:embeddings.",
)

part.row(
    "zucchet:text:jacobian-explodes",
    "text",
    "confirmed",
    "The size of the state's weights at which the Jacobian explodes, at rest",
    r"x = h = 0: \quad \sigma_h = 1 \text{ does not, } \sigma_h = 3 \text{ eventually "
    r"explodes}",
    note="Whether powers of the step at rest grow. If (f + (1-f) W s/2) v = m v with "
    "|m| >= 1 then |m - f|/(1 - f) >= 1 in each entry and so s >= 2: below two it "
    "never explodes, at two or little above it does. The paper calls W_nh, W_fh "
    "of its Appendix A.4 W_hn, W_hz.",
)

elsewhere.row(
    "zucchet:fig14",
    "figure",
    "conditional",
    "Constant forget gates make the GRU diagonal",
    r"\text{forget gates independent of } x \text{ and } h: \text{ the resulting "
    r"network is linear and diagonal}",
    where="Figure 14.A",
    code="sigprop.layers.gated.ConstantGate",
    condition=Condition(
        "the candidate n does not see the state either",
        lambda candidate, **_: candidate == 0,
    ),
    note="In the GRU of Eq. 26-29 only the gates are made constant. The candidate n "
    "still mixes states through W_nh. For this panel the published code sets all "
    "weights to zero, including those of the inputs.",
    erratum=Erratum(
        "D", bearing="No later result is affected: the panel is only an illustration."
    ),
)

elsewhere.row(
    "zucchet:fig14:input-gates",
    "figure",
    "confirmed",
    "Gates that read only the input",
    r"\sigma_h = 0 \text{: gates that only depend on } x",
    where="Figure 14.C",
    note="Every matrix that takes h scaled by sigma_h. Nearly a definition: the step's "
    "Jacobian is diag(f(x)) exactly, as for Mamba and Hawk.",
)

elsewhere.row(
    "zucchet:fig14:embeddings",
    "figure",
    "not-checkable",
    "The GRU's Jacobian on a sentence",
    r"\text{the recurrent Jacobian evolves similarly than in the constant case}",
    where="Figure 14.B, C",
    reason="the experiment has not been re-run as it was; the Jacobian of a GRU on the "
    "embeddings will decide",
)
