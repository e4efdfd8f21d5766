"""Our own statements on the teacher-student task: its two losses, and learnt parameters."""

from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence

WEIGHT = r"\frac{1}{2T} \sum_{j,k} n(j, k)\, R(j - k)"
COUNT = r"n(j, k) = T - \max(j, k, 0) + \min(j, k, 0)"
STUDENTS = (
    "linear students and teachers at finite T from zero states; independent channels of "
    "one stationary process of mean zero; Gaussian in the simulation: white, AR(1) and "
    "white plus AR(1)"
)


def _losses() -> tuple[Claim, ...]:
    return (
        Claim(
            "sigprop:loss-expectation",
            "two losses of one task",
            Kind.MOMENT,
            "The sampled loss of the teacher-student task has the exact one as its mean",
            r"\mathbb{E} \frac{1}{2T} \sum_{t=1}^{T} |y_t - y^*_t|^2 = "
            rf"{WEIGHT} \langle d_j, d_k \rangle,\quad {COUNT}",
            "sigprop.loss_checks.expectation",
            Status.CONFIRMED,
            "sigprop.tasks.teacher_student.TeacherStudent.population",
            assumes=STUDENTS,
            note="Dense, block-diagonal, LRU, RotRNN and BLUR students.  The variance of a "
            "batch, and with it the number of batches, is known before the run.",
            topic="training",
        ),
        Claim(
            "sigprop:loss-gradient",
            "two losses of one task",
            Kind.MOMENT,
            "The gradient of the sampled loss has that of the exact one as its mean",
            r"\mathbb{E}\, \partial_\theta \frac{1}{2T} \sum_{t=1}^{T} |y_t - y^*_t|^2 = "
            r"\frac{1}{T} \sum_{j,k} n(j, k)\, R(j - k) "
            r"\langle d_j, \partial_\theta g_k \rangle",
            "sigprop.loss_checks.gradient",
            Status.CONFIRMED,
            "sigprop.tasks.teacher_student.TeacherStudent.population",
            assumes=STUDENTS,
            note="Along the gradient, and in each group of parameters along a direction at "
            "45 degrees to the group's gradient.",
            topic="training",
        ),
    )


INFINITE = "sigprop.references.stationary"
LAWS = ("white", "rho=0.8", "mixed", "moving average")
SLIPS = {
    "a lag too many": "late",
    "each pair once": "once",
    "equal ages alone": "equal",
    "every input white": "white",
    "age zero left out": "aged",
}


def _infinite() -> Claim:
    return Claim(
        "sigprop:loss-infinite",
        "two losses of one task",
        Kind.LIMIT,
        "The exact loss of infinitely long sequences",
        r"\lim_{T \to \infty} L = \frac{1}{2} \sum_{j,k} R(j - k) \langle d_j, d_k \rangle",
        "evidence",
        Status.CONFIRMED,
        "sigprop.linear.infinite_loss.stationary_loss",
        assumes="stable, causal, linear student and teacher; autocovariance known at "
        "all lags",
        note="By modes and Lemma 1, by a Gramian, and as the limit of finite T, from which "
        "it differs by c/T.",
        topic="training",
        evidence=Evidence(
            tuple(
                {"student": student, "law": law}
                for student in ("lru", "rotrnn")
                for law in LAWS
            ),
            {
                "closed_form": f"{INFINITE}.by_modes",
                "gramian": f"{INFINITE}.by_gramian",
                "limit": f"{INFINITE}.by_lengths",
            },
            form=f"{INFINITE}.double_sum",
            tolerance=1e-9,
            slips={slip: f"{INFINITE}.{name}" for slip, name in SLIPS.items()},
        ),
    )


LEARNT = {"lru": "LRU", "rotrnn": "RotRNN", "blur": "BLUR"}


def _learnt(name: str, title: str) -> Claim:
    return Claim(
        f"sigprop:trained-{name}",
        "learnt parameters",
        Kind.MOMENT,
        f"Moments, gradients and curvature after training: {title}",
        r"v^\top \frac{\partial^2 L}{\partial \theta^2} v = \frac{1}{T} \sum_{j,k} n(j, k)\, "
        r"R(j - k) \left(\langle g'_j, g'_k \rangle + \langle d_j, g''_k \rangle\right)",
        "sigprop.trained_checks.learnt_parameters",
        Status.CONFIRMED,
        "sigprop.linear.predicted_moments.predict",
        assumes=STUDENTS,
        margin=0.15,
        note="At parameters that Adam found with the exact loss; moments of the state, the "
        "output and the gradient of every group at the end of a sequence, in the middle if "
        "both sides matter; the curvature along random directions.",
        topic="training",
    )


def claims() -> tuple[Claim, ...]:
    """Our claims on the teacher-student task."""
    learnt = (_learnt(*one) for one in LEARNT.items())
    return (*_losses(), _infinite(), *learnt)
