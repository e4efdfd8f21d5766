"""Zucchet & Orvieto (2024), Sections 3.1 and 4.1: what the text says of one unit."""

import cmath
import math

from theory import teacher_student as task
from theory import teacher_student_proofs as proofs
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.zucchet.conditions import has_power
from theory.papers.zucchet.landscape.routes import BRUTE, CODE, SHAPES, by
from theory.teacher_student import nu, nu_star

REMEDY = "Section 3.1"
ONE = "Section 4.1"
EXACT = "a threshold on exact sums"
MODULI = ({"nu": 0.35}, {"nu": 0.7}, {"nu": 0.93})


def claims() -> tuple[Claim, ...]:
    """Claims of the two sections that no numbered equation covers."""
    return (*_remedies(), *_setting(), *_difficulties())


def _remedies() -> tuple[Claim, ...]:
    return (
        Claim(
            "zucchet:text:c1-sensitivity-larger",
            REMEDY,
            Kind.TEXT,
            "The sensitivity explodes faster than the state",
            r"\text{the variance of } \mathrm{d}_{\lambda}h_t \text{ is much larger than "
            r"the one of } h_t",
            "evidence",
            Status.CONDITIONAL,
            f"{SHAPES}.sensitivity_over_state",
            condition=Condition(
                "the input has power at the frequency of lambda: rho > -1 for lambda > "
                "0, rho < 1 for lambda < 0",
                lambda lam, rho, **_: has_power(rho, cmath.phase(lam)),
            ),
            evidence=Evidence(
                tuple(
                    {"lam": value, "rho": decay}
                    for value, decay in (
                        (0.99, 0.0),
                        (0.99, 1.0),
                        (-0.99, 0.0),
                        (0.99, -0.9),
                        (0.6 + 0.78j, 0.5),
                        (0.99, -1.0),
                        (-0.99, 1.0),
                    )
                ),
                {"reference": f"{SHAPES}.sensitivity_over_state"},
                form=f"{SHAPES}.hundred",
                relation=">",
                slips={"a billion": f"{SHAPES}.billion"},
                alone=EXACT,
            ),
            note="Much: a hundred times, at |lambda| = 0.99. For an alternating input "
            "the sensitivity's moment is the smaller one: 1/|1 + lambda|^2 of the "
            "state's.",
            topic="parametrisation",
        ),
        Claim(
            "zucchet:text:c1-rate-by-input",
            REMEDY,
            Kind.TEXT,
            "The best parametrisation depends on the input",
            r"\gamma(\lambda)^2 \lambda'(\omega)^2 \mathbb{E}[(\mathrm{d}_\lambda "
            r"h_t)^2] = 1 \text{: no universal optimal parametrization}",
            "evidence",
            Status.PROVED,
            f"{CODE}.held_rate",
            printed=lambda: task.held_rate().result,
            assumes="lambda real, gamma^2 E[h^2] = 1, gamma held fixed",
            evidence=Evidence(
                tuple(
                    {"lam": value, "rho": decay}
                    for value, decay in ((0.4, 0.5), (0.8, -0.6), (-0.7, 0.3))
                ),
                {
                    "reference": f"{SHAPES}.held_rate",
                    "impulse": f"{SHAPES}.held_rate_impulse",
                },
                proof=proofs.rate_depends_on_input,
            ),
            note="Solved here for exponential autocovariance: the rate's slope by rho "
            "is not zero.",
            topic="parametrisation",
        ),
    )


def _setting() -> tuple[Claim, ...]:
    return (
        Claim(
            "zucchet:text:one-dimensional-loss",
            ONE,
            Kind.DEFINITION,
            "The one-dimensional task's loss",
            r"L_t := \frac{1}{2}|h_t - h_t^*|^2 \text{, averaged over the sequence}",
            "",
            Status.DEFINITION,
            f"{BRUTE}.mean_loss",
            note="Eq. 86, before the expectation over the inputs.",
            topic="landscape",
        ),
        Claim(
            "zucchet:text:one-dimensional-input",
            ONE,
            Kind.DEFINITION,
            "The one-dimensional task's input",
            r"x_t \sim \mathcal{N}(0, 1) \text{ independent}, \quad R_x(\Delta) = "
            r"\delta_{\Delta=0}",
            "",
            Status.DEFINITION,
            "sigprop.inputs.White",
            topic="landscape",
        ),
        Claim(
            "zucchet:text:one-dimensional-other-inputs",
            ONE,
            Kind.TEXT,
            "Other inputs give the same picture",
            r"\text{other input distributions do not qualitatively change the results}",
            "evidence",
            Status.CONDITIONAL,
            f"{SHAPES}.growth",
            condition=Condition(
                "the input has power at the frequency of the teacher's eigenvalue",
                lambda rho, angle, **_: has_power(rho, angle),
            ),
            evidence=Evidence(
                tuple(
                    {"rho": decay, "angle": angle}
                    for decay, angle in (
                        (0.0, 0.0),
                        (0.9, 0.0),
                        (-0.9, 0.0),
                        (0.5, 2.0),
                        (1.0, 0.0),
                        (-1.0, 0.0),
                        (1.0, 2.0),
                    )
                ),
                {"reference": f"{SHAPES}.growth"},
                form=f"{SHAPES}.hundred",
                relation=">",
                slips={"a billion": f"{SHAPES}.billion"},
                alone=EXACT,
            ),
            note="The result: from |lambda*| = 0.99 to 0.999 the loss at the teacher "
            "gets more than a hundred times sharper. Under constant input it does so for "
            "lambda* near one only, under alternating input near minus one only; Fig. 1 "
            "has a positive teacher.",
            topic="landscape",
        ),
        Claim(
            "zucchet:text:one-dimensional-stable",
            ONE,
            Kind.BOUND,
            "Inside the unit circle gradients do not explode in time",
            r"|\lambda| < 1: \text{ exploding gradients are out of the picture}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.neuron.recurrence.linear_recurrence",
            evidence=Evidence(
                tuple({"lam": value} for value in (0.97, -0.8, 0.6 + 0.7j)),
                {
                    "reference": f"{SHAPES}.largest_jacobian",
                    "impulse": f"{SHAPES}.largest_jacobian_impulse",
                },
                form="theory.teacher_student_proofs.unit",
                relation="<",
                slips={"below a half": "theory.teacher_student_proofs.half_unit"},
            ),
            note="Of dh_t/dh_s with t > s: its modulus is |lambda|^(t-s).",
            topic="landscape",
        ),
    )


def _difficulties() -> tuple[Claim, ...]:
    far = tuple(
        {**teacher, "theta": angle, "orders": (0, 1), "gain": False}
        for teacher, angle in (
            ({"nu": 0.8, "nu_star": 0.8}, 1.8),
            ({"nu": 0.95, "nu_star": 0.95}, 2.6),
        )
    )
    axis = {"nu": 0.3, "nu_star": 0.95, "theta": 0.0, "orders": (1, 0), "gain": False}
    sharp = r"\text{the loss sharpens as the student encodes longer memories}: \quad "
    return (
        Claim(
            "zucchet:text:one-dimensional-flat",
            ONE,
            Kind.TEXT,
            "Vanishing gradients make flat regions",
            r"\text{vanishing gradients lead to flat loss regions}",
            "evidence",
            Status.CONDITIONAL,
            f"{SHAPES}.slope_size",
            printed=lambda: 1 - nu_star**4,
            condition=Condition(
                "on the circle (Fig. 1C), more than a right angle off",
                lambda nu, nu_star, theta, **_: (
                    nu == nu_star and abs(theta) > math.pi / 2
                ),
            ),
            evidence=Evidence(
                (*far, axis),
                {
                    "reference": f"{SHAPES}.slope_size",
                    "autodiff": f"{SHAPES}.slope_size_autodiff",
                },
                relation="<=",
                slips={"a hundredth": f"{SHAPES}.hundredth_of_gap"},
            ),
            note="On the circle the slope is at most 1 - |lam*|^4 there and vanishes "
            "with longer memory. On the real axis (Fig. 1B) it does not: at lambda = 0 "
            "it is -lam*. That region is flat only beside the height of the loss, "
            "1/(1 - lam*^2) / 2.",
            topic="landscape",
        ),
        *(
            Claim(
                f"zucchet:text:one-dimensional-sharp{suffix}",
                ONE,
                Kind.TEXT,
                f"The loss sharpens with longer memory, {where}",
                sharp + latex,
                "evidence",
                Status.PROVED,
                f"{CODE}.plain_curvature",
                lambda name=name: task.plain_curvature(name),
                printed,
                assumes="white input, no normalisation, at the teacher",
                evidence=by(
                    orders, tuple({**point, "gain": False} for point in MODULI)
                ),
                note="The formula is ours, the paper says it of Fig. 1. It grows with "
                "the teacher's modulus and is of order (1 - |lam*|)^-3.",
                topic="landscape",
            )
            for suffix, where, name, orders, latex, printed in (
                (
                    "",
                    "on the real axis",
                    "modulus",
                    (2, 0),
                    r"\frac{\mathrm{d}^2L}{\mathrm{d}\nu^2} = \frac{1+\nu^2}{(1-\nu^2)^3}",
                    lambda: (1 + nu**2) / (1 - nu**2) ** 3,
                ),
                (
                    "-angle",
                    "on the circle",
                    "angle",
                    (0, 2),
                    r"\frac{\mathrm{d}^2L}{\mathrm{d}\theta^2} = \frac{\nu^2(1+\nu^2)}{("
                    r"1-\nu^2)^3}",
                    lambda: nu**2 * (1 + nu**2) / (1 - nu**2) ** 3,
                ),
            )
        ),
    )
