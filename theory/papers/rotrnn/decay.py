"""RotRNN (2024), Sections 1-4, Appendix B.3: the text on norms, decays, constants."""

from sympy import Integer

from theory import rotation
from theory.claims import Condition
from theory.rotation import c, gamma, scale
from theory.rows import Part
from theory.symbols import T

part = Part("", "rotation", "sigprop.layers.rotrnn.RotRNN")
section_3_3 = part.at("Section 3.3")
section_4_1 = part.at("Section 4.1")

part.row(
    "rotrnn:text:constant-norm",
    "text",
    "refuted",
    "Sections 1 (contributions), 3 (point iii) and 3.3",
)(
    "The norm of a head's state is constant over time",
    r"\text{a constant expected norm of the recurrent state at all times}: \quad "
    r"\mathbb{E}\left[||x_t||^2\right] = 1",
    rotation.norm_from_zero,
    lambda: Integer(1),
    correction=r"\mathbb{E}\left[||x_t||^2\right] = 1 - \gamma^{2t}",
    corrected=lambda: 1 - gamma ** (2 * T),
    note="So for the model as run, from the zero state, c = 1, white inputs. Lemma 3 "
    "assumes a first state of size c, but the first state is xi B u_1, of size 1 - "
    "gamma^2. At gamma = 0.9999, in the range of Pathfinder, a sequence of 1,024 "
    "steps ends at 0.185.",
    inherits="The comparison with the LRU in Section 4.1.",
    code="states",
)
section_4_1.row(
    "rotrnn:text:stronger-guarantee", "text", "refuted", "text after Eq. 14"
)(
    "Norm over the whole sequence, compared with the LRU",
    r"\text{the expected norm of the recurrent state remains constant throughout the "
    r"entire sequence}",
    correction=r"\mathbb{E}\left[||x_t||^2\right] = \sum_h 1 - \gamma_h^{2t}, \quad "
    r"\text{as in an LRU with rows of norm } \sqrt{1 - |\lambda_k|^2}",
    note="The normalised LRU's norm is the same sum over its modes, 1 - "
    "|lambda_k|^(2t) each: the guarantee is the same, a limit at infinite time. With "
    "H heads the limit is H, not one.",
    inherits="Nothing.",
    code="states",
)
part.row(
    "rotrnn:text:white-inputs", "text", "conditional", "last sentence of Section 4.1"
)(
    "The normalisation is for white inputs",
    r"\text{the same white-noise input assumption}: \quad \lim_{t\to\infty} "
    r"\mathbb{E}\left[||x_t||^2\right] = 1",
    assumes="inputs of unit covariance",
    condition=Condition("inputs uncorrelated in time", lambda rho, **_: rho == 0),
    note="The paper says so. For correlated inputs the limit depends on the angles "
    "and on P: by 17 and 26 % too large or too small in the cases here.",
    code="normalised_B",
)
part.row(
    "rotrnn:text:scalar-decay", "text", "refuted", "first sentence of Section 3.4"
)(
    "Whether a constant norm needs one decay a head",
    r"\text{the price of a constant expected norm is that the decay factor } \gamma "
    r"\text{ must be scalar}",
    correction=r"\text{each of the } \mathcal{D}_h/2 \text{ planes may have its own } "
    r"\gamma_i, \text{ its rows of } P^\top B \text{ scaled by } \sqrt{1 - \gamma_i^2}",
    note="The value is the number of decays of a head whose norm stays one from its "
    "stationary state. The sentence is right of its own derivation, which knows of "
    "the state only its norm: from any other state of that norm, several decays do "
    "not keep it.",
    inherits="Nothing; it is the reason given for having heads.",
    code="sigprop.evidence.rotrnn.decay.decays_with_constant_norm",
)
part.row(
    "rotrnn:text:any-head-size", "text", "conditional", "last sentence of Section 3.4"
)(
    "Head dimensions that the layer takes",
    r"\text{easily scalable to any desired head dimension } \mathcal{D}_h \geq 2",
    condition=Condition("the head dimension is even", lambda size, **_: size % 2 == 0),
    note="Lemma 2 allows an odd one, with a last entry that is not turned; Eq. 19 and "
    "the listing do not: the listing stops with an error.",
    code="sigprop.layers.rotrnn.rotrnn",
)
part.row(
    "rotrnn:text:lemma3-last-step",
    "moment",
    "refuted",
    "last sentence of the proof of Lemma 3",
)(
    "The norm after a step with the lemma's constant",
    r"\alpha = \frac{1}{\sqrt{c\gamma^2 + \text{Tr}[B^\top B]}} \text{ gives } "
    r"\mathbb{E}\left[||x_t||^2\right] = c",
    rotation.kept_by_print,
    lambda: c,
    correction=r"\mathbb{E}\left[||x_t||^2\right] = 1",
    corrected=lambda: Integer(1),
    note="Put into Eq. 9 it gives one, whatever c. Later steps then tend to Tr/(Tr - "
    "(1 - c) gamma^2), and for c < 1 - Tr/gamma^2 they grow without end.",
    inherits="The trace before Eq. 11, and Eq. 11.",
    code="theory.rotation.kept_by_print",
)
section_3_3.row("rotrnn:text:forgetting", "text", "proved", "text after Eq. 10")(
    "How fast early inputs fade",
    r"\alpha^{t+1-k}\gamma^{t-k}: \ \text{early inputs go to zero exponentially}",
    rotation.fading,
    lambda: scale * gamma,
    note="By alpha gamma a step. With the corrected alpha that is below one whether "
    "alpha is or not; with gamma alone it is exponential too.",
    code="theory.rotation.fading",
)
section_3_3.row("rotrnn:text:trace", "moment", "refuted", "text before Eq. 11")(
    "What the input matrix must be without alpha",
    r"\text{Tr}\left[B^{\top}B\right] = 1 - c\gamma^2",
    rotation.trace_needed,
    lambda: 1 - c * gamma**2,
    correction=r"\text{Tr}\left[B^{\top}B\right] = c(1 - \gamma^2)",
    corrected=lambda: c * (1 - gamma**2),
    note="It follows Lemma 3's slip: Eq. 9 with alpha = 1 set to one, not to c.",
    inherits="Eq. 11.",
    code="theory.rotation.trace_needed",
)
section_3_3.row("rotrnn:text:c-one", "moment", "conditional", "text after Eq. 12")(
    "The norm that Eq. 11 keeps",
    r"\text{setting } c = 1 \text{ is sufficient}: \quad \lim_{t\to\infty}\mathbb{E}"
    r"\left[||x_t||^2\right] = c",
    condition=Condition(
        "c = 1, which is not only sufficient: the printed Eq. 11 needs it",
        lambda c, **_: c == 1,
    ),
    note="With Eq. 11 as printed the limit is (1 - c gamma^2)/(1 - gamma^2).",
    code="normalised_B",
)
part.row("rotrnn:text:decay", "identity", "proved", "Appendix B.3")(
    "The decay stays between zero and one",
    r"\gamma = e^{-e^{\gamma_{\log}}} \in (0, 1)",
    rotation.decay_of_log,
    lambda: rotation.decay_of_log().result,
    note="In floating point it is exactly one below gamma_log = -37.5 and exactly "
    "zero above 6.62, in double precision.",
    code="decays",
    topic="parametrisation",
)
