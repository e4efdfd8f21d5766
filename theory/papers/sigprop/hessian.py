"""Our own statements about the Hessian at optimality: exact and in general."""

import math
from typing import Any

from sympy import Expr, Matrix, Symbol, expand, sqrt

from theory import hessian as H
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation, start
from theory.evidence import Evidence
from theory.papers.zucchet.hessian import forms
from theory.papers.zucchet.hessian.forms import REFERENCE, SAMPLES
from theory.symbols import lam, lam_bar

NETWORKS = "sigprop.references.hessian_networks."
MODEL = "linear diagonal student equal to its teacher, real output, half squared error"


def claims() -> tuple[Claim, ...]:
    """Our statements on the Hessian at optimality that the paper leaves out."""
    return (*_pairs(), *_blocks(), *_one_unit(), *_dense())


def _ours(name: str, title: str, latex: str, **rest: Any) -> Claim:
    return Claim(
        f"sigprop:hessian-{name}",
        "Hessian at optimality",
        rest.pop("kind", Kind.IDENTITY),
        title,
        latex,
        "evidence",
        rest.pop("expected", Status.PROVED),
        rest.pop("code", "theory.hessian.real_block"),
        topic="hessian",
        **rest,
    )


def _pairs() -> tuple[Claim, ...]:
    def tidy() -> Expr:
        P = H.alpha * H.beta
        return H.a * (1 + P) / (1 - P) ** 3 + H.b * H.tidy_pair()

    points = tuple({**at, "a": 0.3, "b": 1.2} for at in forms.PAIRS)
    return (
        _ours(
            "pair",
            "S for a white and an exponentially correlated part",
            r"S(\alpha, \beta) = a \frac{1+P}{(1-P)^3} + b \frac{(1-\rho^2)(1+P) + \rho^2"
            r"(1-P)^3 + \rho(1-\rho^2)P(\rho P(1+P) - 2\alpha - 2\beta)}{(1-P)^3 (1-\rho"
            r"\alpha)^2 (1-\rho\beta)^2}, \; P = \alpha\beta",
            kind=Kind.MOMENT,
            code="theory.hessian.pair",
            derive=lambda: H.pair("mixed"),
            printed=tidy,
            assumes="|alpha|, |beta| < 1, R = a delta + b rho^|Delta|",
            evidence=Evidence(
                points,
                {
                    "reference": REFERENCE + "pair_sum_of_pair",
                    "quadrature": REFERENCE + "pair_quadrature_of_pair",
                },
            ),
            note="Eq. 134 of Zucchet & Orvieto, corrected and extended.",
        ),
        _ours(
            "pair-bound",
            "No entry exceeds the geometric mean of the diagonal ones",
            r"|S(\alpha, \beta)|^2 \le S(\alpha, \bar{\alpha}) S(\beta, \bar{\beta})",
            kind=Kind.BOUND,
            expected=Status.CONFIRMED,
            code="theory.hessian.similarity",
            assumes="any stationary input; equality where beta is alpha's conjugate",
            evidence=Evidence(
                (
                    *forms.PAIRS,
                    {"alpha": 0.3 - 0.5j, "beta": 0.3 + 0.501j, "rho": 0.95},
                ),
                {
                    "reference": REFERENCE + "pair_sum_squared",
                    "quadrature": REFERENCE + "pair_quadrature_squared",
                },
                form=lambda alpha, beta, rho: (
                    H.similarity(alpha, complex(alpha).conjugate(), rho=rho).real
                    * H.similarity(beta, complex(beta).conjugate(), rho=rho).real
                ),
                relation="<=",
                slips={
                    "a thousandth less": lambda alpha, beta, rho: (
                        0.999
                        * H.similarity(alpha, complex(alpha).conjugate(), rho=rho).real
                        * H.similarity(beta, complex(beta).conjugate(), rho=rho).real
                    )
                },
            ),
            note="Cauchy-Schwarz for two filters of the same input.",
        ),
    )


def _coupled(at: dict[str, Any]) -> dict[str, Any]:
    """A point with the slopes of the parametrisation of Eq. 108-109, fully coupled.

    ``theta = omega_theta f(nu)`` and ``nu = tanh(omega_nu)``.
    """
    nu = Symbol("nu", positive=True)
    scale = (1 - nu**2) / (nu * sqrt(1 + nu**2))
    found = forms.with_charts(at)
    for unit in "ij":
        value = found[f"nu_{unit}"]
        factor, slope = (float(f.subs(nu, value)) for f in (scale, scale.diff(nu)))
        found[f"dnu_{unit}"] = 1 - value**2
        found[f"dtheta_{unit}"] = factor
        found[f"cross_{unit}"] = (
            found[f"theta_{unit}"] / factor * slope * (1 - value**2)
        )
    return found


def _blocks() -> tuple[Claim, ...]:
    return (
        _ours(
            "complex",
            "The complex Hessian of all units, Wirtinger derivatives",
            r"H^{\lambda}_{ij} = \frac{1}{4} \begin{pmatrix} A_{ij} & B_{ij} \\ \bar{B}_{ij}"
            r" & \bar{A}_{ij} \end{pmatrix}",
            expected=Status.CONFIRMED,
            code="theory.hessian.complex_block",
            assumes=MODEL,
            evidence=Evidence(
                forms.pairs(),
                {
                    "reference": REFERENCE + "whole_complex",
                    "quadrature": REFERENCE + "whole_complex_by_spectrum",
                },
                form=lambda **at: H.whole_complex(at),
            ),
            note="Eq. 138 with its quarter: four by four entries of two units.",
        ),
        _ours(
            "cartesian",
            "The real Hessian by (re, im) through the layer itself",
            r"H^{\mathrm{RI}}_{ij} = J^\top H^{\lambda}_{ij} J, \; J = \begin{pmatrix} 1 & i "
            r"\\ 1 & -i \end{pmatrix}",
            expected=Status.CONFIRMED,
            assumes=MODEL,
            evidence=Evidence(
                forms.pairs()[:2],
                {
                    "impulse": SAMPLES + "layer_block",
                    "reference": REFERENCE + "cartesian_block",
                },
                form=lambda **at: H.block_value(H.CARTESIAN, H.CARTESIAN, at),
            ),
        ),
        _ours(
            "coupled",
            "The real Hessian where the angle depends on both parameters",
            r"H_{pq} = \frac{1}{2} \operatorname{Re}[A_{ij} \partial_p \lambda_i \partial_q "
            r"\lambda_j + B_{ij} \partial_p \lambda_i \partial_q \bar{\lambda}_j]",
            expected=Status.CONFIRMED,
            code="theory.hessian.as_parts",
            assumes=MODEL + "; any smooth parametrisation",
            evidence=Evidence(
                tuple(_coupled(at) for at in forms.pairs()),
                {
                    "reference": REFERENCE + "optimal_block",
                    "sensitivities": REFERENCE + "optimal_gauss_newton",
                },
                form=lambda **at: H.block_value(
                    H.polar("i", True), H.polar("j", True), at
                ),
            ),
            note="In the parametrisation of Eq. 108-109 the angle depends on omega_nu too; "
            "Eq. 152-155 leave that out, this form does not.",
        ),
    )


def _diagonal_block() -> Matrix:
    """One unit's block by (re, im): ``B`` is real."""
    block = H.real_block(H.CARTESIAN, H.CARTESIAN)
    return block.applyfunc(lambda entry: expand(H.one_unit(entry)))


def _eigenvalues() -> bool:
    """``(B +- |A|) / 2`` has the trace and the determinant of one unit's block."""
    block = _diagonal_block()
    modulus = H.A_ij * H.bar(H.A_ij)
    trace = expand(block.trace() - H.B_ij)
    determinant = expand(block.det() - (H.B_ij**2 - modulus) / 4)
    return trace == 0 and determinant == 0


def _one_unit() -> tuple[Claim, ...]:
    charted = tuple(forms.with_charts(at) for at in forms.singles())
    own = H.polar("i")

    def off_diagonal() -> Derivation:
        proof = H.entry(own[0], H.polar("j")[1])
        same = {H.theta_j: H.theta_i, H.nu_j: H.nu_i, H.dtheta_j: H.dtheta_i}
        return proof.then(
            "at i = j, where B is real", expand(H.one_unit(proof.result.subs(same)))
        )

    def trace() -> Expr:
        turned = H.real_part(forms.turn(1).subs(H.theta_j, H.theta_i) * H.A_ij)
        first, second = H.dnu_i**2, (H.nu_i * H.dtheta_i) ** 2
        return ((first + second) * H.B_ij + (first - second) * turned) / 2

    return (
        _ours(
            "eigenvalues",
            "Eigenvalues of one unit's real Hessian",
            r"\operatorname{eig} H^{\mathrm{RI}}_{ii} = \frac{1}{2}\left(B_{ii} \pm |A_{ii}|"
            r"\right)",
            assumes=MODEL,
            evidence=Evidence(
                forms.singles(),
                {
                    "reference": REFERENCE + "eigenvalues_of_block",
                    "sensitivities": REFERENCE + "eigenvalues_of_sensitivities",
                },
                form=lambda A_ij, B_ij, **_: [
                    (complex(B_ij).real + sign * abs(A_ij)) / 2 for sign in (-1, 1)
                ],
                proof=_eigenvalues,
            ),
            note="B sets the size, |A| the anisotropy, which the real output causes. For a "
            "real eigenvalue and real gains |A| = B: the imaginary direction is flat.",
        ),
        _ours(
            "off-diagonal",
            "The entry between magnitude and angle of one eigenvalue",
            r"H_{\nu\theta} = -\frac{1}{2} \nu' \nu \theta' \operatorname{Im}[e^{2i\theta} "
            r"A_{ii}]",
            derive=off_diagonal,
            printed=lambda: (
                -H.dnu_i
                * H.nu_i
                * H.dtheta_i
                / 2
                * H.imaginary_part(forms.turn(1).subs(H.theta_j, H.theta_i) * H.A_ij)
            ),
            assumes=MODEL,
            evidence=Evidence(
                charted,
                {
                    "reference": REFERENCE + "lru_nu_theta",
                    "sensitivities": REFERENCE + "lru_nu_theta_of_sensitivities",
                },
            ),
            note="It may not be dropped in general: it is nought only where e^{2i theta} "
            "b^2 c^2 S(lambda, lambda) is real. A complex output, as in Appendix C.1, has "
            "no A, and there it vanishes.",
        ),
        _ours(
            "anisotropy",
            "How much the real output couples magnitude and angle, white input",
            r"\frac{|A_{ii}|^2}{B_{ii}^2} = \frac{|1+\lambda^2|^2 (1-|\lambda|^2)^6}{|1-"
            r"\lambda^2|^6 (1+|\lambda|^2)^2}",
            code="theory.hessian.pair",
            derive=_anisotropy,
            printed=lambda: (
                (1 + lam**2)
                * (1 + lam_bar**2)
                * (1 - lam * lam_bar) ** 6
                / ((1 + lam * lam_bar) ** 2 * (1 - lam**2) ** 3 * (1 - lam_bar**2) ** 3)
            ),
            evidence=Evidence(
                tuple({"lam": z} for z in (0.5 + 0.4j, -0.3 + 0.6j, 0.1 + 0.75j)),
                {
                    "reference": REFERENCE + "unmixed_over_mixed",
                    "quadrature": REFERENCE + "unmixed_over_mixed_by_spectrum",
                },
            ),
            assumes="|lambda| < 1, white input",
            note="The root bounds the relative off-diagonal entry and falls as the cube of 1 - "
            "|lambda| at a fixed angle: with long memories the block is nearly diagonal in "
            "any coordinates that keep angles. It is one for a real eigenvalue.",
        ),
        _ours(
            "trace-polar",
            "The trace of one unit's block by magnitude and angle",
            r"\operatorname{Tr} H = \frac{1}{2}\left[(\nu'^2 + \nu^2 \theta'^2) B_{ii} + "
            r"(\nu'^2 - \nu^2 \theta'^2) \operatorname{Re}[e^{2i\theta} A_{ii}]\right]",
            code="theory.hessian.trace",
            derive=lambda: start(
                "the trace of J^T H J", expand(H.one_unit(H.trace(own)))
            ),
            printed=trace,
            assumes=MODEL,
            evidence=Evidence(
                charted,
                {
                    "reference": REFERENCE + "lru_trace",
                    "sensitivities": REFERENCE + "lru_trace_of_sensitivities",
                },
            ),
            note="Unlike Eq. 145 it holds A: that part cancels only where both parameters "
            "move the eigenvalue equally far.",
        ),
    )


def _anisotropy() -> Derivation:
    """The squared modulus of ``S(lambda, lambda)`` over ``S(lambda, conj)``, white."""
    white = H.pair("white").result
    same = white.subs({H.alpha: lam, H.beta: lam}, simultaneous=True)
    mixed = white.subs({H.alpha: lam, H.beta: lam_bar}, simultaneous=True)
    ratio = same * same.subs(lam, lam_bar) / mixed**2
    return start("|S(lambda, lambda)|^2 over S(lambda, conj)^2", ratio)


def _dense() -> tuple[Claim, ...]:
    x, y = (H.x_1, H.x_2), (H.y_1, H.y_2)

    def form() -> Expr:
        denominator = math.prod((1 - p * q for p in x for q in y), start=1)
        return (1 - x[0] * x[1] * y[0] * y[1]) / denominator

    quadruples = tuple(
        dict(zip(("x_1", "x_2", "y_1", "y_2"), values, strict=True))
        for values in (
            (0.5 + 0.4j, 0.3 - 0.6j, -0.2 + 0.7j, 0.6),
            (0.5 + 0.4j, 0.5 + 0.4j, 0.5 - 0.4j, 0.3j),
            (-0.7, 0.2 + 0.1j, 0.65j, 0.65j),
        )
    )
    networks = tuple({"seed": s, "normal": n} for s in (0, 1) for n in (True, False))
    sizes = tuple({"seed": 0, "normal": True, "size": size} for size in (2, 4, 6))
    return (
        _ours(
            "dense-pair",
            "Two entries of a dense matrix: moved eigenvalues and eigenvectors",
            r"\sum_k D_k(x_1, x_2) D_k(y_1, y_2) = \frac{1 - x_1 x_2 y_1 y_2}{(1 - x_1 y_1)("
            r"1 - x_1 y_2)(1 - x_2 y_1)(1 - x_2 y_2)}, \; D_k(x, y) = \frac{x^k - y^k}{x - "
            r"y}",
            kind=Kind.MOMENT,
            code="theory.hessian.dense_pair",
            derive=H.dense_pair,
            printed=form,
            assumes="white input, eigenvalues inside the circle",
            evidence=Evidence(quadruples, {"reference": NETWORKS + "dense_pair_sum"}),
            note="At x_1 = x_2 = conj(y_1) = conj(y_2) = lambda, a moved eigenvalue, it is "
            "(1+|lambda|^2)/(1-|lambda|^2)^3, of third order in the memory; for a moved "
            "eigenvector between separate eigenvalues of first order. So moved eigenvalues "
            "dominate a dense network's Hessian too.",
        ),
        _ours(
            "dense",
            "The curvature of a dense network along any change of its matrix",
            r"\mathrm{d}A^\top H \mathrm{d}A = \sum_{pq,rs} c_p E_{pq} b_q c_r E_{rs} b_s "
            r"\sum_k D_k(\lambda_p, \lambda_q) D_k(\lambda_r, \lambda_s), \; E = P^{-1} "
            r"\mathrm{d}A P",
            expected=Status.CONFIRMED,
            code="theory.hessian.dense_pair",
            assumes="A diagonalisable, white input, at optimality",
            evidence=Evidence(
                networks,
                {
                    "sensitivities": NETWORKS + "dense_curvature",
                    "reference": NETWORKS + "dense_curvature_by_differences",
                },
                form=NETWORKS + "dense_curvature_in_eigenbasis",
                tolerance=1e-8,
            ),
            note="First-order change of eigenvalues (p = q) and eigenvectors together, "
            "exactly. Differences in double precision set the tolerance.",
        ),
        _ours(
            "rank",
            "The Hessian has 2n + 1 eigenvalues that are not zero",
            r"\operatorname{rank} H = 2n + 1",
            expected=Status.CONFIRMED,
            code="sigprop.references.hessian_networks.spectrum",
            assumes="n states, scalar input and output, distinct eigenvalues that are all "
            "reached and seen; dense, or diagonal in conjugate pairs",
            evidence=Evidence(
                sizes,
                {
                    "sensitivities": NETWORKS + "rank_dense",
                    "diagonal": NETWORKS + "rank_diagonal",
                },
                form=lambda size, **_: 2 * size + 1,
            ),
            note="The functions that a network can reach near its teacher have 2n + 1 "
            "coordinates (n poles, n residues, the skip). The networks of Figure 4, n = 4, "
            "have 9 non-zero eigenvalues among 25: the tenth of the ten eigenvectors plotted "
            "belongs to the null space and is arbitrary in it.",
        ),
    )
