"""Zucchet & Orvieto (2024), Section 2.2: signal propagation, Eq. 5 to 7."""

from sigprop.theory import diagonal
from sigprop.theory.derivation import Derivation
from sigprop.theory.papers.zucchet import forms
from sigprop.theory.rows import Part
from sigprop.theory.symbols import lam, lam_bar

part = Part("Section 2.2", "forward", "sigprop.neuron.stable")


def _real(proof: Derivation) -> Derivation:
    return proof.then("For a real eigenvalue this is", proof.result.subs(lam_bar, lam))


part.row(
    "zucchet:5",
    "moment",
    "proved",
    "Second moment of the state, real eigenvalue",
    r"\mathbb{E}\left[h_t^2\right] = \frac{1}{1-\lambda^2} \left(R_x(0) + 2\sum_{\Delta "
    r"\ge 1} \lambda^{\Delta} R_x(\Delta)\right)",
    derive=lambda: _real(diagonal.moment("state")),
    printed=forms.eq_5,
    code="state_moment",
    assumes=forms.REAL_STATIONARY,
)
part.row(
    "zucchet:6",
    "moment",
    "proved",
    "Second moment of the sensitivity, real eigenvalue",
    r"\mathbb{E}\left[\left(\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right)^2\right] = "
    r"\frac{1+\lambda^2}{(1-\lambda^2)^3} \left(R_x(0) + 2\sum_{\Delta \ge 1} \lambda^{"
    r"\Delta} R_x(\Delta)\right) + \frac{2}{(1-\lambda^2)^2} \left(\sum_{\Delta \ge 1} "
    r"\Delta \lambda^{\Delta} R_x(\Delta)\right)",
    derive=lambda: _real(diagonal.moment("sensitivity")),
    printed=forms.eq_6,
    code="sensitivity_moment",
    topic="backward",
    assumes=forms.REAL_STATIONARY,
)
part.row(
    "zucchet:7",
    "identity",
    "proved",
    "The backpropagated error obeys the same recurrence in reversed time",
    r"\frac{\mathrm{d}L}{\mathrm{d}x_t} = \frac{\mathrm{d}L}{\mathrm{d}h_t}\frac{"
    r"\partial h_t}{\partial x_t} = \frac{\mathrm{d}L}{\mathrm{d}h_{t+1}}\frac{\partial "
    r"h_{t+1}}{\partial h_t} + \frac{\partial L}{\partial h_t} = \lambda \frac{"
    r"\mathrm{d}L}{\mathrm{d}h_{t+1}} + \frac{\partial L}{\partial h_t}",
    derive=lambda: Derivation(
        (*diagonal.backward_kernel().steps, *diagonal.moment("state").steps[2:])
    ),
    printed=forms.eq_45,
    code="sigprop.neuron.recurrence.linear_recurrence",
    topic="backward",
    note="The test uses the weights of the errors in dL/dx and the moment of dL/dx. "
    "This moment is that of Eq. 45 with the autocovariance of the errors in place of "
    "the input's. It holds for |lambda| < 1 and wide-sense stationary errors.",
)
