"""Orvieto et al. (2023), Appendix F and Figure 9: the statements repeated."""

from sympy import log

from sigprop.theory import ring
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import is_open_ring
from sigprop.theory.derivation import start
from sigprop.theory.rows import Part
from sigprop.theory.symbols import r_max, r_min, u1

part = Part("", "ring", "sigprop.theory.ring")

part.row(
    "lru:lemma3.2-restated",
    "distribution",
    "proved",
    "Lemma 3.2 as restated with its proof",
    r"\nu = -\frac{1}{2}\log\left(u_1(r_{\max}^2 - r_{\min}^2) + "
    r"r_{\min}^2\right),\quad \theta = 2\pi u_2",
    where="Lemma 3.2, Appendix F.1",
    derive=ring.sampled_nu,
    printed=lambda: -log(u1 * (r_max**2 - r_min**2) + r_min**2) / 2,
    code="sampled_nu",
    assumes=Condition(
        "0 <= r_min <= r_max <= 1", lambda r_min, r_max, **_: 0 <= r_min <= r_max <= 1
    ),
    note="The lemma is the same as in Section 3.2.2. At r_min = r_max the ring is a "
    "circle.",
    uncounted="repeats lru:lemma3.2",
)
part.row(
    "lru:prop3.3-restated",
    "moment",
    "proved",
    "Proposition 3.3 as restated with its proof",
    r"\mathbb{E}\left[\|x_\infty\|_2^2\right] = \frac{1}{r_{\max}^2 - "
    r"r_{\min}^2}\log\left(\frac{1 - r_{\min}^2}{1 - r_{\max}^2}\right) "
    r"\mathbb{E}\left[\|Bu\|_2^2\right]",
    where="Proposition 3.3, Appendix F.2",
    derive=lambda: start("The gain is", ring.gain().result),
    printed=lambda: log((1 - r_min**2) / (1 - r_max**2)) / (r_max**2 - r_min**2),
    code="gain",
    assumes=Condition(
        "r_min < r_max < 1, phases uniform on the whole circle", is_open_ring
    ),
    note="The proposition is the same as in Section 3.4. Under white noise only the "
    "mean of the norm converges, not the norm itself.",
    uncounted="repeats lru:prop3.3",
)
part.row(
    "lru:fig9",
    "figure",
    "confirmed",
    "The gain formula is more accurate for random than for constant input",
    r"\text{spread under random input} < \text{spread under constant input}",
    where="Fig. 9",
    code="sigprop.evidence.lru.restatements.gain_spread",
    note="The test concerns the relative variance of one entry's squared modulus over "
    "ring and projection; a mean over N = 500 entries has 1/500 of it. Constant input "
    "has E(1+r)/(1-r)^3 where white has E 1/(1-r)^2, r = |lam|^2; the quotient "
    "(1+r)/(1-r) exceeds one on every ring. The figure's own size is not run.",
)
