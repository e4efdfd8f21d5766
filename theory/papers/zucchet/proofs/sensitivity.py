"""Zucchet & Orvieto (2024), Appendix B.2.2: sums for the sensitivity, Eq. 50-52."""

from functools import cache
from itertools import product

from sympy import Expr, cancel, diff, expand, fraction

from theory import diagonal
from theory.autocorrelation import same_form
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation, start
from theory.evidence import Evidence
from theory.papers.zucchet import forms
from theory.papers.zucchet.proofs import sequences
from theory.papers.zucchet.proofs.state import REAL_LINES, SEEN
from theory.symbols import alpha, beta, lam, lam_bar, n, rho

SIGNAL = "sigprop.references.signal."
BACKWARD = "Appendix B.2.2"
D_H_0 = r"\frac{\mathrm{d}h_0}{\mathrm{d}\lambda} = "
SLOPES = {"autodiff": SIGNAL + "state_slope", "reference": SIGNAL + "state_contour"}


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_backward(), *_after())


def _weight_proof(pairs) -> bool:
    """The weight of an input of each age, pairs counted, is the sensitivity's kernel."""
    kernel = diagonal.sensitivity_kernel().result
    return all(
        expand(pairs(age) - kernel.subs(n, age).doit()) == 0 for age in range(1, 7)
    )


def _filter_row(number, title, statement, form, pairs, slips) -> Claim:
    return Claim(
        f"zucchet:{number}",
        f"Eq. {number}, {BACKWARD}",
        Kind.IDENTITY,
        title,
        D_H_0 + statement,
        "evidence",
        Status.PROVED,
        "sigprop.neuron.recurrence.sensitivity",
        assumes="|lambda| < 1",
        evidence=Evidence(
            SEEN, SLOPES, form=form, proof=lambda: _weight_proof(pairs), slips=slips
        ),
        topic="backward",
    )


def _backward() -> tuple[Claim, ...]:
    late = {"late by one": sequences.late_by_one}
    return (
        _filter_row(
            50,
            "The sensitivity as a filter of the states",
            r"\sum_{n\geq 0} \lambda^n h_{-n-1}",
            sequences.filtered_state,
            lambda age: sum(lam**i * lam ** (age - 1 - i) for i in range(age)),
            late,
        ),
        _filter_row(
            51,
            "The sensitivity as two filters of the inputs",
            r"\sum_{n\geq 0}\lambda^{n}\sum_{m\geq 0}\lambda^{m}x_{-n-m-1}",
            sequences.twice_filtered,
            lambda age: sum(
                lam**i * lam**j
                for i, j in product(range(age), repeat=2)
                if i + j + 1 == age
            ),
            late,
        ),
        _filter_row(
            52,
            "The sensitivity as a sum over pairs of ages",
            r"\sum_{n,m \ge 0} \lambda^{n+m} x_{-(n+m+1)}",
            sequences.sum_of_pairs,
            lambda age: sum(
                lam ** (i + j)
                for i, j in product(range(age), repeat=2)
                if i + j + 1 == age
            ),
            late,
        ),
        Claim(
            "zucchet:text:holomorphic",
            f"text after Eq. 53, {BACKWARD}",
            Kind.TEXT,
            "The state is holomorphic in the eigenvalue",
            r"\frac{\partial h_0}{\partial \operatorname{Re} \lambda} = \frac{\mathrm{d}"
            r"h_0}{\mathrm{d}\lambda},\quad \frac{\partial h_0}{\partial \operatorname{"
            r"Im} \lambda} = i\, \frac{\mathrm{d}h_0}{\mathrm{d}\lambda}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.neuron.recurrence.sensitivity",
            assumes="|lambda| < 1",
            evidence=Evidence(
                SEEN,
                {
                    "autodiff": SIGNAL + "partial_slopes",
                    "reference": SIGNAL + "partial_differences",
                },
                form=sequences.both_slopes,
            ),
            note="The convention of this appendix: a derivative by a complex parameter "
            "is the holomorphic one, d/dz = (d/dRe - i d/dIm)/2, and the derivative by "
            "the conjugate vanishes.",
            topic="backward",
        ),
    )


DENOMINATOR = (1 - alpha * beta) ** 3 * ((1 - rho * alpha) * (1 - rho * beta)) ** 2


@cache
def _mixed_derivative() -> Expr:
    inner = (1 - rho**2 * alpha * beta) / ((1 - rho * alpha) * (1 - rho * beta))
    return cancel(diff(inner / (1 - alpha * beta), alpha, beta))


@cache
def _numerator() -> Derivation:
    return start(
        "Eq. 58 before its substitution, times the denominator, is the polynomial",
        expand(cancel(_mixed_derivative() * DENOMINATOR)),
    )


def _denominator_is_least() -> bool:
    """The reduced fraction has the stated denominator, up to its sign."""
    found = expand(fraction(_mixed_derivative())[1])
    right = found in (expand(DENOMINATOR), expand(-DENOMINATOR))
    return right and _numerator().result.is_polynomial(alpha, beta, rho)


def _after() -> tuple[Claim, ...]:
    return (
        Claim(
            "zucchet:text:eq-6",
            f"text after Eq. 57, {BACKWARD}",
            Kind.TEXT,
            "Eq. 6 is the real-valued version of Eq. 57",
            r"\bar{\lambda} = \lambda:\quad \text{Eq. 57 becomes Eq. 6}",
            "evidence",
            Status.REFUTED,
            "sigprop.neuron.stable.sensitivity_moment",
            correction=r"\bar{\lambda} = \lambda:\quad \text{Eq. 57 with } "
            r"(1-|\lambda|^2)^3 \text{ in its first term becomes Eq. 6}",
            evidence=Evidence(
                REAL_LINES,
                {
                    "reference": SIGNAL + "spectral_sensitivity",
                    "impulse": SIGNAL + "impulse_sensitivity",
                },
                form=sequences.real_sensitivity,
                printed=sequences.real_sensitivity_57,
                proof=lambda: same_form(
                    forms.eq_57_corrected().subs(lam_bar, lam),
                    forms.eq_6(),
                ),
            ),
            note="Eq. 6 is right and Eq. 57 as printed is not; the sentence holds of the "
            "corrected Eq. 57.",
            topic="backward",
        ),
        Claim(
            "zucchet:text:denominator",
            f"text after Eq. 58, {BACKWARD}",
            Kind.TEXT,
            "The denominator of Eq. 58",
            r"\text{denominator of Eq. 58} = (1 - \alpha\beta)^3(1 - \rho\alpha)^2"
            r"(1 - \rho\beta)^2",
            "evidence",
            Status.PROVED,
            "theory.diagonal.moment",
            _numerator,
            evidence=Evidence(
                tuple(
                    {"alpha": a, "beta": b, "rho": decay}
                    for a, b, decay in (
                        (0.5 + 0.3j, -0.4 + 0.2j, 0.4),
                        (0.55, 0.3j, -0.7),
                        (-0.5, 0.6, 0.8),
                    )
                ),
                {"reference": SIGNAL + "denominator_cleared"},
                proof=_denominator_is_least,
            ),
            note="The fraction is in lowest terms with it. Judged on the polynomial that "
            "is left; at negative integer powers none is.",
            topic="backward",
        ),
        Claim(
            "zucchet:text:complex-errors",
            f"text after Eq. 61, {BACKWARD}",
            Kind.TEXT,
            "Backpropagation through a complex neuron is the forward pass of the errors",
            r"\frac{\mathrm{d}L}{\mathrm{d}x_t} = \sum_{n \ge 0} \lambda^n \frac{\partial "
            r"L}{\partial h_{t+n}}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.neuron.recurrence.linear_recurrence",
            assumes="both derivatives are holomorphic ones",
            evidence=Evidence(
                tuple(
                    {
                        "lam": z,
                        "x": sequences.COMPLEX_INPUT,
                        "target": sequences.TURNING,
                    }
                    for z in (0.5 + 0.3j, -0.9j)
                ),
                {
                    "autodiff": SIGNAL + "loss_slope",
                    "reference": SIGNAL + "loss_difference",
                },
                form=sequences.backpropagated,
            ),
            note="The errors dL/dh_t = conj(h_t - y_t) of a squared loss are complex, so "
            "their autocovariance is Hermitian and not even: Eq. 45 needs the lag of "
            "Eq. 44 as corrected. With gradients by the conjugate variables, which "
            "optimisers use, the filter is conj(lam).",
            topic="backward",
        ),
    )
