"""Orvieto et al. (2023), Section 4 and Figures 1-5: insights on S4 and variants."""

import math

from theory import spectral
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.lru.rows import LRU, SPECTRAL, printed_numbers, unchecked
from theory.spectral import dt

FINE = 1e-3  # the paper's typical step


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of the text."""
    return (
        *_spectrum_of_s4d(),
        *_multiplier(),
        *_figures(),
    )


def _spectrum_of_s4d() -> tuple[Claim, ...]:
    indices = (1, 40, 125)
    return (
        Claim(
            "lru:text:s4d-eigenvalues",
            "Section 4",
            Kind.TEXT,
            "Discrete eigenvalues of S4D-Lin",
            r"\lambda_n = \exp(-\Delta/2 + i\pi\Delta n)",
            "evidence",
            Status.CONFIRMED,
            "sigprop.layers.s4d.discretise",
            evidence=Evidence(
                tuple({"index": n, "dt": step} for n, step in ((3, FINE), (40, 0.02))),
                {"impulse": f"{SPECTRAL}.eigenvalue_of_lin"},
                form=lambda index, dt: (
                    math.exp(-dt / 2)
                    * complex(
                        math.cos(math.pi * dt * index), math.sin(math.pi * dt * index)
                    )
                ),
                alone="the eigenvalues of the package's layer",
            ),
            topic="spectral",
        ),
        Claim(
            "lru:text:s4d-modulus",
            "Section 4",
            Kind.TEXT,
            "Modulus of S4D-Lin's eigenvalues",
            r"\Delta = 10^{-3}:\quad \exp(-\Delta/2) \approx 0.9995",
            "evidence",
            Status.CONFIRMED,
            "sigprop.layers.s4d.discretise",
            evidence=Evidence(
                tuple({"index": n, "dt": FINE} for n in indices),
                {"impulse": f"{SPECTRAL}.modulus_of_lin"},
                form=lambda index, dt: 0.9995,
                absolute=5e-5,
                alone="the eigenvalues of the package's layer",
            ),
            topic="spectral",
        ),
        Claim(
            "lru:text:s4d-phase",
            "Section 4",
            Kind.BOUND,
            "Phases of S4D-Lin's eigenvalues",
            r"\Delta = 10^{-3},\ N = 128:\quad \theta = \pi\Delta n \in [0, \pi/8]",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.layers.s4d.discretise",
            condition=Condition("n at most 125", lambda index, **_: index <= 125),
            evidence=Evidence(
                tuple({"index": n, "dt": FINE} for n in (*indices, 126, 128)),
                {"impulse": f"{SPECTRAL}.phase_of_lin"},
                form=lambda index, dt: math.pi / 8,
                relation="<=",
                slips={"a tenth": lambda index, dt: math.pi / 10},
                alone="the eigenvalues of the package's layer",
            ),
            note="The largest is 0.128 pi, 2.4 % above pi/8: the text rounds.",
            inherits="No.",
            topic="spectral",
        ),
    )


def _multiplier() -> tuple[Claim, ...]:
    steps = tuple({"dt": step} for step in (1e-3, 3e-3))
    return (
        Claim(
            "lru:text:first-order",
            "Section 4",
            Kind.LIMIT,
            "First-order expansion of the input factor",
            r"(\exp(\Delta\tilde{A}) - I)\tilde{A}^{-1}\tilde{B} = \Delta\tilde{B} + "
            r"O(\Delta^2)",
            "evidence",
            Status.PROVED,
            "theory.spectral.held_step_first_order",
            evidence=Evidence(
                tuple({"dt": 1e-5, "pole": p} for p in (-0.5 + 3j, -0.5 - 9j)),
                {"reference": f"{SPECTRAL}.first_order_ratio"},
                form=lambda dt, pole: 1 + dt * pole / 2,
                tolerance=1e-8,
                proof=lambda: spectral.held_step_first_order() == spectral.drive * dt,
            ),
            topic="spectral",
        ),
        Claim(
            "lru:text:inverse-delta",
            "Section 4",
            Kind.LIMIT,
            "Without its factor Delta the recurrence grows like 1/Delta",
            r"\sum_{j=0}^{k-1} |\exp(\Delta\tilde{a}_i)|^j |u_{k-j,i}| = O(\Delta^{-1})",
            "evidence",
            Status.PROVED,
            "theory.spectral.unscaled_bound",
            assumes="bounded inputs",
            evidence=Evidence(
                steps,
                {"reference": f"{SPECTRAL}.unscaled_sum"},
                form=lambda dt: 2.0,
                tolerance=1e-3,
                proof=lambda: spectral.unscaled_bound().result == 2,
            ),
            note="The constant is 2 for Re a = -1/2. The sum over ages stops one short, "
            "as in Eq. 4, which matters to no limit.",
            topic="spectral",
        ),
        Claim(
            "lru:text:delta-normalises",
            "Section 4",
            Kind.TEXT,
            "The factor Delta acts as the normalisation gamma",
            r"\Delta \text{ effectively scales the recurrence, similar to } \gamma",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.spectral.scaled_energy",
            condition=Condition(
                "inputs that add up, such as constant ones on a real mode",
                lambda source, **_: source == "constant",
            ),
            evidence=Evidence(
                tuple(
                    {"dt": step, "source": source}
                    for source in ("constant", "white")
                    for step in (1e-3, 3e-3)
                ),
                {"reference": f"{SPECTRAL}.scaled_energy"},
                form=lambda dt, source: 1.0,
                tolerance=0.01,
                alone="the impulse response summed",
            ),
            note="Under white noise, for which gamma is derived, the factor is too small: "
            "E|x|^2 = Delta^2/(1 - exp(-Delta)), about Delta, while gamma^2 is about "
            "Delta and gives 1. It bounds the state but does not normalise it.",
            inherits="No.",
            topic="spectral",
        ),
        unchecked(
            "lru:text:decoupling",
            "Section 4",
            Kind.TEXT,
            "Ablations of S4D",
            r"\text{first-order } B \text{ and separate } \Delta \text{ keep performance}",
            "the ablations of S4D are not tabulated",
        ),
    )


def _figures() -> tuple[Claim, ...]:
    return (
        printed_numbers(
            "lru:fig1",
            "Fig. 1",
            "Each step raises the average accuracy",
            r"\text{tanh} < \text{linear} < \text{diagonal} < \text{stable} < \text{ring} < "
            r"\text{LRU} \approx \text{deep SSMs}",
            "narrowest_step",
            {},
            0.0,
            ">",
            kind=Kind.FIGURE,
            wrong=2.0,
            topic="experiments",
            note="The bars' heights are not in our copy; from Tables 6-8 the averages, "
            "with 50 where a model did not learn, are 65.0, 66.8, 70.1, 77.8, 78.6 and "
            "86.3, against 86.6 and 85.7 of S4D and S5. The least rise is 0.8.",
        ),
        Claim(
            "lru:fig2",
            "Fig. 2",
            Kind.FIGURE,
            "Eigenvalues of a Glorot matrix fill the disc",
            r"A_{ij} \sim \mathcal{N}(0, 1/N):\ \text{the limit is uniform on the disc}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.neuron.ginibre.radial_law",
            evidence=Evidence(
                tuple({"radius": r, "size": 3000} for r in (0.3, 0.7, 0.9)),
                {"reference": f"{LRU}.share_inside"},
                form=lambda radius, size: radius**2,
                tolerance=0.01,
                alone="the exact law of the eigenvalues at finite size",
            ),
            note="A real Gaussian matrix: symmetric ones would have real eigenvalues.",
            topic="ring",
        ),
        Claim(
            "lru:fig3",
            "Fig. 3",
            Kind.FIGURE,
            "The whole disc has the limit law of Glorot matrices",
            r"r_{\min} = 0,\ r_{\max} = 1:\ \text{coincides with Glorot in the limit}",
            "evidence",
            Status.PROVED,
            "theory.ring.radius_cdf",
            lambda: spectral.area_law().then("on the disc", spectral.disc_law()),
            lambda: spectral.r**2,
            evidence=Evidence(
                tuple({"r": value} for value in (0.2, 0.6, 0.95)),
                {"reference": f"{LRU}.share_of_disc"},
            ),
            topic="ring",
        ),
        Claim(
            "lru:fig4",
            "Fig. 4",
            Kind.FIGURE,
            "Long sequences need smaller phases for as many oscillations",
            r"\text{for high } L \text{ the range of } \theta \text{ has to be smaller for as "
            r"many oscillations: } \frac{L\,\theta_{\max}}{4\pi}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.spectral.turns_of_kernel",
            assumes="phases at most pi",
            evidence=Evidence(
                (
                    {"length": 16384, "max_phase": math.pi / 50},
                    {"length": 16384, "max_phase": math.pi / 8},
                    {"length": 2048, "max_phase": math.pi},
                ),
                {"reference": f"{SPECTRAL}.turns_of_kernel"},
                form=lambda length, max_phase: length * max_phase / (4 * math.pi),
                tolerance=0.01,
                alone="zero crossings counted",
            ),
            note="1024 steps at [0, 2 pi] and 16384 at [0, pi/8] turn equally often, so "
            "PathX's pi/10 is of this size; the figure's pi/50 turns 82 times. With nu of "
            "0.00005 a state keeps exp(-0.82) = 0.44 of an impulse after 16384 steps.",
            topic="experiments",
        ),
        Claim(
            "lru:text:few-oscillations",
            "Fig. 4",
            Kind.FIGURE,
            "How often a short sequence recalls its first input",
            r"L = 1024,\ \theta \sim [0, 2\pi]: \text{ recalled only a few times}",
            "evidence",
            Status.REFUTED,
            "sigprop.references.spectral.turns_of_kernel",
            correction=r"L = 1024,\ \theta \sim [0, 2\pi]:\quad L/4 = 256 \text{ times on "
            r"average}",
            evidence=Evidence(
                ({"length": 1024, "max_phase": 2 * math.pi},),
                {"reference": f"{SPECTRAL}.turns_of_kernel"},
                form=lambda length, max_phase: length / 4,
                printed=lambda length, max_phase: 5.0,
                tolerance=0.01,
                alone="zero crossings counted",
            ),
            note="Phases above pi alias to smaller ones, which leaves L/4 periods on "
            "average. A few is taken as five; that is three times the 82 of the small "
            "phase at 16384 steps, which the caption contrasts with it.",
            inherits="No: that the number grows with L is right.",
            topic="experiments",
        ),
        unchecked(
            "lru:fig5",
            "Fig. 5",
            Kind.FIGURE,
            "Training curves on PathX",
            r"\text{without } \gamma: \text{ higher initial loss, chance accuracy}",
            "training curves on PathX without printed numbers; the figure shows 100k "
            "iterations, Table 9 has 250k",
        ),
    )
