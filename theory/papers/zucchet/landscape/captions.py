"""Zucchet & Orvieto (2024), Figures 6 and 7: what their captions say."""

from theory import teacher_student as task
from theory.claims import Condition
from theory.rows import Part

part = Part("Appendix C.1.3", "landscape", "theory.teacher_student")
angle = part.at("Appendix C.1.4")

part.row("zucchet:fig6-hessian", "figure", "refuted", "Fig. 6, caption")(
    "Both reparametrisations tame the Hessian",
    r"\text{both reparametrizations enable to control the explosion of the Hessian}",
    code="sigprop.evidence.zucchet.landscape.curvature.bend",
    correction=r"\text{the best one controls it for both coordinates, the double "
    r"exponential one for the modulus alone}",
    note="Judged on the exponent p of gap^-p by which the curvature at optimality grows "
    "towards the edge, nought where it is controlled. By the LRU's modulus the curvature "
    "is at most 1/4, with tanh and with the best angle it is one. By the LRU's angle p "
    "is two, as without reparametrisation: the curvature is theta^2 nu^2 (1 + nu^2)/(1 - "
    "nu^2)^2, at the figure's angle of pi/100 4.84 for |lam*| = 0.99 and 492.6 for "
    "0.999, where the best angle has one.",
    inherits="The caption of Fig. 7B repeats it, with a restriction.",
)
part.row("zucchet:fig6-modulus", "figure", "proved", "Fig. 6, caption")(
    "The basins of the modulus do not shrink",
    r"\text{the size of basins of attraction shrinks, but not for the absolute value}: "
    r"\quad L_t = 1 - \operatorname{sech}(\omega_\nu - \omega_\nu^*)",
    printed=lambda: task.landscape_of_tanh().result,
    code="landscape_of_tanh",
    assumes="theta = theta*, nu = tanh(omega_nu)",
    note="The formula is ours and says more than the paper: with tanh the loss is one "
    "curve, shifted; no basin depends on the teacher's memory.",
)
part.row("zucchet:fig6", "figure", "conditional", "Fig. 6, caption")(
    "The basins of the angle shrink with longer memory",
    r"\text{the size of basins of attraction around optimality, or their number, "
    r"shrinks as } |\lambda^*| \text{ goes to } 1 \text{ for the angle}",
    printed=task.half_depth,
    code="sigprop.evidence.zucchet.landscape.captions.well",
    assumes="plain angle",
    condition=Condition(
        "basin: where the loss is below half its greatest value, not where a "
        "descent arrives at the optimum",
        lambda size, **_: size == "half",
    ),
    note="The well's width at half depth is pi - 4 atan(nu^2), about 2 (1 - nu^2): it "
    "shrinks. The loss falls all the way from the opposite angle, so the basin of a "
    "descent on the angle is the whole circle at every |lam*|; what fails there is the "
    "slope, not the basin.",
)
part.at("").row(
    "zucchet:text:c1-fewer-minima",
    "text",
    "proved",
    "first paragraph of Appendix C.1.4",
)(
    "With the best angle the global minima get rarer",
    r"\text{the basin of the global minima is extremely narrow, or their number "
    r"decreases as longer memories are considered}",
    printed=task.period,
    code="period",
    assumes="theta as in Eq. 107; number: in a window of fixed width",
    note="Minima are 2 pi nu sqrt(1 + nu^2)/(1 - nu^2) apart in omega_theta, so their "
    "density falls to zero at the edge, while each well keeps its width (2 sqrt(2) at "
    "half depth).",
)
angle.row("zucchet:fig7", "figure", "confirmed", "Fig. 7A-B, caption")(
    "Adam finds the teacher with the plain and with the exponential angle",
    r"\text{the loss is extremely sharp in the } \omega_\theta \text{ direction, but "
    r"Adam compensates for it}: \quad |\lambda_{50k} - \lambda^*| < \eta = 10^{-3}",
    code="sigprop.evidence.zucchet.landscape.descent.descend",
    note="Our reading: Adam compensates where it arrives, within its learning rate, "
    "about the length of a step. The distances are 6e-9 and 3e-6.",
)
angle.row("zucchet:fig7-sharpness", "figure", "confirmed", "Fig. 7, caption")(
    "How sharp the loss is by the three parameters of the angle",
    r"\text{extremely sharp (A), smoother (B), reparametrized to reduce the explosion "
    r"(C)}",
    code="theory.teacher_student_proofs.three_curvatures",
    note="At lam* the curvatures are 4901, 4.84 and 1.",
)
angle.row("zucchet:fig7-granularity", "figure", "proved", "Fig. 7B, caption")(
    "The exponential angle is smoother only for small angles",
    r"\text{this only holds when the considered angles are small enough}",
    printed=task.exponential_bend,
    code="exponential_angle",
    note="The curvature is theta^2 times that of Eq. 105: smoother below one radian, "
    "sharper above.",
)
angle.row("zucchet:fig7-valley", "figure", "confirmed", "Fig. 7C, caption")(
    "With the best angle the run ends in a valley, away from the minimum",
    r"\text{The parameters are first attracted to a nearby valley, flat on the } "
    r"\omega_\theta \text{ direction and only indirectly connected to the global "
    r"minimum}: \quad |\theta_{50k} - \theta^* - 2\pi m| < \eta = 10^{-3}",
    code="sigprop.evidence.zucchet.landscape.descent.descend",
    note="Our reading: the run ends with the right angle, within the learning rate, and "
    "away from lam* (zucchet:text:c1-inevitably). In our run the valley is the right "
    "angle itself, one whole turn on (theta* + 2 pi), reached at a smaller modulus; "
    "along it the loss falls very slowly towards that copy of the minimum. How the "
    "valley is connected to the drawn minimum is not judged.",
)
