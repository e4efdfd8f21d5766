"""Zucchet & Orvieto (2024), Section 2.2: signal propagation, Eq. 5 to 7."""

from theory import diagonal
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation
from theory.papers import grids
from theory.papers.zucchet import forms
from theory.symbols import lam, lam_bar


def _real(proof: Derivation) -> Derivation:
    return proof.then("for a real eigenvalue", proof.result.subs(lam_bar, lam))


def claims() -> tuple[Claim, ...]:
    """Eq. 5 to 7."""
    return (
        Claim(
            "zucchet:5",
            "Eq. 5, Section 2.2",
            Kind.MOMENT,
            "Second moment of the state, real eigenvalue",
            r"\mathbb{E}\left[h_t^2\right] = \frac{1}{1-\lambda^2} \left(R_x(0) + "
            r"2\sum_{\Delta \ge 1} \lambda^{\Delta} R_x(\Delta)\right)",
            "state",
            Status.PROVED,
            "sigprop.neuron.stable.state_moment",
            lambda: _real(diagonal.moment("state")),
            forms.eq_5,
            assumes=forms.STATIONARY,
            grid=grids.REAL_ANY,
            headline=True,
            topic="forward",
        ),
        Claim(
            "zucchet:6",
            "Eq. 6, Section 2.2",
            Kind.MOMENT,
            "Second moment of the sensitivity, real eigenvalue",
            r"\mathbb{E}\left[\left(\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right)^2"
            r"\right] = \frac{1+\lambda^2}{(1-\lambda^2)^3} \left(R_x(0) + 2\sum_{"
            r"\Delta \ge 1} \lambda^{\Delta} R_x(\Delta)\right) + \frac{2}{(1-\lambda^2"
            r")^2} \left(\sum_{\Delta \ge 1} \Delta \lambda^{\Delta} R_x(\Delta)\right)",
            "sensitivity",
            Status.PROVED,
            "sigprop.neuron.stable.sensitivity_moment",
            lambda: _real(diagonal.moment("sensitivity")),
            forms.eq_6,
            assumes=forms.STATIONARY,
            grid=grids.REAL_ANY,
            headline=True,
            topic="backward",
        ),
        Claim(
            "zucchet:7",
            "Eq. 7, Section 2.2",
            Kind.MOMENT,
            "The backpropagated error obeys the same recurrence in reversed time",
            r"\frac{\mathrm{d}L}{\mathrm{d}x_t} = \lambda \frac{\mathrm{d}L}{\mathrm{d}"
            r"h_{t+1}} + \frac{\partial L}{\partial h_t}",
            "backward",
            Status.PROVED,
            "sigprop.neuron.recurrence.linear_recurrence",
            lambda: Derivation(
                (*diagonal.backward_kernel().steps, *diagonal.moment("state").steps[2:])
            ),
            forms.eq_45,
            assumes=forms.STATIONARY + "; the input is the sequence of output errors",
            grid=grids.eigen(grids.REAL + grids.COMPLEX, (grids.FREE,), (grids.LONG,)),
            note="The moment of dL/dx follows from Eq. 45 with the autocovariance of "
            "the errors in place of the input's.",
            topic="backward",
        ),
    )
