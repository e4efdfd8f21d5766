"""Zucchet & Orvieto (2024), Figures 6 and 7: the statements of their captions."""

from sigprop.theory import teacher_student as task
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Appendix C.1.3", "landscape", "sigprop.theory.teacher_student")
angle = part.at("Appendix C.1.4")

part.row(
    "zucchet:fig6-hessian",
    "figure",
    "refuted",
    "Both reparametrisations are said to control the Hessian",
    r"\text{both reparametrizations enable to control the explosion of the Hessian}",
    where="Fig. 6, caption",
    code="sigprop.evidence.zucchet.landscape.curvature.path_curvature",
    correction=r"\text{the best one controls it for both coordinates, the double "
    r"exponential one for the modulus alone}",
    note="The curvature at the optimum grows as gap^-p with the gap 1 - |lambda| -> "
    "0. We compare the exponent p, which is 0 if the curvature stays bounded. Along "
    "the LRU's modulus parameter the curvature is at most 1/4. With tanh, and along "
    "the best angle, it is 1. Along the LRU's angle p is 2, as without "
    "reparametrisation. There the curvature is theta^2 nu^2 (1 + nu^2)/(1 - nu^2)^2. "
    "At the figure's angle of pi/100 it is 4.837 for |lam*| = 0.99 and 492.5 for "
    "0.999; along the best angle it is 1. There the exponential angle lowers the "
    "curvature 1013-fold, but does not bound it. The caption of Fig. 9 agrees: the LRU's "
    'parametrisation "efficiently mitigates the Hessian explosion but not the one of '
    'the angle".',
    erratum=Erratum(
        "A",
        bearing="No later result is affected: Section 3.1, Section 4.3 and the "
        "caption of Fig. 9 state what is right.",
    ),
)
part.row(
    "zucchet:fig6-modulus",
    "figure",
    "proved",
    "The basins of the modulus do not shrink",
    r"\text{does not shrink for the absolute value}: \quad L_t = 1 - "
    r"\operatorname{sech}(\omega_\nu - \omega_\nu^*)",
    where="Fig. 6, caption",
    printed=lambda: task.landscape_of_tanh().result,
    code="landscape_of_tanh",
    assumes="theta = theta*, nu = tanh(omega_nu)",
    note="The formula is ours and says more than the paper: with tanh the loss is one "
    "curve, shifted; no basin depends on the teacher's memory. With the LRU's nu = "
    "exp(-a), a = exp(omega), it is 1 - sqrt(sinh(a) sinh(a*)) / sinh((a + a*)/2), "
    "for |lambda| -> 1 again one curve shifted, 1 - sech((omega - omega*)/2).",
    uncounted="the formula is ours",
)
part.row(
    "zucchet:fig6",
    "figure",
    "proved",
    "The basins of the angle shrink with longer memory",
    r"\text{the size of basins of attraction around optimality, or their number, "
    r"shrinks as } |\lambda^*| \text{ goes to } 1 \text{ for the angle}: \quad \pi - 4 "
    r"\arctan |\lambda^*|^2",
    where="Fig. 6, caption",
    printed=task.half_depth,
    code="sigprop.evidence.zucchet.landscape.captions.well",
    assumes="plain angle; size: of the well in the plot, at half its depth",
    note="The formula is ours. The width is 2.162 at |lam*| = 0.5 and 0.2048 at 0.95, "
    "and shrinks as 4 (1 - |lam*|). The loss falls all the way from the opposite "
    "angle. So for gradient descent the basin of the angle without reparametrisation "
    "is the whole circle, but the derivative vanishes there.",
    uncounted="the formula is ours",
)
part.at("").row(
    "zucchet:text:c1-fewer-minima",
    "text",
    "proved",
    "With the best angle the global minima become rarer",
    r"\text{the basin of the global minima is extremely narrow, or their number "
    r"decreases as longer memories are considered}",
    where="first paragraph of Appendix C.1.4",
    printed=task.period,
    code="period",
    assumes="theta as in Eq. 107; number: in a window of fixed width",
    note="Minima are 2 pi nu sqrt(1 + nu^2)/(1 - nu^2) apart in omega_theta, so their "
    "density falls to zero for |lambda| -> 1, while each well keeps its width (2 "
    "sqrt(2) at half depth).",
)
angle.row(
    "zucchet:fig7",
    "figure",
    "confirmed",
    "Adam finds the teacher with the plain angle",
    r"\text{the loss landscape is extremely sharp in the } \omega_\theta \text{ "
    r"direction, but Adam compensates for it}",
    where="Fig. 7A, caption",
    code="sigprop.evidence.zucchet.landscape.descent.descend",
    note="We read the claim as: the run comes closer to lam* than the run of panel C. "
    "It ends 6e-9 from lam*, with the exponential angle 3e-6, in panel C 0.047.",
)
angle.row(
    "zucchet:fig7-sharpness",
    "figure",
    "confirmed",
    "The curvature of the loss along the three parameters of the angle",
    r"\text{extremely sharp (A), smoother (B), reparametrized to reduce the explosion "
    r"(C)}",
    where="Fig. 7, caption",
    code="sigprop.theory.teacher_student_proofs.three_curvatures",
    note="At lam* the curvatures are 4901, 4.84 and 1.",
)
angle.row(
    "zucchet:fig7-granularity",
    "figure",
    "proved",
    "The exponential angle is smoother only for small angles",
    r"\text{this only holds when the considered angles are small enough}",
    where="Fig. 7B, caption",
    printed=task.exponential_curvature,
    code="exponential_angle",
    note="The curvature at the optimum is theta^2 times that of Eq. 105: smaller below one "
    "radian, larger above. We read the log of Eq. 111 as exp, as the caption has it.",
)
angle.row(
    "zucchet:fig7-valley",
    "figure",
    "undecided",
    "With the best angle the run goes to a valley beside the minimum",
    r"\text{The parameters are first attracted to a nearby valley, flat on the } "
    r"\omega_\theta \text{ direction and only indirectly connected to the global "
    r"minimum}",
    where="Fig. 7C, caption",
    code="sigprop.evidence.zucchet.landscape.descent.descend",
    note="The paper does not say whether the angle's gradient passes through nu, and the "
    "answer depends on it. Where it does, the run ends 4e-4 from the right angle, one "
    "whole turn on, at |lambda| = 0.943 and a loss of 0.29 that falls slowly; where it "
    "does not, 0.025 from it, at 0.959 and 0.36. The interval is that distance in "
    "learning rates, about a step; to know that setting would decide. Flatness and the "
    "connection have no measure.",
)
