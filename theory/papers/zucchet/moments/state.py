"""Zucchet & Orvieto (2024), Appendix B.2: the state, Eq. 42, 45, 47, 48, 74, 75."""

from sigprop.theory import diagonal
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import driven_by
from sigprop.theory.papers.zucchet import forms
from sigprop.theory.rows import Part
from sigprop.theory.symbols import lam, lam_bar, n

part = Part("Appendix B.2.1", "forward", "sigprop.neuron.stable")

part.row(
    "zucchet:42",
    "identity",
    "proved",
    "The state is a geometric filter of the inputs",
    r"h_0 = \sum_{n \ge 0} \lambda^n x_{-n}",
    derive=diagonal.state_kernel,
    printed=lambda: lam**n,
    code="sigprop.neuron.recurrence.impulse_response",
    assumes="|lambda| < 1, inputs of bounded second moments",
)
part.row(
    "zucchet:45",
    "moment",
    "proved",
    "Second moment of the state, complex eigenvalue, any real input",
    r"\mathbb{E}[|h_0|^2] = \frac{1}{1-|\lambda|^2}\left(R_x(0) + \sum_{\Delta \ge 1} "
    r"(\bar{\lambda}^\Delta + \lambda^\Delta) R_x(\Delta)\right)",
    derive=lambda: diagonal.moment("state"),
    printed=forms.eq_45,
    code="state_moment",
    assumes=forms.REAL_INPUTS,
    note="Inputs are real, as in Section 2.2, so R_x is even, as Lemma 1 asks. Appendix "
    "B.2 also calls x_t complex. For complex inputs R(-D) = conj(R(D)), and the moment "
    "is (R(0) + 2 Re sum conj(lambda)^D R(D))/(1 - |lambda|^2). The sentence before "
    "B.2.3 applies the result to backpropagated errors, which are complex.",
)
part.row(
    "zucchet:47",
    "moment",
    "proved",
    "Second moment of the state, exponential autocovariance, unsimplified",
    r"\mathbb{E}[|h_0|^2] = \frac{1}{1-|\lambda|^2}\left(1+\frac{\bar{\lambda}\rho}{1-"
    r"\bar{\lambda}\rho}+\frac{\lambda\rho}{1-\lambda\rho}\right)",
    derive=lambda: diagonal.moment("state", "exponential"),
    printed=forms.eq_47,
    code="state_moment",
    assumes=forms.EXPONENTIAL,
)
part.row(
    "zucchet:48",
    "moment",
    "proved",
    "Second moment of the state, exponential autocovariance, closed form",
    r"\mathbb{E}[|h_0|^2] = \frac{1-\rho^2|\lambda|^2}{|1-\rho\lambda|^2(1-|\lambda|^2)}",
    derive=lambda: diagonal.moment("state", "exponential"),
    printed=forms.eq_48,
    code="state_moment",
    assumes=forms.EXPONENTIAL,
)
part.row(
    "zucchet:text:white-state",
    "text",
    "proved",
    "Second moment of the state under white noise",
    r"\rho = 0:\quad \mathbb{E}[|h_0|^2] = (1 - |\lambda|^2)^{-1}",
    where="text after Eq. 48",
    derive=lambda: diagonal.moment("state", "white"),
    printed=lambda: 1 / (1 - forms.square),
    code="state_moment",
    assumes=Condition("|lambda| < 1, white input of unit variance", driven_by("white")),
)
part.row(
    "zucchet:text:constant-state",
    "text",
    "proved",
    "Second moment of the state under constant input",
    r"\rho = 1:\quad \mathbb{E}[|h_0|^2] = |1-\lambda|^{-2}",
    where="text after Eq. 48",
    derive=lambda: diagonal.moment("state", "constant"),
    printed=lambda: 1 / ((1 - lam) * (1 - lam_bar)),
    code="state_moment",
    assumes=Condition(
        "|lambda| < 1, constant input of unit second moment", driven_by("constant")
    ),
)
later = part.at("Appendix B.2.4", "stationarity")
later.row(
    "zucchet:74",
    "bound",
    "confirmed",
    "An upper bound on the covariances bounds the moments",
    r"\left|\mathbb{E}[x_n \bar{x}_m]\right| \le U(|n-m|): \quad \text{minor "
    r"modifications to our analysis enable to upper bound the different quantities we "
    r"study, replacing } R_x \text{ by } U",
    code="sigprop.theory.papers.zucchet.forms.bound_74",
    note="The modification takes |lam| for lam in every lag weight. Then the bound is "
    "the triangle inequality, term by term, for the state and for its sensitivity. "
    "The test uses inputs that are not stationary too. Replacing R_x by U alone gives "
    "no bound when lam is not positive, because the signs of lam^Delta R(Delta) are "
    "lost. At lam = -0.9, R = (-0.5)^|Delta| and U = 0.5^|Delta| it gives 1.996 for a "
    "moment of 13.88.",
)
later.row(
    "zucchet:75",
    "definition",
    "definition",
    "Empirical autocovariance",
    r"R_x^{\text{empirical}}(\Delta) := \mathbb{E}_x \left[\frac{1}{T - |\Delta|"
    r" + 1} \sum_{t=0}^{T - |\Delta|} x_t x_{t+|\Delta|} \right]",
    code="sigprop.inputs.Empirical.autocovariance",
    note="The sum from t = 0 to T - |Delta| counts T + 1 samples; the code calls "
    "that number the length L and divides by L - |Delta|.",
)
