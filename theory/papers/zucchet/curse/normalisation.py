"""Zucchet & Orvieto (2024), Section 3.1, Figures 1 and 2: normalised sensitivities."""

from sympy import Integer

from theory import recurrences
from theory.claims import Condition
from theory.rows import Part
from theory.symbols import lam

DETACHED = "gamma = sqrt(1 - lam^2) is not differentiated"

part = Part("Section 3.1", "parametrisation", "theory.recurrences")
figures = part.at("")

figures.row("zucchet:fig1:recurrence", "figure", "proved", "caption of Figure 1")(
    "The recurrence of the caption gives the moment of Eq. 6",
    r"h_{t+1} = \lambda h_t + x_t",
    lambda: recurrences.exponential_moment("sensitivity"),
    code="figures.zucchet_1a.draw",
    topic="backward",
    note="Everywhere else the newest input is x_{t+1}; the states come one step "
    "late, which a stationary moment does not see.",
)
figures.row("zucchet:fig1:correlation", "figure", "confirmed", "caption of Figure 1A")(
    "Correlated inputs make the state more sensitive",
    r"\rho \to 1 \text{ increases } \mathbb{E}[(\mathrm{d}_\lambda h_t)^2]",
    code="real_moment",
    topic="backward",
    assumes=Condition(
        "lambda > 0 and rho >= 0, the half axes that the figure shows",
        lambda lam, rho, **_: lam > 0 and rho >= 0,
    ),
    note="Judged on the moment at rho over that at rho - 0.1. At a negative "
    "eigenvalue correlation makes the state less sensitive.",
)
figures.row("zucchet:fig1:grey-line", "figure", "confirmed", "caption of Figure 1A")(
    "The sensitivity explodes faster than the state does at rho = 1",
    r"\frac{\mathbb{E}[(\mathrm{d}_\lambda h_t)^2]_{\rho}}{\mathbb{E}[h_t^2]_{\rho "
    r"= 1}} \to \infty \quad (\lambda \to 1)",
    code="at_the_edge",
    topic="backward",
    assumes=Condition("rho > -1", lambda rho, **_: rho > -1),
    note="gap^-3 (rho < 1) and gap^-4 (rho = 1) against the grey line's gap^-2. At "
    "short memory the coloured lines run below the grey one: at lambda = 0.5 and "
    "rho = 0 it is 3.0 against 4.",
)
figures.row("zucchet:fig1:sharpness-real", "figure", "proved", "caption of Figure 1B")(
    "The loss sharpens with memory: real axis",
    r"\left.\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda^2}\right|_{\lambda = "
    r"\lambda^*} = \frac{1+\lambda^{*2}}{(1-\lambda^{*2})^3} \to \infty \quad "
    r"(\lambda^* \to 1)",
    recurrences.white_curvature,
    code="white_curvature",
    topic="landscape",
    note="White input, exact loss; the caption says only that it becomes sharper.",
)
figures.row(
    "zucchet:fig1:sharpness-circle", "figure", "proved", "caption of Figure 1C"
)(
    "The loss sharpens with memory: circle of the teacher",
    r"\left.\frac{\mathrm{d}^2 L}{\mathrm{d}\theta^2}\right|_{\lambda = "
    r"\lambda^*} = \frac{r^2(1+r^2)}{(1-r^2)^3}, r = |\lambda^*|",
    recurrences.circle_curvature,
    code="circle_curvature",
    topic="landscape",
    note="The second derivative of the loss, and not of an expectation of squares; "
    "both agree at the teacher.",
)
part.row("zucchet:text:aim", "text", "confirmed", "")(
    "The derivative of the state by its input needs no control",
    r"\mathbb{E}[(\mathrm{d}_{x_t}h_t)^2] = 1 \text{ for every } \lambda",
    printed=lambda: Integer(1),
    code="sigprop.neuron.recurrence.step",
    topic="backward",
    note="The text lists this moment among three to be kept independent of lambda; "
    "without gamma it is one whatever lambda is. What needs control is dL/dx_t, "
    "Eq. 7.",
)
part.row("zucchet:text:normalise", "text", "proved", "Input normalization")(
    "A gamma that keeps the state's moment",
    r"\gamma(\lambda)^2 \mathbb{E}[h_t^2] = \Theta(1): \quad \gamma^2 = 1 - "
    r"\lambda^2 \text{ gives } \frac{1-\rho^2\lambda^2}{(1-\rho\lambda)^2}",
    lambda: recurrences.normalised("state"),
    code="sigprop.neuron.ring.normalisation",
    note="One at rho = 0; between (1 - |rho|)/(1 + |rho|) and the inverse of that "
    "for |rho| < 1, and so Theta(1).",
)
part.row("zucchet:text:backward-normalised", "text", "proved", "Input normalization")(
    "The same gamma normalises the backward pass",
    r"\mathbb{E}\left[\left(\frac{\mathrm{d}L}{\mathrm{d}x_t}\right)^2\right] = "
    r"\gamma^2 \cdot \mathbb{E}[h_t^2] \text{ with the errors in place of the inputs}",
    lambda: recurrences.normalised("state"),
    code="normalised",
    note="Errors with R = rho^|lag|, through the LRU with detached gamma.",
)
part.row("zucchet:text:partly", "text", "proved", "Eigenvalue reparametrization")(
    "Normalisation alone leaves the sensitivity exploding",
    r"\gamma^2 \mathbb{E}[(\mathrm{d}_\lambda h_t)^2] \sim (1-\lambda)^{-2} "
    r"\text{ instead of } (1-\lambda)^{-3}",
    lambda: recurrences.normalised("sensitivity"),
    code="normalised",
    assumes=DETACHED,
    note="Under white input (1 + lam^2)/(1 - lam^2)^2: one power of the gap less.",
)
part.row(
    "zucchet:text:optimal-slope", "text", "proved", "Eigenvalue reparametrization"
)(
    "The differential equation of the optimal parametrisation",
    r"\gamma(\lambda)^2 \lambda'(\omega)^2 \mathbb{E}[(\mathrm{d}_{\lambda}h_t)^2] "
    r"= 1",
    recurrences.optimal_slope,
    code="optimal_slope",
    assumes=DETACHED,
    note="White input: lambda' = (1 - lam^2)/sqrt(1 + lam^2). It is enough for a "
    "moment of Theta(1), not required: any slope within constant factors will do, "
    "tanh for one.",
)
figures.row("zucchet:fig2a", "figure", "confirmed", "caption of Figure 2A")(
    "Normalisation controls the state, white input",
    r"\rho = 0: \quad \gamma(\lambda)^2 \mathbb{E}[h_t^2] = 1 \text{ for all } "
    r"\lambda",
    printed=lambda: Integer(1),
    code="figures.zucchet_2.draw",
    assumes=DETACHED,
)
figures.row("zucchet:fig2b", "figure", "proved", "caption of Figure 2B")(
    "Normalised and reparametrised sensitivity",
    r"\lambda = \exp(-\exp(\nu)): \quad \mathbb{E}[(\mathrm{d}_\nu h_t)^2] = "
    r"\gamma^2 \left(\frac{\mathrm{d}\lambda}{\mathrm{d}\nu}\right)^2 \mathbb{E}["
    r"(\mathrm{d}_\lambda h_t)^2]",
    recurrences.controlled,
    code="controlled",
    assumes=DETACHED,
    note="The caption calls the quantity E[(d_lambda h)^2]; what is controlled, and "
    "what reparametrisation changes, is E[(d_nu h)^2].",
)
figures.row("zucchet:fig2b:edge", "limit", "proved", "caption of Figure 2B")(
    "Where the controlled sensitivity goes, white input",
    r"\rho = 0, \lambda \to 1: \quad \mathbb{E}[(\mathrm{d}_\nu h_t)^2] \to "
    r"\frac{1}{2}",
    recurrences.controlled_limit,
    code="controlled_limit",
    assumes=DETACHED,
)
figures.row("zucchet:fig2b:bounded", "bound", "confirmed", "caption of Figure 2B")(
    "The controlled sensitivity is bounded over all eigenvalues, white input",
    r"\rho = 0: \quad \mathbb{E}[(\mathrm{d}_\nu h_t)^2] \le \frac{1}{2} \text{ for "
    r"all } \lambda \in (0, 1)",
    code="controlled",
    assumes=DETACHED,
    note="Bounded above, but not Theta(1): it falls as (lam log lam)^2 towards "
    "lambda = 0, and exp(-exp(nu)) reaches no negative eigenvalue.",
)
figures.row(
    "zucchet:fig2:other-inputs", "figure", "conditional", "caption of Figure 2"
)(
    "Control is lost under correlated inputs",
    r"\rho \neq 0: \quad \gamma^2 \mathbb{E}[h_t^2], \mathbb{E}[(\mathrm{d}_\nu "
    r"h_t)^2] \text{ are not under control as } \lambda \to 1",
    code="normalised",
    condition=Condition(
        "rho = 1; in the sense of Theta(1) that Section 3.1 asks for, control is "
        "kept for every |rho| < 1",
        lambda rho, **_: rho == 1,
    ),
    note="Judged on the exponent of growth: 1 at rho = 1, 0 below. For |rho| < 1 "
    "both moments only change by a factor of (1 + rho)/(1 - rho) at the edge, 19 at "
    "rho = 0.9, so they do depend on lambda.",
)
figures.row("zucchet:fig2:grey-state", "figure", "proved", "caption of Figure 2")(
    "The grey line: the bare state at rho = 1",
    r"\mathbb{E}[h_t^2] = (1 - \lambda)^{-2}",
    lambda: recurrences.constant_moment("state"),
    lambda: (1 - lam) ** -2,
    code="figures.zucchet_2.draw",
)
figures.row("zucchet:fig2:grey-sensitivity", "figure", "proved", "caption of Figure 2")(
    "The grey line: the bare sensitivity at rho = 1",
    r"\mathbb{E}[(\mathrm{d}_\lambda h_t)^2] = (1 - \lambda)^{-4}",
    lambda: recurrences.constant_moment("sensitivity"),
    lambda: (1 - lam) ** -4,
    code="figures.zucchet_2.draw",
)
