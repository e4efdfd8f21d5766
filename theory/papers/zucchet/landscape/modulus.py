"""Zucchet & Orvieto (2024), Appendix C.1.2: curvature by the modulus, Eq. 94-100."""

import math

from theory import teacher_student as task
from theory import teacher_student_proofs as proofs
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.zucchet.landscape.forms import eq_95, eq_96
from theory.papers.zucchet.landscape.routes import (
    APART,
    BEST,
    BRUTE,
    CODE,
    CURVE,
    D2_L,
    D_L,
    MODULI,
    by,
    proved,
)
from theory.teacher_student import gain, nu, nu_star


def claims() -> tuple[Claim, ...]:
    """Eq. 94 to 100 with their text."""
    return (*_modulus(), *_reparametrised())


def _is_real(theta: float) -> bool:
    """True where an eigenvalue of this phase is real."""
    return math.isclose(math.sin(theta), 0, abs_tol=1e-9)


def _modulus() -> tuple[Claim, ...]:
    curvature = r"\frac{1}{(1-\nu^2)^2}"
    return (
        Claim(
            "zucchet:94",
            f"Eq. 94, {BEST}",
            Kind.MOMENT,
            "The loss of a student with the right angle",
            r"L_t = 1 - \frac{\gamma(\nu)\gamma(\nu^*)}{1 - \nu\nu^*}",
            "evidence",
            Status.PROVED,
            f"{CODE}.radial_loss",
            task.radial_loss,
            lambda: 1 - gain(nu) * gain(nu_star) / (1 - nu * nu_star),
            assumes="theta = theta*",
            evidence=by((0, 0), APART),
            topic="landscape",
        ),
        Claim(
            "zucchet:95",
            f"Eq. 95, {BEST}",
            Kind.IDENTITY,
            "Slope of the loss by the modulus",
            D_L + r"\nu} = -\frac{\gamma(\nu^*)\gamma'(\nu)}{1-\nu\nu^*} - \frac{"
            r"\gamma(\nu^*)\nu^*\gamma(\nu)}{(1-\nu\nu^*)^2}",
            "evidence",
            Status.PROVED,
            f"{CODE}.radial_loss",
            printed=eq_95,
            assumes="theta = theta*",
            evidence=proved(
                by((1, 0), APART), lambda: proofs.slope_of_radial(eq_95(), 1)
            ),
            topic="landscape",
        ),
        Claim(
            "zucchet:96",
            f"Eq. 96, {BEST}",
            Kind.IDENTITY,
            "Curvature of the loss by the modulus",
            D2_L + r"\nu^2} = -\frac{\gamma(\nu^*)\gamma''(\nu)}{1-\nu\nu^*} - \frac{"
            r"2\gamma(\nu^*)\nu^*\gamma'(\nu)}{(1-\nu\nu^*)^2} - \frac{2\gamma(\nu^*)"
            r"\nu^{*2}\gamma(\nu)}{(1-\nu\nu^*)^3}",
            "evidence",
            Status.PROVED,
            f"{CODE}.radial_loss",
            printed=eq_96,
            assumes="theta = theta*",
            evidence=proved(
                by((2, 0), APART), lambda: proofs.slope_of_radial(eq_96(), 2)
            ),
            topic="landscape",
        ),
        Claim(
            "zucchet:97",
            f"Eq. 97, {BEST}",
            Kind.IDENTITY,
            "Derivatives of the normalisation",
            r"\gamma'(\nu) = \frac{-\nu}{\gamma(\nu)} \text{ and } \gamma''(\nu) = "
            r"\frac{-\gamma(\nu)^2 - \nu^2}{\gamma(\nu)^3}",
            "evidence",
            Status.PROVED,
            f"{CODE}.gain",
            evidence=Evidence(
                MODULI,
                {"reference": f"{BRUTE}.gain_slopes"},
                form="theory.teacher_student_proofs.gain_slopes",
                proof=proofs.gain_slopes_are_right,
            ),
            note="The numerator of the second is just -1.",
            topic="landscape",
        ),
        Claim(
            "zucchet:98",
            f"Eq. 98, {BEST}",
            Kind.MOMENT,
            "Curvature by the modulus at optimality",
            D2_L + r"\nu^2} = " + curvature,
            "evidence",
            Status.PROVED,
            f"{CODE}.radial_curvature",
            task.radial_curvature,
            lambda: 1 / (1 - nu**2) ** 2,
            assumes="theta = theta*, nu = nu*",
            evidence=by((2, 0), MODULI),
            note="The gain's own slope takes a factor 1 + nu^2 off Eq. 84.",
            topic="landscape",
        ),
    )


def _reparametrised() -> tuple[Claim, ...]:
    real = tuple(
        {"path": "tanh", "omega": at, "theta": angle}
        for at, angle in ((0.4, 0.0), (1.1, math.pi), (0.8, 0.0))
    )
    turned = tuple({**point, "theta": 0.7} for point in real[:2])
    angle = {"path": "angle", "omega": 0.7, "nu": 0.6}
    rate = {
        "reference": f"{CURVE}.rate",
        "autodiff": f"{CURVE}.rate_autodiff",
    }
    return (
        Claim(
            "zucchet:text:c1-unit-sensitivity",
            f"text before Eq. 94, {BEST}",
            Kind.TEXT,
            "Unit sensitivity is unit curvature at optimality",
            r"\mathbb{E}[(\mathrm{d}_{\omega} h_t)^2] = 1 \Leftrightarrow "
            r"\mathrm{d}_{\omega}^2 L_t = 1",
            "evidence",
            Status.CONDITIONAL,
            f"{CURVE}.square_energy",
            condition=Condition(
                "lambda real and the parameter that of the modulus; otherwise the "
                "squared modulus |d h|^2 must stand for the square",
                lambda path, theta=0.0, **_: path != "angle" and _is_real(theta),
            ),
            evidence=Evidence(
                (*real, *turned, angle),
                {
                    "reference": f"{CURVE}.bend",
                    "impulse": f"{CURVE}.bend_energy",
                },
                form=f"{CURVE}.square_energy",
            ),
            note="The section allows complex states. The mean of the square is then "
            "complex and not the curvature; by the angle it is negative even for real "
            "lambda. With |d h|^2 the statement holds everywhere.",
            inherits="No: what follows is computed from the loss.",
            topic="landscape",
        ),
        Claim(
            "zucchet:99",
            f"Eq. 99, {BEST}",
            Kind.IDENTITY,
            "The chain rule for the curvature at optimality",
            D2_L + r"\omega_\nu^2} = \mathbb{E}\left[\frac{\mathrm{d}h_t}{\mathrm{d}"
            r"\omega_\nu}\frac{\mathrm{d}^2 L_t}{\mathrm{d}h_t^2}\frac{\mathrm{d}h_t}{"
            r"\mathrm{d}\omega_\nu}\right] = \nu'(\omega_\nu)^2 \mathbb{E}\left[\frac{"
            r"\mathrm{d}h_t}{\mathrm{d}\nu}\frac{\mathrm{d}^2 L_t}{\mathrm{d}h_t^2}"
            r"\frac{\mathrm{d}h_t}{\mathrm{d}\nu}\right] = \nu'(\omega_\nu)^2 \frac{"
            r"\mathrm{d}^2 L_t}{\mathrm{d}\nu^2}",
            "evidence",
            Status.CONDITIONAL,
            f"{CURVE}.bend",
            condition=Condition(
                "real states; otherwise the first factor of the two expectations must be "
                "conjugated",
                lambda theta, **_: _is_real(theta),
            ),
            evidence=Evidence(
                (*real, *turned),
                {
                    "reference": f"{CURVE}.bend_thrice",
                    "impulse": f"{CURVE}.bend_energy_thrice",
                },
                form=f"{CURVE}.chain",
            ),
            note="With d^2 L/dh^2 = 1. The outer equality, the one that is used, holds "
            "for complex states; the two expectations do so with |d h|^2.",
            inherits="No: Eq. 100 uses the outer equality.",
            topic="landscape",
        ),
        Claim(
            "zucchet:100",
            f"Eq. 100, {BEST}",
            Kind.IDENTITY,
            "The equation of the best modulus",
            r"\nu'(\omega_{\nu}) = (1 - \nu^2)",
            "evidence",
            Status.PROVED,
            f"{CODE}.best_modulus",
            printed=lambda: 1 - nu**2,
            assumes="unit curvature, nu growing with omega",
            evidence=Evidence(
                tuple({**point, "orders": (2, 0)} for point in MODULI),
                rate,
                proof=lambda: proofs.has_unit_curvature(
                    1 - nu**2, task.radial_curvature()
                ),
            ),
            topic="landscape",
        ),
        Claim(
            "zucchet:text:c1-tanh",
            f"text after Eq. 100, {BEST}",
            Kind.TEXT,
            "The best modulus is a hyperbolic tangent",
            r"\nu(\omega_{\nu}) = \tanh(\omega_{\nu})",
            "evidence",
            Status.PROVED,
            f"{CODE}.best_modulus",
            printed=task.best_modulus,
            assumes="nu(0) = 0",
            evidence=Evidence(
                tuple({"omega": at} for at in (0.3, 0.9, 1.6)),
                {"reference": f"{CURVE}.modulus_solution"},
                proof=proofs.solves_its_equation,
                tolerance=1e-9,
            ),
            note="Integrated from the curvature of the sums, not from Eq. 100.",
            topic="landscape",
        ),
    )
