"""Our own statements on moments: finite times, inputs on the ring, whole layers."""

from sigprop.theory import diagonal, ring
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import driven_by, is_open_ring
from sigprop.theory.papers.lru.ring import prop_3_3
from sigprop.theory.papers.sigprop.gates import table
from sigprop.theory.rows import Part
from sigprop.theory.symbols import T

STATE = r"\mathbb{E}|h_T|^2 = \sum_{n,m<T} \lambda^n \bar{\lambda}^m R(n-m)"
SENSITIVITY = (
    r"\mathbb{E}\left|\frac{\mathrm{d}h_T}{\mathrm{d}\lambda}\right|^2 = "
    r"\sum_{n,m<T} nm\lambda^{n-1}\bar{\lambda}^{m-1} R(n-m)"
)
FORMS = (
    r"\langle F, F \rangle = \sum_{n,m} R(n-m) \operatorname{tr} F_n^* F_m, \; H_n = "
    r"\sum_{i \in d(n)} a_i b_i^\top \lambda_i^{|n|}, \; K_n = \mathrm{Re} "
    r"\sum_{i \in d(n)} \rho_i \lambda_i^{|n|} + D [n = 0], \; K_n' = \mathrm{Re} "
    r"\sum_{i \in d(n)} \left(\rho_i' \lambda_i^{|n|} + \rho_i |n| \lambda_i^{|n|-1} "
    r"\lambda_i'\right) + D' [n = 0]"
)
INPUTS = (
    "independent real input channels of one stationary process of mean zero, here white, "
    "AR(1), constant or stretches of a recording from a random step on; zero initial "
    "states; an error v of unit covariance that is independent of the inputs"
)
APPROXIMATELY = r"\approx"
AGES = (
    "ages n of inputs from t - T + 1 to t, of steps to come below zero; d(n): modes that "
    "run forwards where n >= 0, and backwards where n <= 0"
)


def moments(equal: str) -> str:
    """Return the LaTeX of the moments of state, output and gradient."""
    return (
        rf"\mathbb{{E}} \|h_t\|^2 {equal} \langle H, H \rangle, \; "
        rf"\mathbb{{E}} \|y_t\|^2 {equal} \langle K, K \rangle, \; "
        r"\mathbb{E} \left|\frac{\partial (v^\top y_t)}{\partial \theta}\right|^2 "
        rf"{equal} \langle K', K' \rangle, \; {FORMS}"
    )


ONE_WAY = (
    "LRU, complex diagonal RNN, S4 of Zucchet & Orvieto (2024), Appendix A.3, S4D, S5, "
    "dense linear RNN, constant gate, RotRNN, three LRUs in a row with skips"
)
TWO_WAYS = "RotRNN of two directions, BLUR"
GATED = "gated unit of Zucchet & Orvieto (2024), Eq. 157-158, GRU, LSTM"
LINEAR_LAYERS = table(
    [
        ("one direction of time", rf"\text{{{ONE_WAY}}}"),
        ("two directions", rf"\text{{{TWO_WAYS}}}"),
    ]
)
GATED_LAYERS = table([("one direction of time", rf"\text{{{GATED}}}")])

part = Part("", "layers")

part.row(
    "sigprop:moments",
    "moment",
    "confirmed",
    "States, outputs and gradients of every parameter of linear layers",
    rf"{moments('=')}, \quad {LINEAR_LAYERS}",
    where="whole layers at finite time",
    code="sigprop.linear.predicted_moments.predict",
    assumes=f"{INPUTS}; {AGES}; distinct eigenvalues",
    note="A mode of eigenvalue lambda_i gives the state a_i b_i^T and the output the "
    "residue rho_i = c_i b_i^T. Both move with a parameter by first-order perturbation "
    "theory; the weight of each lag is proved for a pair of modes "
    "(theory.layers.pair_weight), the layer is compared in numbers. LRU, RotRNN and BLUR "
    "are judged as initialised, and at parameters that Adam found with the exact loss.",
)
part.row(
    "sigprop:moments-gated",
    "moment",
    "confirmed",
    "Effective eigenvalues, states, outputs and gradients of input and readout weights of "
    "gated layers",
    rf"{moments(APPROXIMATELY)}, \quad {GATED_LAYERS}",
    where="gates as effective eigenvalues",
    code="sigprop.linear.linearise.linearise",
    assumes=f"{INPUTS}; {AGES}, here forwards alone; a parameter whose gradient does not "
    "vanish to first order; inputs of size 0.05, where the margin of 25 % is ours",
    note="The layer linearised at rest, where a gate is sigmoid(b_f): the omitted "
    "part falls with the square of the inputs' size.  At inputs of size one the measured "
    "state exceeds it several times over for white noise.  Gradients of recurrent "
    "weights are not judged.",
)
for quantity, latex, topic in (
    ("state", STATE, "forward"),
    ("sensitivity", SENSITIVITY, "backward"),
):
    part.row(
        f"sigprop:{quantity}-finite",
        "moment",
        "proved",
        f"Moment of the {quantity} after T steps, any input",
        latex,
        where="finite time from the zero state",
        derive=lambda quantity=quantity: diagonal.moment(quantity, None, T),
        # The double sum over the solved kernels, summed along its diagonals.
        printed=lambda quantity=quantity: diagonal.direct_functional(
            quantity, T
        ).as_sum(),
        code="sigprop.theory.diagonal.moment",
        topic="finite time",
        assumes=Condition(
            "h_t = lambda h_{t-1} + x_t from the zero state; real wide-sense-stationary "
            "input; the closed form asks for |lambda| != 1, the sum does not",
            lambda gap, **_: gap != 0,
        ),
        note="The simulated verdicts on every stationary moment rest on this form: a "
        "run is finite and starts from the zero state.",
    )
    part.row(
        f"sigprop:{quantity}-mixed",
        "moment",
        "proved",
        f"Moment of the {quantity}, white plus exponential autocovariance",
        latex.replace("n,m<T", "n,m").replace("_T", "_t")
        + r",\quad R(\Delta) = a[\Delta = 0] + b\rho^{|\Delta|}",
        where="stationary",
        derive=lambda quantity=quantity: diagonal.moment(quantity, "mixed"),
        printed=lambda quantity=quantity: diagonal.direct_functional(quantity).on(
            "mixed"
        ),
        code=f"sigprop.neuron.stable.{quantity}_moment",
        topic=topic,
        assumes=Condition(
            "|lambda| < 1, real input with |rho| <= 1; that of Zucchet & Orvieto (2024), "
            "Fig. 12, among them",
            driven_by("mixed"),
        ),
    )
part.row(
    "sigprop:ring-any-input",
    "moment",
    "proved",
    "The ring's gain is the same for every stationary input",
    r"\theta \sim \mathcal{U}[0, 2\pi] \quad\Rightarrow\quad \mathbb{E}|x_\infty|^2 = "
    r"\frac{R(0)}{r_{\max}^2 - r_{\min}^2}\log\left(\frac{1-r_{\min}^2}{1-r_{\max}^2}"
    r"\right) \text{ for every } R",
    where="extends LRU Proposition 3.3",
    derive=ring.gain,
    printed=prop_3_3,
    code="sigprop.neuron.stable.ring_gain",
    topic="ring",
    assumes=Condition(
        "0 <= r_min < r_max < 1; lambda uniform by area, |lambda|^2 on [r_min^2, r_max^2] "
        "and theta independent of each other and of the input; a real stationary input of "
        "weight one",
        is_open_ring,
    ),
)
