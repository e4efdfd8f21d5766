"""Zucchet & Orvieto (2024), Appendices C.1.1-C.1.2: the loss of one unit, Eq. 85-93."""

from theory import diagonal
from theory import teacher_student as task
from theory import teacher_student_proofs as proofs
from theory.claims import Claim, Kind, Status
from theory.derivation import start
from theory.evidence import Evidence
from theory.papers.zucchet.landscape.routes import BEST, BRUTE, CODE
from theory.symbols import lam, lam_bar, rho
from theory.teacher_student import mu, mu_bar

LOSS = "Appendix C.1.1"
STABLE = "|lambda| < 1, |lambda*| < 1, stationary states"

PAIRS = tuple(
    {"lam": student, "mu": teacher}
    for student, teacher in (
        (0.6 + 0.3j, 0.2 - 0.7j),
        (-0.5 + 0.1j, 0.8 + 0.05j),
        (0.85j, -0.4 + 0.6j),
    )
)
CORRELATED = tuple(
    {**pair, "rho": decay}
    for pair, decay in zip(PAIRS * 2, (0.4, 0.9, -0.7, -0.3, 0.65, 0.15), strict=True)
)
SINGLE = tuple({"lam": pair["lam"], "rho": pair["rho"]} for pair in CORRELATED)
square, square_star = lam * lam_bar, mu * mu_bar
twice_real = 1 / (1 - lam_bar * mu) + 1 / (1 - lam * mu_bar)  # 2 Re 1/(1 - ...)


def claims() -> tuple[Claim, ...]:
    """Eq. 85 to 93 with their text."""
    return (*_definitions(), *_correlated(), *_special_inputs(), *_normalised())


def routes(name: str) -> dict[str, str]:
    """Sums over impulse responses, and the same through the suite's recurrence."""
    return {"reference": f"{BRUTE}.{name}", "impulse": f"{BRUTE}.{name}_impulse"}


def _definitions() -> tuple[Claim, ...]:
    finite = tuple({**point, "steps": 9} for point in CORRELATED[:3])
    return (
        Claim(
            "zucchet:85",
            f"Eq. 85, {LOSS}",
            Kind.DEFINITION,
            "The one-dimensional student",
            r"h_{t+1} = \lambda h_t + x_{t+1}",
            "evidence",
            Status.DEFINITION,
            "sigprop.neuron.recurrence.linear_recurrence",
            evidence=Evidence(
                tuple({"lam": pair["lam"], "steps": 12} for pair in PAIRS),
                {"reference": f"{BRUTE}.plain_loop"},
                form=f"{BRUTE}.suite_loop",
                alone="a definition: the code against a plain loop",
            ),
            topic="landscape",
        ),
        Claim(
            "zucchet:86",
            f"Eq. 86, {LOSS}",
            Kind.DEFINITION,
            "The loss over a sequence",
            r"L(\lambda, \lambda^{*}) := \frac{1}{2T} \sum_{t=1}^{T} \mathbb{E}_{x} "
            r"\left[ \left| h_{t} - h_{t}^{*} \right|^{2} \right]",
            "evidence",
            Status.DEFINITION,
            f"{BRUTE}.mean_loss",
            evidence=Evidence(
                finite,
                {"reference": f"{BRUTE}.mean_loss"},
                form=f"{BRUTE}.mean_loss_covariance",
                alone="a definition: the code against a covariance carried along",
            ),
            note="From the zero state. The general loss of Eq. 1 is a sum over time; "
            "this one, and that of Section 4.1, is a mean.",
            topic="landscape",
        ),
        Claim(
            "zucchet:text:c1-long-sequences",
            f"text after Eq. 86, {LOSS}",
            Kind.LIMIT,
            "One step's loss stands for the whole in the limit of long sequences",
            r"L(\lambda, \lambda^*) \to L_t(\lambda, \lambda^*) \text{ as } T \to \infty",
            "evidence",
            Status.CONFIRMED,
            f"{BRUTE}.mean_loss",
            assumes=STABLE,
            evidence=Evidence(
                tuple(
                    {**point, "steps": steps}
                    for point in CORRELATED[:3]
                    for steps in (50, 100)
                ),
                {"reference": f"{BRUTE}.distance_to_limit"},
                form=f"{BRUTE}.limit_bound",
                relation="<=",
                slips={"decay as the square": f"{BRUTE}.limit_bound_squared"},
                alone="a rate that the paper does not state; bounded from sums",
            ),
            note="The distance is of order 1/T: the transient from the zero state.",
            topic="landscape",
        ),
        Claim(
            "zucchet:87",
            f"Eq. 87, {LOSS}",
            Kind.IDENTITY,
            "The loss in four moments",
            r"L_t(\lambda, \lambda^*) := \frac{1}{2} \mathbb{E}_x \left[ h_t \bar{h}_t "
            r"+ h_t^* \bar{h}_t^* - h_t \bar{h}_t^* - \bar{h}_t h_t^* \right]",
            "evidence",
            Status.PROVED,
            f"{CODE}.loss",
            assumes="stationary states",
            evidence=Evidence(
                CORRELATED,
                {"reference": f"{BRUTE}.loss", "impulse": f"{BRUTE}.loss_impulse"},
                form=f"{BRUTE}.four_moments",
                proof=proofs.square_expands,
            ),
            topic="landscape",
        ),
    )


def _correlated() -> tuple[Claim, ...]:
    tails = rho * lam / (1 - rho * lam) + rho * lam_bar / (1 - rho * lam_bar)
    shared = rho * lam / (1 - rho * lam) + rho * mu_bar / (1 - rho * mu_bar)
    return (
        Claim(
            "zucchet:88",
            f"Eq. 88, {LOSS}",
            Kind.MOMENT,
            "The student's second moment under exponential autocovariance",
            r"\mathbb{E}_x \left[ h_t \bar{h}_t \right] = \frac{1}{1 - \lambda "
            r"\bar{\lambda}} \left( 1 + \frac{\rho \lambda}{1 - \rho \lambda} + "
            r"\frac{\rho \lambda}{1 - \rho \bar{\lambda}} \right)",
            "evidence",
            Status.PROVED,
            "sigprop.neuron.stable.state_moment",
            lambda: diagonal.moment("state", "exponential"),
            lambda: (1 + tails) / (1 - square),
            assumes="|lambda| < 1, autocovariance rho^|Delta|",
            evidence=Evidence(SINGLE, routes("state_moment")),
            note="Our copy's last numerator lacks a bar: a second moment would be "
            "complex. Eq. 47 has the bar; an accent is what extraction loses most "
            "easily. Judged with the bar.",
            inherits="No: Eq. 90 and 91 follow from the form with the bar.",
            as_extracted=True,
            topic="landscape",
        ),
        Claim(
            "zucchet:89",
            f"Eq. 89, {LOSS}",
            Kind.MOMENT,
            "A line without a formula",
            r"\text{(the number 89 alone)}",
            "",
            Status.NOT_CHECKABLE,
            "sigprop.neuron.stable.state_moment",
            reason="Our copy has the number and no formula. What can follow Eq. 88 is "
            "its closed form, that of Eq. 48, which zucchet:48 proves; that the line said "
            "so is a guess.",
            as_extracted=True,
            topic="landscape",
        ),
        Claim(
            "zucchet:text:c1-cross-moment",
            f"text after Eq. 89, {LOSS}",
            Kind.TEXT,
            "The other three moments are of the same form",
            r"\mathbb{E}_x \left[ h_t \bar{h}_t^* \right] = \frac{1}{1 - \lambda "
            r"\bar{\lambda}^*} \left( 1 + \frac{\rho \lambda}{1 - \rho \lambda} + "
            r"\frac{\rho \bar{\lambda}^*}{1 - \rho \bar{\lambda}^*} \right)"
            r"\text{, and likewise}",
            "evidence",
            Status.PROVED,
            f"{CODE}.shared_moment",
            lambda: start(
                "Lemma 1 at the two eigenvalues",
                task.shared_moment(lam, mu_bar, "exponential"),
            ),
            lambda: (1 + shared) / (1 - lam * mu_bar),
            assumes=STABLE,
            evidence=Evidence(CORRELATED, routes("cross_moment")),
            note="The paper states it in words and omits the formula.",
            topic="landscape",
        ),
        Claim(
            "zucchet:text:c1-exact-loss",
            f"text after Eq. 89, {LOSS}",
            Kind.TEXT,
            "The exact loss at any correlation",
            r"\text{Grouping the four moments gives the exact value of the loss.}",
            "evidence",
            Status.PROVED,
            f"{CODE}.loss",
            printed=task.grouped_loss,
            assumes=STABLE,
            evidence=Evidence(
                CORRELATED, routes("loss"), proof=proofs.grouped_is_exact
            ),
            note="The formula is omitted in the paper: half of Eq. 48 for both units, "
            "less the real part of (1 - rho^2 lam conj(mu)) / ((1 - lam conj(mu)) "
            "(1 - rho lam) (1 - rho conj(mu))).",
            topic="landscape",
        ),
    )


def _special_inputs() -> tuple[Claim, ...]:
    constant = tuple({**pair, "rho": 1.0} for pair in PAIRS)
    white = tuple({**pair, "rho": 0.0} for pair in PAIRS)
    gap = 1 / (1 - lam) - 1 / (1 - mu)
    twin = 1 / (1 - lam_bar) - 1 / (1 - mu_bar)
    return (
        Claim(
            "zucchet:90",
            f"Eq. 90, {LOSS}",
            Kind.MOMENT,
            "The loss under constant input",
            r"L_t(\lambda, \lambda^*) = \frac{1}{2} \left| \frac{1}{1 - \lambda} - "
            r"\frac{1}{1 - \lambda^*} \right|^2",
            "evidence",
            Status.PROVED,
            f"{CODE}.loss",
            lambda: task.loss("constant"),
            lambda: gap * twin / 2,
            assumes=STABLE,
            evidence=Evidence(constant, routes("loss")),
            topic="landscape",
        ),
        Claim(
            "zucchet:91",
            f"Eq. 91, {LOSS}",
            Kind.MOMENT,
            "The loss under white input",
            r"L_t(\lambda, \lambda^*) = \frac{1}{2} \left( \frac{1}{1 - |\lambda|^2} + "
            r"\frac{1}{1 - |\lambda^*|^2} - \operatorname{Re}\left[ \frac{2}{1 - "
            r"\bar{\lambda}\lambda^*} \right] \right)",
            "evidence",
            Status.PROVED,
            f"{CODE}.loss",
            lambda: task.loss("white"),
            lambda: (1 / (1 - square) + 1 / (1 - square_star) - twice_real) / 2,
            assumes=STABLE,
            evidence=Evidence(white, routes("loss")),
            topic="landscape",
        ),
    )


def _normalised() -> tuple[Claim, ...]:
    own, teacher = task.gain_lam, task.gain_mu
    both = own * teacher
    terms = (
        r"- \operatorname{Re}\left[ \frac{2\gamma(\lambda)\gamma(\lambda^*)}{1 - "
        r"\bar{\lambda}\lambda^*} \right] \right)"
    )
    evidence = Evidence(PAIRS, routes("normalised"))
    return (
        Claim(
            "zucchet:text:c1-normalisation",
            f"text before Eq. 92, {BEST}",
            Kind.TEXT,
            "The best normalisation under white input",
            r"\rho = 0: \quad \gamma(\lambda) = \sqrt{1 - |\lambda|^2}",
            "evidence",
            Status.PROVED,
            "sigprop.neuron.ring.normalisation",
            task.normalisation,
            lambda: task.gain_lam,
            assumes="|lambda| < 1; best: the state's second moment is one",
            evidence=Evidence(
                tuple({"lam": pair["lam"]} for pair in PAIRS), routes("unit_gain")
            ),
            topic="landscape",
        ),
        Claim(
            "zucchet:text:c1-normalised-teacher",
            f"text before Eq. 92, {BEST}",
            Kind.TEXT,
            "Without its own gain the teacher cannot be fitted",
            r"\min_\lambda \tfrac{1}{2} \mathbb{E}|\gamma(\lambda) h_t - h_t^*|^2 > 0",
            "evidence",
            Status.PROVED,
            f"{CODE}.misfit",
            evidence=Evidence(
                tuple({"mu": pair["mu"]} for pair in PAIRS),
                {"reference": f"{BRUTE}.best_misfit"},
                form=f"{BRUTE}.misfit",
                proof=proofs.misfit_is_least,
                tolerance=1e-9,
            ),
            note="The least loss is (1/gamma(lam*) - 1)^2 / 2, at lam = lam*: by "
            "Cauchy-Schwarz the overlap of two unit states is at most one.",
            topic="landscape",
        ),
        Claim(
            "zucchet:92",
            f"Eq. 92, {BEST}",
            Kind.MOMENT,
            "The normalised loss, first line",
            r"L_t = \frac{1}{2} \left( \frac{\gamma(\lambda)}{1 - |\lambda|^2} + "
            r"\frac{\gamma(\lambda^*)}{1 - |\lambda^*|^2} " + terms,
            "evidence",
            Status.REFUTED,
            f"{CODE}.normalised_loss",
            task.normalised_loss,
            lambda: (
                (own / (1 - square) + teacher / (1 - square_star) - both * twice_real)
                / 2
            ),
            correction=r"L_t = \frac{1}{2} \left( \frac{\gamma(\lambda)^2}{1 - "
            r"|\lambda|^2} + \frac{\gamma(\lambda^*)^2}{1 - |\lambda^*|^2} " + terms,
            corrected=lambda: (
                (
                    own**2 / (1 - square)
                    + teacher**2 / (1 - square_star)
                    - both * twice_real
                )
                / 2
            ),
            assumes=STABLE,
            evidence=evidence,
            note="The first two gains lack their squares. The printed line is not zero "
            "where the student is the teacher, and grows without bound at the edge.",
            inherits="No: Eq. 93 is right and only follows with the squares.",
            topic="landscape",
        ),
        Claim(
            "zucchet:93",
            f"Eq. 93, {BEST}",
            Kind.MOMENT,
            "The normalised loss",
            r"L_t = 1 - \operatorname{Re}\left[ \frac{\gamma(\lambda)\gamma(\lambda^*)"
            r"}{1 - \bar{\lambda}\lambda^*} \right]",
            "evidence",
            Status.PROVED,
            f"{CODE}.normalised_loss",
            task.normalised_loss,
            lambda: 1 - both * twice_real / 2,
            assumes=STABLE,
            evidence=evidence,
            topic="landscape",
        ),
    )
