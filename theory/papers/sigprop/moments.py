"""Our own statements: finite times from the zero state, any input on the ring, layers."""

from theory import diagonal, layers, ring
from theory.claims import Condition
from theory.conditions import driven_by, is_open_ring
from theory.papers.lru.ring import prop_3_3
from theory.rows import Part
from theory.symbols import T

STATE = r"\mathbb{E}|h_T|^2 = \sum_{n,m<T} \lambda^n \bar{\lambda}^m R(n-m)"
SENSITIVITY = (
    r"\mathbb{E}\left|\frac{\mathrm{d}h_T}{\mathrm{d}\lambda}\right|^2 = "
    r"\sum_{n,m<T} nm\lambda^{n-1}\bar{\lambda}^{m-1} R(n-m)"
)
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
GATED = {
    "gate": "gated unit of Zucchet & Orvieto (2024), Eq. 157-158",
    "gru": "GRU",
    "lstm": "LSTM",
}

part = Part("", "layers")

for name, title in LINEAR.items():
    part.row(
        f"sigprop:moments-{name}", "moment", "proved", "whole layers at finite time"
    )(
        f"States, outputs and gradients of every parameter: {title}",
        LAYER,
        layers.pair_weight,
        code="sigprop.linear.predicted_moments.predict",
        assumes=f"{INDEPENDENT}; eigenvectors that form a basis",
        note="Eigenvalues and residues move with a parameter by first-order perturbation "
        "theory; Lemmas 1 and 2 at finite T give the moment for any autocovariance.",
    )
for name, title in GATED.items():
    part.row(
        f"sigprop:moments-{name}",
        "moment",
        "confirmed",
        "gates as effective eigenvalues",
    )(
        f"Effective eigenvalues, to first order in the input: {title}",
        LAYER,
        code="sigprop.linear.linearise.linearise",
        assumes=f"{INDEPENDENT}; inputs of size 0.1; states, outputs, and gradients of "
        "input and readout weights where these do not vanish to first order, within 25 %",
        note="The layer linearised at rest, where a gate is sigmoid(b_f).  At inputs of "
        "size one the measured state exceeds it several times over for white noise.",
    )
for quantity, latex, topic in (
    ("state", STATE, "forward"),
    ("sensitivity", SENSITIVITY, "backward"),
):
    part.row(
        f"sigprop:{quantity}-finite",
        "moment",
        "proved",
        "finite time from the zero state",
    )(
        f"Moment of the {quantity} after T steps, any input",
        latex,
        lambda quantity=quantity: diagonal.moment(quantity, None, T),
        # The double sum over the solved kernels, summed along its diagonals.
        lambda quantity=quantity: diagonal.direct_functional(quantity, T).as_sum(),
        code="theory.diagonal.moment",
        topic="finite time",
        assumes=Condition(
            "zero initial state, wide-sense-stationary input, |lambda| != 1",
            lambda gap, **_: gap != 0,
        ),
        note="The simulated verdicts on every stationary moment rest on this form: a "
        "run is finite and starts from the zero state.",
    )
    part.row(f"sigprop:{quantity}-mixed", "moment", "proved", "stationary")(
        f"Moment of the {quantity}, white plus exponential autocovariance",
        latex.replace("n,m<T", "n,m").replace("_T", "_t")
        + r",\quad R(\Delta) = a[\Delta = 0] + b\rho^{|\Delta|}",
        lambda quantity=quantity: diagonal.moment(quantity, "mixed"),
        lambda quantity=quantity: diagonal.direct_functional(quantity).on("mixed"),
        code=f"sigprop.neuron.stable.{quantity}_moment",
        topic=topic,
        assumes=Condition(
            "|lambda| < 1; the input of Zucchet & Orvieto (2024), Fig. 12",
            driven_by("mixed"),
        ),
    )
part.row("sigprop:ring-any-input", "moment", "proved", "extends LRU Proposition 3.3")(
    "The ring's gain is the same for every stationary input",
    r"\theta \sim \mathcal{U}[0, 2\pi] \quad\Rightarrow\quad \mathbb{E}|x_\infty|^2 = "
    r"\frac{R(0)}{r_{\max}^2 - r_{\min}^2}\log\left(\frac{1-r_{\min}^2}{1-r_{\max}^2}"
    r"\right) \text{ for every } R",
    ring.gain,
    prop_3_3,
    code="sigprop.neuron.stable.ring_gain",
    topic="ring",
    assumes=Condition(
        "0 <= r_min < r_max < 1, phases uniform on the whole circle", is_open_ring
    ),
)
