"""Zucchet & Orvieto (2024), Appendix B.2.2: sums for the sensitivity, Eq. 50-52."""

from functools import cache

from sympy import Expr, cancel, diff, expand

from sigprop.theory.claims import Condition
from sigprop.theory.conditions import inside
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.rows import Part
from sigprop.theory.symbols import alpha, beta, rho

STABLE = Condition("|lambda| < 1", inside("lam"))
part = Part("Appendix B.2.2", "backward", "sigprop.neuron.recurrence")

D_H_0 = r"\frac{\mathrm{d}h_0}{\mathrm{d}\lambda} = "
DENOMINATOR = (1 - alpha * beta) ** 3 * ((1 - rho * alpha) * (1 - rho * beta)) ** 2


@cache
def mixed_derivative() -> Expr:
    """Return Eq. 58 before its substitution, as a fraction in lowest terms."""
    inner = (1 - rho**2 * alpha * beta) / ((1 - rho * alpha) * (1 - rho * beta))
    return cancel(diff(inner / (1 - alpha * beta), alpha, beta))


@cache
def numerator() -> Derivation:
    """Return Eq. 58 before its substitution, times the denominator in the text."""
    return start(
        "Eq. 58 before its substitution, multiplied by the denominator, is the "
        "polynomial",
        expand(cancel(mixed_derivative() * DENOMINATOR)),
        r"\text{denominator of Eq. 58}",
    )


part.row(
    "zucchet:50",
    "identity",
    "proved",
    "The sensitivity as a filter of the states",
    D_H_0 + r"\sum_{n\geq 0} \lambda^n h_{-n-1}",
    code="sensitivity",
    assumes=STABLE,
)
part.row(
    "zucchet:51",
    "identity",
    "proved",
    "The sensitivity as two filters of the inputs",
    D_H_0 + r"\sum_{n\geq 0}\lambda^{n}\sum_{m\geq 0}\lambda^{m}x_{-n-m-1}",
    code="sensitivity",
    assumes=STABLE,
)
part.row(
    "zucchet:52",
    "identity",
    "proved",
    "The sensitivity as a sum over pairs of lags",
    D_H_0 + r"\sum_{n,m \ge 0} \lambda^{n+m} x_{-(n+m+1)}",
    code="sensitivity",
    assumes=STABLE,
)
part.row(
    "zucchet:text:holomorphic",
    "text",
    "confirmed",
    "The state is holomorphic in the eigenvalue",
    r"\frac{\partial h_0}{\partial \operatorname{Re} \lambda} = \frac{\mathrm{d}"
    r"h_0}{\mathrm{d}\lambda},\quad \frac{\partial h_0}{\partial \operatorname{"
    r"Im} \lambda} = i\, \frac{\mathrm{d}h_0}{\mathrm{d}\lambda}",
    where="text after Eq. 53",
    code="sensitivity",
    assumes=STABLE,
    note="The appendix uses this convention: a derivative with respect to a complex "
    "parameter is the holomorphic one, d/dz = (d/dRe - i d/dIm)/2. The derivative "
    "with respect to the conjugate vanishes.",
)
part.row(
    "zucchet:text:eq-6",
    "text",
    "proved",
    "Eq. 6 is the real-valued version of Eq. 57",
    r"\bar{\lambda} = \lambda:\quad \text{Eq. 57 becomes Eq. 6}",
    where="text after Eq. 57",
    code="sigprop.neuron.stable.sensitivity_moment",
    note="We read Eq. 57 with the cube of 1 - |lam|^2. The row zucchet:57 reports the "
    "misprint. Eq. 6 is right.",
)
part.row(
    "zucchet:text:denominator",
    "text",
    "proved",
    "The denominator of Eq. 58",
    r"\text{denominator of Eq. 58} = (1 - \alpha\beta)^3(1 - \rho\alpha)^2"
    r"(1 - \rho\beta)^2",
    where="text after Eq. 58",
    derive=numerator,
    code="sigprop.theory.diagonal.moment",
    note="The fraction is in lowest terms with it. The test uses the polynomial that "
    "is left.",
)
part.row(
    "zucchet:text:complex-errors",
    "text",
    "confirmed",
    "Backpropagation through a complex neuron is the forward pass of the errors",
    r"\frac{\mathrm{d}L}{\mathrm{d}x_t} = \sum_{n \ge 0} \lambda^n \frac{\partial "
    r"L}{\partial h_{t+n}}",
    where="text after Eq. 61",
    code="linear_recurrence",
    assumes="both derivatives are holomorphic ones",
    note="The errors dL/dh_t = conj(h_t - y_t) of a squared loss are complex. So "
    "their autocovariance is Hermitian and not even, which Eq. 45 does not cover. "
    "With gradients with respect to the conjugate variables, which optimisers use, "
    "the filter is conj(lam).",
)
