"""Zucchet & Orvieto (2024): every moment of Section 2.2 and Appendix B.1-B.2.4."""

from theory import diagonal
from theory.autocorrelation import double_sum, lemma_1, lemma_2
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation, start
from theory.papers import grids, zucchet_backward
from theory.papers import zucchet_forms as forms
from theory.symbols import alpha, beta, lam, lam_bar, n


def _real(proof: Derivation) -> Derivation:
    return proof.then("for a real eigenvalue", proof.result.subs(lam_bar, lam))


def _any(quantity: str) -> Derivation:
    return diagonal.moment(quantity)


def _lemma_1() -> Derivation:
    return start("split into n = m, n > m, n < m and sum", lemma_1().as_sum())


def _lemma_2() -> Derivation:
    direct = double_sum(lambda i, j: i * j * alpha ** (i - 1) * beta ** (j - 1))
    return start("the double sum along its diagonals", direct.as_sum())


STATE_45 = (
    r"\mathbb{E}[|h_0|^2] = \frac{1}{1-|\lambda|^2}\left(R_x(0) + \sum_{\Delta \ge 1} "
    r"(\bar{\lambda}^\Delta + \lambda^\Delta) R_x(\Delta)\right)"
)
SUM_U = (
    r"\left(u_0 + \sum_{\Delta\geq 1} (\alpha^\Delta + \beta^\Delta) u_\Delta\right)"
)


def claims() -> tuple[Claim, ...]:
    """The claims of this paper, in the order of its text."""
    return (
        *_main_text(),
        *_lemmas(),
        *_forward(),
        *zucchet_backward.claims(),
        *_stationarity(),
    )


def _main_text() -> tuple[Claim, ...]:
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
            "sigprop.stable.state_moment",
            lambda: _real(_any("state")),
            forms.eq_5,
            condition=forms.STATIONARY,
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
            "sigprop.stable.sensitivity_moment",
            lambda: _real(_any("sensitivity")),
            forms.eq_6,
            condition=forms.STATIONARY,
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
            "sigprop.recurrence.linear_recurrence",
            lambda: Derivation(
                (*diagonal.backward_kernel().steps, *_any("state").steps[2:])
            ),
            forms.eq_45,
            condition=forms.STATIONARY + "; the input is the sequence of output errors",
            grid=grids.eigen(grids.REAL + grids.COMPLEX, (grids.FREE,), (grids.LONG,)),
            note="The moment of dL/dx follows from Eq. 45 with the autocovariance of "
            "the errors in place of the input's.",
            topic="backward",
        ),
    )


def _lemmas() -> tuple[Claim, ...]:
    return (
        Claim(
            "zucchet:34",
            "Lemma 1, Eq. 34, Appendix B.1",
            Kind.IDENTITY,
            "Lemma 1: double geometric sum over a stationary sequence",
            r"\sum_{n,m\geq 0} \alpha^n \beta^n u_{n-m} = \frac{1}{1-\alpha\beta}"
            + SUM_U,
            "state_pair",
            Status.REFUTED,
            "theory.autocorrelation.lemma_1",
            _lemma_1,
            forms.eq_34,
            correction=r"\sum_{n,m\geq 0} \alpha^n \beta^m u_{n-m} = "
            r"\frac{1}{1-\alpha\beta}" + SUM_U,
            corrected=lambda: forms.bracket(),
            condition="|alpha| < 1, |beta| < 1, u even and bounded",
            grid=grids.PAIRS,
            note="The left side has beta to the n; the proof (Eq. 35) has beta to the m, "
            "which is what the lemma needs and what every later use assumes.",
            topic="lemmas",
        ),
        Claim(
            "zucchet:39",
            "Lemma 2, Eq. 39, Appendix B.1",
            Kind.IDENTITY,
            "Lemma 2: the mixed derivative of Lemma 1",
            r"\sum_{n,m\geq 0} nm\alpha^{n-1}\beta^{m-1}u_{n-m} = \frac{\mathrm{d}}{"
            r"\mathrm{d}\alpha}\frac{\mathrm{d}}{\mathrm{d}\beta}\left[\frac{1}{1-\alpha"
            r"\beta}" + SUM_U + r"\right]",
            "sensitivity_pair",
            Status.PROVED,
            "theory.autocorrelation.lemma_2",
            _lemma_2,
            lambda: lemma_2().as_sum(),
            condition="|alpha| < 1, |beta| < 1, u even and bounded",
            grid=grids.PAIRS,
            topic="lemmas",
        ),
    )


def _forward() -> tuple[Claim, ...]:
    exponential = (
        ("zucchet:47", "Eq. 47", forms.eq_47, "unsimplified", r"\frac{1}{1-|\lambda|^2}\left(1+"
         r"\frac{\bar{\lambda}\rho}{1-\bar{\lambda}\rho}+\frac{\lambda\rho}{1-\lambda\rho}"
         r"\right)"),
        ("zucchet:48", "Eq. 48", forms.eq_48, "closed form", r"\frac{1-\rho^2|\lambda|^2}{|1-"
         r"\rho\lambda|^2(1-|\lambda|^2)}"),
    )  # fmt: skip
    return (
        Claim(
            "zucchet:42",
            "Eq. 42, Appendix B.2.1",
            Kind.IDENTITY,
            "The state is a geometric filter of the inputs",
            r"h_0 = \sum_{n \ge 0} \lambda^n x_{-n}",
            "state_kernel",
            Status.PROVED,
            "sigprop.recurrence.impulse_response",
            diagonal.state_kernel,
            lambda: lam**n,
            grid=grids.AGES,
            topic="forward",
        ),
        Claim(
            "zucchet:45",
            "Eq. 43-45, Appendix B.2.1",
            Kind.MOMENT,
            "Second moment of the state, complex eigenvalue, any input",
            STATE_45,
            "state",
            Status.PROVED,
            "sigprop.stable.state_moment",
            lambda: _any("state"),
            forms.eq_45,
            condition=forms.STATIONARY,
            grid=grids.COMPLEX_ANY,
            headline=True,
            topic="forward",
        ),
        *(
            Claim(
                claim_id,
                f"{locator}, Appendix B.2.1",
                Kind.MOMENT,
                f"Second moment of the state, exponential autocovariance, {form}",
                r"\mathbb{E}[|h_0|^2] = " + latex,
                "state",
                Status.PROVED,
                "sigprop.stable.state_moment",
                lambda: diagonal.moment("state", "exponential"),
                printed,
                condition=forms.EXPONENTIAL,
                grid=grids.COMPLEX_EXPONENTIAL,
                headline=claim_id == "zucchet:48",
                topic="forward",
            )
            for claim_id, locator, printed, form, latex in exponential
        ),
        Claim(
            "zucchet:text:white-state",
            "text after Eq. 48, Appendix B.2.1",
            Kind.TEXT,
            "Second moment of the state under white noise",
            r"\rho = 0:\quad \mathbb{E}[|h_0|^2] = (1 - |\lambda|^2)^{-1}",
            "state",
            Status.PROVED,
            "sigprop.stable.state_moment",
            lambda: diagonal.moment("state", "white"),
            lambda: 1 / (1 - forms.square),
            condition="|lambda| < 1, white input of unit variance",
            grid=grids.COMPLEX_WHITE,
            topic="forward",
        ),
        Claim(
            "zucchet:text:constant-state",
            "text after Eq. 48, Appendix B.2.1",
            Kind.TEXT,
            "Second moment of the state under constant input",
            r"\rho = 1:\quad \mathbb{E}[|h_0|^2] = |1-\lambda|^{-2}",
            "state",
            Status.PROVED,
            "sigprop.stable.state_moment",
            lambda: diagonal.moment("state", "constant"),
            lambda: 1 / ((1 - lam) * (1 - lam_bar)),
            condition="|lambda| < 1, constant input of unit second moment",
            grid=grids.COMPLEX_CONSTANT,
            topic="forward",
        ),
    )


def _stationarity() -> tuple[Claim, ...]:
    return (
        Claim(
            "zucchet:74",
            "Eq. 74, Appendix B.2.4",
            Kind.BOUND,
            "An upper bound on the covariances bounds the moments",
            r"\left|\mathbb{E}[x_n \bar{x}_m]\right| \le U(|n-m|)",
            "sigprop.checks.covariance_bound",
            Status.CONDITIONAL,
            "theory.papers.zucchet_forms.bound_74",
            condition="R_x replaced by U and lambda by |lambda| in every lag weight",
            note="Replacing R_x by U alone bounds nothing when lam is not positive: the "
            "signs of lam^Delta R(Delta) are lost. With |lam| it is the triangle "
            "inequality, term by term.",
            topic="stationarity",
        ),
        Claim(
            "zucchet:75",
            "Eq. 75, Appendix B.2.4",
            Kind.DEFINITION,
            "Empirical autocovariance",
            r"R_x^{\text{empirical}}(\Delta) := \mathbb{E}_x \left[\frac{1}{T - |\Delta|"
            r" + 1} \sum_{t=0}^{T - |\Delta|} x_t x_{t+|\Delta|} \right]",
            "sigprop.checks.empirical_autocovariance",
            Status.DEFINITION,
            "sigprop.inputs.Empirical.autocovariance",
            note="The sum from t = 0 to T - |Delta| counts T + 1 samples; the code calls "
            "that number the length L and divides by L - |Delta|.",
            topic="stationarity",
        ),
    )
