"""Our own statements on the Hessian of the teacher-student loss, at any parameters."""

from sigprop.theory.rows import Part

part = Part("Hessian away from optimality", "hessian", "sigprop.curvature.hessian")

for name, title, note in (
    (
        "diagonal",
        "diagonal layers",
        "Complex diagonal layers, the LRU and S4, all of their parameters: four "
        "tables, of s and its derivatives, and inner products.",
    ),
    (
        "dense",
        "dense and block-diagonal layers",
        "Divided differences of s at the eigenvalues; or covariances of tangent "
        "systems, which know neither eigenvalues nor ages.",
    ),
    ("blur", "BLUR", "Filters of opposite directions of time share R(n + m)."),
):
    part.row(
        f"sigprop:curvature-{name}",
        "identity",
        "confirmed",
        f"The exact Hessian of the expected loss: {title}",
        r"\partial_p \partial_q L = \sum_{j,k} R(j-k) \left( \langle \partial_p g_j, "
        r"\partial_q g_k \rangle + \langle d_j, \partial_p \partial_q g_k \rangle \right)",
        code="expand",
        assumes="linear student and teacher, infinitely long sequences, half the squared "
        "error; g_j: the student's response at age j, of steps to come below zero, d = g - "
        "g*; R = a delta + b rho^|Delta|",
        note=f"{note}  Judged with eigenvalues up to 0.9999 in modulus, entries over the "
        "root of both diagonal entries of the part without the error.",
    )
