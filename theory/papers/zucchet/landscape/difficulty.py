"""Zucchet & Orvieto (2024), text of Appendices C.1.3-C.1.4, Eq. 110-112."""

from sympy import I, exp, log, sqrt

from sigprop.theory import teacher_student as task
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part
from sigprop.theory.symbols import lam, lam_bar
from sigprop.theory.teacher_student import omega

part = Part("", "parametrisation", "sigprop.theory.teacher_student")
angle = part.at("Appendix C.1.4")

part.row(
    "zucchet:text:c1-lru-gain",
    "text",
    "refuted",
    "The LRU's normalisation",
    r"\gamma(\lambda) = \sqrt{1-\lambda^2}",
    where="list in Appendix C.1.3",
    printed=lambda: sqrt(1 - lam**2),
    code="sigprop.neuron.ring.normalisation",
    correction=r"\gamma(\lambda) = \sqrt{1-|\lambda|^2}",
    corrected=lambda: sqrt(1 - lam * lam_bar),
    note="The paper prints lambda^2; it should be |lambda|^2, because the section's "
    "eigenvalues are complex. The section writes |lambda|^2 elsewhere. The LRU paper "
    "and the code have the modulus.",
    erratum=Erratum(
        "C",
        bearing="No later result is affected. Appendices A.2 and C.1.2 have the "
        "modulus, and Fig. 2, where lambda is real, does not need it.",
    ),
)
part.row(
    "zucchet:text:c1-lru-polar",
    "definition",
    "definition",
    "The LRU's modulus and angle",
    r"\nu = \exp(-\exp(\omega_{\nu}^{\exp})) \text{ and } \theta = "
    r"\exp(\omega_{\theta}^{\exp})",
    where="list in Appendix C.1.3",
    printed=lambda: exp(-exp(task.omega_nu) + I * exp(task.omega_theta)),
    code="sigprop.layers.lru.LRU.eigenvalues",
)
angle.row(
    "zucchet:110",
    "definition",
    "definition",
    "The angle without reparametrisation",
    r"\theta(\omega_{\theta}^{\text{polar}}) = \omega_{\theta}^{\text{polar}}",
    printed=lambda: task.angular_curvature().result,
    code="plain_angle",
    note="The test checks that the curvature at optimality is that of Eq. 105.",
)
angle.row(
    "zucchet:111",
    "identity",
    "refuted",
    "The exponential angle, said to be the LRU's",
    r"\theta(\omega_{\theta}^{\exp}) = \log(\omega_{\theta}^{\exp})",
    printed=lambda: log(omega),
    code="sigprop.layers.lru.LRU.eigenvalues",
    assumes=Condition(
        "omega > 0, where the logarithm is real", lambda omega, **_: omega > 0
    ),
    correction=r"\theta(\omega_{\theta}^{\exp}) = \exp(\omega_{\theta}^{\exp})",
    corrected=task.exponential_angle,
    note="The paper prints log; it should be exp, the inverse function. Appendix C.1.3 "
    "and the caption of Fig. 7 have exp, as the LRU does.",
    erratum=Erratum(
        "C",
        bearing="No later result is affected: Appendix C.1.3 and the caption of "
        "Fig. 7 have exp.",
    ),
)
angle.row(
    "zucchet:112",
    "definition",
    "definition",
    "The optimal angle again",
    r"\theta(\omega_{\theta}^{\text{opt}}) = \frac{(1-\nu^2)}{\nu\sqrt{1+\nu^2}}"
    r"\omega_{\theta}",
    code="best_angle",
    note="Eq. 109 with the superscript of one label omitted: nothing is ambiguous.",
    uncounted="repeats zucchet:109",
)
part.row(
    "zucchet:text:c1-adam",
    "definition",
    "definition",
    "The settings of the runs of Fig. 7",
    r"\text{Adam, learning rate } 10^{-3} \text{, 50k steps, from } \lambda_0 = 0.99 "
    r"\exp(i\pi/4) \text{ to } \lambda^* = 0.99 \exp(i\pi/100) \text{, } \nu = "
    r"\tanh(\omega_\nu)",
    where="first paragraph of Appendix C.1.4",
    code="sigprop.evidence.zucchet.landscape.descent.descend",
    note="The paper does not give Adam's momenta, nor whether the angle's gradient "
    "passes through nu. Our runs use Adam's defaults and the full gradient. The test "
    "compares with Optax.",
    topic="landscape",
)
part.row(
    "zucchet:text:c1-last-columns",
    "text",
    "not-checkable",
    "The angle's landscape at the right modulus is that of Fig. 6",
    r"\text{The } \theta \text{ landscape when } \nu \text{ is correct corresponds to "
    r"the last two columns of Figure 6}",
    where="first paragraph of Appendix C.1.4",
    code="sigprop.evidence.zucchet.landscape.responses.normalised",
    reason="Fig. 6 is said to be for several |lam*| that neither text nor caption "
    "names, so whether 0.99 is one of them cannot be read. The angles of the two "
    "teachers, pi/100, do agree.",
    topic="landscape",
)
part.row(
    "zucchet:text:c1-inevitably",
    "text",
    "confirmed",
    "A smaller curvature at the optimum makes the optimum hard to reach",
    r"\text{efforts to reduce the sharpness of the loss at optimality, as done in the "
    r"last parametrization, inevitably make the loss flatter elsewhere and optimization "
    r"impossible}",
    where="last sentence of Appendix C.1.4",
    code="sigprop.evidence.zucchet.landscape.descent.descend",
    assumes="the last parametrisation, 50k steps of Adam",
    note="Impossible has no measure. After the 50k steps the run is 0.047 from lam* (0.039 "
    "with the modulus held in the angle's gradient), where the two others are within "
    "3e-6; it is slow and has not stopped. By the last angle the loss is 70 times flatter "
    "everywhere on the circle of lam*. The exponential angle, no part of the sentence, "
    "lowers the sharpness from 4901 to 4.84 (zucchet:fig7-sharpness) and arrives.",
    topic="landscape",
)
