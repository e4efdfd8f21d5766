"""RotRNN (2024), Sections 1-4, Appendix B.3: the text on norms, decays, constants."""

from sympy import sqrt

from sigprop.theory import rotation
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rotation import c, gamma, s, scale
from sigprop.theory.rows import Part

part = Part("", "rotation", "sigprop.layers.rotrnn.RotRNN")
section_3_3 = part.at("Section 3.3")
section_4_1 = part.at("Section 4.1")

part.row(
    "rotrnn:text:constant-norm",
    "text",
    "refuted",
    "The norm of a head's state is constant over time",
    r"\text{a normalisation constant that retains a constant expected norm of the "
    r"recurrent state at all times throughout training}: \quad "
    r"\mathbb{E}\left[||x_t||^2\right] = 1",
    where="Sections 1 (contributions), 3 (point iii) and 3.3",
    correction=r"\mathbb{E}\left[||x_t||^2\right] = 1 - \gamma^{2t}",
    note="We take c = 1 and white inputs. Lemma 3 asks that E|x_1|^2 is already c. The "
    "sums of Eq. 2, 10 and 12 and the listing start from the zero state, which never "
    "meets this. There the first state xi B u_1 has the squared norm 1 - gamma^2. At "
    "gamma = 0.9999, the upper end of its initial range on Pathfinder, the squared norm is "
    "0.185 after 1,024 steps. Training changes gamma, but not the limit of the norm.",
    erratum=Erratum(
        "A",
        appears_in=("rotrnn:text:stronger-guarantee",),
        bearing="The comparison with the LRU in Section 4.1 relies on it.",
    ),
    code="states",
)
section_4_1.row(
    "rotrnn:text:stronger-guarantee",
    "text",
    "refuted",
    "The norm over the whole sequence, compared with the LRU",
    r"\text{ensures that the expected norm of the recurrent state remains constant "
    r"throughout the entire sequence, providing stronger guarantees than expected "
    r"convergence at infinite sequence length}",
    where="text after Eq. 14",
    correction=r"\mathbb{E}\left[||x_t||^2\right] = \sum_h (1 - \gamma_h^{2t}), \quad "
    r"\text{and } \sum_k (1 - |\lambda_k|^{2t}) \text{ of an LRU with rows of norm } "
    r"\sqrt{1 - |\lambda_k|^2}",
    note="Both models start from the zero state. For both, the norm only "
    "converges to its limit as the sequence becomes long. Both models keep the norm if, "
    "in the first state, each head or mode already has its limiting norm. One thing "
    "differs: "
    "the RotRNN computes xi anew at each training step. The LRU's factor is right at "
    "initialisation and is then learnt.",
    erratum=Erratum("A", root="rotrnn:text:constant-norm"),
    code="states",
)
part.row(
    "rotrnn:text:white-inputs",
    "text",
    "confirmed",
    "The normalisation is for white inputs",
    r"\text{we use the same white-noise input assumption, which we hope to be able to "
    r"overcome in future work}",
    where="last sentence of Section 4.1",
    assumes=Condition(
        "inputs of unit covariance, uncorrelated in time", lambda rho, **_: rho == 0
    ),
    note="For white inputs the norm tends to one. For inputs of autocovariance rho^|lag| "
    "the limit of a planar head also depends on gamma and theta: it is Re[(1 + rho "
    "gamma e^(i theta))/(1 - rho gamma e^(i theta))], so 1.667 at rho = 0.5 and 0.6 "
    "at rho = -0.5 for gamma = 0.5 and theta = 0.",
    code="normalised_B",
)
part.row(
    "rotrnn:text:scalar-decay",
    "text",
    "confirmed",
    "A constant norm is said to need one decay per head",
    r"\text{the price of a constant expected norm in our derivation is that the decay "
    r"factor } \gamma \text{ must be scalar}",
    where="first sentence of Section 3.4",
    note="The derivation knows of the state only its norm. The value is how far a step "
    "takes states of norm one apart: the largest decay squared less the smallest, zero "
    "if and only if there is one decay. From its stationary state alone, a head may have "
    "a decay a plane, the rows of P^T B scaled by sqrt(1 - gamma_i^2).",
    code="sigprop.evidence.rotrnn.decay.spread_of_norms",
)
part.row(
    "rotrnn:text:any-head-size",
    "text",
    "confirmed",
    "Head dimensions that the construction allows",
    r"\text{this set-up is easily scalable to any desired head dimension } "
    r"\mathcal{D}_h \geq 2",
    where="last sentence of Section 3.4",
    note="The test uses the norms of heads of 2 to 5 numbers, with the last entry of "
    "Lemma 2's odd rotations. Eq. 19 and the listing take even sizes only: rotrnn:19.",
    code="sigprop.evidence.rotrnn.decay.norms_by_covariance",
)
part.row(
    "rotrnn:text:lemma3-last-step",
    "moment",
    "refuted",
    "The constant that keeps the norm over one step",
    r"\alpha = \frac{1}{\sqrt{c\gamma^2 + \text{Tr}[B^\top B]}} \text{ gives } "
    r"\mathbb{E}\left[||x_t||^2\right] = c",
    where="last sentence of the proof of Lemma 3",
    derive=rotation.state_scale,
    printed=lambda: 1 / sqrt(c * gamma**2 + s),
    correction=r"\alpha = \sqrt{\frac{c}{c\gamma^2 + \text{Tr}[B^\top B]}} \text{ "
    r"gives } \mathbb{E}\left[||x_t||^2\right] = c",
    corrected=lambda: sqrt(c / (c * gamma**2 + s)),
    note="This step contains the error of Lemma 3. With the printed constant Eq. 9 "
    "gives 1 for every c. Later steps then tend to Tr/(Tr - (1 - c) gamma^2). For c < "
    "1 - Tr/gamma^2 the norm grows without bound.",
    erratum=Erratum(
        "A",
        root="rotrnn:lemma3",
    ),
    code="sigprop.theory.rotation.state_scale",
)
section_3_3.row(
    "rotrnn:text:forgetting",
    "text",
    "proved",
    "The decay of early inputs",
    r"\alpha < 1: \ \text{the weighting } \alpha^{t+1-k}\gamma^{t-k} \text{ of early "
    r"inputs goes to zero exponentially}",
    where="text after Eq. 10",
    derive=rotation.fading,
    printed=lambda: scale * gamma,
    assumes=Condition("alpha < 1", lambda alpha, **_: alpha < 1),
    note="Early inputs decay by alpha gamma per step; with gamma alone the decay is "
    "exponential too. With the corrected alpha this factor is below one, even where "
    "alpha is not. With the printed alpha it may exceed one: 2.12 for gamma = 0.9, c "
    "= Tr = 0.1.",
    code="sigprop.theory.rotation.fading",
)
section_3_3.row(
    "rotrnn:text:trace",
    "moment",
    "refuted",
    "The trace of the input matrix if alpha = 1",
    r"\text{Tr}\left[B^{\top}B\right] = 1 - c\gamma^2",
    where="text before Eq. 11",
    derive=rotation.trace_needed,
    printed=lambda: 1 - c * gamma**2,
    correction=r"\text{Tr}\left[B^{\top}B\right] = c(1 - \gamma^2)",
    corrected=lambda: c * (1 - gamma**2),
    note="The error of Lemma 3 is repeated: the paper sets Eq. 9 with alpha = 1 equal "
    "to 1; it should be c.",
    erratum=Erratum("A", root="rotrnn:lemma3", inherits=("rotrnn:11",)),
    code="sigprop.theory.rotation.trace_needed",
)
section_3_3.row(
    "rotrnn:text:c-one",
    "moment",
    "confirmed",
    "The norm that Eq. 11 keeps at c = 1",
    r"\text{setting } c = 1 \text{ is sufficient to achieve stable and robust "
    r"normalisation, even in deep, multi-layer networks}: \quad \lim_{t\to\infty}"
    r"\mathbb{E}\left[||x_t||^2\right] = 1",
    where="text after Eq. 12",
    note="The test concerns the limit under white inputs, one whatever gamma and B; "
    "that of deep networks rests on Figure 3, rotrnn:fig3. With another c the printed "
    "Eq. 11 gives (1 - c gamma^2)/(1 - gamma^2).",
    code="normalised_B",
)
part.row(
    "rotrnn:text:decay",
    "identity",
    "proved",
    "The decay stays between zero and one",
    r"\gamma = e^{-e^{\gamma_{\log}}} \in (0, 1)",
    where="Appendix B.3",
    derive=rotation.decay_of_log,
    printed=lambda: rotation.decay_of_log().result,
    note="In double precision the decay rounds to one below gamma_log = -37.5, and to "
    "zero above gamma_log = 6.62.",
    code="decays",
    topic="parametrisation",
)
