"""Zucchet & Orvieto (2024), Appendix C.1.2: curvature by the angle, Eq. 101-109."""

import math

from sympy import sqrt

from theory import teacher_student as task
from theory import teacher_student_proofs as proofs
from theory.autocorrelation import is_zero
from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence
from theory.papers.zucchet.landscape.forms import alpha_of_turn, eq_103, eq_104
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
from theory.symbols import theta
from theory.teacher_student import gain, nu, nu_star

TURNED = tuple(
    {**point, "theta": student, "theta_star": teacher}
    for point, (student, teacher) in zip(
        APART, ((0.9, 0.2), (-1.1, 0.5), (2.8, -0.4)), strict=True
    )
)


def claims() -> tuple[Claim, ...]:
    """Eq. 101 to 109 with the two remarks."""
    return (*_angle(), *_best_angle(), *_remarks())


def _angle() -> tuple[Claim, ...]:
    real = r"\frac{\gamma(\nu)\gamma(\nu^*)(1 - \nu\nu^*\cos(\theta - \theta^*))}"
    delta = r"(\theta-\theta^*)"
    aligned = r"(1-\nu\nu^*\cos(\theta-\theta^*))"
    return (
        Claim(
            "zucchet:101",
            f"Eq. 101, {BEST}",
            Kind.MOMENT,
            "The loss in moduli and angles",
            r"L_t = 1 - \operatorname{Re}\left[\frac{\gamma(\nu)\gamma(\nu^*)}{1 - "
            r"\bar{\lambda}\lambda^*}\right] = 1 - "
            + real
            + r"{|1 - \bar{\lambda}\lambda^*|^2}",
            "evidence",
            Status.PROVED,
            f"{CODE}.polar_loss",
            printed=lambda: (
                1 - gain(nu) * gain(nu_star) * (1 - task.overlap) / alpha_of_turn()
            ),
            evidence=proved(
                by((0, 0), TURNED),
                lambda: task.vanishes(
                    gain(nu) * gain(nu_star) * (1 - task.overlap) / alpha_of_turn()
                    - 1
                    + task.polar_loss().result
                ),
            ),
            topic="landscape",
        ),
        Claim(
            "zucchet:102",
            f"Eq. 102, {BEST}",
            Kind.IDENTITY,
            "The squared distance of the product from one",
            r"\alpha" + delta + r" := |1 - \bar{\lambda}\lambda^*|^2 = (1 - \nu\nu^*"
            r"\cos(\theta - \theta^*))^2 + \nu^2\nu^{*2}\sin(\theta - \theta^*)^2",
            "evidence",
            Status.PROVED,
            f"{CODE}.polar_loss",
            printed=alpha_of_turn,
            evidence=Evidence(
                TURNED,
                {"reference": f"{BRUTE}.distance_squared"},
                proof=lambda: task.vanishes(alpha_of_turn() - task.distance_squared()),
            ),
            topic="landscape",
        ),
        Claim(
            "zucchet:103",
            f"Eq. 103, {BEST}",
            Kind.IDENTITY,
            "Slope of the loss by the angle",
            D_L
            + r"\theta} = \gamma(\nu)\gamma(\nu^*) \left(-\frac{\nu\nu^*\sin"
            + delta
            + r"}{\alpha"
            + delta
            + r"} + \frac{"
            + aligned
            + r"\alpha'"
            + delta
            + r"}{\alpha"
            + delta
            + r"^2}\right)",
            "evidence",
            Status.PROVED,
            f"{CODE}.polar",
            printed=eq_103,
            evidence=proved(
                by((0, 1), TURNED),
                lambda: task.vanishes(eq_103() - task.polar(theta)),
            ),
            topic="landscape",
        ),
        Claim(
            "zucchet:104",
            f"Eq. 104, {BEST}",
            Kind.IDENTITY,
            "Curvature of the loss by the angle",
            D2_L + r"\theta^2} = \gamma(\nu)\gamma(\nu^*) \left(-\frac{\nu\nu^*\cos"
            r"(\theta-\theta^*)}{\alpha(\theta-\theta^*)} + 2\frac{\nu\nu^*\sin(\theta-"
            r"\theta^*)\alpha'(\theta-\theta^*)}{\alpha(\theta-\theta^*)^2} + \frac{"
            + aligned
            + r"\alpha''(\theta-\theta^*)}{\alpha(\theta-\theta^*)^2} - 2\frac{"
            + aligned
            + r"\alpha'(\theta-\theta^*)^2}{\alpha(\theta-\theta^*)^3}\right)",
            "evidence",
            Status.PROVED,
            f"{CODE}.polar",
            printed=eq_104,
            evidence=proved(
                by((0, 2), TURNED),
                lambda: task.vanishes(eq_104() - task.polar(theta, theta)),
            ),
            topic="landscape",
        ),
        Claim(
            "zucchet:text:c1-alpha-at-zero",
            f"text before Eq. 105, {BEST}",
            Kind.TEXT,
            "The squared distance and its derivatives at optimality",
            r"\alpha(0) = (1 - \nu^2)^2,\quad \alpha'(0) = 0,\quad \alpha''(0) = 2\nu^2",
            "evidence",
            Status.PROVED,
            f"{CODE}.distance_squared",
            assumes="nu = nu*",
            evidence=Evidence(
                MODULI,
                {"reference": f"{BRUTE}.distance_at_zero"},
                form="theory.teacher_student_proofs.distance_at_zero",
                proof=proofs.distance_at_zero_is_right,
                slips={
                    "the slope not zero": "theory.teacher_student_proofs.sloped_distance"
                },
            ),
            topic="landscape",
        ),
    )


def _best_angle() -> tuple[Claim, ...]:
    rate = r"\frac{1-\nu^2}{\nu\sqrt{1+\nu^2}}"
    solved = tuple(
        {**point, "omega": at}
        for point, at in zip(MODULI, (0.5, -1.2, 2.0), strict=True)
    )
    best = tuple({**point, "path": "best angle"} for point in solved)
    grown = tuple({"path": "tanh", "omega": at} for at in (0.4, 1.1))
    return (
        Claim(
            "zucchet:105",
            f"Eq. 105, {BEST}",
            Kind.MOMENT,
            "Curvature by the angle at optimality",
            D2_L + r"\theta^2} = \frac{\nu^2 (1+\nu^2)}{(1-\nu^2)^2}",
            "evidence",
            Status.PROVED,
            f"{CODE}.angular_curvature",
            task.angular_curvature,
            lambda: nu**2 * (1 + nu**2) / (1 - nu**2) ** 2,
            assumes="theta = theta*, nu = nu*",
            evidence=by((0, 2), MODULI),
            topic="landscape",
        ),
        Claim(
            "zucchet:106",
            f"Eq. 106, {BEST}",
            Kind.IDENTITY,
            "The equation of the best angle",
            r"\theta'(\omega_{\theta}) = " + rate,
            "evidence",
            Status.PROVED,
            f"{CODE}.granularity",
            printed=task.granularity,
            assumes="unit curvature, theta growing with omega, nu held fixed",
            evidence=Evidence(
                tuple({**point, "orders": (0, 2)} for point in MODULI),
                {
                    "reference": f"{CURVE}.rate",
                    "autodiff": f"{CURVE}.rate_autodiff",
                },
                proof=lambda: proofs.has_unit_curvature(
                    task.granularity(), task.angular_curvature()
                ),
            ),
            topic="landscape",
        ),
        Claim(
            "zucchet:107",
            f"Eq. 107, {BEST}",
            Kind.IDENTITY,
            "The best angle",
            r"\theta(\omega_{\theta}) = \omega_{\theta} " + rate,
            "evidence",
            Status.PROVED,
            f"{CODE}.best_angle",
            printed=task.best_angle,
            assumes="nu held fixed, theta(0) = 0",
            evidence=Evidence(
                solved,
                {"reference": f"{CURVE}.angle_solution"},
                proof=proofs.best_angle_solves,
                tolerance=1e-9,
            ),
            topic="landscape",
        ),
        Claim(
            "zucchet:108",
            f"Eq. 108, {BEST}",
            Kind.DEFINITION,
            "The modulus called optimal from here on",
            r"\nu(\omega_{\nu}^{\text{opt}}) = \tanh(\omega_{\nu}^{\text{opt}})",
            "evidence",
            Status.DEFINITION,
            f"{CODE}.best_modulus",
            evidence=Evidence(
                grown, _bends(), form="theory.teacher_student_proofs.unit"
            ),
            note="Checked: its curvature at optimality is one.",
            topic="parametrisation",
        ),
        Claim(
            "zucchet:109",
            f"Eq. 109, {BEST}",
            Kind.DEFINITION,
            "The angle called optimal from here on",
            r"\theta(\omega_{\theta}^{\text{opt}}) = \omega_{\theta}^{\text{opt}} "
            + rate,
            "evidence",
            Status.DEFINITION,
            f"{CODE}.best_angle",
            evidence=Evidence(
                best, _bends(), form="theory.teacher_student_proofs.unit"
            ),
            note="Checked: its curvature at optimality is one, at a fixed modulus.",
            topic="parametrisation",
        ),
    )


def _bends() -> dict[str, str]:
    return {"reference": f"{CURVE}.bend", "impulse": f"{CURVE}.bend_energy"}


def _remarks() -> tuple[Claim, ...]:
    remark = f"remarks after Eq. 107, {BEST}"
    coupled = tuple(
        {"path": "coupled", "omega": at, "omega_theta": angle, "nu": math.tanh(at)}
        for at, angle in ((0.5, 0.8), (1.2, -1.7))
    )
    return (
        Claim(
            "zucchet:text:c1-gain-held",
            remark,
            Kind.TEXT,
            "What holding the gain fixed costs by the modulus",
            r"\text{ignoring the dependence of } \gamma \text{ on } \lambda "
            r"\text{ is relatively accurate}",
            "evidence",
            Status.PROVED,
            f"{CODE}.held_gain",
            printed=lambda: 1 + nu**2,
            assumes="white input, |lambda| < 1",
            evidence=Evidence(
                MODULI,
                {
                    "reference": f"{CURVE}.held_gain",
                    "impulse": f"{CURVE}.held_gain_impulse",
                },
                proof=lambda: is_zero(task.held_gain() - 1 - nu**2),
            ),
            note="The curvature of Eq. 84 is 1 + nu^2 times that of Eq. 98: between one "
            "and two. The angle's curvature does not change at all.",
            topic="landscape",
        ),
        Claim(
            "zucchet:text:c1-extra-factor",
            remark,
            Kind.TEXT,
            "The optimal angle against that of the general case",
            r"\text{the only difference is an extra } \nu \text{ term, insignificant as "
            r"} \nu \rightarrow 1",
            "evidence",
            Status.REFUTED,
            f"{CODE}.granularity",
            printed=lambda: 1 / nu,
            corrected=lambda: 1 / (nu * sqrt(1 + nu**2)),
            correction=r"\text{the only difference is a factor } \frac{1}{\nu \sqrt{1 + "
            r"\nu^2}} \text{, which tends to } \frac{1}{\sqrt{2}} \text{ as } \nu "
            r"\rightarrow 1",
            evidence=Evidence(
                tuple({**point, "orders": (0, 2)} for point in (*MODULI, {"nu": 0.95})),
                {
                    "reference": f"{CURVE}.over_general",
                    "autodiff": f"{CURVE}.over_general_autodiff",
                },
            ),
            note="Eq. 107 over stop_gradient(1 - nu^2) is 1/(nu sqrt(1 + nu^2)); it tends "
            "to 0.71, not to one. The difference does not come from the gain, as the "
            "remark has it, but from the nu^2 and 1 + nu^2 that B.3.2 drops: kept, its "
            "condition gives Eq. 106 exactly.",
            topic="landscape",
        ),
        Claim(
            "zucchet:text:c1-angle-moves-with-modulus",
            remark,
            Kind.TEXT,
            "The equation of the modulus changes when the angle depends on it",
            r"\text{the optimal } \theta \text{ has to be a function of } \nu "
            r"\text{, so the equation of } \nu \text{ changes}",
            "evidence",
            Status.PROVED,
            f"{CODE}.coupled_curvature",
            task.coupled_curvature,
            task.coupled_printed,
            assumes="nu = tanh(omega_nu), theta as in Eq. 107",
            evidence=Evidence(
                coupled,
                {
                    "reference": f"{CURVE}.coupled_bend",
                    "impulse": f"{CURVE}.coupled_energy",
                },
            ),
            note="The curvature by omega_nu is then 1 + omega_theta^2 (1 + 3 nu^2)^2 / "
            "(nu^2 (1 + nu^2)^2): one only at omega_theta = 0. The sentence after it "
            "must mean that this complicates, not simplifies, the calculation.",
            topic="landscape",
        ),
        Claim(
            "zucchet:text:c1-no-simple-solution",
            remark,
            Kind.TEXT,
            "No parametrisation is optimal in both and in what they share",
            r"\text{there is no simple solution to that problem}",
            "evidence",
            Status.PROVED,
            f"{CODE}.gaussian_curvature",
            task.gaussian_curvature,
            lambda: -(3 * nu**4 + 6 * nu**2 + 7) / (1 + nu**2) ** 2,
            assumes="optimal: the whole Hessian at optimality is the identity",
            evidence=Evidence(
                MODULI,
                {"reference": f"{CURVE}.surface_curvature"},
                tolerance=1e-9,
            ),
            note="The Hessian at optimality is a metric whose Gaussian curvature lies "
            "between -7 and -4. It is never zero, so no change of variables, polar or "
            "not, makes the Hessian the identity everywhere. Unit diagonals alone, which "
            "is what the paper asks for, can still be had locally.",
            topic="landscape",
        ),
    )
