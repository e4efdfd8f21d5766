"""Zucchet & Orvieto (2024), Appendix C.1.2: curvature along the angle, Eq. 101-109."""

from sympy import Expr, diff, sin, sqrt

from sigprop.theory import teacher_student as task
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import inside
from sigprop.theory.rows import Part
from sigprop.theory.symbols import theta
from sigprop.theory.teacher_student import gain, nu, nu_star, turn


def alpha_of_turn() -> Expr:
    """Return ``|1 - conj(lam) lam*|^2`` as printed.

    Source: Zucchet & Orvieto (2024), Eq. 102.
    """
    return (1 - task.overlap) ** 2 + nu**2 * nu_star**2 * sin(turn) ** 2


def eq_103() -> Expr:
    """Return Eq. 103 as printed."""
    alpha = alpha_of_turn()
    inner = -nu * nu_star * sin(turn) / alpha
    inner += (1 - task.overlap) * diff(alpha, theta) / alpha**2
    return gain(nu) * gain(nu_star) * inner


def eq_104() -> Expr:
    """Return Eq. 104 as printed."""
    alpha = alpha_of_turn()
    derivative, curvature = diff(alpha, theta), diff(alpha, theta, 2)
    inner = -task.overlap / alpha + 2 * nu * nu_star * sin(turn) * derivative / alpha**2
    inner += (1 - task.overlap) * curvature / alpha**2
    inner -= 2 * (1 - task.overlap) * derivative**2 / alpha**3
    return gain(nu) * gain(nu_star) * inner


part = Part("Appendix C.1.2", "landscape", "sigprop.theory.teacher_student")

part.row(
    "zucchet:101",
    "moment",
    "proved",
    "The loss in moduli and angles",
    r"L_t = 1 - \operatorname{Re}\left[\frac{\gamma(\nu)\gamma(\nu^*)}{1 - "
    r"\bar{\lambda}\lambda^*}\right] = 1 - \frac{\gamma(\nu)\gamma(\nu^*)(1 - "
    r"\nu\nu^*\cos(\theta - \theta^*))}{|1 - \bar{\lambda}\lambda^*|^2}",
    printed=lambda: 1 - gain(nu) * gain(nu_star) * (1 - task.overlap) / alpha_of_turn(),
    code="polar_loss",
)
part.row(
    "zucchet:102",
    "identity",
    "proved",
    "The squared distance of the product from one",
    r"\alpha(\theta-\theta^*) := |1 - \bar{\lambda}\lambda^*|^2 = (1 - "
    r"\nu\nu^*\cos(\theta - \theta^*))^2 + \nu^2\nu^{*2}\sin(\theta - \theta^*)^2",
    printed=alpha_of_turn,
    code="polar_loss",
)
part.row(
    "zucchet:103",
    "identity",
    "proved",
    "Derivative of the loss with respect to the angle",
    r"\frac{\mathrm{d}L_t}{\mathrm{d}\theta} = \gamma(\nu)\gamma(\nu^*) "
    r"\left(-\frac{\nu\nu^*\sin(\theta-\theta^*)}{\alpha(\theta-\theta^*)} + "
    r"\frac{(1-\nu\nu^*\cos(\theta-\theta^*))\alpha'(\theta-\theta^*)}{\alpha(\theta-"
    r"\theta^*)^2}\right)",
    printed=eq_103,
    code="polar",
)
part.row(
    "zucchet:104",
    "identity",
    "proved",
    "Curvature of the loss with respect to the angle",
    r"\frac{\mathrm{d}^2 L_t}{\mathrm{d}\theta^2} = \gamma(\nu)\gamma(\nu^*) "
    r"\left(-\frac{\nu\nu^*\cos(\theta-\theta^*)}{\alpha(\theta-\theta^*)} + "
    r"2\frac{\nu\nu^*\sin(\theta-\theta^*)\alpha'(\theta-\theta^*)}{\alpha(\theta-"
    r"\theta^*)^2} + \frac{(1-\nu\nu^*\cos(\theta-\theta^*))\alpha''(\theta-"
    r"\theta^*)}{\alpha(\theta-\theta^*)^2} - 2\frac{(1-\nu\nu^*\cos(\theta-\theta^*))"
    r"\alpha'(\theta-\theta^*)^2}{\alpha(\theta-\theta^*)^3}\right)",
    printed=eq_104,
    code="polar",
)
part.row(
    "zucchet:text:c1-alpha-at-zero",
    "text",
    "proved",
    "The squared distance and its derivatives at optimality",
    r"\alpha(0) = (1 - \nu^2)^2,\quad \alpha'(0) = 0,\quad \alpha''(0) = 2\nu^2",
    where="text before Eq. 105",
    code="distance_squared",
    assumes="nu = nu*",
)
part.row(
    "zucchet:105",
    "moment",
    "proved",
    "Curvature with respect to the angle at optimality",
    r"\frac{\mathrm{d}^2 L_t}{\mathrm{d}\theta^2} = \frac{\nu^2 "
    r"(1+\nu^2)}{(1-\nu^2)^2}",
    derive=task.angular_curvature,
    printed=lambda: nu**2 * (1 + nu**2) / (1 - nu**2) ** 2,
    code="angular_curvature",
    assumes="theta = theta*, nu = nu*",
)
part.row(
    "zucchet:106",
    "identity",
    "proved",
    "The equation of the best angle",
    r"\theta'(\omega_{\theta}) = \frac{1-\nu^2}{\nu\sqrt{1+\nu^2}}",
    printed=task.granularity,
    code="granularity",
    assumes="unit curvature, theta growing with omega, nu held fixed",
)
part.row(
    "zucchet:107",
    "identity",
    "proved",
    "The best angle",
    r"\theta(\omega_{\theta}) = \omega_{\theta} \frac{1-\nu^2}{\nu\sqrt{1+\nu^2}}",
    printed=task.best_angle,
    code="best_angle",
    assumes="nu held fixed, theta(0) = 0",
)
part.row(
    "zucchet:108",
    "definition",
    "definition",
    "The modulus that the paper calls optimal from here on",
    r"\nu(\omega_{\nu}^{\text{opt}}) = \tanh(\omega_{\nu}^{\text{opt}})",
    code="best_modulus",
    note="The test checks that the curvature at optimality is 1.",
    topic="parametrisation",
)
part.row(
    "zucchet:109",
    "definition",
    "definition",
    "The angle that the paper calls optimal from here on",
    r"\theta(\omega_{\theta}^{\text{opt}}) = \omega_{\theta}^{\text{opt}} "
    r"\frac{1-\nu^2}{\nu\sqrt{1+\nu^2}}",
    code="best_angle",
    note="The test checks that the curvature at optimality is 1, at a fixed modulus.",
    topic="parametrisation",
)
part.row(
    "zucchet:text:c1-gain-held",
    "text",
    "proved",
    "The cost, along the modulus, of holding the gain fixed",
    r"\text{ignoring the dependence of } \gamma \text{ on } \lambda \text{ is "
    r"relatively accurate}: \quad \frac{E(\nu)}{\mathrm{d}^2_\nu L_t} = 1 + \nu^2",
    where="remarks after Eq. 107",
    printed=lambda: 1 + nu**2,
    code="held_gain",
    assumes=Condition("white input, |lambda| < 1", inside("nu")),
    note='The formula is ours, because "relatively accurate" has no number. The '
    "curvature of Eq. 84 is between one and two times that of Eq. 98. The angle's "
    "curvature does not change at all.",
    uncounted="the formula is ours",
)
part.row(
    "zucchet:text:c1-extra-factor",
    "text",
    "proved",
    "The optimal angle compared with the angle of the general case",
    r"\text{the only difference is an extra } \nu \text{ term, insignificant as } \nu "
    r"\rightarrow 1: \quad \frac{\theta'(\omega_\theta)}{1 - \nu^2} = \frac{1}{\nu "
    r"\sqrt{1 + \nu^2}} = \Theta(1)",
    where="remarks after Eq. 107",
    printed=lambda: 1 / (nu * sqrt(1 + nu**2)),
    code="granularity",
    note="Appendix B.3.2 asks only for Theta(1 - nu^2), so constants do not matter. "
    "The formula is ours. The factor tends to 0.7071, not to one, but Theta ignores "
    "constant factors.",
    uncounted="the formula is ours",
)
part.row(
    "zucchet:text:c1-angle-moves-with-modulus",
    "text",
    "proved",
    "The equation of the modulus changes when the angle depends on it",
    r"\text{the optimal } \theta \text{ has to be a function of } \nu \text{, so the "
    r"equation of } \nu \text{ changes}",
    where="remarks after Eq. 107",
    derive=task.coupled_curvature,
    printed=task.coupled_printed,
    code="coupled_curvature",
    assumes="nu = tanh(omega_nu), theta as in Eq. 107",
    note="The curvature by omega_nu is then 1 + omega_theta^2 (1 + 3 nu^2)^2 / (nu^2 "
    "(1 + nu^2)^2): one only at omega_theta = 0. The sentence after it reads as the "
    'opposite, unless "this" is the neglect of the dependence.',
)
part.row(
    "zucchet:text:c1-no-simple-solution",
    "text",
    "not-checkable",
    "The best modulus and angle at once",
    r"\text{there is no simple solution to that problem}",
    where="remarks after Eq. 107",
    code="gaussian_curvature",
    reason="Simple has no measure. What is known: the Hessian at optimality is a metric "
    "whose Gaussian curvature lies between -7 and -4, so that no change of variables, "
    "polar or not, makes the whole Hessian the identity; unit diagonals alone, which is "
    "what the paper asks for, can be had locally.",
)
