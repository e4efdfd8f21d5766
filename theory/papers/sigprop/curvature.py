"""Our own statements on the Hessian of the teacher-student loss, at any parameters."""

from sigprop.theory.papers.sigprop.gates import table
from sigprop.theory.rows import Part

METHODS = (
    (
        "complex diagonal layers, LRU, S4",
        r"\text{tables of } s \text{ and its derivatives, and inner products}",
    ),
    (
        "dense and block-diagonal layers",
        r"\text{divided differences of } s \text{ at the eigenvalues}",
    ),
    ("BLUR", r"R(n + m) \text{ between filters of opposite directions of time}"),
)
part = Part("Hessian away from optimality", "hessian", "sigprop.curvature.hessian")

part.row(
    "sigprop:curvature",
    "identity",
    "confirmed",
    "The exact Hessian of the expected loss",
    r"\partial_p \partial_q L = \sum_{j,k} R(j-k) \left( \langle \partial_p g_j, "
    r"\partial_q g_k \rangle + \langle d_j, \partial_p \partial_q g_k \rangle \right), "
    r"\quad " + table(METHODS),
    code="expand",
    assumes="linear student and teacher, infinitely long sequences, half the squared "
    "error; g_j: the student's response at age j, of steps to come below zero, d = g - "
    "g*; R = a delta + b rho^|Delta|",
    note="The table says by what the sum is computed; s are sums over ages. Judged with "
    "eigenvalues up to 0.9999 in modulus, entries over the root of both diagonal entries of "
    "the part without the error, by differences of the loss in high precision, and by "
    "autodiff of diagonal layers, covariances of tangent systems of dense ones, which know "
    "neither eigenvalues nor ages, and the transfer function of BLUR.",
)
