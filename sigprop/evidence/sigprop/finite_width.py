"""Evidence on powers of Gaussian matrices: gluings of polygons, exact quadrature."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import scipy

from sigprop.evidence.kit import points
from sigprop.judge.basis import Basis, Evidence
from sigprop.theory import ginibre
from sigprop.theory.random_products import typical_energy, typical_holds

Pairs = tuple[tuple[int, int], ...]


def _pairings(sides: tuple[int, ...], steps: int, real: bool) -> Iterator[Pairs]:
    """Every pairing of sides; for complex entries only between the two halves."""
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
    """Number of corners that the polygon has after gluing.

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


def typical_by_density(n: int, k: int) -> float:
    """The mean logarithm of a sum of ``n`` squares, by the density of its logarithm."""

    def integrand(t: float) -> float:
        scale = math.lgamma(n / 2) + n / 2 * math.log(2)
        return t * math.exp(n / 2 * t - math.exp(t) / 2 - scale)

    mean, _ = scipy.integrate.quad(integrand, -60, 8, epsabs=1e-13, limit=200)
    return k * (mean - math.log(n))


def typical_by_series(n: int, k: int) -> float:
    """From one or two squares up, as ``E log`` of two more squares is ``2/n`` more."""
    start = 1 if n % 2 else 2
    log_mean = {1: -np.euler_gamma - math.log(2), 2: math.log(2) - np.euler_gamma}[
        start
    ]
    for size in range(start, n, 2):
        log_mean += 2 / size
    return k * (log_mean - math.log(n))


def untied_by_nodes(n: int, k: int) -> float:
    """The fourth power of the norm, matrix by matrix, at Hermite nodes of the entries."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(3)
    return _fourth_power(nodes, weights, n, np.eye(n)[0]) ** k


def untied_by_lengths(n: int, k: int) -> float:
    """By the second moment of a sum of squares, which is distributed like an energy."""

    def integrand(x: float) -> float:
        scale = math.lgamma(n / 2) + n / 2 * math.log(2)
        return 2 * x ** (n + 3) * math.exp(-x * x / 2 - scale) / n**2

    return scipy.integrate.quad(integrand, 0, 40, epsabs=1e-13)[0] ** k


def _fourth_power(nodes: Any, weights: Any, n: int, x: Any) -> float:
    """``E |W x|^4`` over all entries at their nodes, which have variance one."""
    weights = weights / weights.sum()
    rows = np.array(list(itertools.product(nodes, repeat=n))) @ x
    mass = np.array(list(itertools.product(weights, repeat=n))).prod(1)
    squares, total = rows**2, 0.0
    for indices in itertools.product(range(n), repeat=2):
        first, second = indices
        if first == second:
            total += float(mass @ squares**2)
        else:
            total += float(mass @ squares) ** 2
    return total / n**2


def uniform_by_nodes(n: int, spread: float) -> float:
    """At Legendre nodes of the entries, of an input with two values."""
    nodes, weights = np.polynomial.legendre.leggauss(3)
    return _fourth_power(math.sqrt(3) * nodes, weights, n, _input(n, spread))


def uniform_by_values(n: int, spread: float) -> float:
    """At three values of an entry that have the moments of a uniform one."""
    values = np.array([-1.0, 0.0, 1.0]) * math.sqrt(9 / 5)
    masses = np.array([5 / 18, 4 / 9, 5 / 18])
    return _fourth_power(values, masses, n, _input(n, spread)[::-1])


def _input(n: int, spread: float) -> Any:
    """A unit vector with a given sum of fourth powers, in which one entry differs."""

    def excess(first: float) -> float:
        return first**2 + (1 - first) ** 2 / (n - 1) - spread

    first = scipy.optimize.brentq(excess, 1 / n, 1.0, xtol=1e-15)
    return np.sqrt(np.array([first] + [(1 - first) / (n - 1)] * (n - 1)))


def second_by_nodes(n: int) -> float:
    """The mean of ``|W^2|_F^2/n`` over Legendre nodes of all entries."""
    nodes, weights = np.polynomial.legendre.leggauss(3)
    return _second(math.sqrt(3) * nodes, weights / 2, n)


def second_by_values(n: int) -> float:
    """The mean of ``|W^2|_F^2/n``, over three values with a uniform entry's moments."""
    values = np.array([-1.0, 0.0, 1.0]) * math.sqrt(9 / 5)
    return _second(values, np.array([5 / 18, 4 / 9, 5 / 18]), n)


def _second(values: Any, masses: Any, n: int) -> float:
    grid = np.array(list(itertools.product(values, repeat=n * n)))
    mass = np.array(list(itertools.product(masses, repeat=n * n))).prod(1)
    squares = np.linalg.matrix_power(grid.reshape(-1, n, n), 2) ** 2
    return float(mass @ squares.sum((1, 2))) / n**3


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
    "sigprop:untied-typical": Evidence(
        points("n k", (1, 2), (4, 3), (9, 5)),
        {"integration": typical_by_density, "series": typical_by_series},
        form=typical_energy,
        proof=typical_holds,
        tolerance=1e-8,
        mutants={
            "complex entries": lambda n, k: (
                k * (float(scipy.special.digamma(n)) - math.log(n))
            ),
            "the first correction alone": lambda n, k: -k / n,
            "infinite width": 0.0,
            "the norm and not its square": lambda n, k: typical_energy(n, k) / 2,
            "a row more": lambda n, k: typical_energy(n + 1, k),
        },
    ),
    "sigprop:untied-kurtosis": Evidence(
        points("n k", (2, 3), (4, 2), (5, 7)),
        {"nodes": untied_by_nodes, "lengths": untied_by_lengths},
    ),
    "sigprop:uniform-kurtosis": Evidence(
        points("n spread", (2, 0.7), (4, 0.3), (5, 0.9)),
        {"nodes": uniform_by_nodes, "values": uniform_by_values},
    ),
    "sigprop:uniform-second": Evidence(
        points("n", 1, 2, 3), {"nodes": second_by_nodes, "values": second_by_values}
    ),
}
