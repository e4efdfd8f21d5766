"""Zucchet & Orvieto (2024), Section 3.1, Figures 1 and 2: normalised sensitivities."""

from sympy import Integer

from sigprop.theory import recurrences
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import inside
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part
from sigprop.theory.symbols import lam

DETACHED = "gamma = sqrt(1 - lam^2) is not differentiated"

part = Part("Section 3.1", "parametrisation", "sigprop.theory.recurrences")
figures = part.at("")

figures.row(
    "zucchet:fig1:recurrence",
    "figure",
    "proved",
    "The recurrence of the caption gives the moment of Eq. 6",
    r"h_{t+1} = \lambda h_t + x_t: \quad \mathbb{E}[(\mathrm{d}_\lambda h_t)^2] "
    r"\text{ is that of Eq. 6}",
    where="caption of Figure 1",
    derive=lambda: recurrences.exponential_moment("sensitivity"),
    code="sigprop.figures.zucchet_1a.draw",
    topic="backward",
    note="The states come one step late compared with Eq. 1, which does not change a "
    "stationary moment. The same x_t stands before Eq. 8, in Eq. 17 and in Eq. 113 "
    "(zucchet:8).",
)
figures.row(
    "zucchet:fig1:correlation",
    "figure",
    "proved",
    "Correlated inputs make the state more sensitive",
    r"\rho \to 1 \text{ increases } \mathbb{E}[(\mathrm{d}_\lambda h_t)^2]",
    where="caption of Figure 1A",
    code="real_moment",
    topic="backward",
    assumes=Condition(
        "lambda > 0 and rho >= 0, the half axes that the figure shows",
        lambda lam, rho, **_: lam > 0 and rho >= 0,
    ),
    note="The moment is a sum of rho^Delta with positive weights. The test divides "
    "the moment at rho by the moment at rho - 0.1. At a negative eigenvalue "
    "correlation makes the state less sensitive: at lambda = -0.5 the moment is 2.963 "
    "at rho = 0 and 0.1975 at rho = 1.",
)
figures.row(
    "zucchet:fig1:grey-line",
    "figure",
    "confirmed",
    "The sensitivity explodes faster than the state does at rho = 1",
    r"\frac{\mathbb{E}[(\mathrm{d}_\lambda h_t)^2]_{\rho}}{\mathbb{E}[h_t^2]_{\rho "
    r"= 1}} \to \infty \quad (\lambda \to 1)",
    where="caption of Figure 1A",
    code="at_the_edge",
    topic="backward",
    assumes=Condition(
        "0 <= rho <= 1, the axis of the figure; the grey line is E[h^2] at rho = 1",
        lambda rho, **_: 0 <= rho <= 1,
    ),
    note="The coloured lines grow as gap^-3 (rho < 1) and gap^-4 (rho = 1), the grey "
    "line as gap^-2. At short memory the coloured lines lie below the grey one: at "
    "lambda = 0.5 and rho = 0 the value is 2.963 against 4.",
)
figures.row(
    "zucchet:fig1:sharpness-real",
    "figure",
    "proved",
    "The curvature of the loss grows with memory: real axis",
    r"\left.\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda^2}\right|_{\lambda = "
    r"\lambda^*} \text{ grows with } \lambda^* \in (0, 1)",
    where="caption of Figure 1B",
    derive=recurrences.white_curvature,
    code="white_curvature",
    topic="landscape",
    note="White input, exact loss: the curvature is (1 + lam*^2)/(1 - lam*^2)^3, that of "
    "Eq. 60, which rises from 1 without bound.",
)
figures.row(
    "zucchet:fig1:sharpness-circle",
    "figure",
    "proved",
    "The curvature of the loss grows with memory: circle of the teacher",
    r"\left.\frac{\mathrm{d}^2 L}{\mathrm{d}\theta^2}\right|_{\lambda = "
    r"\lambda^*} \text{ grows with } |\lambda^*|",
    where="caption of Figure 1C",
    derive=recurrences.circle_curvature,
    code="circle_curvature",
    topic="landscape",
    note="White input: the curvature is r^2 (1 + r^2)/(1 - r^2)^3 with r = |lam*|, which "
    "is E|dh/dtheta|^2, r^2 times Eq. 60, since the residual vanishes at the teacher.",
)
part.row(
    "zucchet:text:aim",
    "text",
    "not-checkable",
    "Three moments to keep independent of the eigenvalue",
    r"\text{to keep } \mathbb{E}[h_t^2],\ \mathbb{E}[(\mathrm{d}_{\lambda}h_t)^2] "
    r"\text{ and } \mathbb{E}[(\mathrm{d}_{x_t}h_t)^2] \text{ independent of } \lambda",
    code="sigprop.neuron.recurrence.step",
    topic="backward",
    reason="It is an aim, which is neither true nor false.",
    note="The third must be that of dL/dx_t of Eq. 7, as the paragraph on the backward "
    "pass shows: that of dh_t/dx_t is 1 without gamma, and gamma(lambda)^2 with it.",
)
part.row(
    "zucchet:text:normalise",
    "text",
    "proved",
    "A gamma that keeps the state's moment",
    r"\gamma(\lambda)^2 \mathbb{E}[h_t^2] = \Theta(1): \quad \gamma^2 = 1 - "
    r"\lambda^2 \text{ gives } \frac{1-\rho^2\lambda^2}{(1-\rho\lambda)^2}",
    where="Input normalization",
    derive=lambda: recurrences.normalised("state"),
    code="sigprop.neuron.ring.normalisation",
    assumes=Condition("|rho| < 1", inside("rho")),
    note="This gamma is that of Figure 2. One at rho = 0, and between "
    "(1 - |rho|)/(1 + |rho|) and the inverse of that, so Theta(1); at rho = 1 it is "
    "(1 + lam)/(1 - lam), which has no bound.",
)
part.row(
    "zucchet:text:backward-normalised",
    "text",
    "proved",
    "The same gamma normalises the backward pass",
    r"\mathbb{E}\left[\left(\frac{\mathrm{d}L}{\mathrm{d}x_t}\right)^2\right] = "
    r"\gamma^2 \cdot \mathbb{E}[h_t^2] \text{ with the errors in place of the inputs}",
    where="Input normalization",
    derive=lambda: recurrences.normalised("state"),
    code="normalised",
    note="Errors with R = rho^|lag|, through the LRU with detached gamma.",
)
part.row(
    "zucchet:text:partly",
    "text",
    "proved",
    "Normalisation alone leaves the sensitivity exploding",
    r"\gamma^2 \mathbb{E}[(\mathrm{d}_\lambda h_t)^2] = (1 - \lambda^2) "
    r"\mathbb{E}[(\mathrm{d}_\lambda h_t)^2] \to \infty \quad (\lambda \to 1)",
    where="Eigenvalue reparametrization",
    derive=lambda: recurrences.normalised("sensitivity"),
    code="normalised",
    assumes=DETACHED,
    note="Normalisation removes one power of the gap: 1/gap^2 for 1/gap^3 where |rho| "
    "< 1, and 1/gap^3 for 1/gap^4 at rho = 1.",
)
part.row(
    "zucchet:text:optimal-slope",
    "text",
    "confirmed",
    "What a second moment of order one requires of a parametrisation",
    r"\mathbb{E}[(\mathrm{d}_\omega h_t)^2] = \Theta(1) \text{ requires } "
    r"\gamma(\lambda)^2 \lambda'(\omega)^2 \mathbb{E}[(\mathrm{d}_{\lambda}h_t)^2] = 1",
    where="Eigenvalue reparametrization",
    code="optimal_derivative",
    assumes=DETACHED,
    note="We read the 1 as an order, as the Theta(1) before it. Appendix B.3.2 states the "
    "condition with Theta(1) and solves it by tanh. The test takes lambda = tanh(omega) "
    "under white input, where the left side is 1 + lam^2, between 1 and 2 for every "
    "lambda. The solution with the value 1 is lambda' = (1 - lam^2)/sqrt(1 + lam^2).",
)
figures.row(
    "zucchet:fig2a",
    "figure",
    "proved",
    "Normalisation controls the state, white input",
    r"\rho = 0: \quad \gamma(\lambda)^2 \mathbb{E}[h_t^2] = 1 \text{ for all } "
    r"\lambda",
    where="caption of Figure 2A",
    derive=lambda: recurrences.normalised_white("state"),
    printed=lambda: Integer(1),
    code="sigprop.figures.zucchet_2.draw",
    assumes=DETACHED,
)
figures.row(
    "zucchet:fig2b",
    "figure",
    "refuted",
    "Which sensitivity the figure shows as controlled",
    r"\text{effects of normalization and reparametrization: it can effectively control "
    r"the magnitude of } \mathbb{E}[(\mathrm{d}_\lambda h_t)^2]",
    where="caption of Figure 2B",
    derive=recurrences.controlled,
    code="controlled",
    correction=r"\lambda = \exp(-\exp(\nu)): \quad \mathbb{E}[(\mathrm{d}_\nu h_t)^2] = "
    r"\lambda^2 \log(\lambda)^2 \frac{(1+\lambda^2)(1-\rho^2\lambda^2) + 2\rho\lambda"
    r"(1-\lambda^2)}{(1-\lambda^2)^2(1-\rho\lambda)^2}",
    assumes=DETACHED,
    note="The caption names the sensitivity to lambda; it should be the sensitivity to "
    "the parameter. No reparametrisation changes the sensitivity to lambda itself, "
    "which with gamma alone has no bound. We determine which of the two sensitivities "
    "the figure shows. The rows zucchet:fig2b:bounded and zucchet:fig2:other-inputs "
    "judge the caption with this correction.",
    erratum=Erratum(
        "C",
        bearing="No later result is affected: Section 3.1, which the figure "
        "illustrates, has the sensitivity to the parameter.",
    ),
)
figures.row(
    "zucchet:fig2b:bounded",
    "bound",
    "proved",
    "The controlled sensitivity is bounded over all eigenvalues, white input",
    r"\rho = 0: \quad \mathbb{E}[(\mathrm{d}_\nu h_t)^2] \le \frac{1}{2} \text{ for "
    r"all } \lambda \in (0, 1)",
    where="caption of Figure 2B",
    code="controlled",
    assumes=DETACHED,
    note="The caption has d_lambda for d_nu (zucchet:fig2b), and no number: the bound "
    "is ours, and sharp for |lambda| -> 1 (sigprop:controlled-edge). With lam = "
    "exp(-x) it says x <= sinh(x). Normalisation alone leaves E[(d_lambda h)^2] "
    "without bound, 4999 at lambda = 0.99. It is bounded above, but not Theta(1): it "
    "falls as (lam log lam)^2 towards lambda = 0, and exp(-exp(nu)) reaches no "
    "negative eigenvalue.",
    uncounted="the formula is ours",
)
figures.row(
    "zucchet:fig2:other-inputs",
    "figure",
    "confirmed",
    "Control is lost under correlated inputs",
    r"\rho \neq 0: \quad \gamma^2 \mathbb{E}[h_t^2] \text{ and } \mathbb{E}["
    r"(\mathrm{d}_\nu h_t)^2] \text{ spread more over } \lambda \text{ the larger } "
    r"|\rho|",
    where="caption of Figure 2",
    code="normalised",
    assumes=Condition(
        "of the sensitivity rho >= 0, as the figures show",
        lambda quantity, rho, **_: quantity == "state" or rho >= 0,
    ),
    note="The test divides the largest moment by the smallest for lambda from 0.1 to "
    "0.99. The state's moment is one at rho = 0 only. From lambda = 0.1 to 0.999 at "
    "rho = 0.9 it goes from 1.20 to 18.8, and the sensitivity's from 0.077 to 9.49. "
    "At rho = 0 the sensitivity's goes from 0.055 to 0.50. By the weaker Theta(1) of "
    "Section 3.1 control is lost at rho = 1 only.",
)
figures.row(
    "zucchet:fig2:grey-state",
    "figure",
    "proved",
    "The grey line: the state without normalisation at rho = 1",
    r"\mathbb{E}[h_t^2] = (1 - \lambda)^{-2}",
    where="caption of Figure 2",
    derive=lambda: recurrences.constant_moment("state"),
    printed=lambda: (1 - lam) ** -2,
    code="sigprop.figures.zucchet_2.draw",
)
figures.row(
    "zucchet:fig2:grey-sensitivity",
    "figure",
    "proved",
    "The grey line: the sensitivity without normalisation at rho = 1",
    r"\mathbb{E}[(\mathrm{d}_\lambda h_t)^2] = (1 - \lambda)^{-4}",
    where="caption of Figure 2",
    derive=lambda: recurrences.constant_moment("sensitivity"),
    printed=lambda: (1 - lam) ** -4,
    code="sigprop.figures.zucchet_2.draw",
)
