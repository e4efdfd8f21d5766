"""Zucchet & Orvieto (2024), Appendices C.1.3-C.1.4 beside the figures, Eq. 110-112."""

from sympy import I, exp, log, sqrt

from theory import teacher_student as task
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.zucchet.landscape.routes import BRUTE, CODE, CURVE, SHAPES
from theory.symbols import lam
from theory.teacher_student import omega

SEEN = "Appendix C.1.3"
ANGLE = "Appendix C.1.4"
ADAM = "sigprop.references.landscape_descent"
RUN = "a run of the optimiser: no formula to compare it with"
ANGLES = tuple(
    {"nu": modulus, "omega": at}
    for modulus, at in ((0.3, 0.4), (0.65, -1.1), (0.9, 2.0))
)
BENDS = {"reference": f"{CURVE}.bend", "impulse": f"{CURVE}.bend_energy"}


def claims() -> tuple[Claim, ...]:
    """Eq. 110 to 112, the parametrisations compared, and what the runs show."""
    return (*_compared(), *_angles(), *_difficult())


def _compared() -> tuple[Claim, ...]:
    return (
        Claim(
            "zucchet:text:c1-lru-gain",
            f"list in {SEEN}",
            Kind.TEXT,
            "The LRU's normalisation",
            r"\gamma(\lambda) = \sqrt{1-\lambda^2}",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.neuron.ring.normalisation",
            printed=lambda: sqrt(1 - lam**2),
            condition=Condition(
                "lambda real; for complex lambda |lambda|^2 must stand for lambda^2",
                lambda lam, **_: complex(lam).imag == 0,
            ),
            evidence=Evidence(
                tuple({"lam": z} for z in (0.3, -0.7, 0.9, 0.5 + 0.4j, 0.8j)),
                {
                    "reference": f"{BRUTE}.unit_gain",
                    "impulse": f"{BRUTE}.unit_gain_impulse",
                },
            ),
            note="The section's eigenvalues are complex, and it writes |lambda|^2 "
            "elsewhere. The LRU paper and the code have the modulus.",
            inherits="No: Appendix C.1.2 uses the modulus.",
            topic="parametrisation",
        ),
        Claim(
            "zucchet:text:c1-lru-polar",
            f"list in {SEEN}",
            Kind.DEFINITION,
            "The LRU's modulus and angle",
            r"\nu = \exp(-\exp(\omega_{\nu}^{\exp})) \text{ and } \theta = \exp("
            r"\omega_{\theta}^{\exp})",
            "evidence",
            Status.DEFINITION,
            "sigprop.layers.lru.LRU.eigenvalues",
            printed=lambda: exp(-exp(task.omega_nu) + I * exp(task.omega_theta)),
            evidence=Evidence(
                tuple(
                    {"omega_nu": modulus, "omega_theta": angle}
                    for modulus, angle in ((-1.2, 0.3), (0.4, -0.8), (-3.0, 0.9))
                ),
                {"impulse": f"{SHAPES}.layer_eigenvalue"},
                alone="a definition: the layer of the suite against it",
            ),
            topic="parametrisation",
        ),
    )


def _angles() -> tuple[Claim, ...]:
    rate = r"\frac{(1-\nu^2)}{\nu\sqrt{1+\nu^2}}"
    return (
        Claim(
            "zucchet:110",
            f"Eq. 110, {ANGLE}",
            Kind.DEFINITION,
            "The plain angle",
            r"\theta(\omega_{\theta}^{\text{polar}}) = \omega_{\theta}^{\text{polar}}",
            "evidence",
            Status.DEFINITION,
            f"{CODE}.plain_angle",
            printed=lambda: task.angular_curvature().result,
            evidence=Evidence(
                tuple({**point, "path": "angle"} for point in ANGLES), BENDS
            ),
            note="Checked: its curvature at optimality is that of Eq. 105.",
            topic="parametrisation",
        ),
        Claim(
            "zucchet:111",
            f"Eq. 111, {ANGLE}",
            Kind.IDENTITY,
            "The exponential angle, said to be the LRU's",
            r"\theta(\omega_{\theta}^{\exp}) = \log(\omega_{\theta}^{\exp})",
            "evidence",
            Status.REFUTED,
            "sigprop.layers.lru.LRU.eigenvalues",
            printed=lambda: log(omega),
            correction=r"\theta(\omega_{\theta}^{\exp}) = \exp(\omega_{\theta}^{\exp})",
            corrected=task.exponential_angle,
            evidence=Evidence(
                tuple({"omega": at} for at in (0.3, 0.9, -1.4)),
                {
                    "reference": f"{SHAPES}.layer_angle",
                    "impulse": f"{SHAPES}.loop_angle",
                },
            ),
            note="The inverse is printed. Appendix C.1.3 and the caption of Fig. 7 have "
            "exp, as the LRU does.",
            inherits="No: the figure's caption has the right form.",
            topic="parametrisation",
        ),
        Claim(
            "zucchet:112",
            f"Eq. 112, {ANGLE}",
            Kind.DEFINITION,
            "The optimal angle again",
            r"\theta(\omega_{\theta}^{\text{opt}}) = " + rate + r"\omega_{\theta}",
            "evidence",
            Status.DEFINITION,
            f"{CODE}.best_angle",
            evidence=Evidence(
                tuple({**point, "path": "best angle"} for point in ANGLES),
                BENDS,
                form="theory.teacher_student_proofs.unit",
            ),
            note="Eq. 109 with one superscript left out.",
            topic="parametrisation",
        ),
        Claim(
            "zucchet:text:c1-adam",
            f"first paragraph of {ANGLE}",
            Kind.ALGORITHM,
            "How the runs of Fig. 7 are made",
            r"\text{Adam, learning rate } 10^{-3} \text{, 50k steps, from } \lambda_0 = "
            r"0.99 \exp(i\pi/4) \text{ to } \lambda^* = 0.99 \exp(i\pi/100) \text{, } "
            r"\nu = \tanh(\omega_\nu)",
            "",
            Status.DEFINITION,
            f"{ADAM}.descend",
            note="Adam's momenta, and whether the angle's gradient passes through nu, "
            "are not given; the runs here use its defaults and the full gradient.",
            topic="landscape",
        ),
        Claim(
            "zucchet:text:c1-last-columns",
            f"first paragraph of {ANGLE}",
            Kind.TEXT,
            "The angle's landscape at the right modulus is that of Fig. 6",
            r"\text{The } \theta \text{ landscape when } \nu \text{ is correct "
            r"corresponds to the last two columns of Figure 6}",
            "",
            Status.NOT_CHECKABLE,
            f"{BRUTE}.normalised",
            reason="Fig. 6 is said to be for several |lam*| that neither text nor "
            "caption names, so whether 0.99 is one of them cannot be read. The angles "
            "of the two teachers, pi/100, do agree.",
            topic="landscape",
        ),
    )


def _difficult() -> tuple[Claim, ...]:
    return (
        Claim(
            "zucchet:text:c1-inevitably",
            f"last sentence of {ANGLE}",
            Kind.TEXT,
            "Less sharpness at the optimum makes the optimum unreachable",
            r"\text{efforts to reduce the sharpness of the loss at optimality inevitably "
            r"make the loss flatter elsewhere and optimization impossible}",
            "evidence",
            Status.CONDITIONAL,
            f"{ADAM}.descend",
            assumes="50k steps of Adam",
            condition=Condition(
                "the last parametrisation (Eq. 112)",
                lambda angle, **_: angle.startswith("optimal"),
            ),
            evidence=Evidence(
                tuple(
                    {"angle": name}
                    for name in ("optimal", "optimal, modulus held", "exponential")
                ),
                {"reference": f"{ADAM}.final_loss"},
                form=f"{ADAM}.far",
                relation=">",
                slips={"worse than the start": f"{ADAM}.first_loss"},
                alone=RUN,
            ),
            note="Not inevitably: the exponential angle lowers the sharpness at the "
            "optimum a thousandfold and its run still arrives. And the last run has not "
            "stopped, it is slow: a run of 1M steps leaves a loss of 0.09, or 0.04 with the "
            "modulus held.",
            topic="landscape",
        ),
    )
