"""Zucchet & Orvieto (2024), Appendices C.1.1-C.1.2: the loss of one unit, Eq. 85-93."""

from sigprop.theory import diagonal
from sigprop.theory import teacher_student as task
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import inside
from sigprop.theory.derivation import start
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part
from sigprop.theory.symbols import lam, lam_bar, rho
from sigprop.theory.teacher_student import gain_lam, gain_mu, mu, mu_bar

STABLE = Condition(
    "|lambda| < 1, |lambda*| < 1, stationary states", inside("lam", "mu")
)
WHITE = Condition(
    f"{STABLE.text}; white input, gamma(lambda) = sqrt(1 - |lambda|^2)", STABLE.holds
)
square, square_star = lam * lam_bar, mu * mu_bar
twice_real = 1 / (1 - lam_bar * mu) + 1 / (1 - lam * mu_bar)  # 2 Re 1/(1 - ...)

part = Part("Appendix C.1.1", "landscape", "sigprop.theory.teacher_student")
best = part.at("Appendix C.1.2")

part.row(
    "zucchet:85",
    "definition",
    "definition",
    "The one-dimensional student",
    r"h_{t+1} = \lambda h_t + x_{t+1}",
    code="sigprop.neuron.recurrence.linear_recurrence",
)
part.row(
    "zucchet:86",
    "definition",
    "definition",
    "The loss over a sequence",
    r"L(\lambda, \lambda^{*}) := \frac{1}{2T} \sum_{t=1}^{T} \mathbb{E}_{x} \left[ "
    r"\left| h_{t} - h_{t}^{*} \right|^{2} \right]",
    code="sigprop.evidence.zucchet.landscape.loss.mean_loss",
    note="The loss starts from the zero state. The general loss of Eq. 1 is a sum "
    "over time. This loss, and the loss of Section 4.1, is a mean.",
)
part.row(
    "zucchet:text:c1-long-sequences",
    "limit",
    "confirmed",
    "The loss of one step represents the whole loss in the limit of long sequences",
    r"L(\lambda, \lambda^*) \to L_t(\lambda, \lambda^*) \text{ as } T \to \infty",
    where="text after Eq. 86",
    code="sigprop.evidence.zucchet.landscape.loss.mean_loss",
    assumes=STABLE,
    note="The difference is of order 1/T and comes from the transient from the zero "
    "state.",
)
part.row(
    "zucchet:87",
    "identity",
    "proved",
    "The loss in four moments",
    r"L_t(\lambda, \lambda^*) := \frac{1}{2} \mathbb{E}_x \left[ h_t \bar{h}_t + h_t^* "
    r"\bar{h}_t^* - h_t \bar{h}_t^* - \bar{h}_t h_t^* \right]",
    code="loss",
)
part.row(
    "zucchet:88",
    "moment",
    "proved",
    "The student's second moment under exponential autocovariance",
    r"\mathbb{E}_x \left[ h_t \bar{h}_t \right] = \frac{1}{1 - \lambda \bar{\lambda}} "
    r"\left( 1 + \frac{\rho \lambda}{1 - \rho \lambda} + \frac{\rho "
    r"\bar{\lambda}}{1 - \rho \bar{\lambda}} \right)",
    derive=lambda: diagonal.moment("state", "exponential"),
    printed=lambda: (
        (1 + rho * lam / (1 - rho * lam) + rho * lam_bar / (1 - rho * lam_bar))
        / (1 - square)
    ),
    code="sigprop.neuron.stable.state_moment",
    assumes=Condition("|lambda| < 1, autocovariance rho^|Delta|", inside("lam")),
    note="As extracted the last numerator is rho lambda, which would make the right "
    "side complex. The bar is missing in our copy: Eq. 47 has it, and text extraction "
    "easily loses an accent.",
    as_extracted=True,
)
part.row(
    "zucchet:89",
    "moment",
    "not-checkable",
    "The paper has no formula on this line",
    r"\text{(the number 89 alone)}",
    code="sigprop.neuron.stable.state_moment",
    reason="Our copy has the number and no formula. What can follow Eq. 88 is its "
    "closed form, that of Eq. 48, which zucchet:48 proves; that the line said so is a "
    "guess.",
    as_extracted=True,
    uncounted="nothing is printed",
)
part.row(
    "zucchet:text:c1-cross-moment",
    "text",
    "proved",
    "The other three moments are of the same form",
    r"\mathbb{E}_x \left[ h_t \bar{h}_t^* \right] = \frac{1}{1 - \lambda "
    r"\bar{\lambda}^*} \left( 1 + \frac{\rho \lambda}{1 - \rho \lambda} + \frac{\rho "
    r"\bar{\lambda}^*}{1 - \rho \bar{\lambda}^*} \right)\text{, and likewise}",
    where="text after Eq. 89",
    derive=lambda: start(
        "Lemma 1 at the two eigenvalues gives",
        task.shared_moment(lam, mu_bar, "exponential"),
    ),
    printed=lambda: (
        (1 + rho * lam / (1 - rho * lam) + rho * mu_bar / (1 - rho * mu_bar))
        / (1 - lam * mu_bar)
    ),
    code="shared_moment",
    assumes=STABLE,
    note="The paper states it in words and omits the formula.",
)
part.row(
    "zucchet:text:c1-exact-loss",
    "text",
    "proved",
    "The exact loss at any correlation",
    r"\text{Grouping the four moments gives the exact value of the loss.}",
    where="text after Eq. 89",
    printed=task.grouped_loss,
    code="loss",
    assumes=STABLE,
    note="The formula is omitted in the paper: half of Eq. 48 for both units, less the "
    "real part of (1 - rho^2 lam conj(mu)) / ((1 - lam conj(mu)) (1 - rho lam) (1 - "
    "rho conj(mu))).",
)
part.row(
    "zucchet:90",
    "moment",
    "proved",
    "The loss under constant input",
    r"L_t(\lambda, \lambda^*) = \frac{1}{2} \left| \frac{1}{1 - \lambda} - \frac{1}{1 "
    r"- \lambda^*} \right|^2",
    derive=lambda: task.loss("constant"),
    printed=lambda: (
        (1 / (1 - lam) - 1 / (1 - mu)) * (1 / (1 - lam_bar) - 1 / (1 - mu_bar)) / 2
    ),
    code="loss",
    assumes=STABLE,
)
part.row(
    "zucchet:91",
    "moment",
    "proved",
    "The loss under white input",
    r"L_t(\lambda, \lambda^*) = \frac{1}{2} \left( \frac{1}{1 - |\lambda|^2} + "
    r"\frac{1}{1 - |\lambda^*|^2} - \operatorname{Re}\left[ \frac{2}{1 - "
    r"\bar{\lambda}\lambda^*} \right] \right)",
    derive=lambda: task.loss("white"),
    printed=lambda: (1 / (1 - square) + 1 / (1 - square_star) - twice_real) / 2,
    code="loss",
    assumes=STABLE,
)
best.row(
    "zucchet:text:c1-normalisation",
    "text",
    "proved",
    "The best normalisation under white input",
    r"\rho = 0: \quad \gamma(\lambda) = \sqrt{1 - |\lambda|^2}",
    where="text before Eq. 92",
    derive=task.normalisation,
    printed=lambda: gain_lam,
    code="sigprop.neuron.ring.normalisation",
    assumes=Condition(
        "|lambda| < 1; best: the state's second moment is one", inside("lam")
    ),
)
best.row(
    "zucchet:text:c1-normalised-teacher",
    "text",
    "proved",
    "Without its own gain the teacher cannot be fitted",
    r"\min_\lambda \tfrac{1}{2} \mathbb{E}|\gamma(\lambda) h_t - h_t^*|^2 > 0",
    where="text before Eq. 92",
    code="misfit",
    assumes=Condition(
        "|lambda*| < 1, lambda* not zero", lambda mu, **_: 0 < abs(mu) < 1
    ),
    note="The smallest loss is (1/gamma(lam*) - 1)^2 / 2, at lam = lam*. The reason "
    "is the Cauchy-Schwarz inequality: the overlap of two unit states is at most one.",
)
best.row(
    "zucchet:92",
    "moment",
    "refuted",
    "The normalised loss, first line",
    r"L_t = \frac{1}{2} \left( \frac{\gamma(\lambda)}{1 - |\lambda|^2} + "
    r"\frac{\gamma(\lambda^*)}{1 - |\lambda^*|^2} - \operatorname{Re}\left[ "
    r"\frac{2\gamma(\lambda)\gamma(\lambda^*)}{1 - \bar{\lambda}\lambda^*} \right] "
    r"\right)",
    derive=task.normalised_loss,
    printed=lambda: (
        (
            gain_lam / (1 - square)
            + gain_mu / (1 - square_star)
            - gain_lam * gain_mu * twice_real
        )
        / 2
    ),
    code="normalised_loss",
    correction=r"L_t = \frac{1}{2} \left( \frac{\gamma(\lambda)^2}{1 - |\lambda|^2} + "
    r"\frac{\gamma(\lambda^*)^2}{1 - |\lambda^*|^2} - \operatorname{Re}\left[ "
    r"\frac{2\gamma(\lambda)\gamma(\lambda^*)}{1 - \bar{\lambda}\lambda^*} \right] "
    r"\right)",
    corrected=lambda: (
        (
            gain_lam**2 / (1 - square)
            + gain_mu**2 / (1 - square_star)
            - gain_lam * gain_mu * twice_real
        )
        / 2
    ),
    assumes=WHITE,
    note="The paper prints gamma in the first two terms; it should be gamma^2. The "
    "printed loss is not zero where the student equals the teacher, and grows without "
    "bound for |lambda| -> 1.",
    erratum=Erratum(
        "C",
        bearing="No later result is affected: Eq. 93 is right and follows only "
        "with the squares.",
    ),
)
best.row(
    "zucchet:93",
    "moment",
    "proved",
    "The normalised loss",
    r"L_t = 1 - \operatorname{Re}\left[ \frac{\gamma(\lambda)\gamma(\lambda^*)}{1 - "
    r"\bar{\lambda}\lambda^*} \right]",
    derive=task.normalised_loss,
    printed=lambda: 1 - gain_lam * gain_mu * twice_real / 2,
    code="normalised_loss",
    assumes=WHITE,
)
