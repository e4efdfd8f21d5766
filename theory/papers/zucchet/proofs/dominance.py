"""Zucchet & Orvieto (2024), Appendix B.2.3: dominant terms as |lam| -> 1, Eq. 71-73."""

from sigprop.theory import diagonal
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.papers.zucchet.conditions import EXCITED
from sigprop.theory.rows import Part
from sigprop.theory.symbols import lam, n

part = Part("Appendix B.2.3", "backward", "sigprop.linear.linearise")

DERIVATIVE = r"\frac{\mathrm{d}h_{t+1,k}^{\text{diag}}}{\mathrm{d}P_{ij}^{-1}} = "

part.row(
    "zucchet:text:derivatives-bounded",
    "limit",
    "confirmed",
    "The derivatives of eigenvalues and eigenvectors stay bounded for |lambda| -> 1",
    r"|\lambda| \rightarrow 1:\quad \left|\frac{\partial \lambda}{\partial "
    r"A_{ij}}\right|,\ \left|\frac{\mathrm{d}P}{\mathrm{d}A_{ij}}\right| \text{ "
    r"do not grow}",
    where="text after Eq. 70",
    code="perturb",
    assumes="the eigenvalues do not collapse, as the paper says; A bounded",
    note="While the eigenvalues stay apart, the derivatives are continuous on a "
    "compact set of matrices and therefore bounded. Several real positive modes that "
    "all go to one must meet: at 1 - e and 1 - 2e an entry of F is 1/e, and the "
    "derivative of P grows with it. For fixed eigenvectors the derivative of the "
    "eigenvalues does not depend on the eigenvalues.",
)
part.row(
    "zucchet:text:vectors-bounded",
    "bound",
    "confirmed",
    "The eigenvectors remain bounded",
    r"\|P\| \le \sqrt{n}",
    where="text after Eq. 71",
    code="diagonalise",
    note="By Eq. 64 the Frobenius norm is sqrt(n), which bounds the norm. It does not "
    "bound the inverse: with eigenvectors at an angle e the inverse is of order 1/e.",
)
part.row(
    "zucchet:text:dominance",
    "limit",
    "conditional",
    "The derivative with respect to the eigenvalues dominates",
    r"|\lambda| \rightarrow 1:\quad \mathbb{E}\left|\frac{\partial h_t}{\partial "
    r"h_t^{\text{diag}}}\frac{\mathrm{d}h_t^{\text{diag}}}{\mathrm{d}\lambda}"
    r"\frac{\partial \lambda}{\partial A}\right|^2 \text{ outgrows the other "
    r"terms of Eq. 67, by } (1-|\lambda|)^{-2}",
    where="text after Eq. 70 and 73",
    code="perturb",
    assumes="the eigenvalues do not collapse",
    condition=Condition(EXCITED, lambda family, **_: "constant" not in family),
    note="We compare the energies of the terms over white inputs. The paper says "
    "which term is the largest; the order of growth is ours. If two modes coincide, "
    "which the paper excludes, dP/dA grows as well. Under constant input nothing "
    "diverges for a pair that goes to the circle away from lam = 1. The statement "
    'repeats zucchet:text:dominating-term. The words "(or lambda)" behind its '
    "|lambda| may stand for the condition.",
    erratum=Erratum("D", root="zucchet:text:state-diverges"),
    uncounted="repeats zucchet:text:dominating-term",
)
part.row(
    "zucchet:71",
    "identity",
    "refuted",
    "The derivative of the state with respect to the eigenvectors",
    r"\frac{\partial h_{t,l}}{\partial P_{ij}} = h_{t,i}^{\text{diag}} "
    r"\mathbb{1}_{j=l}",
    code="sigprop.theory.dense.readout_derivatives",
    correction=r"\frac{\partial h_{t,l}}{\partial P_{ij}} = h_{t,j}^{\text{diag}"
    r"} \mathbb{1}_{i=l}",
    note="The paper exchanges row and column: h_l = sum_j P_lj h^diag_j. Eq. 64, "
    "with the columns P_(:i), and Eq. 72 have the first index as the row.",
    erratum=Erratum(
        "B",
        bearing="No later result is affected: the paper uses only the size, "
        "which is that of h^diag in both forms.",
    ),
)
part.row(
    "zucchet:72",
    "identity",
    "refuted",
    "The derivative of a diagonal state with respect to its row of the inverse",
    DERIVATIVE + r"\lambda_i \frac{\mathrm{d}h_{t+1,k}^{\text{diag}}}{\mathrm{d}P_{ij}"
    r"^{-1}} + x_{t+1,j} \text{ if } k = i",
    code="sigprop.theory.dense.inverse_derivatives",
    correction=DERIVATIVE
    + r"\lambda_i \frac{\mathrm{d}h_{t,k}^{\text{diag}}}{\mathrm{d}P_{ij}^{-1}} + "
    r"x_{t+1,j} \text{ if } k = i",
    note="The derivative on the right side is printed for time t + 1; it should be time "
    "t. The printed equation would give x_{t+1,j}/(1 - lam_i), without memory of "
    "older inputs.",
    erratum=Erratum(
        "C",
        bearing="No later result is affected: the sentence after it has the filter of "
        "the corrected form.",
    ),
)
part.row(
    "zucchet:73",
    "identity",
    "proved",
    "The derivative of a diagonal state with respect to the other rows of the inverse",
    DERIVATIVE + r"0 \quad \text{otherwise}",
    code="sigprop.theory.dense.inverse_derivatives",
    note='"Otherwise" means that k is not i. The test includes Eq. 72, as '
    "corrected, for k = i.",
)
part.row(
    "zucchet:text:two-filters",
    "text",
    "proved",
    "The derivative with respect to an eigenvalue is two consecutive filters",
    r"\sum_{m=0}^{n-1} \lambda^m \lambda^{n-1-m} = n \lambda^{n-1}",
    where="text after Eq. 73",
    derive=diagonal.sensitivity_kernel,
    printed=lambda: n * lam ** (n - 1),
    code="sigprop.neuron.recurrence.sensitivity",
)
