"""Means over the ring of eigenvalues, and shares of area or eigenvalues in a disc.

Source: Orvieto et al. (2023), Section 3 and Appendix F.
"""

import math

import numpy as np
from jaxtyping import Float

from sigprop.neuron.ginibre import radial_law


def ring_grid(
    r_min: float, r_max: float, phases: int = 512
) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, " k"], Float[np.ndarray, " n"]]:
    """Moduli, their weights in a mean over the ring's area, and phases in turns."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    modulus = (r_max + r_min) / 2 + (r_max - r_min) / 2 * nodes
    weights = weights * (r_max - r_min) / 2 * 2 * modulus / (r_max**2 - r_min**2)
    turns = np.arange(phases) / phases
    return modulus, weights, turns


def ring_mean_resolvent(r_min: float, r_max: float) -> float:
    """Mean over the ring of ``1/(1 - |lam|^2)``."""
    modulus, weights, _ = ring_grid(r_min, r_max)
    return float(weights @ (1 / (1 - modulus**2)))


def area_share(r: float, r_min: float, r_max: float) -> float:
    """Share of the ring's area within a radius, by quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(20)

    def area(outer: float) -> float:
        half = (outer - r_min) / 2
        return float(half * weights @ (2 * np.pi * (r_min + half * (1 + nodes))))

    return area(r) / area(r_max)


def radius_of_share(share: float, r_min: float, r_max: float) -> float:
    """The radius within which a share of the ring's area lies, by bisection."""
    low, high = r_min, r_max
    for _ in range(200):
        middle = (low + high) / 2
        inside = (middle**2 - r_min**2) / (r_max**2 - r_min**2) < share
        low, high = (middle, high) if inside else (low, middle)
    return low


def sampled_exponent(u1: float, r_min: float, r_max: float) -> float:
    """Exponent ``nu`` of the radius within which a share ``u1`` of the area lies."""
    return -math.log(radius_of_share(u1, r_min, r_max))


def share_of_disc(r: float) -> float:
    """Share of the disc's area within a radius."""
    return area_share(r, 0.0, 1.0)


def share_inside(radius: float, size: int) -> float:
    """Expected share of a Gaussian matrix's eigenvalues within a radius."""
    return float(radial_law(np.array([radius]), size)[0])


def share_outside(size: int) -> float:
    """Expected share of a Gaussian matrix's eigenvalues outside the unit disc."""
    return float(1 - radial_law(np.array([1.0]), size)[0])
