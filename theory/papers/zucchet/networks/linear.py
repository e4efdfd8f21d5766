"""Zucchet & Orvieto (2024), Appendix A.1: the dense linear network, Eq. 12-15."""

from math import isclose, pi

from sympy import Symbol

from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Appendix A.1", "models", "sigprop.layers.dense")

part.row(
    "zucchet:12",
    "definition",
    "definition",
    "The linear RNN starts from the zero state",
    r"h_0 = 0",
    code="sigprop.layers.base.Layer.initial_state",
)
part.row(
    "zucchet:13",
    "definition",
    "definition",
    "The linear recurrence",
    r"h_{t+1} = Ah_t + Bx_{t+1}",
    code="LinearRNN",
)
part.row(
    "zucchet:14",
    "definition",
    "definition",
    "The readout of the linear RNN",
    r"y_t = Ch_t + Dx_t",
    code="LinearRNN",
)
part.row(
    "zucchet:15",
    "definition",
    "definition",
    "The transformation of the linear RNN's eigenvalues at initialisation",
    r"\lambda \leftarrow (\nu_0 + (1 - \nu_0) \tanh(|\lambda|)) \exp\left(i \frac{"
    r"\operatorname{angle}(\lambda)}{\pi} \theta_0\right)",
    code="transform_eigenvalues",
    note="The test takes eigenvalues that are not real and negative. The code leaves "
    "the angle of a negative eigenvalue at pi; see zucchet:text:stays-real for the "
    "reason.",
)
part.row(
    "zucchet:text:stays-real",
    "text",
    "conditional",
    "Conjugate pairs stay conjugate, so the matrix stays real",
    r"\operatorname{Im}\left(P \operatorname{diag}(\lambda) P^{-1}\right) = 0 "
    r"\text{ after Eq. 15}",
    where="text after Eq. 15",
    code="transform_eigenvalues",
    condition=Condition(
        "A has no real negative eigenvalue, or theta_0 = pi",
        lambda case, theta0, **_: case != "negative" or isclose(theta0, pi),
    ),
    note="A negative eigenvalue has angle pi and no partner. Eq. 15 sends it to angle "
    "theta_0, off the real axis. A Gaussian matrix has about sqrt(n/(2 pi)) + 1/4 "
    "negative eigenvalues: 1.5 at n = 10, 3.4 at n = 64.",
    erratum=Erratum(
        "D",
        inherits=("zucchet:fig10:gap",),
        bearing="Tables 1 and 2 have theta_0 = pi and are not affected. Table 3 and "
        "Figure 10.D have smaller angles. The text does not say whether their code "
        "took the real part.",
    ),
)
part.row(
    "zucchet:text:inner-radius",
    "bound",
    "proved",
    "Transformed eigenvalues lie outside the inner circle",
    r"|\lambda| \ge \nu_0 \text{ after Eq. 15}",
    where="text after Eq. 15",
    code="transform_eigenvalues",
)
part.row(
    "zucchet:text:unit-circle",
    "bound",
    "proved",
    "Transformed eigenvalues lie inside the unit circle",
    r"|\lambda| \le 1 \text{ after Eq. 15}",
    where="text after Eq. 15",
    code="transform_eigenvalues",
    note="Strictly below one, as tanh is.",
)
part.at("Appendix A.1; footnote 1").row(
    "zucchet:text:outer-radius",
    "limit",
    "confirmed",
    "The outer radius of transformed eigenvalues for large matrices",
    r"A_{ij} \sim \mathcal{N}(0, 1/\sqrt{n}), n \to \infty: \quad \max|\lambda| = "
    r"\nu_0 + (1 - \nu_0) \tanh(1)",
    where="text around Eq. 15",
    code="block_rnn",
    assumes="1/sqrt(n) is the standard deviation of an entry: the same sentence has the "
    "eigenvalues within the unit circle",
    note="The test takes one matrix of 150 rows, and its spectral radius from its "
    "eigenvalues and as half its norm. If 1/sqrt(n) were the variance, the radius "
    "would be n^(1/4), 3.5 here. The eigenvalues would then lie close to the unit "
    "circle.",
)
part.row(
    "zucchet:text:fan-in",
    "definition",
    "definition",
    "Entries of B, C and D: truncated normal with fan-in scaling",
    r"\mathbb{E}[B_{ij}^2] = \frac{1}{d_{\text{in}}}",
    where="text before Eq. 15",
    printed=lambda: 1 / Symbol("columns", positive=True),
    code="sigprop.layers.initialisers.fan_in",
    note="The tolerance is more than four standard errors. For C the fan-in is n, and "
    "for D it is that of B. The truncation is at two standard deviations, which the "
    "text does not say.",
)
