"""Zucchet & Orvieto (2024), Figures 6 and 7: what their captions say."""

import math

from theory import teacher_student as task
from theory import teacher_student_proofs as proofs
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.zucchet.landscape.difficulty import (
    ADAM,
    ANGLE,
    ANGLES,
    BENDS,
    RUN,
    SEEN,
)
from theory.papers.zucchet.landscape.routes import BRUTE, CODE, CURVE, SHAPES


def claims() -> tuple[Claim, ...]:
    """The captions, and the sentence that Fig. 6 is to support."""
    return (*_figure_6(), *_figure_6_wells(), *_figure_7())


def _figure_6() -> tuple[Claim, ...]:
    tame = (
        *({"path": "tanh", "omega": at} for at in (0.3, 1.2)),
        *({"path": "exponential", "omega": at} for at in (-0.5, -1.8)),
        *(
            {"path": "best angle", "omega": 1.3, "nu": modulus}
            for modulus in (0.4, 0.8)
        ),
    )
    wild = {"path": "exponential angle", "omega": math.log(math.pi / 100), "nu": 0.99}
    return (
        Claim(
            "zucchet:fig6-hessian",
            f"Fig. 6, caption, {SEEN}",
            Kind.FIGURE,
            "Both reparametrisations tame the Hessian",
            r"\text{both reparametrizations enable to control the explosion of the "
            r"Hessian}",
            "evidence",
            Status.CONDITIONAL,
            f"{CURVE}.bend",
            condition=Condition(
                "not the angle of the exponential parametrisation",
                lambda path, **_: path != "exponential angle",
            ),
            evidence=Evidence(
                (*tame, wild),
                BENDS,
                form="theory.teacher_student_proofs.unit",
                relation="<=",
                slips={"at most a half": "theory.teacher_student_proofs.half_unit"},
                tolerance=1e-9,
            ),
            note="Controlled here: at most one. By the LRU's modulus the curvature is at "
            "most 1/4, with tanh and with the best angle it is one. By the LRU's angle it "
            "is theta^2 nu^2 (1 + nu^2)/(1 - nu^2)^2: 4.8 at the figure's angle and "
            "|lam*| = 0.99, 492 at 0.999; it explodes as fast as without "
            "reparametrisation, only a factor theta^2 = 0.001 later.",
            inherits="The caption of Fig. 7B repeats it, with a restriction.",
            topic="landscape",
        ),
        Claim(
            "zucchet:fig6-modulus",
            f"Fig. 6, caption, {SEEN}",
            Kind.FIGURE,
            "The basins of the modulus do not shrink",
            r"\text{the size of basins of attraction shrinks, but not for the "
            r"absolute value}: \quad L_t = 1 - \operatorname{sech}(\omega_\nu - "
            r"\omega_\nu^*)",
            "evidence",
            Status.PROVED,
            f"{CODE}.landscape_of_tanh",
            printed=lambda: task.landscape_of_tanh().result,
            assumes="theta = theta*, nu = tanh(omega_nu)",
            evidence=Evidence(
                tuple(
                    {"omega": student, "omega_star": teacher}
                    for student, teacher in ((0.4, 1.1), (1.7, -0.6), (-0.8, 0.5))
                ),
                {"reference": f"{BRUTE}.loss_in_tanh"},
                proof=proofs.tanh_is_a_shift,
            ),
            note="The formula is ours and says more than the paper: with tanh the loss "
            "is one curve, shifted; no basin depends on the teacher's memory.",
            topic="landscape",
        ),
    )


def _figure_6_wells() -> tuple[Claim, ...]:
    return (
        Claim(
            "zucchet:fig6",
            f"Fig. 6, caption, {SEEN}",
            Kind.FIGURE,
            "The basins of the angle shrink with longer memory",
            r"\text{the size of basins of attraction around optimality, or their "
            r"number, shrinks as } |\lambda^*| \text{ goes to } 1 \text{ for the angle}",
            "evidence",
            Status.CONDITIONAL,
            f"{SHAPES}.well",
            printed=task.half_depth,
            assumes="plain angle",
            condition=Condition(
                "basin: where the loss is below half its greatest value, not where a "
                "descent arrives at the optimum",
                lambda size, **_: size == "half",
            ),
            evidence=Evidence(
                (
                    *({"nu": modulus, "size": "half"} for modulus in (0.5, 0.8, 0.95)),
                    *({"nu": modulus, "size": "descent"} for modulus in (0.5, 0.95)),
                ),
                {"reference": f"{SHAPES}.well"},
                proof=proofs.half_depth_is_exact,
            ),
            note="The well's width at half depth is pi - 4 atan(nu^2), about 2 (1 - "
            "nu^2): it shrinks. The loss falls all the way from the opposite angle, so "
            "the basin of a descent on the angle is the whole circle at every |lam*|; "
            "what fails there is the slope, not the basin.",
            topic="landscape",
        ),
        Claim(
            "zucchet:text:c1-fewer-minima",
            f"first paragraph of {ANGLE}",
            Kind.TEXT,
            "With the best angle the global minima get rarer",
            r"\text{the basin of the global minima is extremely narrow, or their number "
            r"decreases as longer memories are considered}",
            "evidence",
            Status.PROVED,
            f"{CODE}.period",
            printed=task.period,
            assumes="theta as in Eq. 107; number: in a window of fixed width",
            evidence=Evidence(
                tuple({"nu": modulus} for modulus in (0.5, 0.7, 0.9)),
                {"reference": f"{SHAPES}.period"},
                proof=proofs.period_is_a_turn,
                tolerance=1e-7,
            ),
            note="Minima are 2 pi nu sqrt(1 + nu^2)/(1 - nu^2) apart in omega_theta, so "
            "their density falls to zero at the edge, while each well keeps its width "
            "(2 sqrt(2) at half depth).",
            topic="landscape",
        ),
    )


def _figure_7() -> tuple[Claim, ...]:
    solved = tuple({"angle": name} for name in ("polar", "exponential"))
    return (
        Claim(
            "zucchet:fig7",
            f"Fig. 7A-B, caption, {ANGLE}",
            Kind.FIGURE,
            "Adam finds the teacher with the plain and with the exponential angle",
            r"\text{the loss is extremely sharp in the } \omega_\theta \text{ direction, "
            r"but Adam compensates for it}",
            "evidence",
            Status.CONFIRMED,
            f"{ADAM}.descend",
            evidence=Evidence(
                solved,
                {"reference": f"{ADAM}.final_distance"},
                form=f"{ADAM}.reached",
                relation="<",
                slips={"closer than rounding": f"{ADAM}.closer_than_rounding"},
                alone=RUN,
            ),
            note="After 50k steps both runs are within 1e-3 of lam*.",
            topic="landscape",
        ),
        Claim(
            "zucchet:fig7-sharpness",
            f"Fig. 7, caption, {ANGLE}",
            Kind.FIGURE,
            "How sharp the loss is by the three parameters of the angle",
            r"\text{extremely sharp (A), smoother (B), reparametrized to reduce the "
            r"explosion (C)}",
            "evidence",
            Status.CONFIRMED,
            "theory.teacher_student_proofs.three_curvatures",
            evidence=Evidence(
                ({"nu": 0.99, "theta": math.pi / 100},),
                {
                    "reference": f"{SHAPES}.three_curvatures",
                    "impulse": f"{SHAPES}.three_energies",
                },
                form="theory.teacher_student_proofs.three_curvatures",
            ),
            note="At lam* the curvatures are 4901, 4.84 and 1.",
            topic="landscape",
        ),
        Claim(
            "zucchet:fig7-granularity",
            f"Fig. 7B, caption, {ANGLE}",
            Kind.FIGURE,
            "The exponential angle is smoother only for small angles",
            r"\text{this only holds when the considered angles are small enough}",
            "evidence",
            Status.PROVED,
            f"{CODE}.exponential_angle",
            printed=task.exponential_bend,
            assumes="theta < 1 radian for smoother",
            evidence=Evidence(
                tuple({**point, "path": "exponential angle"} for point in ANGLES),
                BENDS,
                proof=proofs.exponential_bend_is_scaled,
            ),
            note="The curvature is theta^2 times that of Eq. 105: smoother below one "
            "radian, sharper above.",
            topic="landscape",
        ),
        Claim(
            "zucchet:fig7-valley",
            f"Fig. 7C, caption, {ANGLE}",
            Kind.FIGURE,
            "With the best angle the run ends in a valley, away from the minimum",
            r"\text{The parameters are first attracted to a nearby valley, flat on the } "
            r"\omega_\theta \text{ direction and only indirectly connected to the global "
            r"minimum}",
            "evidence",
            Status.CONFIRMED,
            f"{ADAM}.descend",
            evidence=Evidence(
                ({"angle": "optimal"},),
                {"reference": f"{ADAM}.final_turn"},
                form=f"{ADAM}.reached",
                relation="<",
                slips={"closer than rounding": f"{ADAM}.closer_than_rounding"},
                alone=RUN,
            ),
            note="Judged: the run ends with the right angle and a loss above a tenth "
            "(zucchet:text:c1-inevitably). In our run the valley is the right angle itself, "
            "one whole turn on (theta* + 2 pi), reached at a smaller modulus; along it the "
            "loss falls very slowly towards that copy of the minimum. How the valley is "
            "connected to the drawn minimum is not judged.",
            topic="landscape",
        ),
    )
