"""Zucchet & Orvieto (2024), Sections 3.1 and 4.1: statements of the text on one unit."""

from functools import partial

from sympy import Expr

from sigprop.theory import teacher_student as task
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.papers.zucchet.conditions import has_power
from sigprop.theory.rows import Part
from sigprop.theory.teacher_student import nu

part = Part("Section 3.1", "parametrisation", "sigprop.theory.teacher_student")
unit = part.at("Section 4.1", "landscape")

part.row(
    "zucchet:text:c1-sensitivity-larger",
    "text",
    "confirmed",
    "The sensitivity's variance is larger than the state's",
    r"\text{the variance of } \mathrm{d}_{\lambda}h_t \text{ is much larger than the "
    r"one of } h_t",
    code="sigprop.evidence.zucchet.landscape.one_dimension.sensitivity_over_state",
    assumes=Condition(
        "0 < lambda < 1, R = rho^|Delta| with rho in [0, 1], as in Fig. 1A",
        lambda lam, rho, **_: complex(lam).imag == 0 and 0 < lam < 1 and 0 <= rho <= 1,
    ),
    note="The test concerns the direction, a ratio above one; that it has no bound "
    "towards 1 is zucchet:text:faster. At lambda = 0.99 it is 5000 for white input "
    "and 10000 at rho = 1. For an alternating input (rho = -1), which the figure does "
    "not have, it is 1/(1 + lambda)^2, below one.",
)
part.row(
    "zucchet:text:c1-rate-by-input",
    "text",
    "proved",
    "The best parametrisation depends on the input",
    r"\gamma(\lambda)^2 \lambda'(\omega)^2 \mathbb{E}[(\mathrm{d}_\lambda h_t)^2] = 1 "
    r"\text{: no universal optimal parametrization}",
    printed=lambda: task.held_rate().result,
    code="held_rate",
    assumes=Condition(
        "lambda real, gamma^2 E[h^2] = 1, gamma held fixed",
        lambda lam, **_: complex(lam).imag == 0,
    ),
    note="We solve for exponential autocovariance: the derivative of the rate with "
    "respect to rho is not zero.",
)
unit.row(
    "zucchet:text:one-dimensional-loss",
    "definition",
    "definition",
    "The one-dimensional task's loss",
    r"L_t := \frac{1}{2}|h_t - h_t^*|^2 \text{, averaged over the sequence}",
    code="sigprop.evidence.zucchet.landscape.loss.mean_loss",
    note="The statement is Eq. 86 before the expectation over the inputs, the "
    "sentence of zucchet:text:teacher-student. The test compares its mean over all "
    "sequences of eight signs.",
)
unit.row(
    "zucchet:text:one-dimensional-input",
    "definition",
    "definition",
    "The one-dimensional task's input",
    r"x_t \sim \mathcal{N}(0, 1) \text{ independent}",
    code="sigprop.inputs.White",
    note="The statement gives the distribution of single inputs. The row "
    "zucchet:text:white-inputs judges that R_x is then the delta.",
)
unit.row(
    "zucchet:text:one-dimensional-other-inputs",
    "text",
    "conditional",
    "Other inputs give the same picture",
    r"\text{other input distributions do not qualitatively change the results}",
    code="sigprop.evidence.zucchet.landscape.one_dimension.growth",
    condition=Condition(
        "the input has power at the frequency of the teacher's eigenvalue",
        lambda rho, angle, **_: has_power(rho, angle),
    ),
    note="The reading is ours, and we judge only the direction. From |lambda*| = 0.99 "
    "to 0.999 the curvature of the loss at the teacher grows 995 times under white "
    "input. Under constant input it grows only for lambda* near 1. Under alternating "
    "input it grows only for lambda* near -1. Fig. 1 has a positive teacher.",
    erratum=Erratum(
        "D",
        root="zucchet:text:state-diverges",
        bearing="No later result is affected: Section 4.1 continues with white input.",
    ),
)
unit.row(
    "zucchet:text:one-dimensional-stable",
    "bound",
    "confirmed",
    "Inside the unit circle gradients do not explode in time",
    r"|\lambda| < 1: \text{ exploding gradients are out of the picture}",
    code="sigprop.neuron.recurrence.linear_recurrence",
    note="The statement is about dh_t/dh_s with t > s, whose modulus is "
    "|lambda|^(t-s).",
)
unit.row(
    "zucchet:text:one-dimensional-flat",
    "text",
    "proved",
    "Vanishing gradients make flat regions",
    r"\text{vanishing gradients lead to flat loss regions}",
    code="sigprop.evidence.zucchet.landscape.curvature.partial",
    assumes="on the circle (Fig. 1C), at a fixed angle off the teacher",
    note="There the derivative falls as 1 - |lam*|: at a right angle it is 0.0508 at "
    "|lam*| = 0.95 and 0.0100 at 0.99. On the real axis (Fig. 1B) it is -lam* at "
    "lambda = 0: flat only beside the height of the loss, 1/(1 - lam*^2) / 2. The "
    "statement repeats zucchet:text:flat.",
    uncounted="repeats zucchet:text:flat",
)


def _sharper(
    suffix: str, where: str, parameter: str, latex: str, printed: Expr
) -> None:
    unit.row(
        f"zucchet:text:one-dimensional-sharp{suffix}",
        "text",
        "proved",
        f"The curvature of the loss grows with longer memory, {where}",
        r"\text{the loss sharpens as the student encodes longer memories}: \quad "
        + latex,
        derive=partial(task.plain_curvature, parameter),
        printed=lambda: printed,
        code="plain_curvature",
        assumes=Condition(
            "white input, no normalisation, at the teacher", lambda gain, **_: not gain
        ),
        note="The formula is ours; the paper says it of Fig. 1. The curvature grows "
        "with the teacher's modulus and is of order (1 - |lam*|)^-3.",
        uncounted="the formula is ours",
    )


_sharper(
    "",
    "on the real axis",
    "modulus",
    r"\frac{\mathrm{d}^2L}{\mathrm{d}\nu^2} = \frac{1+\nu^2}{(1-\nu^2)^3}",
    (1 + nu**2) / (1 - nu**2) ** 3,
)
_sharper(
    "-angle",
    "on the circle",
    "angle",
    r"\frac{\mathrm{d}^2L}{\mathrm{d}\theta^2} = \frac{\nu^2(1+\nu^2)}{(1-\nu^2)^3}",
    nu**2 * (1 + nu**2) / (1 - nu**2) ** 3,
)
