"""Zucchet & Orvieto (2024), Appendices C.2.2-C.2.3, Figure 8: the size of the factor S."""

import cmath
import math

from sigprop.theory import hessian as H
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import inside
from sigprop.theory.derivation import Derivation
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Appendix C.2.2", "hessian", "sigprop.theory.hessian")
real = part.at("Appendix C.2.3")

part.row(
    "zucchet:text:hessian-conjugate-peak",
    "text",
    "proved",
    "Under white noise S peaks where the eigenvalues are conjugate",
    r"\rho = 0: \; |S(\lambda_i, \lambda_j)| \text{ is large when } \lambda_j = s "
    r"\bar{\lambda}_i, \; s > 0",
    where="text after Eq. 134",
    code="pair",
    assumes="white input, moduli fixed",
    note="The peak is among all directions of unit j, at any modulus of either unit.",
)


def constant_input() -> Derivation:
    """Return ``S`` for constant inputs."""
    proof = H.pair("exponential")
    return proof.then("At rho = 1 this is", H.factor(proof.result.subs(H.rho, 1)))


part.row(
    "zucchet:text:hessian-constant-input",
    "text",
    "proved",
    "Under constant input S peaks where an eigenvalue nears one",
    r"\rho \to 1: \; |S(\lambda_i, \lambda_j)| \to \frac{1}{|1-\lambda_i|^2 "
    r"|1-\lambda_j|^2}",
    where="text after Eq. 134",
    derive=constant_input,
    printed=lambda: 1 / ((1 - H.alpha) ** 2 * (1 - H.beta) ** 2),
    code="pair",
    assumes=Condition("|lambda_i|, |lambda_j| < 1", inside("alpha", "beta")),
    note="S is a product of one factor per eigenvalue, so nothing couples the two. "
    "Each factor is largest near one. The paper says it in words.",
)


def _is_at_peak(lambda_i: complex, lambda_j: complex, rho: float, **_: object) -> bool:
    """True where one eigenvalue is in the direction of the other's conjugate, or rho is 1."""
    return rho == 1 or cmath.isclose(
        cmath.phase(lambda_j), -cmath.phase(lambda_i), abs_tol=1e-12
    )


def _is_below_cosine(lambda_j: complex, rho: float, **_: object) -> bool:
    """True where a larger modulus brings an eigenvalue nearer to 1, or rho is zero."""
    return rho == 0 or abs(lambda_j) <= math.cos(cmath.phase(lambda_j))


part.row(
    "zucchet:text:hessian-amplified",
    "text",
    "conditional",
    "Both peaks grow with the magnitude of the eigenvalue",
    r"|S| \text{ increases with } |\lambda_j|, \; \rho = 0 \text{ and } \rho \to 1",
    where="text after Eq. 134",
    code="pair",
    assumes=Condition(
        "at rho = 0 towards the conjugate of the other eigenvalue", _is_at_peak
    ),
    condition=Condition(
        "at rho = 1 the magnitude is below the cosine of the angle", _is_below_cosine
    ),
    note="At rho = 1 |S| is a constant over |1 - lambda_j|^2. Along a ray at an angle to "
    "the real axis the distance to 1 is smallest where the magnitude is the cosine of the "
    "angle. Beyond this |S| falls: along exp(i pi/4) from 20000 at 0.7071 to 17240 at "
    "0.99, with the other eigenvalue at 0.99.",
    erratum=Erratum(
        "D", bearing="No later result is affected: the sentence describes Figure 8."
    ),
)

part.row(
    "zucchet:fig8",
    "figure",
    "confirmed",
    "S against one fixed eigenvalue: from the conjugate to one",
    r"\lambda_0 = 0.99 \exp(i\pi/4): \; \frac{|S(\bar{\lambda}_0, \lambda_0)|}{|S(0.99, "
    r"\lambda_0)|} \text{ decreases in } \rho",
    where="Figure 8",
    code="pair",
    note="The ratio falls from 59 812 at rho = 0 to 2.0 at rho = 0.99 and 0.56 at "
    "0.995, where the largest value of the disc |lambda| <= 0.99 moves from the "
    "conjugate to 0.99. The value at the conjugate itself first grows, by 38 % at rho "
    "= 0.5. The authors' notebook of this figure computes Eq. 134 as printed, wrong "
    "between rho = 0 and 1: its largest value, near the conjugate, is too low by a "
    "factor of 1 + rho; at rho = 0.9 a tenth of its grid is off by a quarter or more, "
    "and all but a thousandth, near the zeros of S, by up to 150 %.",
)

real.row(
    "zucchet:text:hessian-large-blocks",
    "text",
    "proved",
    "A block is large where eigenvalues are conjugate or aligned, or one is near one",
    r"\max(|A_{ij}|, |B_{ij}|) \text{ at given moduli is largest where } \lambda_j = s "
    r"\lambda_i \text{ or } s \bar{\lambda}_i \; (\rho = 0), \; \lambda_j = |\lambda_j| "
    r"\; (\rho \to 1), \; s > 0",
    where="text after Eq. 143",
    code="evidence_point",
    assumes="the inputs of the discussion after Eq. 134, on which the sentence rests",
    note="The paper says it in words. Where the eigenvalues are equal or conjugate the "
    "larger of both is sqrt(B_ii B_jj), the most that it can be, under any input. That "
    "one eigenvalue is near 1 is enough for correlated inputs only: of 0.999 and -0.5 "
    "|S| is 0.15 at rho = 0 and 444 444 at rho = 1.",
)
