"""Our own statements on the parameters that a student has learnt from a teacher."""

from sigprop.theory.papers.sigprop.losses import COUNT, STUDENTS
from sigprop.theory.papers.sigprop.moments import BOTH, moments
from sigprop.theory.rows import Part

part = Part("learnt parameters", "training", "sigprop.linear.predicted_moments.predict")

for name, title in {"lru": "LRU", "rotrnn": "RotRNN", "blur": "BLUR"}.items():
    part.row(
        f"sigprop:trained-{name}",
        "moment",
        "confirmed",
        f"Moments, gradients and curvature after training: {title}",
        r"w^\top \frac{\partial^2 L}{\partial \theta^2} w = \frac{1}{T} \sum_{j,k} n(j, k)\, "
        r"R(j - k) \left(\langle \dot{g}_j, \dot{g}_k \rangle + \langle d_j, \ddot{g}_k "
        rf"\rangle\right), \; {COUNT}; \quad {moments(two_ways=name in BOTH)}",
        assumes=f"{STUDENTS}; dots: derivatives along w; moments as of "
        f"sigprop:moments-{name}, with its letters",
        note="At parameters that Adam found with the exact loss; moments of the state, the "
        "output and the gradient of every group at the end of a sequence, in the middle if "
        "both sides matter; the curvature along random directions.",
    )
