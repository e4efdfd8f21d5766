"""Zucchet & Orvieto (2024), Appendix B.2.1: sums for the state, Eq. 43, 44, 46."""

from functools import cache

from sympy import Expr, Pow, oo

from sigprop.theory import diagonal
from sigprop.theory.autocorrelation import geometric_sum
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import inside
from sigprop.theory.papers.zucchet import forms
from sigprop.theory.papers.zucchet.conditions import is_even
from sigprop.theory.rows import Part
from sigprop.theory.symbols import Delta, lam, lam_bar, rho

part = Part("Appendix B.2.1", "forward", "sigprop.neuron.stable")
assumptions = part.at("Appendix B.2", "stationarity")

H_0 = r"\mathbb{E}[|h_0|^2] = "


@cache
def _eq_46() -> Expr:
    """Eq. 46 with its geometric series summed."""
    lags = geometric_sum(
        Pow(lam_bar * rho, Delta) + Pow(lam * rho, Delta), Delta, 1, oo
    )
    return (1 + lags) / (1 - forms.square)


assumptions.row(
    "zucchet:text:stationary",
    "definition",
    "definition",
    "Wide-sense stationarity",
    r"\mathbb{E} \left[X_{t+\Delta} \bar{X}_t \right] := R_X(\Delta)",
    where="assumption c)",
    code="sigprop.inputs.GaussianProcess.autocovariance",
    note="Section 2.2 defines it without the conjugate, for real sequences and "
    "integer times. Here the paper calls the times real, but they are integers. With "
    "the conjugate, R of a complex process is Hermitian and not even. Lemma 1 asks "
    "for an even R, which real inputs have.",
)
part.row(
    "zucchet:43",
    "identity",
    "proved",
    "Second moment of the state as a sum over pairs of inputs",
    H_0 + r"\sum_{n,m \ge 0} \lambda^n \bar{\lambda}^m "
    r"\mathbb{E}\left[x_{-n} \bar{x}_{-m}\right]",
    code="sigprop.neuron.recurrence.linear_recurrence",
    assumes=Condition("|lambda| < 1, inputs of bounded second moments", inside("lam")),
    note="The equation holds without stationarity. The test uses three equally likely "
    "sequences.",
)
part.row(
    "zucchet:44",
    "identity",
    "proved",
    "Second moment of the state in terms of the autocovariance",
    H_0 + r"\sum_{n,m\geq 0}\lambda^{n}\bar{\lambda}^{m}R_x(n-m)",
    code="sigprop.theory.autocorrelation.double_sum",
    assumes=forms.REAL_INPUTS,
    note="Inputs are real, as in Section 2.2, so R_x is even and the sign of the lag "
    "does not matter. Appendix B.2 also calls x_t complex. For complex inputs E[x_{-n} "
    "conj(x_{-m})] is R_x(m - n) by assumption c), and R(-D) = conj(R(D)).",
)
part.row(
    "zucchet:46",
    "moment",
    "proved",
    "Second moment of the state, exponential autocovariance, as a series",
    H_0 + r"\frac{1}{1 - |\lambda|^2} \left(1 + \sum_{\Delta \ge 1} (\bar{"
    r"\lambda}^\Delta + \lambda^\Delta) \rho^\Delta \right)",
    derive=lambda: diagonal.moment("state", "exponential"),
    printed=_eq_46,
    code="state_moment",
    assumes=Condition(
        forms.EXPONENTIAL.text, lambda lam, rho, **_: abs(lam) < 1 and abs(rho) <= 1
    ),
)
part.row(
    "zucchet:text:real-state",
    "text",
    "proved",
    "For a real eigenvalue Eq. 45 becomes Eq. 5",
    r"\bar{\lambda} = \lambda:\quad \text{Eq. 45 becomes Eq. 5}",
    where="text after Eq. 45",
    code="state_moment",
    assumes=Condition("R_x even, as of real inputs", lambda R, **_: is_even(R)),
)
