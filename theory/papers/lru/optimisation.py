"""Orvieto et al. (2023), Appendix E.2, Figures 7, 8: learning kernels and powers."""

import cmath
import math

from sympy import cos, sin

from theory import spectral
from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence
from theory.papers.lru.rows import LRU, TOYS, unchecked
from theory.spectral import steps, turn


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_kernels(), *_powers())


def _kernels() -> tuple[Claim, ...]:
    return (
        Claim(
            "lru:text:kernel-bump",
            "Appendix E.2",
            Kind.TEXT,
            "Where the kernel of Fig. 7 has its bump",
            r"h_k = \frac{1}{10} \exp(-0.015\,k) \cos(0.04\,k)^2:\ \text{bump at } k = 70",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.lru.kernel_bump",
            evidence=Evidence(
                ({},),
                {
                    "reference": f"{LRU}.kernel_bump",
                    "closed_form": f"{LRU}.kernel_bump_by_slope",
                },
                form=lambda: 70.0,
                absolute=5.0,
            ),
            note="At 73.9, which is 70 to the nearest ten; the largest sample is at 74.",
            topic="experiments",
        ),
        Claim(
            "lru:text:kernel-realised",
            "Appendix E.2",
            Kind.TEXT,
            "A single-layer RNN can express the kernel of Fig. 7",
            r"h_k = \frac{1}{10} \exp(-0.015\,k) \cos(0.04\,k)^2 \text{ is the kernel of an "
            r"RNN}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.lru.kernel_by_states",
            evidence=Evidence(
                tuple({"k": k} for k in (0, 7, 40, 74, 99)),
                {"reference": f"{LRU}.kernel_by_states"},
                form=lambda k: 0.1 * math.exp(-0.015 * k) * math.cos(0.04 * k) ** 2,
                alone="the impulse response of a recurrence of three modes",
            ),
            note="Exactly, by three modes of a linear RNN of 100: exp(-0.015) and "
            "exp(-0.015 +- 0.08 i).",
            topic="models",
        ),
        unchecked(
            "lru:fig7",
            "Fig. 7",
            Kind.FIGURE,
            "Learning a convolution with linear and tanh RNNs",
            r"\text{for all learning rates in our grid, the linear variant is faster}",
            "the grid of learning rates and the ranges of the inputs' two parameters are "
            "not given, so the comparison cannot be repeated as it was made",
            code="sigprop.references.lru.kernel_by_states",
        ),
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
            assumes="initial modulus right, initial phase at a fixed distance",
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
