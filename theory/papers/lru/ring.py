"""Orvieto et al. (2023), Section 3: the ring, its gain, the circular law, Eq. 4-7."""

from sympy import Expr, Integer, Piecewise, log

from theory import diagonal, ring
from theory.claims import Claim, Kind, Status
from theory.papers import grids
from theory.points import CONSTANT, WHITE, AgePoint, RingPoint
from theory.symbols import T, lam, lam_bar, n, r, r_max, r_min, u1

GAIN = r"\frac{1}{r_{\max}^2 - r_{\min}^2}\log\left(\frac{1-r_{\min}^2}{1-r_{\max}^2}\right)"


def prop_3_3() -> Expr:
    """Proposition 3.3 as printed."""
    return log((1 - r_min**2) / (1 - r_max**2)) / (r_max**2 - r_min**2)


def lemma_3_2() -> Expr:
    """Lemma 3.2 as printed."""
    return -log(u1 * (r_max**2 - r_min**2) + r_min**2) / 2


def eq_4() -> Expr:
    """Weight of the input of age ``n`` after ``T = k + 1`` inputs, as printed."""
    return Piecewise((lam**n, n <= T - 2), (Integer(0), True))


def claims() -> tuple[Claim, ...]:
    """The claims of this paper, in the order of its text."""
    return (
        Claim(
            "lru:4",
            "Eq. 4, Section 3.2.1",
            Kind.IDENTITY,
            "The state unrolled from x_0 = B u_0",
            r"x_0 = Bu_0,\ x_1 = ABu_0 + Bu_1,\ \dots \quad\Rightarrow\quad x_k = "
            r"\sum_{j=0}^{k-1} A^j B u_{k-j}",
            "state_kernel",
            Status.REFUTED,
            "sigprop.neuron.recurrence.linear_recurrence",
            ring.unrolled_state,
            eq_4,
            correction=r"x_k = \sum_{j=0}^{k} A^j B u_{k-j}",
            corrected=lambda: lam**n,
            grid=tuple(
                AgePoint(gap, theta, age, steps=8)
                for gap, theta in ((0.05, 0.3), (0.4, 1.0))
                for age in (0, 3, 7)
            ),
            note="The sum drops the oldest input A^k B u_0, which the same line has in "
            "x_0 and x_1. Judged for one eigenvalue of A. No limit depends on it.",
            topic="forward",
        ),
        Claim(
            "lru:thm3.1",
            "Theorem 3.1, Section 3.2",
            Kind.DISTRIBUTION,
            "Strong circular law",
            r"A \in \mathbb{R}^{N\times N},\ A_{ij} \sim \mathcal{N}(0, 1/N) \quad"
            r"\Rightarrow\quad \mu_N \rightarrow \mathcal{U}\{z \in \mathbb{C} : |z| "
            r"\leq 1\}",
            "sigprop.checks.circular_law",
            Status.CONFIRMED,
            "sigprop.neuron.ginibre.radial_law",
            assumes="independent real Gaussian entries of variance 1/N",
            note="Judged through the exact law at finite N, whose distance to the "
            "uniform disc is shown to fall like 1/sqrt(N). Almost-sure convergence "
            "itself is a theorem of probability that no finite run can decide.",
            topic="ring",
        ),
        Claim(
            "lru:lemma3.2",
            "Lemma 3.2, Section 3.2 and Appendix F.1",
            Kind.DISTRIBUTION,
            "Sampling uniformly on a ring",
            r"\nu = -\frac{1}{2}\log\left(u_1(r_{\max}^2 - r_{\min}^2) + r_{\min}^2"
            r"\right),\quad \theta = 2\pi u_2 \quad\Rightarrow\quad \exp(-\nu + i\theta)"
            r" \text{ uniform on the ring}",
            "ring_law",
            Status.PROVED,
            "sigprop.neuron.ring.sample_ring",
            ring.sampled_nu,
            lemma_3_2,
            assumes="0 <= r_min < r_max <= 1",
            grid=tuple(RingPoint(*radii) for radii in grids.RINGS),
            margin=0.01,
            topic="ring",
        ),
        Claim(
            "lru:prop3.3",
            "Proposition 3.3, Section 3.4 and Eq. 31-41",
            Kind.MOMENT,
            "Forward-pass blow-up on the ring",
            r"\mathbb{E}\left[\|x_\infty\|_2^2\right] = " + GAIN + r"\,\mathbb{E}\left["
            r"\|Bu\|_2^2\right]",
            "ring_gain",
            Status.PROVED,
            "sigprop.neuron.stable.ring_gain",
            ring.gain,
            prop_3_3,
            assumes="0 <= r_min < r_max < 1, phases uniform on the whole circle, "
            "white or constant input",
            grid=grids.rings((WHITE, CONSTANT)),
            headline=True,
            note="The proof sums ages from 1 (Eq. 31-37) but evaluates the geometric "
            "series from 0 (Eq. 38); from 0 is right.",
            topic="ring",
        ),
        Claim(
            "lru:5",
            "Eq. 5, Section 3.4",
            Kind.LIMIT,
            "Gain of a thin ring",
            r"\lim_{\epsilon \rightarrow 0} \frac{\mathbb{E}\|x_\infty\|_2^2}{\mathbb{E}"
            r"\|Bu\|_2^2} = \lim_{\epsilon \rightarrow 0} \frac{1}{\epsilon} \log\left(1 "
            r"+ \frac{\epsilon}{\rho}\right) = \frac{1}{\rho} = \frac{1}{1-r^2}",
            "thin_ring",
            Status.PROVED,
            "sigprop.neuron.stable.ring_gain",
            ring.thin_ring_gain,
            lambda: 1 / (1 - r**2),
            assumes="r_min = r_max = r < 1",
            grid=tuple(
                RingPoint(outer - 1e-6, outer, source, grids.LONG)
                for outer in (0.5, 0.9, 0.95)
                for source in (WHITE, CONSTANT)
            ),
            note="At a finite width epsilon the relative error of the limit is below "
            "epsilon / (2 (1 - r_max^2)).",
            topic="ring",
        ),
        Claim(
            "lru:6",
            "Eq. 6, Section 3.4, first equality",
            Kind.MOMENT,
            "State moment under white noise, first equality",
            r"\mathbb{E}|x_k|^2 = \left(\sum_{i=0}^{k-1} \lambda^i \mathbb{E}[u_{k-i}]"
            r"\right)\left(\sum_{j=0}^{k-1} \lambda^j \mathbb{E}[u_{k-j}]\right)^{*} = "
            r"\dots = \sum_{i=0}^{k-1} |\lambda|^{2i}",
            "state",
            Status.REFUTED,
            "sigprop.neuron.stable.finite_state_moment_white",
            ring.white_partial_sum,
            lambda: Integer(0),
            correction=r"\mathbb{E}|x_k|^2 = \mathbb{E}\left[\left(\sum_{i=0}^{k-1} "
            r"\lambda^i u_{k-i}\right)\left(\sum_{j=0}^{k-1} \lambda^j u_{k-j}\right)^{*}"
            r"\right] = \sum_{i=0}^{k-1} |\lambda|^{2i} = \frac{1 - |\lambda|^{2k}}{1 - "
            r"|\lambda|^2}",
            corrected=lambda: (1 - r ** (2 * T)) / (1 - r**2),
            assumes="white input of zero mean and unit variance",
            grid=grids.FINITE_WHITE,
            note="As printed the expectation is taken inside each factor, a product of "
            "means, which is 0 for white noise. The later members of the chain are right.",
            topic="forward",
        ),
        Claim(
            "lru:6-limit",
            "Eq. 6, Section 3.4, last member",
            Kind.LIMIT,
            "State moment under white noise in the limit",
            r"\sum_{i=0}^{k-1} |\lambda|^{2i} \rightarrow \frac{1}{1-|\lambda|^2}",
            "state",
            Status.PROVED,
            "sigprop.neuron.stable.state_moment",
            lambda: diagonal.moment("state", "white"),
            lambda: 1 / (1 - lam * lam_bar),
            assumes="|lambda| < 1, white input of unit variance",
            grid=grids.COMPLEX_WHITE,
            topic="forward",
        ),
        Claim(
            "lru:7",
            "Eq. 7, Section 3.4",
            Kind.MOMENT,
            "Normalised recurrence keeps the state at unit size",
            r"x_k = \Lambda x_{k-1} + \exp(\gamma^{\log}) \odot (Bu_k),\quad "
            r"\gamma_i^{\log} \leftarrow \log\sqrt{1-|\lambda_i|^2}",
            "normalised_state",
            Status.PROVED,
            "sigprop.neuron.ring.normalisation",
            ring.normalised_moment,
            lambda: (1 - lam * lam_bar) * diagonal.moment("state", "white").result,
            assumes="|lambda| < 1, white input; the claim is E|x|^2 = E|Bu|^2",
            grid=grids.COMPLEX_WHITE,
            topic="forward",
        ),
    )
