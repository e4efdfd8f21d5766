"""Evidence for the repeated statements, Appendix F and Figure 9 of Orvieto et al. (2023)."""

from typing import Any

import numpy as np

from sigprop.evidence.kit import also, crossed, points
from sigprop.evidence.lru.annulus import (
    ring_grid,
    ring_mean_resolvent,
    sampled_exponent,
)
from sigprop.judge.basis import Basis, Evidence

RINGS = points("r_min r_max", (0.3, 0.8), (0.1, 0.6), (0.7, 0.85))


def gain_spread(r_min: float, r_max: float, source: str) -> float:
    """Relative variance of ``|x_i|^2`` over the ring, less one, for complex normal ``B``.

    Twice the mean square of the gain over its squared mean, less one.
    """
    modulus, weights, turns = ring_grid(r_min, r_max, 4096)
    gain = 1 / (1 - modulus[:, None] ** 2)
    if source == "constant":
        gain = np.abs(1 - np.multiply.outer(modulus, np.exp(2j * np.pi * turns))) ** -2
    first, second = (weights @ np.mean(gain**p, axis=1) for p in (1, 2))
    return float(2 * second / first**2 - 1)


def spread_under_white(r_min: float, r_max: float, **_: str) -> float:
    """Relative variance of ``|x_i|^2`` less one under white input, integrated by hand."""
    low, high = r_min**2, r_max**2
    first = np.log((1 - low) / (1 - high)) / (high - low)
    return float(2 / ((1 - low) * (1 - high)) / first**2 - 1)


def spread_under_constant(**point: Any) -> float:
    """Relative variance of ``|x_i|^2`` over the ring, less one, under constant input."""
    return gain_spread(**{**point, "source": "constant"})


EVIDENCE: dict[str, Basis] = {
    "lru:lemma3.2-restated": Evidence(
        crossed(RINGS, points("u1", 0.3, 0.85)),
        {"reference": sampled_exponent},
        tolerance=1e-9,
    ),
    "lru:prop3.3-restated": Evidence(RINGS, {"reference": ring_mean_resolvent}),
    "lru:fig9": Evidence(
        also(RINGS, source="white"),
        {"reference": gain_spread, "closed_form": spread_under_white},
        form=spread_under_constant,
        relation="<",
        mutants={
            "white, B of fixed size": lambda **point: (
                (spread_under_white(**point) - 1) / 2
            )
        },
    ),
}
