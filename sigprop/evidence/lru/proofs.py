"""Evidence for the proofs on the ring, Appendix F of Orvieto et al. (2023), Eq. 27-41."""

import math

import numpy as np

from sigprop.evidence.kit import points, powers, recur
from sigprop.evidence.lru.annulus import (
    area_share,
    ring_grid,
    ring_mean_resolvent,
    sampled_exponent,
)
from sigprop.evidence.lru.restatements import RINGS
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.numerics.precision import double_precision

RADII = points("r r_min r_max", (0.6, 0.3, 0.8), (0.97, 0.9, 0.999), (0.45, 0.1, 0.7))
EXPONENTS = points(
    "nu r_min r_max", (0.5, 0.3, 0.8), (0.03, 0.9, 0.999), (1.2, 0.1, 0.7)
)
SHARES = points("u1 r_min r_max", (0.3, 0.2, 0.9), (0.85, 0.5, 0.7), (0.6, 0.05, 0.6))
CONSTANT = points("lam energy", (0.6 + 0.3j, 1.7), (-0.7, 0.4), (0.2 - 0.9j, 2.3))
WITHIN = points("r_min r_max r", (0.3, 0.8, 0.5), (0.1, 0.6, 0.4), (0.7, 0.85, 0.8))


def area_share_of_exponent(nu: float, r_min: float, r_max: float) -> float:
    """Share of the ring's area within the radius ``exp(-nu)``, by quadrature."""
    return area_share(math.exp(-nu), r_min, r_max)


def share_of_sampled(u1: float, r_min: float, r_max: float) -> float:
    """Share of the area within the radius that the package's own map draws."""
    import jax.numpy as jnp

    from sigprop.neuron.ring import ring_polar

    with double_precision(True):
        nu, _ = ring_polar(jnp.asarray(u1), jnp.asarray(0.5), r_min, r_max)
        return area_share(math.exp(-float(nu)), r_min, r_max)


def squared_radius(u1: float, r_min: float, r_max: float) -> float:
    """``exp(-2 nu)`` of the radius within which a share ``u1`` of the area lies."""
    return math.exp(-2 * sampled_exponent(u1, r_min, r_max))


def simulated_energy(lam: complex, energy: float, horizon: int = 2000) -> float:
    """``|x|^2`` after many equal inputs, by the recurrence."""
    return abs(recur(lam, np.full(horizon, math.sqrt(energy)))[-1]) ** 2


def ring_double_sum(r_min: float, r_max: float) -> float:
    """Mean of the double sum of powers from one, by area and phase."""
    modulus, weights, turns = ring_grid(r_min, r_max)
    lam = np.multiply.outer(modulus, np.exp(2j * np.pi * turns))
    return float(weights @ np.mean(np.abs(lam / (1 - lam)) ** 2, axis=1))


def ring_term_by_term(r_min: float, r_max: float) -> float:
    """Mean of the double sum of powers, term by term: radius, then phase."""
    modulus, weights, turns = ring_grid(r_min, r_max)
    n = np.arange(1, 200)
    ages = np.add.outer(n, n)
    radial = np.array([weights @ modulus**age for age in range(2, 400)])[ages - 2]
    lags = np.arange(-199, 200)
    phase = np.exp(2j * np.pi * np.multiply.outer(lags, turns)).mean(axis=1)
    return float(np.sum(radial * phase[np.subtract.outer(n, n) + 199]).real)


def ring_power_sum(r_min: float, r_max: float) -> float:
    """Sum over ages from one of the mean of the squared modulus to the age."""
    modulus, weights, _ = ring_grid(r_min, r_max)
    return float(sum(weights @ modulus ** (2 * age) for age in range(1, 2000)))


ENERGY = Evidence(
    CONSTANT,
    {"reference": simulated_energy},
    example=Example(
        "|x|^2 under constant input 1",
        {"lam": 0.5},
        lambda lam: powers(lam, 200)[1:].sum() ** 2,
        lambda lam: simulated_energy(lam, 1.0),
    ),
)
DOUBLE_SUM = {"reference": ring_double_sum, "quadrature": ring_power_sum}

EVIDENCE: dict[str, Basis] = {
    "lru:27": Evidence(RADII, {"reference": area_share}),
    "lru:28": Evidence(EXPONENTS, {"reference": area_share_of_exponent}),
    "lru:29": Evidence(SHARES, {"reference": share_of_sampled}),
    "lru:30": Evidence(SHARES, {"reference": squared_radius}),
    "lru:text:nu": Evidence(SHARES, {"reference": sampled_exponent}),
    "lru:31": ENERGY,
    "lru:32": ENERGY,
    "lru:33": Evidence(WITHIN, {"reference": area_share}),
    "lru:34": Evidence(RINGS, DOUBLE_SUM, tolerance=1e-9),
    "lru:35": Evidence(
        RINGS,
        {"reference": ring_term_by_term, "quadrature": ring_power_sum},
        tolerance=1e-9,
    ),
    "lru:36": Evidence(
        RINGS,
        {"reference": ring_power_sum, "quadrature": ring_double_sum},
        tolerance=1e-9,
    ),
    "lru:37": Evidence(RINGS, DOUBLE_SUM, tolerance=1e-9),
    "lru:38": Evidence(
        RINGS,
        {
            "reference": ring_mean_resolvent,
            "quadrature": lambda **ring: 1 + ring_power_sum(**ring),
        },
        example=Example(
            "the sum of r^n that equals 1/(1 - r)",
            {"r": 0.5},
            lambda r: powers(r, 200)[1:].sum(),
            lambda r: powers(r, 200).sum(),
        ),
    ),
    "lru:39": Evidence(RINGS, {"reference": ring_mean_resolvent}),
    "lru:40": Evidence(RINGS, {"reference": ring_mean_resolvent}),
    "lru:41": Evidence(RINGS, {"reference": ring_mean_resolvent}),
}
