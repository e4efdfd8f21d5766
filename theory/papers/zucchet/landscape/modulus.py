"""Zucchet & Orvieto (2024), Appendix C.1.2: curvature along the modulus, Eq. 94-100."""

from sympy import Expr, diff

from sigprop.theory import teacher_student as task
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part
from sigprop.theory.teacher_student import gain, nu, nu_star


def eq_95() -> Expr:
    """Return Eq. 95 as printed."""
    student, derivative = gain(nu), diff(gain(nu), nu)
    gap = 1 - nu * nu_star
    return (
        -gain(nu_star) * derivative / gap - gain(nu_star) * nu_star * student / gap**2
    )


def eq_96() -> Expr:
    """Return Eq. 96 as printed."""
    student, derivative, curvature = (diff(gain(nu), nu, order) for order in range(3))
    gap, teacher = 1 - nu * nu_star, gain(nu_star)
    first = -teacher * curvature / gap - 2 * teacher * nu_star * derivative / gap**2
    return first - 2 * teacher * nu_star**2 * student / gap**3


part = Part("Appendix C.1.2", "landscape", "sigprop.theory.teacher_student")

part.row(
    "zucchet:94",
    "moment",
    "proved",
    "The loss of a student with the right angle",
    r"L_t = 1 - \frac{\gamma(\nu)\gamma(\nu^*)}{1 - \nu\nu^*}",
    derive=task.radial_loss,
    printed=lambda: 1 - gain(nu) * gain(nu_star) / (1 - nu * nu_star),
    code="radial_loss",
    assumes="theta = theta*",
)
part.row(
    "zucchet:95",
    "identity",
    "proved",
    "Derivative of the loss with respect to the modulus",
    r"\frac{\mathrm{d}L_t}{\mathrm{d}\nu} = -\frac{\gamma(\nu^*)\gamma'(\nu)}{1-\nu"
    r"\nu^*} - \frac{\gamma(\nu^*)\nu^*\gamma(\nu)}{(1-\nu\nu^*)^2}",
    printed=eq_95,
    code="radial_loss",
    assumes="theta = theta*",
)
part.row(
    "zucchet:96",
    "identity",
    "proved",
    "Curvature of the loss with respect to the modulus",
    r"\frac{\mathrm{d}^2 L_t}{\mathrm{d}\nu^2} = -\frac{\gamma(\nu^*)\gamma''(\nu)}{1-"
    r"\nu\nu^*} - \frac{2\gamma(\nu^*)\nu^*\gamma'(\nu)}{(1-\nu\nu^*)^2} - "
    r"\frac{2\gamma(\nu^*)\nu^{*2}\gamma(\nu)}{(1-\nu\nu^*)^3}",
    printed=eq_96,
    code="radial_loss",
    assumes="theta = theta*",
)
part.row(
    "zucchet:97",
    "identity",
    "proved",
    "Derivatives of the normalisation",
    r"\gamma'(\nu) = \frac{-\nu}{\gamma(\nu)} \text{ and } \gamma''(\nu) = "
    r"\frac{-\gamma(\nu)^2 - \nu^2}{\gamma(\nu)^3}",
    code="gain",
    note="The numerator of the second derivative is just -1.",
)
part.row(
    "zucchet:98",
    "moment",
    "proved",
    "Curvature with respect to the modulus at optimality",
    r"\frac{\mathrm{d}^2 L_t}{\mathrm{d}\nu^2} = \frac{1}{(1-\nu^2)^2}",
    derive=task.radial_curvature,
    printed=lambda: 1 / (1 - nu**2) ** 2,
    code="radial_curvature",
    assumes="theta = theta*, nu = nu*",
    note="The derivative of the gain divides Eq. 84 by 1 + nu^2.",
)
part.row(
    "zucchet:text:c1-unit-sensitivity",
    "text",
    "refuted",
    "Unit sensitivity is unit curvature at optimality",
    r"\mathbb{E}[(\mathrm{d}_{\omega} h_t)^2] = 1 \Leftrightarrow "
    r"\mathrm{d}_{\omega}^2 L_t = 1",
    where="text before Eq. 94",
    code="sigprop.evidence.zucchet.landscape.curvature.square_energy",
    correction=r"\mathbb{E}[|\mathrm{d}_{\omega} h_t|^2] = 1 \Leftrightarrow "
    r"\mathrm{d}_{\omega}^2 L_t = 1",
    note="The paper takes the mean of the square; it should be the mean of the squared "
    "modulus. The section allows complex states, for which the mean of the square is "
    "complex and is not the curvature. For the angle it is negative even at real "
    "lambda. The printed form holds only for the modulus of a real eigenvalue.",
    erratum=Erratum(
        "C",
        bearing="No later result is affected: the paper computes what follows from "
        "the loss.",
    ),
)
part.row(
    "zucchet:99",
    "identity",
    "confirmed",
    "The chain rule for the curvature at optimality",
    r"\frac{\mathrm{d}^2 L_t}{\mathrm{d}\omega_\nu^2} = \mathbb{E}\left[\frac{"
    r"\overline{\mathrm{d}h_t}}{\mathrm{d}\omega_\nu}\frac{\mathrm{d}^2 L_t}{"
    r"\mathrm{d}h_t^2}\frac{\mathrm{d}h_t}{\mathrm{d}\omega_\nu}\right] = "
    r"\nu'(\omega_\nu)^2 \mathbb{E}\left[\frac{\overline{\mathrm{d}h_t}}{"
    r"\mathrm{d}\nu}\frac{\mathrm{d}^2 L_t}{\mathrm{d}h_t^2}\frac{\mathrm{d}h_t}{"
    r"\mathrm{d}\nu}\right] = \nu'(\omega_\nu)^2 \frac{\mathrm{d}^2 L_t}{"
    r"\mathrm{d}\nu^2}",
    code="sigprop.evidence.zucchet.landscape.curvature.path_curvature",
    note="Our copy has no line over the first factor of both expectations and may have "
    "lost it. With d^2 L/dh^2 = 1 and complex states the first factor must be "
    "conjugated. Eq. 100 uses the equality of the first and the last member, which does "
    "not need the line.",
    as_extracted=True,
)
part.row(
    "zucchet:100",
    "identity",
    "proved",
    "The equation of the best modulus",
    r"\nu'(\omega_{\nu}) = (1 - \nu^2)",
    printed=lambda: 1 - nu**2,
    code="best_modulus",
    assumes="unit curvature, nu growing with omega",
)
part.row(
    "zucchet:text:c1-tanh",
    "text",
    "proved",
    "The best modulus is a hyperbolic tangent",
    r"\nu(\omega_{\nu}) = \tanh(\omega_{\nu})",
    where="text after Eq. 100",
    printed=task.best_modulus,
    code="best_modulus",
    assumes="nu(0) = 0",
    note="The test integrates from the curvature of the sums, not from Eq. 100.",
)
