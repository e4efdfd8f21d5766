"""Means over the ring of eigenvalues, and shares of area or eigenvalues in a disc.

Source: Orvieto et al. (2023), Section 3 and Appendix F.
"""

import math

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import bisect, legendre
from sigprop.neuron.ginibre import radial_law


def ring_grid(
    r_min: float, r_max: float, phases: int = 512
) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, " k"], Float[np.ndarray, " n"]]:
    """Moduli, their weights in a mean over the ring's area, and phases in turns."""
    modulus, weights = legendre(r_min, r_max, 60)
    weights = weights * 2 * modulus / (r_max**2 - r_min**2)
    return modulus, weights, np.arange(phases) / phases


def ring_mean_resolvent(r_min: float, r_max: float) -> float:
    """Mean over the ring of ``1/(1 - |lam|^2)``."""
    modulus, weights, _ = ring_grid(r_min, r_max)
    return float(weights @ (1 / (1 - modulus**2)))


def area_share(r: float, r_min: float, r_max: float) -> float:
    """Share of the ring's area within a radius, by quadrature."""

    def area(outer: float) -> float:
        radii, weights = legendre(r_min, outer, 20)
        return float(weights @ (2 * np.pi * radii))

    return area(r) / area(r_max)


def radius_of_share(share: float, r_min: float, r_max: float) -> float:
    """The radius within which a share of the ring's area lies, by bisection."""
    area = r_max**2 - r_min**2
    return bisect(lambda r: (r**2 - r_min**2) / area < share, r_min, r_max, 200)


def sampled_exponent(u1: float, r_min: float, r_max: float) -> float:
    """Exponent ``nu`` of the radius within which a share ``u1`` of the area lies."""
    return -math.log(radius_of_share(u1, r_min, r_max))


def share_inside(radius: float, size: int) -> float:
    """Expected share of a Gaussian matrix's eigenvalues within a radius."""
    return float(radial_law(np.array([radius]), size)[0])


def share_by_gammas(radius: float, size: int) -> float:
    """Expected share for complex Gaussian entries, whose ``|lam|^2`` are gamma variables.

    Source: Kostlan (1992), of which the radial law is the mean over the eigenvalues.
    """
    shapes = np.arange(1, size + 1)
    return float(np.mean(scipy.special.gammainc(shapes, size * radius**2)))
