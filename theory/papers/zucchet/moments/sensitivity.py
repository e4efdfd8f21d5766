"""Zucchet & Orvieto (2024), Appendix B.2.2: the sensitivity, Eq. 49, 53-61."""

from sympy import diff

from sigprop.theory import diagonal
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import driven_by
from sigprop.theory.errata import Erratum
from sigprop.theory.papers.zucchet import forms
from sigprop.theory.rows import Part
from sigprop.theory.symbols import alpha, beta, lam, lam_bar, n

D_H = r"\mathbb{E}\left[\left|\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right|^2\right]"
LAGS_57 = (
    r"\left(R_x(0) + \sum_{\Delta \ge 1} (\lambda^\Delta + \bar{\lambda}^\Delta) "
    r"R_x(\Delta)\right) + \frac{1}{(1-|\lambda|^2)^2} \left(\sum_{\Delta \ge 1} "
    r"\Delta(\lambda^\Delta + \bar{\lambda}^\Delta) R_x(\Delta)\right)"
)

AS_45 = (
    "Inputs are real, as in Section 2.2, so R_x is even, as Lemma 1 asks. For complex "
    "inputs R(-D) = conj(R(D))."
)

part = Part("Appendix B.2.2", "backward", "sigprop.neuron.stable")

part.row(
    "zucchet:49",
    "identity",
    "proved",
    "The sensitivity is the recurrence driven by the state",
    r"\frac{\mathrm{d}h_{t+1}}{\mathrm{d}\lambda} = \lambda \frac{\mathrm{d}h_t}"
    r"{\mathrm{d}\lambda} + h_t",
    derive=diagonal.sensitivity_kernel,
    printed=lambda: lam * ((n - 1) * lam ** (n - 2)) + lam ** (n - 1),
    code="sigprop.neuron.recurrence.sensitivity",
    note="The test uses the weight of one input: lam times its weight a step earlier, "
    "plus its weight in the state.",
)
part.row(
    "zucchet:53",
    "identity",
    "refuted",
    "The sensitivity as a filter of the inputs",
    r"\frac{\mathrm{d}h_0}{\mathrm{d}\lambda} = \sum_{n\geq 0} n\lambda^{n-1}"
    r"x_{-n-1}",
    derive=diagonal.sensitivity_kernel,
    printed=forms.eq_53,
    code="sigprop.neuron.recurrence.impulse_response",
    correction=r"\frac{\mathrm{d}h_0}{\mathrm{d}\lambda} = \sum_{n\geq 0} "
    r"n\lambda^{n-1}x_{-n}",
    corrected=lambda: n * lam ** (n - 1),
    note="The paper prints x_{-n-1}; it should be x_{-n}. Eq. 52 holds, and collecting "
    "the terms with n + m + 1 = k gives k lam^(k-1) x_{-k}.",
    erratum=Erratum(
        "B",
        bearing="For stationary inputs, a shift of all inputs changes no moment. Eq. "
        "130 is right, and Eq. 54 has the right weights.",
    ),
)
DOUBLE_SUM = r" = \sum_{n\geq 0} \sum_{m\geq 0} nm\lambda^{n-1}\bar{\lambda}^{m-1}"

part.row(
    "zucchet:54",
    "moment",
    "proved",
    "Second moment of the sensitivity as a double sum",
    D_H + DOUBLE_SUM + "R_x(n-m)",
    code="sigprop.theory.autocorrelation.double_sum",
    assumes=forms.REAL_INPUTS,
    note=f"{AS_45} Then the lag is m - n, as in Eq. 44.",
)
part.row(
    "zucchet:55",
    "moment",
    "proved",
    "Second moment of the sensitivity as a mixed derivative",
    D_H + r" = "
    r"\frac{\mathrm{d}}{\mathrm{d}\alpha}\frac{\mathrm{d}}{\mathrm{d}\beta}"
    r"\left[\frac{1}{1-\alpha\beta}\left(R_x(0) + \sum_{\Delta\geq 1}"
    r"(\alpha^{\Delta} + \beta^{\Delta})R_x(\Delta)\right)\right]_{\alpha="
    r"\lambda,\beta=\bar{\lambda}}",
    derive=lambda: diagonal.moment("sensitivity"),
    printed=lambda: diagonal.conjugate_pair(diff(forms.bracket(), alpha, beta)),
    code="sensitivity_moment",
    assumes=forms.REAL_INPUTS,
    note=AS_45,
)
part.row(
    "zucchet:56",
    "moment",
    "proved",
    "Second moment of the sensitivity, differentiated as a product",
    D_H + r" = "
    r"\left[\frac{1+\alpha\beta}{(1-\alpha\beta)^3}\left(R_x(0) + \sum_{\Delta"
    r"\geq 1}(\alpha^{\Delta}+\beta^{\Delta})R_x(\Delta)\right) + 0 + \frac{"
    r"\alpha}{(1-\alpha\beta)^2}\left(\sum_{\Delta\geq 1}\Delta\alpha^{\Delta-1}"
    r"R_x(\Delta)\right) + \frac{\beta}{(1-\alpha\beta)^2}\left(\sum_{\Delta\geq "
    r"1}\Delta\beta^{\Delta-1}R_x(\Delta)\right)\right]_{\alpha=\lambda,\beta="
    r"\bar{\lambda}}",
    derive=lambda: diagonal.moment("sensitivity"),
    printed=forms.eq_56,
    code="sensitivity_moment",
    assumes=forms.REAL_INPUTS,
    note=f"{AS_45} The differentiation is right for any R_x.",
)
part.row(
    "zucchet:57",
    "moment",
    "refuted",
    "Second moment of the sensitivity, any input",
    D_H + r" = " r"\frac{1+|\lambda|^2}{(1-|\lambda|)^3} " + LAGS_57,
    derive=lambda: diagonal.moment("sensitivity"),
    printed=forms.eq_57,
    code="sensitivity_moment",
    assumes=forms.STATIONARY,
    correction=D_H + r" = \frac{1+|\lambda|^2}{(1-|\lambda|^2)^3} " + LAGS_57,
    corrected=forms.eq_57_corrected,
    note="The paper prints the cube of 1 - |lam|; it should be the cube of 1 - |lam|^2, "
    "as in Eq. 56. The square is lost between Eq. 56 and Eq. 57; Eq. 6 and Eq. 60 "
    "have it. The first printed term is too large by (1 + |lam|)^3.",
    erratum=Erratum(
        "C",
        appears_in=("zucchet:text:eq-6",),
        bearing="Eq. 58 to 61 start from Eq. 55, and Eq. 6 has the square.",
    ),
)
part.row(
    "zucchet:58",
    "moment",
    "proved",
    "Second moment of the sensitivity, exponential autocovariance, before "
    "differentiation",
    D_H + r" = "
    r"\frac{\mathrm{d}}{\mathrm{d}\alpha}\frac{\mathrm{d}}{\mathrm{d}\beta}"
    r"\left[\frac{1}{1-\alpha\beta}\left(\frac{1-\rho^2\alpha\beta}{(1-\rho"
    r"\alpha)(1-\rho\beta)}\right)\right]_{\alpha=\lambda,\beta=\bar{\lambda}}",
    derive=lambda: diagonal.moment("sensitivity", "exponential"),
    printed=forms.eq_58,
    code="sensitivity_moment",
    assumes=forms.EXPONENTIAL,
)
part.row(
    "zucchet:59",
    "moment",
    "refuted",
    "Second moment of the sensitivity, exponential autocovariance",
    D_H + r" = "
    r"\frac{(1-\rho)(1+|\lambda|^2) + \rho^2(1-|\lambda|^2)^3 + \rho(1-\rho)"
    r"|\lambda|^2(\rho|\lambda|^2(1+|\lambda|^2) - 2\lambda - 2\bar{\lambda})}"
    r"{(1-|\lambda|^2)^3|1-\rho\lambda|^4}",
    derive=lambda: diagonal.moment("sensitivity", "exponential"),
    printed=forms.eq_59,
    code="sensitivity_moment",
    assumes=forms.EXPONENTIAL,
    correction=D_H + r" = \frac{(1-\rho^2)(1+|\lambda|^2) + \rho^2(1-|\lambda|^2"
    r")^3 + \rho(1-\rho^2)|\lambda|^2(\rho|\lambda|^2(1+|\lambda|^2) - 2\lambda "
    r"- 2\bar{\lambda})}{(1-|\lambda|^2)^3|1-\rho\lambda|^4}",
    corrected=forms.eq_59_corrected,
    note="The paper prints the factor 1 - rho twice; it should be 1 - rho^2. The printed "
    "form is right at rho = 0 and rho = 1, where the paper checks it. For |lambda| -> "
    "1 the printed value divided by the true value tends to 1/(1 + rho). This limit "
    "is 1/2 at rho -> 1, and 10 at rho = -0.9. The paper says that Fig. 1A plots this "
    "equation. The curves of Fig. 1A are right: the authors' notebook of Figure 1A "
    "has the right form, for real eigenvalues. The authors' notebook of Figure 8 has "
    "the misprint (zucchet:134).",
    erratum=Erratum(
        "A",
        appears_in=("zucchet:134",),
        bearing="Eq. 60 and 61 are Eq. 59 at rho = 0 and rho = 1, where the printed "
        "form is right. The authors' notebook of Figure 1A has the right form.",
    ),
)
part.row(
    "zucchet:60",
    "moment",
    "proved",
    "Second moment of the sensitivity under white noise",
    D_H + r" = " r"\frac{1+|\lambda|^2}{(1-|\lambda|^2)^3}",
    derive=lambda: diagonal.moment("sensitivity", "white"),
    printed=lambda: (1 + forms.square) / (1 - forms.square) ** 3,
    code="sensitivity_moment",
    assumes=Condition("|lambda| < 1, white input of unit variance", driven_by("white")),
)
part.row(
    "zucchet:61",
    "moment",
    "proved",
    "Second moment of the sensitivity under constant input",
    D_H + r" = " r"\frac{1}{|1-\lambda|^4}",
    derive=lambda: diagonal.moment("sensitivity", "constant"),
    printed=lambda: 1 / ((1 - lam) * (1 - lam_bar)) ** 2,
    code="sensitivity_moment",
    assumes=Condition(
        "|lambda| < 1, constant input of unit second moment", driven_by("constant")
    ),
)
part.row(
    "zucchet:text:divergence",
    "limit",
    "proved",
    "When the sensitivity diverges for |lambda| -> 1",
    r"\rho < 1,\ |\lambda| \rightarrow 1 \quad\text{or}\quad \rho = 1,\ \lambda "
    r"\rightarrow 1:\quad " + D_H + r" \rightarrow \infty",
    where="text after Eq. 61",
    derive=lambda: diagonal.moment("sensitivity", "exponential"),
    code="sensitivity_moment",
    assumes="-1 < rho <= 1: autocovariances that decrease, or stay",
    note="For |rho| < 1 it grows as 2 (1 - rho^2)/((1 - |lam|^2)^3 |1 - rho lam|^2), at "
    "every phase. The paper has rho as the rate by which the autocovariance decreases, "
    "which leaves rho = -1 out: there the input alternates and the moment is "
    "1/|1 + lam|^4, finite at every edge point but lam = -1.",
)
