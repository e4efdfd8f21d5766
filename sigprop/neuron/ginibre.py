"""Exact eigenvalue distributions of real Gaussian matrices of finite size.

For large size they approach the circular law.

Source: Edelman, Kostlan & Shub (1994) for the real eigenvalues, Edelman (1997) for the
complex ones.  Matrices have independent standard normal entries divided by sqrt(N).
"""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float


def _real_density(x: float, size: int) -> float:
    """Expected density of real eigenvalues at ``x``, entries of unit variance."""
    bulk = scipy.special.gammaincc(size - 1, x * x) / math.sqrt(2 * math.pi)
    log_edge = (
        (size - 1) * math.log(abs(x))
        - x * x / 2
        - scipy.special.gammaln(size / 2)
        - (size / 2) * math.log(2)
        if x
        else -math.inf
    )
    return bulk + math.exp(log_edge) * scipy.special.gammainc((size - 1) / 2, x * x / 2)


def _complex_density(x: Any, y: Any, size: int) -> Any:
    """Expected density of complex eigenvalues at ``x + iy``, ``y > 0``."""
    root = math.sqrt(2 / math.pi) * y * scipy.special.erfcx(math.sqrt(2) * y)
    return root * scipy.special.gammaincc(size - 1, x * x + y * y)


def radial_law(radii: Float[np.ndarray, " k"], size: int) -> Float[np.ndarray, " k"]:
    """Return the expected fraction of eigenvalues with ``|lam|`` at most each radius.

    Args:
        radii: Positive, increasing radii; the limiting disc has radius one.
        size: Number of rows ``N`` of the matrix, at least two.

    Raises:
        ValueError: If ``size`` is below two or the radii do not increase from zero.
    """
    if size < 2:
        raise ValueError(f"need a matrix of size 2 or more, got {size}")
    if not (np.diff(radii, prepend=0) > 0).all():
        raise ValueError(f"need radii increasing from above zero, got {radii}")
    scale = math.sqrt(size)
    angles, weights = np.polynomial.legendre.leggauss(64)
    angles, weights = (angles + 1) * math.pi / 2, weights * math.pi / 2

    def on_circle(s: float) -> float:
        values = [
            _complex_density(s * math.cos(t), s * math.sin(t), size) for t in angles
        ]
        return 2 * s * float(np.dot(weights, values)) + 2 * _real_density(s, size)

    edges = np.concatenate([[0.0], np.asarray(radii)]) * scale
    parts = [
        scipy.integrate.quad(on_circle, a, b, epsabs=1e-9, limit=200)[0]
        for a, b in pairwise(edges)
    ]
    return np.cumsum(parts) / size


def phase_law(phases: Float[np.ndarray, " k"], size: int) -> Float[np.ndarray, " k"]:
    """Return the expected fraction of eigenvalues with ``|arg lam|`` at most each phase.

    Real eigenvalues have phase zero or pi.  Their expected number is about
    ``sqrt(2 N/pi)``.

    Args:
        phases: Increasing phases in radians, in [0, pi].
        size: Number of rows ``N`` of the matrix, at least two.

    Raises:
        ValueError: If ``size`` is below two or the phases do not increase within [0, pi].

    Example:
        >>> phase_law(np.array([0.0, math.pi]), 2).round(4).tolist()  # 0.3536: sqrt(2)/4
        [0.3536, 1.0]
    """
    if size < 2:
        raise ValueError(f"need a matrix of size 2 or more, got {size}")
    if not (np.diff(phases) > 0).all() or phases[0] < 0 or phases[-1] > math.pi:
        raise ValueError(f"need phases increasing within [0, pi], got {phases}")
    edge = math.sqrt(size) + 8  # density falls beyond sqrt(N) as exp(-2 x^2)
    positive, _ = scipy.integrate.quad(
        _real_density, 0, edge, (size,), epsabs=1e-9, limit=200, points=[edge - 8]
    )
    nodes, weights = np.polynomial.legendre.leggauss(200)
    radius, mass = (nodes + 1) * edge / 2, weights * edge / 2
    few, few_weights = np.polynomial.legendre.leggauss(8)
    edges = np.union1d(np.linspace(0, math.pi, 241), phases)
    half = np.diff(edges)[:, None] / 2
    angle = (edges[:-1, None] + half * (few + 1))[..., None]
    density = _complex_density(radius * np.cos(angle), radius * np.sin(angle), size)
    parts = (density @ (radius * mass) * half) @ few_weights
    above = np.cumsum(np.append(0.0, parts))[np.searchsorted(edges, phases)]
    return (positive * (1.0 + (phases == math.pi)) + 2 * above) / size


def sample_radii(
    generator: np.random.Generator, count: int, size: int
) -> Float[np.ndarray, "count size"]:
    """Return the moduli of the eigenvalues of random matrices, a row per matrix."""
    return np.abs(np.linalg.eigvals(sample_matrices(generator, count, size)))


def sample_matrices(
    generator: np.random.Generator, count: int, size: int
) -> Float[np.ndarray, "count size size"]:
    """Draw real matrices with independent Gaussian entries of variance ``1/size``."""
    return generator.standard_normal((count, size, size)) / math.sqrt(size)
