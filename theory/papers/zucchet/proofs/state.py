"""Zucchet & Orvieto (2024), Appendix B.2.1: sums for the state, Eq. 43, 44, 46."""

import cmath
from functools import cache
from itertools import product

from sympy import Expr, Pow, expand, oo, symbols

from theory import diagonal
from theory.autocorrelation import geometric_sum, same_form
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.zucchet import forms
from theory.papers.zucchet.proofs import sequences
from theory.symbols import Delta, lam, lam_bar, rho

SIGNAL = "sigprop.references.signal."
FORWARD = "Appendix B.2.1"
H_0 = r"\mathbb{E}[|h_0|^2] = "
EIGEN = (0.5 + 0.3j, -0.4 + 0.2j, 0.6, -0.55j)
SEEN = tuple({"lam": z, "x": sequences.COMPLEX_INPUT} for z in EIGEN)
LINES = tuple({"lam": z, "R": sequences.REAL_SPECTRUM} for z in EIGEN)
REAL_LINES = tuple({"lam": z, "R": sequences.REAL_SPECTRUM} for z in (0.6, 0.3, -0.5))
ONE_SIDED = tuple(
    {"lam": z, "R": R} for z in EIGEN for R in (sequences.ONE_SIDED, sequences.UNEVEN)
)


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_assumptions(), *_forward())


def _hermitian(R) -> list[complex]:
    return [complex(R(-lag)).conjugate() for lag in range(6)]


def _is_even(R: sequences.Spectrum, **_: object) -> bool:
    return all(cmath.isclose(R(lag), R(-lag), abs_tol=1e-9) for lag in range(1, 6))


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
                ({"R": sequences.ONE_SIDED}, {"R": sequences.UNEVEN}),
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
    return (1 + lags) / (1 - forms.square)


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
            "sigprop.neuron.recurrence.linear_recurrence",
            assumes="|lambda| < 1, inputs of bounded second moments",
            evidence=Evidence(
                SEEN,
                {
                    "impulse": SIGNAL + "ensemble_moment",
                    "reference": SIGNAL + "ensemble_moment_direct",
                },
                form=sequences.pairs_of_inputs,
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
            condition=Condition(
                "R_x is even, that is real; for complex inputs, which assumption a) "
                "allows, the lag must be m - n",
                _is_even,
            ),
            evidence=Evidence(
                (*LINES, *ONE_SIDED),
                {
                    "reference": SIGNAL + "spectral_moment",
                    "impulse": SIGNAL + "simulated_moment",
                },
                form=sequences.pairs_by_lag,
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
            "sigprop.neuron.stable.state_moment",
            lambda: diagonal.moment("state", "exponential"),
            _eq_46,
            assumes=forms.EXPONENTIAL,
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
            "sigprop.neuron.stable.state_moment",
            assumes="R_x real",
            evidence=Evidence(
                REAL_LINES,
                {"reference": SIGNAL + "spectral_moment"},
                form=sequences.real_state,
                proof=lambda: same_form(forms.eq_45().subs(lam_bar, lam), forms.eq_5()),
            ),
            topic="forward",
        ),
    )
