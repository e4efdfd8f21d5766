"""BLUR (2025), Section 4.2: growth, stability and initialisation."""

import math

from theory import bidirectional as two
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.blur.routes import STABILITY
from theory.symbols import T, lam

EIGEN = tuple({"lam": value, "T": 8} for value in (0.9, 0.5 + 0.6j, -0.7, -0.3 - 0.8j))
RINGS = ({"e_min": 0.3, "e_max": 0.9}, {"e_min": 0.0, "e_max": 0.8})
SECTION = "Section 4.2"


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_growth(), *_initialisation())


def _growth() -> tuple[Claim, ...]:
    def growth(name, where, letter, step, route):
        return Claim(
            f"blur:text:growth-{name}",
            f"{SECTION}, after Eq. {where}",
            Kind.TEXT,
            f"How large a {name} state grows",
            rf"\mathcal{{O}}(|\bm{{h}}_{{{step},j}}|) = "
            rf"\mathcal{{O}}(|\lambda_{{{letter},j}}|^k)",
            "evidence",
            Status.REFUTED,
            "theory.bidirectional.constant_input",
            two.constant_input,
            lambda: lam**T,
            correction=rf"\bm{{h}}_{{{step},j}} = \frac{{1-\lambda_{{{letter},j}}^k}}"
            rf"{{1-\lambda_{{{letter},j}}}} \text{{ for inputs }} (\mathbf{{B}}\bm{{u}}"
            r"_i)_j = 1, \text{ so } \mathcal{O}\left(\frac{1-|\lambda|^k}{1-|\lambda|}"
            r"\right) \text{ for bounded inputs}",
            corrected=lambda: (1 - lam**T) / (1 - lam),
            evidence=Evidence(
                EIGEN,
                {
                    "reference": STABILITY + "constant_loop",
                    "impulse": STABILITY + route,
                },
            ),
            note="The power is the weight of the oldest input. With |lambda| < 1 it "
            "vanishes while the state does not; it is the order of the state only for "
            "|lambda| > 1.",
            inherits="The stability condition drawn from it is right.",
            topic="bidirectional",
        )

    return (
        growth("forward", 15, "f", "k", "constant_engine"),
        growth("backward", 17, "b", "1", "constant_backwards"),
        Claim(
            "blur:text:stability",
            f"{SECTION}, after Eq. 17",
            Kind.BOUND,
            "Eigenvalues inside the unit circle are enough for stability",
            r"|\lambda_{f,j}|, |\lambda_{b,j}| < 1 \text{ for all } j \text{ suffices: }"
            r"\; \sup_k |\bm{h}_{k,j}| \le \frac{1}{1-|\lambda_j|} \sup_i |(\mathbf{B}"
            r"\bm{u}_i)_j|",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.bidirectional_stability.worst_loop",
            evidence=Evidence(
                tuple(
                    {"lam": value, "T": 400}
                    for value in (0.9, 0.5 + 0.6j, -0.7, -0.94j)
                ),
                {
                    "reference": STABILITY + "worst_loop",
                    "impulse": STABILITY + "worst_engine",
                },
                form=lambda lam, T: 1 / (1 - abs(lam)),
                relation="<=",
                slips={
                    "squared": lambda lam, T: 1 / (1 - abs(lam) ** 2),
                    "the sign": lambda lam, T: 1 / (1 + abs(lam)),
                    "one percent less": lambda lam, T: 0.99 / (1 - abs(lam)),
                    "lam for |lam|": lambda lam, T: 1 / abs(1 - lam),
                },
            ),
            note="The paper names no constant; this is the least one, reached by inputs "
            "in phase with the state. The bound is ours, the condition the paper's.",
            topic="bidirectional",
        ),
        Claim(
            "blur:text:exponential",
            f"{SECTION}, after Eq. 17",
            Kind.TEXT,
            "Whether each half is stable by itself",
            r"\text{both halves are initialised apart, so } |\lambda_f| < 1 \text{ may "
            r"not give } |\lambda_b| < 1; \text{ with the exponential parametrisation }"
            r"\; |\lambda| = e^{-e^{\nu}}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.layers.lru.LRU.eigenvalues",
            evidence=Evidence(
                tuple(
                    {"nu": nu, "half": half}
                    for nu in (-9.0, -2.0, 1.2)
                    for half in (0, 1)
                ),
                {
                    "impulse": STABILITY + "modulus_layer",
                    "reference": STABILITY + "modulus_slowly",
                },
                form=lambda nu, half: math.exp(-math.exp(nu)),
            ),
            note="True of recurrences in general. As the paper runs the model, with the "
            "LRU's parametrisation, both halves are stable at any parameters, so the "
            "warning is void.",
            topic="bidirectional",
        ),
    )


def _initialisation() -> tuple[Claim, ...]:
    return (
        Claim(
            "blur:text:ring",
            f"{SECTION}, initialisation",
            Kind.DISTRIBUTION,
            "Eigenvalues uniform on a ring",
            r"\lambda_{f,i}, \lambda_{b,i} \sim \mathbb{T}[e_{min}, e_{max}] := \{"
            r"\lambda\in\mathbb{C} | e_{min} \le |\lambda| \le e_{max}\}, \quad "
            r"\mathbb{E}|\lambda|^2 = \frac{e_{min}^2 + e_{max}^2}{2}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.neuron.ring.ring_polar",
            printed=lambda: (two.e_min**2 + two.e_max**2) / 2,
            evidence=Evidence(
                RINGS,
                {
                    "reference": STABILITY + "ring_square",
                    "impulse": STABILITY + "ring_square_layer",
                },
            ),
            note="The paper means uniform by area; the mean square is ours and pins the "
            "layer's sampler to that reading.",
            topic="ring",
        ),
        Claim(
            "blur:text:unit-circle",
            f"{SECTION}, initialisation, and Table 6",
            Kind.TEXT,
            "The ring may end on the unit circle",
            r"[e_{min}, e_{max}] \subseteq [0, 1]: \; \mathbb{E} \frac{1}{1-|\lambda|^2} "
            r"= \frac{1}{e_{max}^2 - e_{min}^2} \log\frac{1-e_{min}^2}{1-e_{max}^2} < "
            r"\infty",
            "evidence",
            Status.CONDITIONAL,
            "theory.bidirectional.ring_energy",
            condition=Condition(
                "e_max < 1, or inputs normalised by the LRU's gamma",
                lambda e_max, **_: e_max < 1,
            ),
            evidence=Evidence(
                (*RINGS, {"e_min": 0.0, "e_max": 1.0}),
                {"reference": STABILITY + "ring_energy"},
                form=_energy,
                proof=two.ring_energy_is_a_mean,
            ),
            note="The stated goal is |lambda| < 1, the stated interval contains 1, and "
            "Table 6 uses [0, 1]. Each state is then finite with probability 1, but its "
            "mean energy under white noise is infinite at initialisation.",
            topic="ring",
        ),
        Claim(
            "blur:text:exploding",
            f"{SECTION}, initialisation",
            Kind.TEXT,
            "Eigenvalues near the unit circle against exploding states",
            r"\text{initialising close to the unit circle mitigates exploding } \bm{h}_k: "
            r"\; \text{sign}\left(\frac{\mathrm{d}}{\mathrm{d}e_{max}} \mathbb{E}|h|^2"
            r"\right) = -1",
            "evidence",
            Status.REFUTED,
            "theory.bidirectional.ring_energy",
            correction=r"\text{sign}\left(\frac{\mathrm{d}}{\mathrm{d}e_{max}} "
            r"\mathbb{E}|h|^2\right) = +1",
            evidence=Evidence(
                RINGS,
                {
                    "reference": STABILITY + "energy_grows",
                    "impulse": STABILITY + "energy_grows_layer",
                },
                form=lambda e_min, e_max: 1.0,
                printed=lambda e_min, e_max: -1.0,
            ),
            note="The closer the ring is to the circle, the larger the state under white "
            "noise. Staying inside the circle bounds the state; being near it serves "
            "memory, and the LRU needs its normalisation because of it. If the trick meant is "
            "the ring inside the circle alone, it does bound the state.",
            topic="ring",
        ),
    )


def _energy(e_min: float, e_max: float) -> float:
    if e_max == 1:
        return math.inf
    squares = e_min**2, e_max**2
    return math.log((1 - squares[0]) / (1 - squares[1])) / (squares[1] - squares[0])
