"""Zucchet & Orvieto (2024): every moment of Section 2.2 and Appendix B.1-B.2.4."""

from sympy import diff

from theory import diagonal
from theory.autocorrelation import double_sum, lemma_1, lemma_2
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation, start
from theory.papers import grids
from theory.papers import zucchet_forms as forms
from theory.symbols import alpha, beta, lam, lam_bar, n

SECTION = "Appendix B.2.2"


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
D_H = r"\mathbb{E}\left[\left|\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right|^2\right]"
SUM_U = (
    r"\left(u_0 + \sum_{\Delta\geq 1} (\alpha^\Delta + \beta^\Delta) u_\Delta\right)"
)
EXPONENTIAL = "|lambda| < 1, and autocovariance rho^|Delta| with -1 <= rho <= 1"
STATIONARY = "|lambda| < 1, wide-sense-stationary input with a bounded autocovariance"


def claims() -> tuple[Claim, ...]:
    """The claims of this paper, in the order of its text."""
    return (*_main_text(), *_lemmas(), *_forward(), *_backward(), *_stationarity())


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
            condition=STATIONARY,
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
            condition=STATIONARY,
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
            condition=STATIONARY + "; the input is the sequence of output errors",
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
            condition=STATIONARY,
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
                condition=EXPONENTIAL,
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


def _backward() -> tuple[Claim, ...]:
    def sensitivity(claim_id, locator, title, latex, printed, **more):
        return Claim(
            claim_id,
            f"{locator}, {SECTION}",
            Kind.MOMENT,
            title,
            D_H + " = " + latex,
            "sensitivity",
            more.pop("expected", Status.PROVED),
            "sigprop.stable.sensitivity_moment",
            more.pop("derive", lambda: _any("sensitivity")),
            printed,
            topic="backward",
            **{"condition": STATIONARY, "grid": grids.COMPLEX_ANY, **more},
        )

    under_exponential = {
        "derive": lambda: diagonal.moment("sensitivity", "exponential"),
        "condition": EXPONENTIAL,
        "grid": grids.COMPLEX_EXPONENTIAL,
    }
    first_57 = (
        r"\left(R_x(0) + \sum_{\Delta \ge 1} (\lambda^\Delta + \bar{\lambda}^\Delta) "
        r"R_x(\Delta)\right) + \frac{1}{(1-|\lambda|^2)^2} \left(\sum_{\Delta \ge 1} "
        r"\Delta(\lambda^\Delta + \bar{\lambda}^\Delta) R_x(\Delta)\right)"
    )
    return (
        Claim(
            "zucchet:49",
            f"Eq. 49, {SECTION}",
            Kind.IDENTITY,
            "The sensitivity is the recurrence fed with the state",
            r"\frac{\mathrm{d}h_{t+1}}{\mathrm{d}\lambda} = \lambda \frac{\mathrm{d}h_t}"
            r"{\mathrm{d}\lambda} + h_t",
            "sensitivity_kernel",
            Status.PROVED,
            "sigprop.recurrence.sensitivity",
            diagonal.sensitivity_kernel,
            lambda: lam * ((n - 1) * lam ** (n - 2)) + lam ** (n - 1),
            grid=grids.AGES,
            note="Judged on the weight of one input: lam times its weight a step "
            "earlier, plus its weight in the state.",
            topic="backward",
        ),
        Claim(
            "zucchet:53",
            f"Eq. 50-53, {SECTION}",
            Kind.IDENTITY,
            "The sensitivity as a filter of the inputs",
            r"\frac{\mathrm{d}h_0}{\mathrm{d}\lambda} = \sum_{n\geq 0} n\lambda^{n-1}"
            r"x_{-n-1}",
            "sensitivity_kernel",
            Status.REFUTED,
            "sigprop.recurrence.impulse_response",
            diagonal.sensitivity_kernel,
            forms.eq_53,
            correction=r"\frac{\mathrm{d}h_0}{\mathrm{d}\lambda} = \sum_{n\geq 0} "
            r"n\lambda^{n-1}x_{-n}",
            corrected=lambda: n * lam ** (n - 1),
            grid=grids.AGES,
            note="Eq. 52 holds; collecting n + m + 1 = k gives k lam^(k-1) x_{-k}. The "
            "index is one step off. Under stationarity no later moment depends on it.",
            topic="backward",
        ),
        sensitivity(
            "zucchet:54",
            "Eq. 54",
            "Second moment of the sensitivity as a double sum",
            r"\sum_{n\geq 0} \sum_{m\geq 0} nm\lambda^{n-1}\bar{\lambda}^{m-1}R_x(n-m)",
            lambda: double_sum(
                lambda i, j: i * j * lam ** (i - 1) * lam_bar ** (j - 1)
            ).as_sum(),
        ),
        sensitivity(
            "zucchet:55",
            "Eq. 55",
            "Second moment of the sensitivity as a mixed derivative",
            r"\frac{\mathrm{d}}{\mathrm{d}\alpha}\frac{\mathrm{d}}{\mathrm{d}\beta}"
            r"\left[\frac{1}{1-\alpha\beta}\left(R_x(0) + \sum_{\Delta\geq 1}"
            r"(\alpha^{\Delta} + \beta^{\Delta})R_x(\Delta)\right)\right]_{\alpha="
            r"\lambda,\beta=\bar{\lambda}}",
            lambda: diagonal.conjugate_pair(diff(forms.bracket(), alpha, beta)),
        ),
        sensitivity(
            "zucchet:56",
            "Eq. 56",
            "Second moment of the sensitivity, differentiated as a product",
            r"\left[\frac{1+\alpha\beta}{(1-\alpha\beta)^3}\left(R_x(0) + \sum_{\Delta"
            r"\geq 1}(\alpha^{\Delta}+\beta^{\Delta})R_x(\Delta)\right) + 0 + \frac{"
            r"\alpha}{(1-\alpha\beta)^2}\left(\sum_{\Delta\geq 1}\Delta\alpha^{\Delta-1}"
            r"R_x(\Delta)\right) + \frac{\beta}{(1-\alpha\beta)^2}\left(\sum_{\Delta\geq "
            r"1}\Delta\beta^{\Delta-1}R_x(\Delta)\right)\right]_{\alpha=\lambda,\beta="
            r"\bar{\lambda}}",
            forms.eq_56,
        ),
        sensitivity(
            "zucchet:57",
            "Eq. 57",
            "Second moment of the sensitivity, any input",
            r"\frac{1+|\lambda|^2}{(1-|\lambda|)^3} " + first_57,
            forms.eq_57,
            expected=Status.REFUTED,
            correction=D_H + r" = \frac{1+|\lambda|^2}{(1-|\lambda|^2)^3} " + first_57,
            corrected=forms.eq_57_corrected,
            headline=True,
            note="The square inside the cube is lost between Eq. 56 and Eq. 57; Eq. 6 "
            "and Eq. 60 have it. The printed value is too large by (1 + |lam|)^3 in its "
            "first term.",
        ),
        sensitivity(
            "zucchet:58",
            "Eq. 58",
            "Second moment of the sensitivity, exponential autocovariance, undone",
            r"\frac{\mathrm{d}}{\mathrm{d}\alpha}\frac{\mathrm{d}}{\mathrm{d}\beta}"
            r"\left[\frac{1}{1-\alpha\beta}\left(\frac{1-\rho^2\alpha\beta}{(1-\rho"
            r"\alpha)(1-\rho\beta)}\right)\right]_{\alpha=\lambda,\beta=\bar{\lambda}}",
            forms.eq_58,
            **under_exponential,
        ),
        sensitivity(
            "zucchet:59",
            "Eq. 59",
            "Second moment of the sensitivity, exponential autocovariance",
            r"\frac{(1-\rho)(1+|\lambda|^2) + \rho^2(1-|\lambda|^2)^3 + \rho(1-\rho)"
            r"|\lambda|^2(\rho|\lambda|^2(1+|\lambda|^2) - 2\lambda - 2\bar{\lambda})}"
            r"{(1-|\lambda|^2)^3|1-\rho\lambda|^4}",
            forms.eq_59,
            expected=Status.REFUTED,
            correction=D_H
            + r" = \frac{(1-\rho^2)(1+|\lambda|^2) + \rho^2(1-|\lambda|^2"
            r")^3 + \rho(1-\rho^2)|\lambda|^2(\rho|\lambda|^2(1+|\lambda|^2) - 2\lambda "
            r"- 2\bar{\lambda})}{(1-|\lambda|^2)^3|1-\rho\lambda|^4}",
            corrected=forms.eq_59_corrected,
            headline=True,
            note="Both factors 1 - rho must read 1 - rho^2. The printed form is right "
            "only at rho = 0 and rho = 1, where the paper checks it, and the curves of "
            "Fig. 1A between those values depend on it.",
            **under_exponential,
        ),
        sensitivity(
            "zucchet:60",
            "Eq. 60",
            "Second moment of the sensitivity under white noise",
            r"\frac{1+|\lambda|^2}{(1-|\lambda|^2)^3}",
            lambda: (1 + forms.square) / (1 - forms.square) ** 3,
            derive=lambda: diagonal.moment("sensitivity", "white"),
            condition="|lambda| < 1, white input of unit variance",
            grid=grids.COMPLEX_WHITE,
        ),
        sensitivity(
            "zucchet:61",
            "Eq. 61",
            "Second moment of the sensitivity under constant input",
            r"\frac{1}{|1-\lambda|^4}",
            lambda: 1 / ((1 - lam) * (1 - lam_bar)) ** 2,
            derive=lambda: diagonal.moment("sensitivity", "constant"),
            condition="|lambda| < 1, constant input of unit second moment",
            grid=grids.COMPLEX_CONSTANT,
        ),
        Claim(
            "zucchet:text:divergence",
            f"text after Eq. 61, {SECTION}",
            Kind.LIMIT,
            "When the sensitivity diverges at the edge of stability",
            r"\rho < 1,\ |\lambda| \rightarrow 1 \quad\text{or}\quad \rho = 1,\ \lambda "
            r"\rightarrow 1:\quad " + D_H + r" \rightarrow \infty",
            "sigprop.checks.divergence",
            Status.CONDITIONAL,
            "sigprop.stable.sensitivity_moment",
            lambda: diagonal.moment("sensitivity", "exponential"),
            condition="-1 < rho < 1, or rho = 1 and lambda -> 1, or rho = -1 and "
            "lambda -> -1",
            note="At rho = -1 the input alternates: the moment is 1/|1 + lam|^4, finite "
            "at every edge point but lam = -1, though rho < 1.",
            topic="backward",
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
