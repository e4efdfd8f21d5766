"""Orvieto et al. (2023), Appendix F and Figure 9: the statements repeated."""

from sympy import log

from theory import ring
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation, start
from theory.evidence import Evidence
from theory.papers.lru.rows import LRU
from theory.symbols import r_max, r_min, u1

RINGS = tuple(
    {"r_min": low, "r_max": high} for low, high in ((0.3, 0.8), (0.1, 0.6), (0.7, 0.85))
)


def _gain() -> Derivation:
    return start("the gain", ring.gain().result)


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (
        Claim(
            "lru:lemma3.2-restated",
            "Lemma 3.2, Appendix F.1",
            Kind.DISTRIBUTION,
            "Lemma 3.2 as restated with its proof",
            r"\nu = -\frac{1}{2}\log\left(u_1(r_{\max}^2 - r_{\min}^2) + r_{\min}^2\right),"
            r"\quad \theta = 2\pi u_2",
            "evidence",
            Status.PROVED,
            "theory.ring.sampled_nu",
            ring.sampled_nu,
            lambda: -log(u1 * (r_max**2 - r_min**2) + r_min**2) / 2,
            assumes="0 <= r_min < r_max <= 1; at r_min = r_max the ring is a circle",
            evidence=Evidence(
                tuple({**radii, "u1": u} for radii in RINGS for u in (0.3, 0.85)),
                {"reference": f"{LRU}.sampled_exponent"},
                tolerance=1e-9,
            ),
            note="The same as in Section 3.2.2.",
            topic="ring",
        ),
        Claim(
            "lru:prop3.3-restated",
            "Proposition 3.3, Appendix F.2",
            Kind.MOMENT,
            "Proposition 3.3 as restated with its proof",
            r"\mathbb{E}\left[\|x_\infty\|_2^2\right] = \frac{1}{r_{\max}^2 - r_{\min}^2}"
            r"\log\left(\frac{1 - r_{\min}^2}{1 - r_{\max}^2}\right) \mathbb{E}\left["
            r"\|Bu\|_2^2\right]",
            "evidence",
            Status.PROVED,
            "theory.ring.gain",
            _gain,
            lambda: log((1 - r_min**2) / (1 - r_max**2)) / (r_max**2 - r_min**2),
            assumes="r_min < r_max < 1, phases uniform on the whole circle",
            evidence=Evidence(RINGS, {"reference": f"{LRU}.ring_mean_resolvent"}),
            note="The same as in Section 3.4. Under white noise the norm itself does not "
            "converge, only its mean does.",
            topic="ring",
        ),
        Claim(
            "lru:fig9",
            "Fig. 9",
            Kind.FIGURE,
            "The gain formula is more accurate for random than for constant input",
            r"\text{spread under random input} < \text{spread under constant input}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.lru.gain_spread",
            evidence=Evidence(
                tuple({**radii, "source": "white"} for radii in RINGS),
                {"reference": f"{LRU}.gain_spread"},
                form=f"{LRU}.spread_under_constant",
                relation="<",
                slips={"a fifth": f"{LRU}.fifth_of_spread"},
                alone="quadrature over the ring, for complex normal B",
            ),
            note="Judged is the relative variance of one entry's squared modulus over ring "
            "and projection; a mean over N = 500 entries has 1/500 of it. Constant input "
            "has E(1+r)/(1-r)^3 where white has E 1/(1-r)^2, r = |lam|^2.",
            topic="ring",
        ),
    )
