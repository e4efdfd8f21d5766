"""Zucchet & Orvieto (2024), Appendix C.1.2: where and how derivatives are judged."""

from collections.abc import Callable

from theory.evidence import Evidence

BEST = "Appendix C.1.2"
CODE = "theory.teacher_student"
BRUTE = "sigprop.references.landscape"
CURVE = "sigprop.references.landscape_curvature"
SHAPES = "sigprop.references.landscape_shapes"
APART = (
    {"nu": 0.6, "nu_star": 0.75},
    {"nu": 0.85, "nu_star": 0.3},
    {"nu": 0.35, "nu_star": 0.55},
)
MODULI = tuple({"nu": modulus} for modulus in (0.3, 0.65, 0.9))
D_L = r"\frac{\mathrm{d}L_t}{\mathrm{d}"
D2_L = r"\frac{\mathrm{d}^2 L_t}{\mathrm{d}"


def by(orders: tuple[int, int], points: tuple[dict[str, float], ...]) -> Evidence:
    """A partial derivative of the loss: finite differences of sums, and autodiff."""
    return Evidence(
        tuple({**point, "orders": orders} for point in points),
        {
            "reference": f"{CURVE}.partial",
            "autodiff": f"{CURVE}.partial_autodiff",
        },
    )


def proved(evidence: Evidence, proof: Callable[[], bool]) -> Evidence:
    """A copy of evidence, its points and routes, with a symbolic proof added."""
    return Evidence(evidence.points, evidence.routes, proof=proof)
