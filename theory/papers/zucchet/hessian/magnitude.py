"""Zucchet & Orvieto (2024), Appendices C.2.2-C.2.3: how large S is, and Figure 8."""

import cmath
import itertools
import math
from typing import Any

from sympy import Expr, Symbol, expand, simplify

from theory import hessian as H
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation
from theory.evidence import Evidence
from theory.papers.zucchet.hessian import forms
from theory.papers.zucchet.hessian.forms import EIGENVALUES, REAL, REFERENCE

LAMBDA_0 = 0.99 * cmath.exp(0.25j * math.pi)
RHOS = (0.0, 0.5, 0.9, 0.97, 0.98, 0.99, 0.995)
SIZES: dict[str, Any] = {
    "reference": REFERENCE + "pair_size",
    "quadrature": REFERENCE + "pair_size_by_spectrum",
}


def claims() -> tuple[Claim, ...]:
    """The sentences after Eq. 134 and Eq. 143, and the caption of Figure 8."""
    return (_conjugate_peak(), _constant(), _amplified(), _figure_8(), _large())


def _turned(at: dict[str, Any]) -> complex:
    """An eigenvalue of the modulus of unit j, in the direction of i's conjugate."""
    first = complex(at["lambda_i"])
    return abs(complex(at["lambda_j"])) * first.conjugate() / abs(first)


def _peak_is_unique() -> bool:
    """``|1+P|^2/|1-P|^6`` with ``P = s e^{i phi}`` grows with ``cos(phi)``.

    Its derivative by the cosine is a positive number times ``8 (1 + s^2 + s c)`` over a
    square, and ``|s c| < 1``.
    """
    s, c = Symbol("s", positive=True), Symbol("c", real=True)
    plus, minus = 1 + 2 * s * c + s**2, 1 - 2 * s * c + s**2
    slope = (plus / minus**3).diff(c)
    return simplify(slope * minus**4 - 8 * s * (1 + s**2 + s * c)) == 0


def _conjugate_peak() -> Claim:
    return Claim(
        "zucchet:text:hessian-conjugate-peak",
        f"text after Eq. 134, {EIGENVALUES}",
        Kind.TEXT,
        "Under white noise S peaks where the eigenvalues are conjugate",
        r"\rho = 0: \; |S(\lambda_i, \lambda_j)| \text{ is large when } \lambda_j \propto "
        r"\bar{\lambda}_i",
        "evidence",
        Status.PROVED,
        "theory.hessian.pair",
        assumes="white input, moduli fixed",
        evidence=Evidence(
            tuple(
                {"lambda_i": 0.6 * cmath.exp(1j * first), "lambda_j": second}
                for first in (0.7, 2.2)
                for second in (
                    0.7,
                    0.5j,
                    0.3 - 0.4j,
                    0.65 * cmath.exp(-1j * (first + 0.05)),
                )
            ),
            SIZES,
            form=lambda **at: abs(H.similarity(at["lambda_i"], _turned(at))),
            relation="<=",
            proof=_peak_is_unique,
            slips={
                "the peak where they are aligned": lambda **at: abs(
                    H.similarity(at["lambda_i"], _turned(at).conjugate())
                ),
                "a tenth less": lambda **at: (
                    0.9 * abs(H.similarity(at["lambda_i"], _turned(at)))
                ),
            },
        ),
        note="Among all directions of unit j, at any modulus of either.",
        topic="hessian",
    )


def _constant() -> Claim:
    def derive() -> Derivation:
        proof = H.pair("exponential")
        return proof.then("at rho = 1", H.factor(proof.result.subs(H.rho, 1)))

    def form() -> Expr:
        return 1 / ((1 - H.alpha) ** 2 * (1 - H.beta) ** 2)

    return Claim(
        "zucchet:text:hessian-constant-input",
        f"text after Eq. 134, {EIGENVALUES}",
        Kind.TEXT,
        "Under constant input S peaks where an eigenvalue nears one",
        r"\rho \to 1: \; |S(\lambda_i, \lambda_j)| \to \frac{1}{|1-\lambda_i|^2 "
        r"|1-\lambda_j|^2}",
        "evidence",
        Status.PROVED,
        "theory.hessian.pair",
        derive=derive,
        printed=form,
        assumes="|lambda_i|, |lambda_j| < 1",
        evidence=Evidence(
            tuple({**at, "rho": 1.0} for at in forms.PAIRS),
            {"reference": REFERENCE + "pair_sum_of_pair"},
        ),
        note="A product of one factor an eigenvalue: nothing is left that couples the two, "
        "and each factor is largest near one. The paper says it in words.",
        topic="hessian",
    )


def _amplified() -> Claim:
    def point(rho: float, angle: float, low: float, high: float) -> dict[str, Any]:
        first = 0.6 * cmath.exp(0.8j)
        return {
            "lambda_i": first,
            "lambda_j": high * cmath.exp(1j * angle),
            "smaller": low * cmath.exp(1j * angle),
            "rho": rho,
        }

    return Claim(
        "zucchet:text:hessian-amplified",
        f"text after Eq. 134, {EIGENVALUES}",
        Kind.TEXT,
        "Both peaks grow with the magnitude of the eigenvalue",
        r"|S| \text{ at its peak increases with } |\lambda_j|, \; \rho = 0 \text{ and } "
        r"\rho \to 1",
        "evidence",
        Status.CONFIRMED,
        "theory.hessian.pair",
        assumes="at the peak: towards the conjugate at rho = 0, towards 1 at rho = 1",
        evidence=Evidence(
            tuple(
                point(rho, angle, low, low + 0.02)
                for rho, angle in ((0.0, -0.8), (1.0, 0.0))
                for low in (0.1, 0.5, 0.7)
            ),
            {
                "reference": REFERENCE + "pair_size",
                "closed_form": lambda lambda_i, lambda_j, rho, **_: abs(
                    H.similarity(lambda_i, lambda_j, rho=rho)
                ),
            },
            form=lambda lambda_i, smaller, rho, **_: abs(
                H.similarity(lambda_i, smaller, rho=rho)
            ),
            relation=">",
            slips={
                "a fifth more": lambda lambda_i, smaller, rho, **_: (
                    1.2 * abs(H.similarity(lambda_i, smaller, rho=rho))
                )
            },
        ),
        note="Off the peak it need not: at rho = 1 and an angle beyond a right one, |S| "
        "falls as the magnitude grows.",
        topic="hessian",
    )


def _ratio(rho: float) -> float:
    """How much larger ``|S|`` is at the conjugate than near one."""
    at_conjugate = abs(H.similarity(LAMBDA_0, LAMBDA_0.conjugate(), rho=rho))
    return at_conjugate / abs(H.similarity(LAMBDA_0, 0.99, rho=rho))


def _figure_8() -> Claim:
    steps = tuple(
        {"lambda_i": LAMBDA_0, "rho": low, "next_rho": high}
        for low, high in itertools.pairwise(RHOS)
    )
    return Claim(
        "zucchet:fig8",
        f"Figure 8, {EIGENVALUES}",
        Kind.FIGURE,
        "S against one fixed eigenvalue: from the conjugate to one",
        r"\lambda_0 = 0.99 \exp(i\pi/4): \; \frac{|S(\bar{\lambda}_0, \lambda_0)|}{|S(0.99, "
        r"\lambda_0)|} \text{ decreases in } \rho",
        "evidence",
        Status.CONFIRMED,
        "theory.hessian.pair",
        evidence=Evidence(
            steps,
            {
                "quadrature": REFERENCE + "peak_ratio",
                "closed_form": lambda rho, **_: _ratio(rho),
            },
            form=lambda next_rho, **_: _ratio(next_rho),
            relation=">",
            slips={
                "twice the next": lambda next_rho, **_: 2 * _ratio(next_rho),
                "the last": lambda rho, **_: _ratio(rho),
            },
        ),
        note="The ratio falls from 59 812 at rho = 0 to 2.0 at rho = 0.99 and 0.56 at "
        "0.995, where the largest value of the disc |lambda| <= 0.99 moves from the "
        "conjugate to 0.99. The value at the conjugate itself first grows, by 38 % at rho "
        "= 0.5. The authors' notebook of this figure computes Eq. 134 as printed, wrong "
        "between rho = 0 and 1: its largest value, near the conjugate, is too low by a "
        "factor of 1 + rho; at rho = 0.9 a tenth of its grid is off by a quarter or more, "
        "and all but a thousandth, near the zeros of S, by up to 150 %.",
        topic="hessian",
    )


def _large() -> Claim:
    """Cauchy-Schwarz: an entry cannot exceed the diagonal ones; where it reaches them."""
    points = []
    for at in forms.TWO_UNITS:
        turned = complex(at["lambda_i"]).conjugate()
        for second in (turned, complex(at["lambda_i"])):
            points.append(H.place(**{**at, "lambda_j": second}))
    return Claim(
        "zucchet:text:hessian-large-blocks",
        f"text after Eq. 143, {REAL}",
        Kind.TEXT,
        "A block is large where eigenvalues are conjugate or aligned",
        r"\max(|A_{ij}|, |B_{ij}|) = \sqrt{B_{ii} B_{jj}} \text{ if } \lambda_j \in \{"
        r"\lambda_i, \bar{\lambda}_i\}",
        "evidence",
        Status.PROVED,
        "theory.hessian.place",
        assumes="any stationary input; otherwise it is at most that",
        evidence=Evidence(
            tuple(points),
            {
                "reference": REFERENCE + "largest_part",
                "quadrature": REFERENCE + "largest_part_by_spectrum",
            },
            form=_geometric_mean,
            proof=_reaches_the_bound,
        ),
        note="The paper says it in words. |A_ij| and |B_ij| are covariances of output "
        "sensitivities, at most the geometric mean of the variances B_ii and B_jj; it is "
        "reached at equal and at conjugate eigenvalues, under any input.",
        topic="hessian",
    )


def _geometric_mean(**at: Any) -> float:
    """``sqrt(B_ii B_jj)`` in closed form."""
    source = {name: at[name] for name in ("a", "b", "rho") if name in at}
    total = 1.0
    for unit in "ij":
        lam = complex(at[f"lambda_{unit}"])
        gain = abs(complex(at[f"b_{unit}"]) * complex(at[f"c_{unit}"]))
        total *= gain * math.sqrt(H.similarity(lam, lam.conjugate(), **source).real)
    return total


def _reaches_the_bound() -> bool:
    """``|A_ij|^2 = B_ii B_jj`` where ``lambda_j`` is the conjugate, for any gains."""
    S = Symbol("S", real=True)
    product = (H.A_EXPR * H.conjugate(H.A_EXPR)).subs({H.S_ij: S, H.bar(H.S_ij): S})
    norms = [b * H.bar(b) * c * H.bar(c) for b, c in ((H.b_i, H.c_i), (H.b_j, H.c_j))]
    return expand(product - norms[0] * norms[1] * S**2) == 0
