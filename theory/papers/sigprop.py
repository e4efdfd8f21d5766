"""Our own statements: finite times from the zero state, and any input on the ring."""

from sympy import Expr

from theory import diagonal, ring
from theory.claims import Claim, Kind, Status
from theory.papers import grids
from theory.papers.lru import prop_3_3
from theory.points import exponential
from theory.symbols import T

LATEX = {
    "state": r"\mathbb{E}|h_T|^2 = \sum_{n,m<T} \lambda^n \bar{\lambda}^m R(n-m)",
    "sensitivity": r"\mathbb{E}\left|\frac{\mathrm{d}h_T}{\mathrm{d}\lambda}\right|^2 = "
    r"\sum_{n,m<T} nm\lambda^{n-1}\bar{\lambda}^{m-1} R(n-m)",
}


def _finite(quantity: str) -> Claim:
    return Claim(
        f"sigprop:{quantity}-finite",
        "finite time from the zero state",
        Kind.MOMENT,
        f"Moment of the {quantity} after T steps, any input",
        LATEX[quantity],
        quantity,
        Status.PROVED,
        "theory.diagonal.moment",
        lambda: diagonal.moment(quantity, None, T),
        lambda: printed_double_sum(quantity),
        condition="zero initial state, wide-sense-stationary input, |lambda| != 1",
        grid=grids.FINITE,
        note="The simulated verdicts on every stationary moment rest on this form: a "
        "run is finite and starts from the zero state.",
        topic="finite time",
    )


def printed_double_sum(quantity: str) -> Expr:
    """The double sum over the solved kernels, summed along its diagonals."""
    return diagonal.direct_functional(quantity, T).as_sum()


def _mixed(quantity: str) -> Claim:
    covariance = r",\quad R(\Delta) = a[\Delta = 0] + b\rho^{|\Delta|}"
    return Claim(
        f"sigprop:{quantity}-mixed",
        "stationary",
        Kind.MOMENT,
        f"Moment of the {quantity}, white plus exponential autocovariance",
        LATEX[quantity].replace("n,m<T", "n,m").replace("_T", "_t") + covariance,
        quantity,
        Status.PROVED,
        f"sigprop.stable.{quantity}_moment",
        lambda: diagonal.moment(quantity, "mixed"),
        lambda: diagonal.direct_functional(quantity).on("mixed"),
        condition="|lambda| < 1; the input of Zucchet & Orvieto (2024), Fig. 12",
        grid=grids.COMPLEX_MIXED,
        topic="forward" if quantity == "state" else "backward",
    )


def claims() -> tuple[Claim, ...]:
    """Our claims."""
    return (
        *(make(quantity) for quantity in LATEX for make in (_finite, _mixed)),
        Claim(
            "sigprop:ring-any-input",
            "extends LRU Proposition 3.3",
            Kind.MOMENT,
            "The ring's gain is the same for every stationary input",
            r"\theta \sim \mathcal{U}[0, 2\pi] \quad\Rightarrow\quad \mathbb{E}|x_\infty"
            r"|^2 = \frac{R(0)}{r_{\max}^2 - r_{\min}^2}\log\left(\frac{1-r_{\min}^2}"
            r"{1-r_{\max}^2}\right) \text{ for every } R",
            "ring_gain",
            Status.PROVED,
            "sigprop.stable.ring_gain",
            ring.gain,
            prop_3_3,
            condition="0 <= r_min < r_max < 1, phases uniform on the whole circle",
            grid=grids.rings((exponential(0.9), exponential(-0.6))),
            topic="ring",
        ),
    )
