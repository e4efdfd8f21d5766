"""Our own statements on the Hessian at optimality."""

import math

from sympy import Expr, I, exp, expand

from sigprop.theory import hessian as H
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import inside
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.rows import Part
from sigprop.theory.symbols import lam, lam_bar

MODEL = (
    "linear diagonal student of n units equal to its teacher, |lambda_i| < 1, y = Re[sum_i "
    "c_i h_i], h_i driven by b_i x, real stationary input, half squared error"
)
PRODUCTS = (
    r"A_{ij} = b_i b_j c_i c_j S(\lambda_i, \lambda_j), \; B_{ij} = b_i \bar{b}_j c_i "
    r"\bar{c}_j S(\lambda_i, \bar{\lambda}_j)"
)
DEFINED = (
    f"{MODEL}; S as in sigprop:hessian-pair, A and B as in sigprop:hessian-complex"
)
APART = f"{DEFINED}; lambda = nu(omega_nu) exp(i theta(omega_theta)), a parameter each"
DOUBLE_TURN = exp(2 * I * H.theta_i)
own = H.polar("i")

part = Part("Hessian at optimality", "hessian", "sigprop.theory.hessian")


def pair() -> Expr:
    """Return ``S`` in the letters of the statement."""
    P = H.alpha * H.beta
    return H.a * (1 + P) / (1 - P) ** 3 + H.b * H.tidy_pair()


part.row(
    "sigprop:hessian-pair",
    "moment",
    "proved",
    "S for a white and an exponentially correlated part",
    r"S(\alpha, \beta) = a \frac{1+P}{(1-P)^3} + b \frac{(1-\rho^2)(1+P) + \rho^2"
    r"(1-P)^3 + \rho(1-\rho^2)P(\rho P(1+P) - 2\alpha - 2\beta)}{(1-P)^3 (1-\rho"
    r"\alpha)^2 (1-\rho\beta)^2}, \; P = \alpha\beta",
    derive=lambda: H.pair("mixed"),
    printed=pair,
    code="pair",
    assumes=Condition(
        "S the sum over n, m >= 0 of n m alpha^(n-1) beta^(m-1) R(n-m), R = a delta + b "
        "rho^|Delta|; |alpha|, |beta| < 1, |rho| <= 1",
        inside("alpha", "beta"),
    ),
    note="Eq. 134 of Zucchet & Orvieto, corrected and extended.",
)

part.row(
    "sigprop:hessian-pair-bound",
    "bound",
    "confirmed",
    "No entry exceeds the geometric mean of the diagonal ones",
    r"|S(\alpha, \beta)|^2 \le S(\alpha, \bar{\alpha}) S(\beta, \bar{\beta})",
    code="similarity",
    assumes="|alpha|, |beta| < 1, any real stationary input; S as in sigprop:hessian-pair",
    note="Cauchy-Schwarz for two filters of the same input; equality where beta is alpha's "
    "conjugate.",
)

part.row(
    "sigprop:hessian-complex",
    "identity",
    "confirmed",
    "The complex Hessian of all units, Wirtinger derivatives",
    r"H^{\lambda}_{ij} = \frac{1}{4} \begin{pmatrix} A_{ij} & B_{ij} \\ \bar{B}_{ij}"
    rf" & \bar{{A}}_{{ij}} \end{{pmatrix}}, \; {PRODUCTS}",
    code="complex_block",
    assumes=f"{MODEL}; S as in sigprop:hessian-pair",
    note="Eq. 138 with its quarter: four by four entries of two units.",
)

part.row(
    "sigprop:hessian-cartesian",
    "identity",
    "confirmed",
    "The real Hessian in real and imaginary parts, through the layer itself",
    r"H^{\mathrm{RI}}_{ij} = J^\top H^{\lambda}_{ij} J, \; J = \begin{pmatrix} 1 & i "
    r"\\ 1 & -i \end{pmatrix}",
    code="real_block",
    assumes=f"{DEFINED}, H^lambda too",
)

part.row(
    "sigprop:hessian-coupled",
    "identity",
    "confirmed",
    "The real Hessian where the angle depends on both parameters",
    r"H_{pq} = \frac{1}{2} \operatorname{Re}[A_{ij} \partial_p \lambda_i \partial_q "
    r"\lambda_j + B_{ij} \partial_p \lambda_i \partial_q \bar{\lambda}_j]",
    code="as_parts",
    assumes=f"{DEFINED}; any smooth parametrisation",
    note="In the parametrisation of Eq. 108-109 the angle depends on omega_nu too; "
    "Eq. 152-155 leave that out, as the paper announces; this form does not.",
)

part.row(
    "sigprop:hessian-eigenvalues",
    "identity",
    "proved",
    "Eigenvalues of one unit's real Hessian",
    r"\operatorname{eig} H^{\mathrm{RI}}_{ii} = \frac{1}{2}\left(B_{ii} \pm |A_{ii}|"
    r"\right)",
    code="real_block",
    assumes=DEFINED,
    note="B sets the size, |A| the anisotropy, which the real output causes. For a "
    "real eigenvalue and real gains |A| = B: the imaginary direction is flat.",
)


def off_diagonal() -> Derivation:
    """Return the off-diagonal entry at ``i = j``."""
    proof = H.entry(own[0], H.polar("j")[1])
    same = {H.theta_j: H.theta_i, H.nu_j: H.nu_i, H.dtheta_j: H.dtheta_i}
    return proof.then(
        "At i = j, where B is real, this is",
        expand(H.one_unit(proof.result.subs(same))),
    )


part.row(
    "sigprop:hessian-off-diagonal",
    "identity",
    "proved",
    "The entry between magnitude and angle of one eigenvalue",
    r"H_{\nu\theta} = -\frac{1}{2} \nu' \nu \theta' \operatorname{Im}[e^{2i\theta} "
    r"A_{ii}]",
    derive=off_diagonal,
    printed=lambda: (
        -H.dnu_i * H.nu_i * H.dtheta_i / 2 * H.imaginary_part(DOUBLE_TURN * H.A_ij)
    ),
    code="real_block",
    assumes=APART,
    note="It may not be dropped in general: it is zero only where e^{2i theta} b^2 "
    "c^2 S(lambda, lambda) is real. A complex output, as in Appendix C.1, has no A, "
    "and there it vanishes.",
)


def anisotropy() -> Derivation:
    """Return ``|S(lambda, lambda) / S(lambda, conj)|^2`` for white inputs."""
    white = H.pair("white").result
    same = white.subs({H.alpha: lam, H.beta: lam}, simultaneous=True)
    mixed = white.subs({H.alpha: lam, H.beta: lam_bar}, simultaneous=True)
    ratio = same * same.subs(lam, lam_bar) / mixed**2
    return start("The ratio |S(lambda, lambda)|^2 / S(lambda, conj)^2 is", ratio)


part.row(
    "sigprop:hessian-anisotropy",
    "identity",
    "proved",
    "The coupling of magnitude and angle by the real output, white input",
    r"\frac{|A_{ii}|^2}{B_{ii}^2} = \frac{|1+\lambda^2|^2 (1-|\lambda|^2)^6}{|1-"
    r"\lambda^2|^6 (1+|\lambda|^2)^2}",
    derive=anisotropy,
    printed=lambda: (
        (1 + lam**2)
        * (1 + lam_bar**2)
        * (1 - lam * lam_bar) ** 6
        / ((1 + lam * lam_bar) ** 2 * (1 - lam**2) ** 3 * (1 - lam_bar**2) ** 3)
    ),
    code="pair",
    assumes=Condition("|lambda| < 1, white input", inside("lam")),
    note="The root bounds the relative off-diagonal entry and falls as the cube of 1 - "
    "|lambda| at a fixed angle: with long memories the block is nearly diagonal in "
    "any coordinates that keep angles. It is one for a real eigenvalue.",
)


def trace() -> Expr:
    """Return the trace in the letters of the statement."""
    turned = H.real_part(DOUBLE_TURN * H.A_ij)
    first, second = H.dnu_i**2, (H.nu_i * H.dtheta_i) ** 2
    return ((first + second) * H.B_ij + (first - second) * turned) / 2


part.row(
    "sigprop:hessian-trace-polar",
    "identity",
    "proved",
    "The trace of one unit's block in terms of magnitude and angle",
    r"\operatorname{Tr} H = \frac{1}{2}\left[(\nu'^2 + \nu^2 \theta'^2) B_{ii} + "
    r"(\nu'^2 - \nu^2 \theta'^2) \operatorname{Re}[e^{2i\theta} A_{ii}]\right]",
    derive=lambda: start("The trace of J^T H J is", expand(H.one_unit(H.trace(own)))),
    printed=trace,
    code="trace",
    assumes=APART,
    note="Unlike Eq. 145 it holds A: that part cancels only where both parameters "
    "move the eigenvalue equally far.",
)


def dense_pair() -> Expr:
    """Return the sum in the letters of the statement."""
    x, y = (H.x_1, H.x_2), (H.y_1, H.y_2)
    denominator = math.prod((1 - p * q for p in x for q in y), start=1)
    return (1 - x[0] * x[1] * y[0] * y[1]) / denominator


part.row(
    "sigprop:hessian-dense-pair",
    "moment",
    "proved",
    "Two entries of a dense matrix: changes of eigenvalues and eigenvectors",
    r"\sum_k D_k(x_1, x_2) D_k(y_1, y_2) = \frac{1 - x_1 x_2 y_1 y_2}{(1 - x_1 y_1)("
    r"1 - x_1 y_2)(1 - x_2 y_1)(1 - x_2 y_2)}, \; D_k(x, y) = \frac{x^k - y^k}{x - "
    r"y}",
    derive=H.dense_pair,
    printed=dense_pair,
    code="dense_pair",
    assumes=Condition(
        "|x_1|, |x_2|, |y_1|, |y_2| < 1; where x_1 = x_2 or y_1 = y_2, D_k is its limit",
        inside("x_1", "x_2", "y_1", "y_2"),
    ),
    note="At x_1 = x_2 = conj(y_1) = conj(y_2) = lambda, a moved eigenvalue, it is "
    "(1+|lambda|^2)/(1-|lambda|^2)^3, of third order in the memory; for a moved "
    "eigenvector between separate eigenvalues of first order. So moved eigenvalues "
    "dominate a dense network's Hessian too.",
)

part.row(
    "sigprop:hessian-dense",
    "identity",
    "confirmed",
    "The curvature of a dense network along any change of its matrix",
    r"\mathrm{d}A^\top H \mathrm{d}A = \sum_{pq,rs} c_p E_{pq} b_q c_r E_{rs} b_s "
    r"\sum_k D_k(\lambda_p, \lambda_q) D_k(\lambda_r, \lambda_s), \; E = P^{-1} "
    r"\mathrm{d}A P",
    code="dense_pair",
    assumes="scalar input and output, A = P diag(lambda) P^{-1} of spectral radius below "
    "one, b = P^{-1} B, c = C P, white input, half squared error, at optimality; D_k as in "
    "sigprop:hessian-dense-pair",
    note="First-order change of eigenvalues (p = q) and eigenvectors together, "
    "exactly. Differences in double precision set the tolerance.",
)

part.row(
    "sigprop:hessian-rank",
    "identity",
    "confirmed",
    "The Hessian has 2n + 1 eigenvalues that are not zero",
    r"\operatorname{rank} H = 2n + 1",
    code="sigprop.evidence.zucchet.hessian.networks.spectrum",
    assumes="student equal to its teacher, long sequences, an input whose spectrum is "
    "positive (here white), n states, scalar input and output, distinct eigenvalues that "
    "are all reached and seen; dense, or diagonal in conjugate pairs",
    note="The functions that a network can reach near its teacher have 2n + 1 "
    "coordinates (n poles, n residues, the skip). The networks of Figure 4, n = 4 or "
    "two pairs, have 9 non-zero eigenvalues among 25: the tenth of the ten eigenvectors "
    "plotted belongs to the null space and is arbitrary in it.",
)
