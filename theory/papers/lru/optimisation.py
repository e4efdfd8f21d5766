"""Orvieto et al. (2023), Appendix E.2, Figures 7, 8: learning kernels and powers."""

from sympy import cos, sin

from sigprop.theory import spectral
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part
from sigprop.theory.spectral import steps, turn

part = Part("", "parametrisation", "sigprop.evidence.lru.optimisation")

part.row(
    "lru:text:kernel-bump",
    "text",
    "confirmed",
    "Where the kernel of Fig. 7 has its bump",
    r"h_k = \frac{1}{10} \exp(-0.015\,k) \cos(0.04\,k)^2:\ \text{bump at } k = 70",
    where="Appendix E.2",
    code="kernel_bump",
    topic="experiments",
    note="Read as about 70: the maximum is at 73.9, the largest sample at 74.",
)
part.row(
    "lru:text:kernel-realised",
    "text",
    "proved",
    "The map of Fig. 7 is linear",
    r"\text{the input-output map the system had to approximate is linear (i.e. a "
    r"convolution)}: R_k = \frac{1}{10} \exp(-0.015\,k) \cos(0.04\,k)^2",
    where="Appendix E.2",
    code="kernel_by_states",
    topic="models",
    note="The kernel is that of a linear RNN with three modes: exp(-0.015) and exp(-0.015 "
    "+- 0.08 i). So the linear RNN of 100 states can express the map exactly. That a "
    "tanh RNN can express convolutions is quoted from another paper.",
)
part.row(
    "lru:fig7",
    "figure",
    "not-checkable",
    "Learning a convolution with linear and tanh RNNs",
    r"\text{for all learning rates in our grid, the linear variant is faster}",
    where="Fig. 7",
    code="kernel_by_states",
    topic="experiments",
    reason="The grid of learning rates and the ranges of the inputs' two parameters are "
    "not given in the text, and we have no image of the figure, so the comparison "
    "cannot be repeated as it was made.",
)
part.row(
    "lru:text:real-part-of-power",
    "text",
    "refuted",
    "The real part of a power in the exponential parametrisation",
    r"\Re[\lambda^k] = \exp(-k\nu)",
    where="Appendix E.2",
    code="power_real_part",
    correction=r"|\lambda^k| = \exp(-k\nu),\quad \Re[\lambda^k] = "
    r"\exp(-k\nu)\cos(k\theta)",
    note="The printed value is the modulus. The real part depends on both parameters, "
    "as it does in the standard parametrisation.",
    erratum=Erratum(
        "B",
        inherits=("the contrast of the two parametrisations in the same sentence",),
    ),
)
part.row(
    "lru:text:aligned-gradients",
    "text",
    "refuted",
    "Gradients align with the phase when the modulus is right",
    r"\nu = \nu^*:\quad \frac{\partial L}{\partial \nu} \Big/ \frac{\partial "
    r"L}{\partial \theta} = 0",
    where="Appendix E.2",
    derive=spectral.planted_power,
    printed=lambda: 0 * turn,
    code="sigprop.theory.spectral.planted_power",
    correction=r"\nu = \nu^*:\quad \frac{\partial L}{\partial \nu} \Big/ "
    r"\frac{\partial L}{\partial \theta} = \frac{1 - \cos k(\theta^* - \theta)}{\sin "
    r"k(\theta^* - \theta)} = \tan\frac{k(\theta^* - \theta)}{2}",
    corrected=lambda: (1 - cos(steps * turn)) / sin(steps * turn),
    note="Unless the phase is right, a smaller modulus also lowers the loss. The "
    "gradient is at 45 degrees to the phase axis where theta is pi/(2k), a quarter "
    "period of lam^k, from theta*. The gradient aligns with the phase axis only as "
    "the phase reaches theta*.",
    erratum=Erratum(
        "B",
        bearing="The paper has other reasons for the benefit of the exponential form.",
    ),
)
part.row(
    "lru:fig8",
    "figure",
    "refuted",
    "The landscape of a power near the imaginary axis",
    r"\theta^* \rightarrow \pi/2:\ \text{the landscape in } (\Re\lambda, \Im\lambda) "
    r"\text{ gets less axis-aligned}",
    where="Fig. 8",
    code="power_loss",
    topic="landscape",
    correction=r"k = 100:\ \text{the landscape at } \theta^* = \pi/2 \text{ is that at } 0; "
    r"\text{ it depends on } k\theta^* \text{ only}",
    note="As i^100 = 1, theta* = pi/2 and theta* = 0 have the same loss as a function "
    "of lambda. A quarter turn maps this loss to itself and exchanges the axes. We "
    "compare the tilt of the landscape about lambda* before and after a quarter turn. "
    "At the solution the Hessian is a multiple of the identity in both "
    "parametrisations. Our copy lacks the figure and its starting point.",
    erratum=Erratum(
        "A",
        appears_in=("Sections 3.3 and 4, where they refer to Fig. 8",),
        inherits=("lru:text:adam-turned",),
    ),
)
part.row(
    "lru:text:adam-turned",
    "text",
    "refuted",
    "Adam slows down as the planted phase approaches pi/2",
    r"\theta^* \rightarrow \pi/2:\ \text{the standard parametrisation slows down}",
    where="Appendix E.2",
    code="learned_by_adam",
    topic="landscape",
    correction=r"\text{Adam's losses at } \theta^* = \pi/2 \text{ and } \theta^* = 0 "
    r"\text{ are equal}",
    note="We run the 500 steps of Fig. 8 with k = 100, and compare the losses. As (i "
    "lambda)^100 = lambda^100, both phases have the same loss as a function of "
    "lambda, and a start that turns with theta* gives the same run. So Adam is no "
    "slower at pi/2 than at 0. Between pi/4 and pi/2 it slows at some learning "
    "rates and not at others. The paper gives neither the learning rate nor the "
    "start.",
    erratum=Erratum("A", root="lru:fig8"),
)
part.row(
    "lru:text:hundred-minima",
    "definition",
    "definition",
    "The problem of powers has its planted solution",
    r"L(\hat\lambda) = \frac{1}{2}|\hat\lambda^k - (\lambda^*)^k|^2",
    where="Appendix E.2",
    code="power_loss",
    topic="landscape",
    note="It is zero at the planted solution and, for k = 100, at 99 other points of "
    "the same modulus, 2 pi/100 apart: the phase is learnt only up to these.",
)
