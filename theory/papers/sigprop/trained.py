"""Our own statements on the teacher-student task: its two losses, and learnt parameters."""

from theory.claims import Claim, Kind, Status

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
            condition=STUDENTS,
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
            condition=STUDENTS,
            margin=0.1,
            note="Along the gradient, and in each group of parameters along a direction at "
            "45 degrees to the group's gradient.",
            topic="training",
        ),
    )


def claims() -> tuple[Claim, ...]:
    """Our claims on the teacher-student task."""
    return _losses()
