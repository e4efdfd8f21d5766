"""Our own statements on how recurrent matrices are drawn."""

import math

from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence

SINGLE, HALF = math.log10(3.4028235e38), math.log10(65504.0)  # the largest numbers
SCIFAR, TEXT = {"size": 384, "steps": 1024}, {"size": 192, "steps": 4096}


def _few_steps(size: int, steps: int, **_: object) -> bool:
    """True where ``exp(T / sqrt(N))`` is a number of single precision."""
    return steps < math.sqrt(size) * math.log(10) * SINGLE


def claims() -> tuple[Claim, ...]:
    """Our claims on initialisation."""
    return (
        Claim(
            "sigprop:glorot-range",
            "after Section 3.2.2 of Orvieto et al. (2023)",
            Kind.MOMENT,
            "A linear RNN at Glorot's initialisation keeps to the range of single precision",
            r"\mathrm{median}\ \tfrac{1}{2} \log_{10} \frac{1}{N} \sum_{k < T} "
            r"\| A^k \|_F^2 < \log_{10}(3.4 \cdot 10^{38}),\quad "
            r"A_{ij} \sim \mathcal{N}(0, 1/N)",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.layers.dense.nonlinear_rnn",
            condition=Condition(
                "few steps, T < sqrt(N) log(3.4e38): true of every second matrix or more "
                "at N = 384, T = 1024, the sizes of sCIFAR; not at N = 192, T = 4096, "
                "those of Text, nor therefore of most networks of six such layers",
                _few_steps,
            ),
            note="About sqrt(N / 2 pi) eigenvalues are outside the unit disc, "
            "lru:text:approximately-stable.  Tables 1 and 7 print 89.1 % on Text for a "
            "linear RNN: its sequences were shorter or its initialisation another one.",
            topic="ring",
            evidence=Evidence(
                (SCIFAR, TEXT),
                {
                    "gramian": "sigprop.references.initialisations.glorot_growth",
                    "steps": "sigprop.references.initialisations.glorot_simulated",
                },
                form=lambda size, steps: SINGLE,
                relation="<",
                slips={"half precision": lambda size, steps: HALF},
            ),
        ),
    )
