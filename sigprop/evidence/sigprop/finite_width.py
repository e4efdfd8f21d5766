"""Evidence on powers of Gaussian matrices: gluings of a polygon, exact quadrature."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from sigprop.evidence.kit import points
from sigprop.judge.basis import Basis, Evidence
from sigprop.theory import ginibre

Pairs = tuple[tuple[int, int], ...]


def _pairings(sides: tuple[int, ...], steps: int, real: bool) -> Iterator[Pairs]:
    """Every way to glue sides in pairs; complex ones only to the other half."""
    if not sides:
        yield ()
        return
    first, *others = sides
    for other in others:
        if real or (first < steps) != (other < steps):
            rest = tuple(side for side in others if side != other)
            for pairs in _pairings(rest, steps, real):
                yield ((first, other), *pairs)


def _corners(pairs: Pairs, steps: int) -> int:
    """Number of corners of the polygon that stay apart.

    Side ``i`` has a row and a column; the sides of the transpose have the column first.
    Gluing joins rows to rows and columns to columns.
    """
    count = 2 * steps
    parent = list(range(2 * count))  # rows, then columns

    def root(end: int) -> int:
        while parent[end] != end:
            end = parent[end]
        return end

    for first, second in pairs:
        parent[root(first)] = root(second)
        parent[root(count + first)] = root(count + second)
    for side in range(count):
        after = (side + 1) % count
        right = count + side if side < steps else side
        left = after if after < steps else count + after
        parent[root(right)] = root(left)
    return sum(parent[end] == end for end in range(2 * count))


@cache
def gluings(steps: int, real: bool) -> Counter[int]:
    """Numbers of gluings by the number of their corners."""
    pairings = _pairings(tuple(range(2 * steps)), steps, real)
    return Counter(_corners(pairs, steps) for pairs in pairings)


def by_gluings(n: int, k: int, real: bool = True) -> float:
    """``Q_k`` by counting."""
    counts = gluings(k, real).items()
    return sum(number * n**corners for corners, number in counts) / n ** (k + 1)


def by_quadrature(n: int, k: int) -> float:
    """``Q_k`` of real entries by Gauss-Hermite nodes, exact for its polynomial."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(k + 1)
    grid = np.array(list(itertools.product(nodes, repeat=n * n)))
    mass = np.array(list(itertools.product(weights / weights.sum(), repeat=n * n)))
    powers = np.linalg.matrix_power(grid.reshape(-1, n, n), k)
    return float(mass.prod(1) @ (powers**2).sum((1, 2))) / n ** (k + 1)


def by_parts(n: int, k: int, real: bool = True) -> float:
    """``Q_k`` by the recursion."""
    return ginibre.trace_moment(k, n, real) / n ** (k + 1)


def second_by_parts(k: int) -> int:
    """Coefficient of ``1/n^2`` in ``Q_k``, by the recursion."""
    return int(ginibre.polynomial(k).coeff_monomial(ginibre.n ** (k - 1)))


def complex_second(k: int, **_: Any) -> float:
    """The coefficient for complex entries."""
    return (k - 1) * k * (k + 1) * (k + 2) / 24


EVIDENCE: dict[str, Basis] = {
    "sigprop:ginibre-complex": Evidence(
        points("n k", (1, 3), (2, 4), (3, 5), (8, 6), (50, 6)),
        {
            "parts": lambda n, k: by_parts(n, k, real=False),
            "gluings": lambda n, k: by_gluings(n, k, real=False),
        },
        form=ginibre.complex_energy,
        mutants={
            "real entries": by_parts,
            "infinite width": 1.0,
            "the profile of large n": lambda n, k: (
                math.sinh(k * k / 2 / n) / (k * k / 2 / n)
            ),
            "a step fewer": lambda n, k: ginibre.complex_energy(n, k - 1),
            "a row more": lambda n, k: ginibre.complex_energy(n + 1, k),
            "no falling product": lambda n, k: (
                math.prod(range(n, n + k + 2)) / ((k + 1) * (k + 2) * n ** (k + 1))
            ),
        },
    ),
    "sigprop:ginibre-real": Evidence(
        points("n k", (1, 4), (2, 4), (2, 5), (3, 2)),
        {"gluings": by_gluings, "quadrature": by_quadrature},
        form=by_parts,
        mutants={
            "complex entries": lambda n, k: by_parts(n, k, real=False),
            "infinite width": 1.0,
            "a step fewer": lambda n, k: by_parts(n, k - 1),
            "a row more": lambda n, k: by_parts(n + 1, k),
        },
    ),
    "sigprop:ginibre-second": Evidence(
        points("k", 2, 3, 4, 5, 6),
        {"parts": second_by_parts, "gluings": lambda k: gluings(k, True)[k - 1]},
        mutants={"complex entries": complex_second},
    ),
}
