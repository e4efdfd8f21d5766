"""RotRNN (2024), Section 3.3: the norm of the state, Eq. 6 to 12, Lemma 3."""

from sympy import sqrt

from sigprop.theory import rotation
from sigprop.theory.errata import Erratum
from sigprop.theory.papers.rotrnn.background import ZERO_STATE
from sigprop.theory.rotation import c, gamma, s, scale
from sigprop.theory.rows import Part

part = Part("Section 3.3", "rotation", "sigprop.theory.rotation")

PREMISES_OF_LEMMA_3 = (
    "what Lemma 3 supposes: i.i.d. inputs of mean zero and E|x_{t-1}|^2 = c"
)

part.row(
    "rotrnn:6",
    "definition",
    "definition",
    "The recurrence with decay and normalisation",
    r"x_t = \alpha(\gamma A x_{t-1} + B u_t)",
    note="The model as run has alpha = 1 and a scaled B, Eq. 12.",
    code="sigprop.evidence.rotrnn.norm.rotated_recurrence",
)
part.row(
    "rotrnn:lemma3",
    "moment",
    "refuted",
    "The normalisation that keeps the state's expected squared norm",
    r"\mathbb{E}\left[||x_1||^2\right] = c, \ \alpha = \frac{1}{\sqrt{c\gamma^2 + "
    r"\text{Tr}[B^\top B]}} \quad\Rightarrow\quad \mathbb{E}\left[||x_t||^2\right] = c",
    where="Lemma 3",
    derive=rotation.state_scale,
    printed=lambda: 1 / sqrt(c * gamma**2 + s),
    correction=r"\alpha = \sqrt{\frac{c}{c\gamma^2 + \text{Tr}[B^\top B]}}",
    corrected=lambda: sqrt(c / (c * gamma**2 + s)),
    note="The paper prints 1 for the numerator of alpha^2; it should be c. With the "
    "printed alpha, a state of squared norm c has squared norm 1 after one step. So it holds "
    "for c = 1 only. We compute alpha from the norm after one step, and compare it with "
    "the printed alpha.",
    erratum=Erratum(
        "A",
        appears_in=("rotrnn:text:lemma3-last-step",),
        inherits=("rotrnn:text:trace", "rotrnn:11"),
        bearing="The paper uses the wrong numerator again in Eq. 11 and in the trace before "
        "Eq. 11. The model takes c = 1, where the lemma, the trace and Eq. 11 are right.",
    ),
    code="state_scale",
)
part.row(
    "rotrnn:7",
    "moment",
    "proved",
    "The norm after a step, split into three expectations",
    r"\mathbb{E}\left[||x_t||^2\right] = \alpha^2 \left(\gamma^2 \mathbb{E}\left["
    r"||x_{t-1}||^2\right] + \mathbb{E}\left[u_t^\top B^\top B u_t\right] + 2\gamma"
    r"\mathbb{E}\left[x_{t-1}^\top A^\top B u_t\right]\right)",
    note="The equation holds for every joint distribution of state and input. The "
    "test uses correlated ones.",
    code="norm_splits",
)
part.row(
    "rotrnn:8",
    "moment",
    "proved",
    "The norm after a step that starts from the required norm",
    r"= \alpha^2 \left(\gamma^2 c + \text{Tr}\left[B^\top B \mathbb{E}\left[u_t "
    r"u_t^\top\right]\right]\right)",
    assumes=PREMISES_OF_LEMMA_3,
    note="The test uses inputs of any covariance. The model as run starts from the "
    "zero state and does not satisfy the lemma's hypothesis: "
    "rotrnn:text:constant-norm.",
    code="step_leaves_a_trace",
)
part.row(
    "rotrnn:9",
    "moment",
    "proved",
    "The norm after a step, for inputs of unit covariance",
    r"= \alpha^2 \left(\gamma^2 c + \text{Tr}\left[B^\top B\right]\right)",
    derive=rotation.next_norm,
    printed=lambda: scale**2 * (gamma**2 * c + s),
    assumes=f"{PREMISES_OF_LEMMA_3}, with covariance I",
    note="Our copy lacks the equals sign at the start of the line.",
    as_extracted=True,
    code="next_norm",
)
part.row(
    "rotrnn:10",
    "identity",
    "confirmed",
    "The normalised recurrence unrolled",
    r"x_t = \sum_{k=1}^t \alpha^{t+1-k}\gamma^{t-k}A^{t-k}Bu_k",
    assumes=ZERO_STATE,
    code="sigprop.evidence.rotrnn.norm.rotated_unrolled",
)
part.row(
    "rotrnn:11",
    "moment",
    "refuted",
    "The factor on B that keeps the norm if alpha = 1",
    r"\xi := \sqrt{\frac{1 - c\gamma^2}{\text{Tr}\left[B^{\top}B\right]}}",
    derive=rotation.input_scale,
    printed=rotation.printed_input_scale,
    correction=r"\xi := \sqrt{\frac{c(1 - \gamma^2)}{\text{Tr}\left[B^{\top}B\right]}}",
    corrected=lambda: sqrt(c * (1 - gamma**2) / s),
    note="The paper prints 1 - c gamma^2; it should be c (1 - gamma^2). The factor should "
    "keep the norm c but keeps (1 - c gamma^2)/(1 - gamma^2). Both agree only for c = "
    "1. The printed factor is not real where c gamma^2 > 1.",
    erratum=Erratum(
        "A",
        root="rotrnn:lemma3",
        bearing="No experiment is affected: the model and its listing take c = 1.",
    ),
    code="sigprop.layers.rotrnn.RotRNN.normalised_B",
)
part.row(
    "rotrnn:12",
    "identity",
    "confirmed",
    "The recurrence of the model and its convolution",
    r"x_t = \gamma Ax_{t-1} + \xi Bu_t \quad \Leftrightarrow \quad x_t = \xi "
    r"\sum_{k=1}^t \gamma^{t-k} A^{t-k}Bu_k",
    assumes=ZERO_STATE,
    note="From the zero state E|x_t|^2 is 1 - gamma^{2t} for c = 1 "
    "(rotrnn:text:constant-norm).",
    code="sigprop.layers.rotrnn.RotRNN.states",
)
