"""Our own statements on the parameters that a student has learnt from a teacher."""

from theory.papers.sigprop.losses import STUDENTS
from theory.rows import Part

part = Part("learnt parameters", "training", "sigprop.linear.predicted_moments.predict")

for name, title in {"lru": "LRU", "rotrnn": "RotRNN", "blur": "BLUR"}.items():
    part.row(f"sigprop:trained-{name}", "moment", "confirmed", "")(
        f"Moments, gradients and curvature after training: {title}",
        r"v^\top \frac{\partial^2 L}{\partial \theta^2} v = \frac{1}{T} \sum_{j,k} n(j, k)\, "
        r"R(j - k) \left(\langle g'_j, g'_k \rangle + \langle d_j, g''_k \rangle\right)",
        assumes=STUDENTS,
        note="At parameters that Adam found with the exact loss; moments of the state, the "
        "output and the gradient of every group at the end of a sequence, in the middle if "
        "both sides matter; the curvature along random directions.",
    )
