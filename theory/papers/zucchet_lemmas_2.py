"""Zucchet & Orvieto (2024), Appendix B.2.1-B.2.2: the sums on the way to the moments."""

from functools import cache
from itertools import product

from sympy import Expr, Pow, cancel, diff, expand, fraction, oo, symbols

from theory import diagonal
from theory.autocorrelation import geometric_sum, same_form
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation, start
from theory.evidence import Evidence
from theory.papers import zucchet_forms
from theory.papers import zucchet_lemma_forms as forms
from theory.symbols import Delta, alpha, beta, lam, lam_bar, n, rho

SIGNAL = "sigprop.references.signal."
FORWARD, BACKWARD = "Appendix B.2.1", "Appendix B.2.2"
H_0 = r"\mathbb{E}[|h_0|^2] = "
D_H_0 = r"\frac{\mathrm{d}h_0}{\mathrm{d}\lambda} = "
EIGEN = (0.5 + 0.3j, -0.4 + 0.2j, 0.6, -0.55j)
SEEN = tuple({"lam": z, "x": forms.COMPLEX_INPUT} for z in EIGEN)
SLOPES = {"autodiff": SIGNAL + "state_slope", "reference": SIGNAL + "state_contour"}
LINES = tuple({"lam": z, "R": forms.REAL_SPECTRUM} for z in EIGEN)
REAL_LINES = tuple({"lam": z, "R": forms.REAL_SPECTRUM} for z in (0.6, 0.3, -0.5))
ONE_SIDED = tuple(
    {"lam": z, "R": R} for z in EIGEN for R in (forms.ONE_SIDED, forms.UNEVEN)
)


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_assumptions(), *_forward(), *_backward(), *_after())


def _hermitian(R) -> list[complex]:
    return [complex(R(-lag)).conjugate() for lag in range(6)]


def _assumptions() -> tuple[Claim, ...]:
    return (
        Claim(
            "zucchet:text:stationary",
            "assumption c), Appendix B.2",
            Kind.DEFINITION,
            "Wide-sense stationarity",
            r"\mathbb{E} \left[X_{t+\Delta} \bar{X}_t \right] := R_X(\Delta)",
            "evidence",
            Status.DEFINITION,
            "sigprop.inputs.GaussianProcess.autocovariance",
            evidence=Evidence(
                ({"R": forms.ONE_SIDED}, {"R": forms.UNEVEN}),
                {"reference": SIGNAL + "autocovariance"},
                form=_hermitian,
                alone="a definition; judged on what follows, R(-D) = conj(R(D))",
            ),
            note="Section 2.2 defines it without the conjugate, for real series, and for "
            "integer times; here the times are said to be real, but are integers. With "
            "the conjugate, R of a complex process is Hermitian and not even, which "
            "Lemma 1 and Eq. 44 ask for.",
            topic="stationarity",
        ),
    )


def _square_of_a_sum() -> bool:
    """The square of a sum of inputs is the sum over pairs, its mean taken termwise."""
    x, back, ages = symbols("x_0:5"), symbols("y_0:5"), range(5)
    h = sum(lam**i * x[i] for i in ages)
    conjugate = sum(lam_bar**i * back[i] for i in ages)
    pairs = sum(
        lam**i * lam_bar**j * x[i] * back[j] for i, j in product(ages, repeat=2)
    )
    return expand(h * conjugate - pairs) == 0


@cache
def _eq_46() -> Expr:
    """Eq. 46 with its geometric series summed."""
    lags = geometric_sum(
        Pow(lam_bar * rho, Delta) + Pow(lam * rho, Delta), Delta, 1, oo
    )
    return (1 + lags) / (1 - zucchet_forms.square)


def _forward() -> tuple[Claim, ...]:
    back = r"\sum_{n,m \ge 0} \lambda^n \bar{\lambda}^m "
    return (
        Claim(
            "zucchet:43",
            f"Eq. 43, {FORWARD}",
            Kind.IDENTITY,
            "Second moment of the state as a sum over pairs of inputs",
            H_0 + back + r"\mathbb{E}\left[x_{-n} \bar{x}_{-m}\right]",
            "evidence",
            Status.PROVED,
            "sigprop.recurrence.linear_recurrence",
            condition="|lambda| < 1, inputs of bounded second moments",
            evidence=Evidence(
                SEEN,
                {
                    "impulse": SIGNAL + "ensemble_moment",
                    "reference": SIGNAL + "ensemble_moment_direct",
                },
                form=forms.pairs_of_inputs,
                proof=_square_of_a_sum,
            ),
            note="It holds without stationarity; judged on three equally likely series.",
            topic="forward",
        ),
        Claim(
            "zucchet:44",
            f"Eq. 44, {FORWARD}",
            Kind.IDENTITY,
            "Second moment of the state by the autocovariance",
            H_0 + r"\sum_{n,m\geq 0}\lambda^{n}\bar{\lambda}^{m}R_x(n-m)",
            "evidence",
            Status.CONDITIONAL,
            "theory.autocorrelation.double_sum",
            correction=H_0 + r"\sum_{n,m\geq 0}\lambda^{n}\bar{\lambda}^{m}R_x(m-n)",
            condition="R_x is even, that is real; for complex inputs, which assumption "
            "a) allows, the lag must be m - n",
            evidence=Evidence(
                LINES,
                {
                    "reference": SIGNAL + "spectral_moment",
                    "impulse": SIGNAL + "simulated_moment",
                },
                form=forms.pairs_by_lag,
                outside=ONE_SIDED,
            ),
            note="E[x_{-n} conj(x_{-m})] is R_x(m - n) by the paper's definition of R_x. "
            "For a complex input x_t = exp(i w t) the printed sum gives "
            "1/|1 - lam exp(i w)|^2 where the truth is 1/|1 - lam exp(-i w)|^2: the "
            "resonance is at the wrong frequency.",
            inherits="Yes: Eq. 45, 54, 55, 56 and 57 use the evenness of R_x through the "
            "lemmas and hold for real autocovariances only.",
            topic="forward",
        ),
        Claim(
            "zucchet:46",
            f"Eq. 46, {FORWARD}",
            Kind.MOMENT,
            "Second moment of the state, exponential autocovariance, as a series",
            H_0 + r"\frac{1}{1 - |\lambda|^2} \left(1 + \sum_{\Delta \ge 1} (\bar{"
            r"\lambda}^\Delta + \lambda^\Delta) \rho^\Delta \right)",
            "evidence",
            Status.PROVED,
            "sigprop.stable.state_moment",
            lambda: diagonal.moment("state", "exponential"),
            _eq_46,
            condition=zucchet_forms.EXPONENTIAL,
            evidence=Evidence(
                tuple(
                    {"lam": z, "rho": decay}
                    for z, decay in zip(
                        (*EIGEN, 0.5 + 0.3j), (0.4, -0.7, 0.9, 0.6, 1.0), strict=True
                    )
                ),
                {
                    "reference": SIGNAL + "exponential_moment",
                    "impulse": SIGNAL + "impulse_moment",
                },
            ),
            topic="forward",
        ),
        Claim(
            "zucchet:text:real-state",
            f"text after Eq. 45, {FORWARD}",
            Kind.TEXT,
            "For a real eigenvalue Eq. 45 becomes Eq. 5",
            r"\bar{\lambda} = \lambda:\quad \text{Eq. 45 becomes Eq. 5}",
            "evidence",
            Status.PROVED,
            "sigprop.stable.state_moment",
            condition="R_x real",
            evidence=Evidence(
                REAL_LINES,
                {"reference": SIGNAL + "spectral_moment"},
                form=forms.real_state,
                proof=lambda: same_form(
                    zucchet_forms.eq_45().subs(lam_bar, lam), zucchet_forms.eq_5()
                ),
            ),
            topic="forward",
        ),
    )


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
        "sigprop.recurrence.sensitivity",
        condition="|lambda| < 1",
        evidence=Evidence(
            SEEN, SLOPES, form=form, proof=lambda: _weight_proof(pairs), slips=slips
        ),
        topic="backward",
    )


def _backward() -> tuple[Claim, ...]:
    late = {"late by one": forms.late_by_one}
    return (
        _filter_row(
            50,
            "The sensitivity as a filter of the states",
            r"\sum_{n\geq 0} \lambda^n h_{-n-1}",
            forms.filtered_state,
            lambda age: sum(lam**i * lam ** (age - 1 - i) for i in range(age)),
            late,
        ),
        _filter_row(
            51,
            "The sensitivity as two filters of the inputs",
            r"\sum_{n\geq 0}\lambda^{n}\sum_{m\geq 0}\lambda^{m}x_{-n-m-1}",
            forms.twice_filtered,
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
            forms.sum_of_pairs,
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
            "sigprop.recurrence.sensitivity",
            condition="|lambda| < 1",
            evidence=Evidence(
                SEEN,
                {
                    "autodiff": SIGNAL + "partial_slopes",
                    "reference": SIGNAL + "partial_differences",
                },
                form=forms.both_slopes,
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
            "sigprop.stable.sensitivity_moment",
            correction=r"\bar{\lambda} = \lambda:\quad \text{Eq. 57 with } "
            r"(1-|\lambda|^2)^3 \text{ in its first term becomes Eq. 6}",
            evidence=Evidence(
                REAL_LINES,
                {
                    "reference": SIGNAL + "spectral_sensitivity",
                    "impulse": SIGNAL + "impulse_sensitivity",
                },
                form=forms.real_sensitivity,
                printed=forms.real_sensitivity_57,
                proof=lambda: same_form(
                    zucchet_forms.eq_57_corrected().subs(lam_bar, lam),
                    zucchet_forms.eq_6(),
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
            "sigprop.recurrence.linear_recurrence",
            condition="both derivatives are holomorphic ones",
            evidence=Evidence(
                tuple(
                    {"lam": z, "x": forms.COMPLEX_INPUT, "target": forms.TURNING}
                    for z in (0.5 + 0.3j, -0.9j)
                ),
                {
                    "autodiff": SIGNAL + "loss_slope",
                    "reference": SIGNAL + "loss_difference",
                },
                form=forms.backpropagated,
            ),
            note="The errors dL/dh_t = conj(h_t - y_t) of a squared loss are complex, so "
            "their autocovariance is Hermitian and not even: Eq. 45 needs the lag of "
            "Eq. 44 as corrected. With gradients by the conjugate variables, which "
            "optimisers use, the filter is conj(lam).",
            topic="backward",
        ),
    )
