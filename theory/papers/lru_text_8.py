"""Orvieto et al. (2023): the prose of Appendices E.2, E.3 and F, Fig. 8 and 9."""

import cmath
import math

from sympy import cos, log, sin

from theory import koopman, ring, spectral
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation, start
from theory.evidence import Evidence
from theory.papers.lru_rows import LRU, TOYS
from theory.spectral import steps, turn
from theory.symbols import r_max, r_min, u1

SEEDS = (0, 1, 2)
RINGS = tuple(
    {"r_min": low, "r_max": high} for low, high in ((0.3, 0.8), (0.1, 0.6), (0.7, 0.85))
)


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of the text."""
    return (
        *_powers(),
        *_parts(),
        *_restated(),
    )


def _powers() -> tuple[Claim, ...]:
    lags = tuple(
        {"lag": lag, "theta": theta}
        for lag, theta in ((0.003, 0.2), (0.007, 1.1), (0.012, -0.4))
    )
    powers = tuple(
        {"lam": lam, "k": k}
        for lam, k in ((cmath.exp(-0.1 + 0.7j), 5), (0.9 - 0.2j, 12))
    )
    return (
        Claim(
            "lru:text:real-part-of-power",
            "Appendix E.2",
            Kind.TEXT,
            "The real part of a power in the exponential parametrisation",
            r"\Re[\lambda^k] = \exp(-k\nu)",
            "evidence",
            Status.REFUTED,
            "sigprop.references.lru_toys.power_real_part",
            correction=r"|\lambda^k| = \exp(-k\nu),\quad \Re[\lambda^k] = \exp(-k\nu)"
            r"\cos(k\theta)",
            evidence=Evidence(
                powers,
                {"reference": f"{TOYS}.power_real_part"},
                form=lambda lam, k: abs(lam) ** k * math.cos(k * cmath.phase(lam)),
                printed=lambda lam, k: abs(lam) ** k,
                alone="repeated multiplication",
            ),
            note="That is the modulus. The real part depends on both parameters here, as "
            "it does in the standard parametrisation.",
            inherits="The paragraph contrasts the two parametrisations by it.",
            topic="parametrisation",
        ),
        Claim(
            "lru:text:aligned-gradients",
            "Appendix E.2",
            Kind.TEXT,
            "Gradients align with the phase when the modulus is right",
            r"\nu = \nu^*:\quad \frac{\partial L}{\partial \nu} \Big/ \frac{\partial L}{"
            r"\partial \theta} = 0",
            "evidence",
            Status.REFUTED,
            "theory.spectral.planted_power",
            correction=r"\nu = \nu^*:\quad \frac{\partial L}{\partial \nu} \Big/ "
            r"\frac{\partial L}{\partial \theta} = \frac{1 - \cos k(\theta^* - \theta)}{\sin "
            r"k(\theta^* - \theta)} = \tan\frac{k(\theta^* - \theta)}{2}",
            derive=spectral.planted_power,
            printed=lambda: 0 * turn,
            corrected=lambda: (1 - cos(steps * turn)) / sin(steps * turn),
            evidence=Evidence(
                tuple({"turn": value, "steps": 100} for value in (0.004, -0.011, 0.02)),
                {
                    "reference": f"{TOYS}.slope_ratio",
                    "autodiff": f"{TOYS}.slope_ratio_by_autodiff",
                },
                tolerance=1e-9,
            ),
            note="The loss falls with a smaller modulus too unless the phase is right: the "
            "gradient is at 45 degrees to the phase when a quarter period of lam^k, "
            "pi/(2k), is still to go. It aligns only as the phase gets there.",
            inherits="No.",
            topic="parametrisation",
        ),
        Claim(
            "lru:fig8",
            "Fig. 8",
            Kind.FIGURE,
            "The landscape of a power near the imaginary axis",
            r"\theta^* \rightarrow \pi/2:\ \text{the landscape in } (\Re\lambda, "
            r"\Im\lambda) \text{ gets less axis-aligned}",
            "evidence",
            Status.REFUTED,
            "sigprop.references.lru_toys.power_loss",
            correction=r"L(i\lambda;\, \theta^* + \pi/2) = L(\lambda;\, \theta^*) \text{ at } "
            r"k = 100:\ \text{the axes change places; the tilt repeats every } \pi/2",
            evidence=Evidence(
                lags,
                {
                    "autodiff": f"{TOYS}.tilt_by_autodiff",
                    "reference": f"{TOYS}.tilt_by_powers",
                },
                form=f"{TOYS}.tilt_without_turn",
                printed=f"{TOYS}.tilt_doubled",
                tolerance=1e-8,
            ),
            note="A quarter turn of planted solution and estimate leaves |lam^k - lam*^k| "
            "as it was and exchanges the axes, up to a sign that Adam does not notice. So "
            "the landscape about pi/2 is that about 0; the tilt is largest between. Any "
            "growth towards pi/2 is refuted, twice the tilt stands for it. At the "
            "solution the Hessian is a multiple of the identity in both parametrisations.",
            inherits="Section 3.3 and Section 4 refer to the figure for this.",
            topic="landscape",
        ),
        Claim(
            "lru:text:adam-turned",
            "Appendix E.2",
            Kind.TEXT,
            "Adam slows down as the planted phase approaches pi/2",
            r"\theta^* \rightarrow \pi/2:\ \text{the standard parametrisation slows down}",
            "evidence",
            Status.REFUTED,
            "sigprop.references.lru_toys.learned_by_adam",
            correction=r"\text{from a start at a fixed angle to it, Adam's losses at } "
            r"\theta^* = \pi/2 \text{ and } \theta^* = 0 \text{ are equal}",
            condition="initial modulus right, initial phase at a fixed distance",
            evidence=Evidence(
                tuple(
                    {"lag": lag, "theta": 0.0, "turned": math.pi / 2}
                    for lag in (0.006, 0.009, 0.012)
                ),
                {"reference": f"{TOYS}.learned_by_adam"},
                form=f"{TOYS}.learned_without_turn",
                printed=f"{TOYS}.learned_more_slowly",
                tolerance=1e-6,
                alone="Adam run on the power loss",
            ),
            note="Forty steps, k = 100. Slower is taken as twice the loss. Where the "
            "paper starts is not given; from a start that does not turn along, the way "
            "to the next of the 100 equal minima is at most pi/100.",
            inherits="No.",
            topic="landscape",
        ),
        Claim(
            "lru:text:hundred-minima",
            "Appendix E.2",
            Kind.TEXT,
            "The problem of powers has its planted solution",
            r"L(\hat\lambda) = \frac{1}{2}|\hat\lambda^k - (\lambda^*)^k|^2 \text{ is minimal "
            r"at } \lambda^*",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.lru_toys.power_loss",
            evidence=Evidence(
                tuple({"index": j, "theta": 0.4} for j in (0, 1, 37)),
                {"reference": f"{TOYS}.one_plus_loss_at_root"},
                form=lambda index, theta: 1.0,
                tolerance=1e-12,
                alone="the loss, plus one, at 100-th roots times the planted solution",
            ),
            note="And at 99 other points of the same modulus, 2 pi/100 apart: the phase is "
            "learnt only up to these.",
            topic="landscape",
        ),
    )


def _parts() -> tuple[Claim, ...]:
    def at(part: str):
        return tuple({"seed": seed, "part": part} for seed in SEEDS)

    def action(part: str, first: str, last: str) -> str:
        return (
            rf"A \cdot \operatorname{{{part}}}(v) = \frac{{1}}{{2}} A(v {first} v^*) = "
            rf"\operatorname{{{part}}}(\lambda v) = {last}"
        )

    real = r"\Re(\lambda)\Re(v) - \Im(\lambda)\Im(v)"
    imaginary = r"\Re(\lambda)\Im(v) + \Im(\lambda)\Re(v)"
    return (
        Claim(
            "lru:text:conjugate-eigenvector",
            "Appendix E.3",
            Kind.IDENTITY,
            "Eigenvectors come in conjugate pairs",
            r"A v^* = (A v)^* = (\lambda v)^* = \lambda^* v^*",
            "evidence",
            Status.PROVED,
            "theory.koopman.conjugate_is_eigenvalue",
            condition="A is real",
            evidence=Evidence(
                tuple({"seed": seed} for seed in SEEDS),
                {"reference": f"{TOYS}.conjugate_image"},
                form=f"{TOYS}.conjugate_multiple",
                proof=koopman.conjugate_is_eigenvalue,
            ),
            topic="models",
        ),
        Claim(
            "lru:text:real-eigenvector",
            "Appendix E.3",
            Kind.TEXT,
            "A real eigenvalue has a real eigenvector",
            r"v + v^* \in \mathbb{R}^N \text{ is an eigenvector of the real eigenvalue } "
            r"\lambda",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.lru_toys.real_eigenvector_length",
            condition="v is not purely imaginary",
            evidence=Evidence(
                tuple({"angle": angle} for angle in (0.0, 0.9, 1.4)),
                {"reference": f"{TOYS}.eigenvector_found"},
                form=lambda angle: 1.0,
                outside=({"angle": math.pi / 2},),
                alone="the length of v + v* where v is a turned real vector",
            ),
            note="v = i w with real w gives v + v* = 0, which is no eigenvector; i(v - v*) "
            "serves then. The value is 1 where the sum is not zero.",
            inherits="No: one of the two sums always serves.",
            topic="models",
        ),
        Claim(
            "lru:text:real-part",
            "Appendix E.3, before Eq. 26",
            Kind.IDENTITY,
            "The action on the real part",
            action("Re", "+", real),
            "evidence",
            Status.PROVED,
            "theory.koopman.rotation_block",
            condition="A is real",
            evidence=Evidence(
                at("Re"),
                {
                    "reference": f"{TOYS}.image_of_part",
                    "quadrature": f"{TOYS}.half_difference",
                },
                form=f"{TOYS}.part_of_image",
                proof=koopman.block_acts_on_parts,
            ),
            topic="models",
        ),
        Claim(
            "lru:text:imaginary-part",
            "Appendix E.3, before Eq. 26",
            Kind.IDENTITY,
            "The action on the imaginary part",
            action("Im", "-", imaginary),
            "evidence",
            Status.REFUTED,
            "theory.koopman.rotation_block",
            correction=r"A \cdot \operatorname{Im}(v) = \frac{1}{2i} A(v - v^*) = "
            r"\operatorname{Im}(\lambda v) = " + imaginary,
            condition="A is real",
            evidence=Evidence(
                at("Im"),
                {"reference": f"{TOYS}.image_of_part"},
                form=f"{TOYS}.part_of_image",
                printed=f"{TOYS}.half_difference",
                proof=koopman.block_acts_on_parts,
            ),
            note="The two middle members lack a factor 1/i: (v - v*)/2 is i Im v. First "
            "and last member are right.",
            inherits="No.",
            topic="models",
        ),
        Claim(
            "lru:text:blocks-as-numbers",
            "Appendix E.3",
            Kind.TEXT,
            "The blocks multiply as complex numbers do",
            r"\tilde\Lambda(\lambda)\tilde\Lambda(\mu) = \tilde\Lambda(\lambda\mu)",
            "evidence",
            Status.PROVED,
            "theory.koopman.block_multiplies_as_numbers",
            evidence=Evidence(
                tuple(
                    {"lam": lam, "mu": mu} for lam, mu in ((0.3 + 0.8j, -0.5 + 0.2j),)
                ),
                {"reference": f"{TOYS}.block_product"},
                form=f"{TOYS}.block_of_product",
                proof=koopman.block_multiplies_as_numbers,
            ),
            note="With either sign of the block. Four entries hold two numbers.",
            topic="models",
        ),
    )


def _gain() -> Derivation:
    return start("the gain", ring.gain().result)


def _restated() -> tuple[Claim, ...]:
    return (
        Claim(
            "lru:lemma3.2-restated",
            "Lemma 3.2, Appendix F.1",
            Kind.DISTRIBUTION,
            "Lemma 3.2 as restated with its proof",
            r"\nu = -\frac{1}{2}\log\left(u_1(r_{\max}^2 - r_{\min}^2) + r_{\min}^2\right),"
            r"\quad \theta = 2\pi u_2",
            "evidence",
            Status.PROVED,
            "theory.ring.sampled_nu",
            ring.sampled_nu,
            lambda: -log(u1 * (r_max**2 - r_min**2) + r_min**2) / 2,
            condition="0 <= r_min < r_max <= 1; at r_min = r_max the ring is a circle",
            evidence=Evidence(
                tuple({**radii, "u1": u} for radii in RINGS for u in (0.3, 0.85)),
                {"reference": f"{LRU}.sampled_exponent"},
                tolerance=1e-9,
            ),
            note="The same as in Section 3.2.2.",
            topic="ring",
        ),
        Claim(
            "lru:prop3.3-restated",
            "Proposition 3.3, Appendix F.2",
            Kind.MOMENT,
            "Proposition 3.3 as restated with its proof",
            r"\mathbb{E}\left[\|x_\infty\|_2^2\right] = \frac{1}{r_{\max}^2 - r_{\min}^2}"
            r"\log\left(\frac{1 - r_{\min}^2}{1 - r_{\max}^2}\right) \mathbb{E}\left["
            r"\|Bu\|_2^2\right]",
            "evidence",
            Status.PROVED,
            "theory.ring.gain",
            _gain,
            lambda: log((1 - r_min**2) / (1 - r_max**2)) / (r_max**2 - r_min**2),
            condition="r_min < r_max < 1, phases uniform on the whole circle",
            evidence=Evidence(RINGS, {"reference": f"{LRU}.ring_mean_resolvent"}),
            note="The same as in Section 3.4. Under white noise the norm itself does not "
            "converge, only its mean does.",
            topic="ring",
        ),
        Claim(
            "lru:fig9",
            "Fig. 9",
            Kind.FIGURE,
            "The gain formula is more accurate for random than for constant input",
            r"\text{spread under random input} < \text{spread under constant input}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.lru.gain_spread",
            evidence=Evidence(
                tuple({**radii, "source": "white"} for radii in RINGS),
                {"reference": f"{LRU}.gain_spread"},
                form=f"{LRU}.spread_under_constant",
                relation="<",
                slips={"a fifth": f"{LRU}.fifth_of_spread"},
                alone="quadrature over the ring, for complex normal B",
            ),
            note="Judged is the relative variance of one entry's squared modulus over ring "
            "and projection; a mean over N = 500 entries has 1/500 of it. Constant input "
            "has E(1+r)/(1-r)^3 where white has E 1/(1-r)^2, r = |lam|^2.",
            topic="ring",
        ),
    )
