"""Our own statements: finite times from the zero state, and any input on the ring."""

from sympy import Expr

from theory import diagonal, layers, ring
from theory.claims import Claim, Kind, Status
from theory.papers import grids
from theory.papers.lru.ring import prop_3_3
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
        assumes="zero initial state, wide-sense-stationary input, |lambda| != 1",
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
        f"sigprop.neuron.stable.{quantity}_moment",
        lambda: diagonal.moment(quantity, "mixed"),
        lambda: diagonal.direct_functional(quantity).on("mixed"),
        assumes="|lambda| < 1; the input of Zucchet & Orvieto (2024), Fig. 12",
        grid=grids.COMPLEX_MIXED,
        topic="forward" if quantity == "state" else "backward",
    )


LINEAR = {
    "lru": "LRU",
    "complex": "complex diagonal RNN",
    "s4": "S4 of Zucchet & Orvieto (2024), Appendix A.3",
    "s4d": "S4D",
    "s5": "S5",
    "dense": "dense linear RNN",
    "constant-gate": "constant gate",
    "rotrnn": "RotRNN",
    "rotrnn-both": "RotRNN of two directions",
    "blur": "BLUR",
    "deep": "three LRUs in a row, with skips",
}
GATED = {"gate": "gated unit of Zucchet & Orvieto (2024), Eq. 157-158"}
GATED |= {"gru": "GRU", "lstm": "LSTM"}
OFF = {"gate": 0.06, "gru": 0.08, "lstm": 0.13}  # of the first order at SMALL inputs

LAYER = (
    r"y_t = \mathrm{Re}\sum_i \sum_n \rho_i \lambda_i^n u_{t-n} + D u_t: \quad "
    r"\mathbb{E}\left|\frac{\mathrm{d}(v^\top y_t)}{\mathrm{d}\theta}\right|^2 = "
    r"\mathbb{E}\left\|\mathrm{Re}\sum_i \sum_n \left(\rho_i' \lambda_i^n + \rho_i "
    r"\lambda_i' n\lambda_i^{n-1}\right) u_{t-n} + D' u_t\right\|^2"
)
INDEPENDENT = (
    "independent input channels of one stationary process of mean zero, here white, AR(1), "
    "constant or a recording; zero initial states; an error v of unit covariance that is "
    "independent of the inputs"
)


def _linear(name: str, title: str) -> Claim:
    return Claim(
        f"sigprop:moments-{name}",
        "whole layers at finite time",
        Kind.MOMENT,
        f"States, outputs and gradients of every parameter: {title}",
        LAYER,
        "sigprop.layer_checks.layer_moments",
        Status.PROVED,
        "sigprop.linear.predicted_moments.predict",
        layers.pair_weight,
        assumes=f"{INDEPENDENT}; eigenvectors that form a basis",
        margin=0.15,
        note="Eigenvalues and residues move with a parameter by first-order perturbation "
        "theory; Lemmas 1 and 2 at finite T give the moment for any autocovariance.",
        topic="layers",
    )


def _gated(name: str, title: str) -> Claim:
    return Claim(
        f"sigprop:moments-{name}",
        "gates as effective eigenvalues",
        Kind.MOMENT,
        f"Effective eigenvalues, to first order in the input: {title}",
        LAYER,
        "sigprop.layer_checks.layer_moments",
        Status.CONFIRMED,
        "sigprop.linear.linearise.linearise",
        assumes=f"{INDEPENDENT}; inputs of size 0.1; states, outputs, and gradients of "
        "input and readout weights where these do not vanish to first order, within 25 %",
        margin=0.25,
        off=OFF[name],
        note="The layer linearised at rest, where a gate is sigmoid(b_f).  At inputs of "
        "size one the measured state exceeds it several times over for white noise.",
        topic="layers",
    )


def claims() -> tuple[Claim, ...]:
    """Our claims."""
    return (
        *(_linear(name, title) for name, title in LINEAR.items()),
        *(_gated(name, title) for name, title in GATED.items()),
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
            "sigprop.neuron.stable.ring_gain",
            ring.gain,
            prop_3_3,
            assumes="0 <= r_min < r_max < 1, phases uniform on the whole circle",
            grid=grids.rings((exponential(0.9), exponential(-0.6))),
            topic="ring",
        ),
    )
