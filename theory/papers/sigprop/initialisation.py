"""Our own statements on the sampling of recurrent matrices."""

import math

from sigprop.theory.claims import Condition
from sigprop.theory.rows import Part

SINGLE = math.log10(3.4028235e38)  # of the largest number in single precision


def _few_steps(size: int, steps: int, **_: object) -> bool:
    """True where ``exp(T / sqrt(N))`` is a number of single precision."""
    return steps < math.sqrt(size) * math.log(10) * SINGLE


part = Part("", "ring", "sigprop.layers.dense")

part.row(
    "sigprop:glorot-range",
    "moment",
    "conditional",
    "A linear RNN at Glorot's initialisation keeps to the range of single precision",
    r"\mathrm{median}\ \tfrac{1}{2} \log_{10} \frac{1}{N} \sum_{k < T} "
    r"\| A^k \|_F^2 < \log_{10}(3.4 \cdot 10^{38}),\quad "
    r"A_{ij} \sim \mathcal{N}(0, 1/N)",
    where="after Section 3.2.2 of Orvieto et al. (2023)",
    code="nonlinear_rnn",
    condition=Condition(
        "few steps, T < sqrt(N) log(3.4e38), which is enough and not the least: it holds "
        "at N = 384, T = 1024, the sizes of sCIFAR, and not at N = 192, T = 4096, those of "
        "Text, nor therefore for most networks of six such layers",
        _few_steps,
    ),
    note="At N = 192, T = 4096 the median is at 72 decades, between 60.4 and 77.9 at 95 % "
    "by 101 matrices, of which 78 % leave the range. About sqrt(N / 2 pi) eigenvalues are "
    "outside the unit disc, lru:text:approximately-stable. Tables 1, 6, 7 and 8 print "
    "89.1 % on Text for a linear RNN: if its width was that of the LRU, Table 9, its "
    "sequences were shorter, or its initialisation or its precision another one.",
)
