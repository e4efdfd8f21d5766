"""Our own statements on the two losses of the teacher-student task."""

from sigprop.theory.rows import Part

WEIGHT = r"\frac{1}{2T} \sum_{j,k} n(j, k)\, R(j - k)"
COUNT = r"n(j, k) = \max(0, T - \max(j, k, 0) + \min(j, k, 0))"
STUDENTS = (
    "linear students and teachers at finite T from zero states; g_j: the student's response "
    "at age j, of steps to come below zero, d = g - g*; independent real channels of one "
    "stationary process of mean zero, R(0) each; Gaussian in the simulation: white, AR(1) "
    "and white plus AR(1)"
)

part = Part(
    "two losses of one task",
    "training",
    "sigprop.tasks.teacher_student.TeacherStudent.population",
)

part.row(
    "sigprop:loss-expectation",
    "moment",
    "confirmed",
    "The mean of the sampled loss of the teacher-student task is the exact loss",
    r"\mathbb{E} \frac{1}{2T} \sum_{t=1}^{T} |y_t - y^*_t|^2 = "
    rf"{WEIGHT} \langle d_j, d_k \rangle,\quad {COUNT}",
    assumes=STUDENTS,
    note="Dense, block-diagonal, LRU, RotRNN and BLUR students.  The variance of a batch, "
    "and with it the number of batches, is known before the run.",
)
part.row(
    "sigprop:loss-gradient",
    "moment",
    "confirmed",
    "The mean gradient of the sampled loss is the gradient of the exact loss",
    r"\mathbb{E}\, \partial_\theta \frac{1}{2T} \sum_{t=1}^{T} |y_t - y^*_t|^2 = "
    r"\frac{1}{T} \sum_{j,k} n(j, k)\, R(j - k) "
    rf"\langle d_j, \partial_\theta g_k \rangle,\quad {COUNT}",
    assumes=STUDENTS,
    note="Along the gradient, and in each group of parameters along a direction at 45 "
    "degrees to the group's gradient.",
)
part.row(
    "sigprop:loss-curvature",
    "identity",
    "confirmed",
    "The curvature of the exact loss along any direction",
    r"w^\top \frac{\partial^2 L}{\partial \theta^2} w = \frac{1}{T} \sum_{j,k} n(j, k)\, "
    r"R(j - k) \left(\langle \dot{g}_j, \dot{g}_k \rangle + \langle d_j, \ddot{g}_k "
    rf"\rangle\right), \; {COUNT}",
    assumes=f"{STUDENTS}; dots: derivatives along w; LRU, RotRNN and BLUR students",
    note="Judged at parameters that Adam found with the exact loss, along random directions "
    "in each group of parameters and in all of them.",
)
part.row(
    "sigprop:loss-infinite",
    "limit",
    "confirmed",
    "The exact loss of infinitely long sequences",
    r"\lim_{T \to \infty} L = \frac{1}{2} \sum_{j,k} R(j - k) \langle d_j, d_k \rangle",
    code="sigprop.linear.infinite_loss.stationary_loss",
    assumes="stable, causal, linear student and teacher, d the difference of their "
    "responses; a real stationary input, whose R is bounded: no more is needed for the sum "
    "to converge",
    note="By modes and Lemma 1, by a Gramian, and as the limit of finite T, from which it "
    "differs by c/T.",
)
