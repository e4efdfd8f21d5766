"""Orvieto et al. (2023), Section 3: the ring, its gain, the circular law, Eq. 4-7."""

from sympy import Expr, Integer, Piecewise, log

from sigprop.theory import diagonal, ring
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import driven_by, is_open_ring
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part
from sigprop.theory.symbols import T, lam, lam_bar, n, r, r_max, r_min, u1

GAIN = r"\frac{1}{r_{\max}^2 - r_{\min}^2}\log\left(\frac{1-r_{\min}^2}{1-r_{\max}^2}\right)"


def prop_3_3() -> Expr:
    """Return Proposition 3.3 as printed."""
    return log((1 - r_min**2) / (1 - r_max**2)) / (r_max**2 - r_min**2)


def lemma_3_2() -> Expr:
    """Return Lemma 3.2 as printed."""
    return -log(u1 * (r_max**2 - r_min**2) + r_min**2) / 2


def eq_4() -> Expr:
    """Return the weight of the input of age ``n`` after ``T = k + 1`` inputs, as printed."""
    return Piecewise((lam**n, n <= T - 2), (Integer(0), True))


part = Part("", "forward", "sigprop.neuron.stable")

part.row(
    "lru:4",
    "identity",
    "refuted",
    "The state unrolled from x_0 = B u_0",
    r"x_0 = Bu_0,\ x_1 = ABu_0 + Bu_1,\ \dots \quad\Rightarrow\quad x_k = "
    r"\sum_{j=0}^{k-1} A^j B u_{k-j}",
    where="Eq. 4, Section 3.2.1",
    derive=ring.unrolled_state,
    printed=eq_4,
    code="sigprop.neuron.recurrence.linear_recurrence",
    correction=r"x_k = \sum_{j=0}^{k} A^j B u_{k-j}",
    corrected=lambda: lam**n,
    note="The paper sums to j = k - 1; it should be j = k. The printed sum drops the "
    "oldest input A^k B u_0, although the same line has it in x_0 and x_1. We compare "
    "both sums for one eigenvalue of A. The limit k - 1 would fit the inputs of Eq. "
    "1, which are counted from 1.",
    erratum=Erratum(
        "B",
        appears_in=(
            "lru:6",
            "lru:text:diagonal-unrolled",
            "lru:text:unrolled-bound",
            "the sum in the paragraph on stability, Section 3.2.1",
        ),
        bearing="One term does not change any limit k to infinity.",
    ),
)
part.row(
    "lru:thm3.1",
    "distribution",
    "confirmed",
    "Strong circular law",
    r"A \in \mathbb{R}^{N\times N},\ A_{ij} \sim \mathcal{N}(0, 1/N) \quad"
    r"\Rightarrow\quad \mu_N \rightarrow \mathcal{U}\{z \in \mathbb{C} : |z| "
    r"\leq 1\}",
    where="Theorem 3.1, Section 3.2",
    code="sigprop.neuron.ginibre.radial_law",
    topic="ring",
    assumes="independent real Gaussian entries of variance 1/N",
    note="Judged through the exact distribution at finite N, whose distance to the uniform "
    "disc is shown to fall like 1/sqrt(N). Almost-sure convergence itself is a "
    "theorem of probability that no finite run can decide. The test concerns the "
    "radial part; neither the angle, nor that the share on the real axis vanishes, is.",
)
part.row(
    "lru:lemma3.2",
    "distribution",
    "proved",
    "Sampling uniformly on a ring",
    r"\nu = -\frac{1}{2}\log\left(u_1(r_{\max}^2 - r_{\min}^2) + r_{\min}^2"
    r"\right),\quad \theta = 2\pi u_2 \quad\Rightarrow\quad \exp(-\nu + i\theta)"
    r" \text{ uniform on the ring}",
    where="Lemma 3.2, Section 3.2 and Appendix F.1",
    derive=ring.sampled_nu,
    printed=lemma_3_2,
    code="sigprop.neuron.ring.sample_ring",
    topic="ring",
    assumes=Condition(
        "0 <= r_min <= r_max <= 1", lambda r_min, r_max, **_: 0 <= r_min <= r_max <= 1
    ),
)
part.row(
    "lru:prop3.3",
    "moment",
    "proved",
    "Forward-pass blow-up on the ring",
    r"\mathbb{E}\left[\|x_\infty\|_2^2\right] = " + GAIN + r"\,\mathbb{E}\left["
    r"\|Bu\|_2^2\right]",
    where="Proposition 3.3, Section 3.4 and Eq. 31-41",
    derive=ring.gain,
    printed=prop_3_3,
    code="ring_gain",
    topic="ring",
    assumes=Condition(
        "0 <= r_min < r_max < 1, phases uniform on the whole circle, white or constant "
        "input",
        lambda input, **point: (
            is_open_ring(**point) and input.name in ("white", "constant")
        ),
    ),
    note="The proof starts the sum over past inputs at lag 1 (Eq. 31-37). Eq. 38 "
    "evaluates the geometric series from lag 0, which is right. Section 3.4 also uses "
    "gamma with phases in [0, pi/10], which the hypotheses exclude.",
)
part.row(
    "lru:5",
    "limit",
    "proved",
    "Gain of a thin ring",
    r"\lim_{\epsilon \rightarrow 0} \frac{\mathbb{E}\|x_\infty\|_2^2}{\mathbb{E}"
    r"\|Bu\|_2^2} = \lim_{\epsilon \rightarrow 0} \frac{1}{\epsilon} \log\left(1 "
    r"+ \frac{\epsilon}{\rho}\right) = \frac{1}{\rho} = \frac{1}{1-r^2}",
    where="Eq. 5, Section 3.4",
    derive=ring.thin_ring_gain,
    printed=lambda: 1 / (1 - r**2),
    code="ring_gain",
    topic="ring",
    assumes=Condition("r_min = r_max = r < 1", is_open_ring),
    note="At a finite width epsilon the relative error of the limit is below "
    "epsilon / (2 (1 - r_max^2)).",
)
part.row(
    "lru:6",
    "moment",
    "refuted",
    "State moment under white noise, first equality",
    r"\mathbb{E}|x_k|^2 = \left(\sum_{i=0}^{k-1} \lambda^i \mathbb{E}[u_{k-i}]"
    r"\right)\left(\sum_{j=0}^{k-1} \lambda^j \mathbb{E}[u_{k-j}]\right)^{*} = "
    r"\dots = \sum_{i=0}^{k-1} |\lambda|^{2i}",
    where="Eq. 6, Section 3.4, first equality",
    derive=ring.white_partial_sum,
    printed=lambda: Integer(0),
    code="finite_state_moment_white",
    correction=r"\mathbb{E}|x_k|^2 = \mathbb{E}\left[\left(\sum_{i=0}^{k} "
    r"\lambda^i u_{k-i}\right)\left(\sum_{j=0}^{k} \lambda^j u_{k-j}\right)^{*}"
    r"\right] = \dots = \sum_{i=0}^{k} |\lambda|^{2i}",
    corrected=lambda: (1 - r ** (2 * T)) / (1 - r**2),
    assumes=Condition("white input of zero mean and unit variance", driven_by("white")),
    note="The paper takes the expectation inside each factor; it should be the "
    "expectation of the product. The printed product of means is 0 for white noise. "
    "The upper limits k-1 are those of Eq. 4 and are corrected as in lru:4; the limit k "
    "to infinity is the same.",
    erratum=Erratum(
        "C", bearing="The next member has E[u_(k-i) u_(k-j)], and the limit is right."
    ),
)
part.row(
    "lru:6-limit",
    "limit",
    "proved",
    "State moment under white noise in the limit",
    r"\sum_{i=0}^{k-1} |\lambda|^{2i} \rightarrow \frac{1}{1-|\lambda|^2}",
    where="Eq. 6, Section 3.4, last member",
    derive=lambda: diagonal.moment("state", "white"),
    printed=lambda: 1 / (1 - lam * lam_bar),
    code="state_moment",
    assumes=Condition("|lambda| < 1, white input of unit variance", driven_by("white")),
)
part.row(
    "lru:7",
    "moment",
    "proved",
    "The normalised recurrence keeps the state at unit variance",
    r"x_k = \Lambda x_{k-1} + \exp(\gamma^{\log}) \odot (Bu_k),\quad "
    r"\gamma_i^{\log} \leftarrow \log\sqrt{1-|\lambda_i|^2}",
    where="Eq. 7, Section 3.4",
    derive=ring.normalised_moment,
    printed=lambda: (1 - lam * lam_bar) * diagonal.moment("state", "white").result,
    code="sigprop.neuron.ring.normalisation",
    assumes=Condition(
        "|lambda| < 1, white input, k to infinity; the claim is E|x|^2 = E|Bu|^2",
        driven_by("white"),
    ),
)
