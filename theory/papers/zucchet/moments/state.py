"""Zucchet & Orvieto (2024), Appendix B.2: the state, Eq. 42, 45, 47, 48, 74, 75."""

from theory import diagonal
from theory.claims import Claim, Condition, Kind, Status
from theory.papers import grids
from theory.papers.zucchet import forms
from theory.symbols import lam, lam_bar, n

STATE_45 = (
    r"\mathbb{E}[|h_0|^2] = \frac{1}{1-|\lambda|^2}\left(R_x(0) + \sum_{\Delta \ge 1} "
    r"(\bar{\lambda}^\Delta + \lambda^\Delta) R_x(\Delta)\right)"
)


def claims() -> tuple[Claim, ...]:
    """The moments of the state, and what bounds them."""
    return (*_forward(), *_stationarity())


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
            "sigprop.neuron.recurrence.impulse_response",
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
            "sigprop.neuron.stable.state_moment",
            lambda: diagonal.moment("state"),
            forms.eq_45,
            assumes=forms.STATIONARY,
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
                "sigprop.neuron.stable.state_moment",
                lambda: diagonal.moment("state", "exponential"),
                printed,
                assumes=forms.EXPONENTIAL,
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
            "sigprop.neuron.stable.state_moment",
            lambda: diagonal.moment("state", "white"),
            lambda: 1 / (1 - forms.square),
            assumes="|lambda| < 1, white input of unit variance",
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
            "sigprop.neuron.stable.state_moment",
            lambda: diagonal.moment("state", "constant"),
            lambda: 1 / ((1 - lam) * (1 - lam_bar)),
            assumes="|lambda| < 1, constant input of unit second moment",
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
            "theory.papers.zucchet.forms.bound_74",
            condition=Condition(
                "lambda > 0; otherwise |lambda| must stand for lambda in every lag weight",
                lambda theta, **_: theta == 0,
            ),
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
