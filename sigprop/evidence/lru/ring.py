"""Evidence for the ring, its gain, and the circular law, Orvieto et al. (2023), Section 3."""

import functools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sigprop.evidence.kit import energy, powers, recur
from sigprop.judge import grids
from sigprop.judge.basis import Basis, Check, Example, Grid, by_mutants
from sigprop.judge.results import RouteResult, decided
from sigprop.judge.statuses import simulated_result
from sigprop.judge.verdict import judge, plan
from sigprop.neuron import ginibre
from sigprop.numerics.points import CONSTANT, WHITE, AgePoint, RingPoint
from sigprop.theory.claims import Claim
from sigprop.theory.papers.lru.ring import eq_4
from sigprop.theory.symbols import T, lam, n

MARGIN = 0.05
CIRCLE_RADII = np.array([0.5, 0.75, 0.9, 1.0])
CIRCLE_SIZE, CIRCLE_PILOT, INFLATION = 64, 300, 1.5


@functools.cache
def _circle_fractions(
    sample: Callable[..., np.ndarray], seed: int, tag: int, count: int
) -> np.ndarray:
    """Fractions of eigenvalues within each radius, a row a radius."""
    generator = np.random.default_rng([seed, 31, tag])
    radii = sample(generator, count, CIRCLE_SIZE)
    return (radii[None] <= CIRCLE_RADII[:, None, None]).mean(axis=2)


def circular_law(
    claim: Claim, seed: int, distribution: Callable[..., Any] | None = None
) -> tuple[RouteResult, ...]:
    """Sampled matrices against the exact law at finite N, and that law's limit.

    Counts of eigenvalues are no Gaussian forms: their variance comes from a pilot with
    its own key, inflated by half, and fixes the number of matrices before the run.
    """
    distribution = distribution or ginibre.radial_law
    exact = distribution(CIRCLE_RADII, CIRCLE_SIZE)
    fractions = partial(_circle_fractions, ginibre.sample_radii, seed)
    pilot = fractions(0, CIRCLE_PILOT)
    variance = (pilot.var(axis=1, ddof=1) / pilot.mean(axis=1) ** 2).max()
    sized = plan(MARGIN, variance=float(INFLATION * variance))
    results = []
    for radius, expected, sample in zip(
        CIRCLE_RADII, exact, fractions(1, sized.n), strict=True
    ):
        verdict = judge(
            float(sample.mean()),
            float(expected),
            sized,
            float(sample.std(ddof=1) / math.sqrt(sized.n)),
        )
        point = f"N={CIRCLE_SIZE}, |z| <= {radius}"
        results.append(simulated_result(point, verdict))
    sizes = (16, 64, 256, 1024, 4096)
    gaps = [
        float(np.max(np.abs(distribution(CIRCLE_RADII, size) - CIRCLE_RADII**2)))
        for size in sizes
    ]
    steps = zip(sizes, sizes[1:], gaps, gaps[1:], strict=False)
    for small, large, before, after in steps:
        # A distance of order 1/sqrt(N) halves if the size is multiplied by four.
        point = (
            f"distance to the disc, N={small} to {large}: {before:.3g} to {after:.3g}"
        )
        right = 0.45 < after / before < 0.55
        results.append(decided("reference", point, 2 * after / before, right))
    return tuple(results)


EVIDENCE: dict[str, Basis] = {
    "lru:4": Grid(
        "state_kernel",
        tuple(
            AgePoint(gap, theta, age, steps=8)
            for gap, theta in ((0.05, 0.3), (0.4, 1.0))
            for age in (0, 3, 7)
        ),
        example=Example(
            "x_1 for B = 1, u_0 = 1, u_1 = 0",
            {"A": 0.9},
            lambda A: float(eq_4().subs({lam: A, n: 1, T: 2})),
            lambda A: recur(A, np.array([1.0, 0.0]))[-1],
        ),
    ),
    "lru:thm3.1": Check(
        circular_law,
        by_mutants(
            {
                "uniform in the radius": partial(
                    circular_law, distribution=lambda r, size: r
                ),
                "a third power": partial(
                    circular_law, distribution=lambda r, size: r**3
                ),
                "5 % more": partial(
                    circular_law,
                    distribution=lambda r, size: 1.05 * ginibre.radial_law(r, size),
                ),
                "5 % less": partial(
                    circular_law,
                    distribution=lambda r, size: 0.95 * ginibre.radial_law(r, size),
                ),
            }
        ),
        ("monte_carlo", "reference"),
    ),
    "lru:lemma3.2": Grid(
        "ring_law", tuple(RingPoint(*radii) for radii in grids.RINGS), margin=0.01
    ),
    "lru:prop3.3": Grid("ring_gain", grids.rings((WHITE, CONSTANT)), headline=True),
    "lru:5": Grid(
        "thin_ring",
        tuple(
            RingPoint(outer - 1e-6, outer, source, grids.LONG)
            for outer in (0.5, 0.9, 0.95)
            for source in (WHITE, CONSTANT)
        ),
    ),
    "lru:6": Grid(
        "state",
        grids.FINITE_WHITE,
        example=Example(
            "E|x_2|^2 under unit white noise",
            {"lam": 0.9},
            0.0,
            lambda lam: energy(powers(lam, 2)),
        ),
    ),
    "lru:6-limit": Grid("state", grids.COMPLEX_WHITE),
    "lru:7": Grid("normalised_state", grids.COMPLEX_WHITE),
}
