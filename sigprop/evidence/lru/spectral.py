"""What judges stacks in the spectral domain, Eq. 8-16 of Orvieto et al. (2023)."""

import functools
from collections.abc import Sequence

import numpy as np
from jaxtyping import Complex, Float
from numpy.polynomial import Polynomial
from numpy.polynomial.hermite_e import hermeval

from sigprop.evidence.kit import also, crossed, legendre, points
from sigprop.evidence.lru.transforms import SPACING, SPAN, UNITARY, line, pulse
from sigprop.judge.basis import Basis, Evidence
from theory import spectral

Regions = Sequence[tuple[float, float]]
COARSE = 0.1  # enough where both signal and frequency are below 14


def _roots(regions: Regions) -> Polynomial:
    """Positive inside every region and negative outside, where the regions are apart."""
    signal = Polynomial([-1.0])
    for centre, half in regions:
        signal *= Polynomial([centre**2 - half**2, -2 * centre, 1.0])
    return signal


def _spectrum(
    omega: Float[np.ndarray, " k"], regions: Regions
) -> Complex[np.ndarray, " k"]:
    """Transform, prefactor one, of the polynomial times ``exp(-t^2/2)``."""
    weights = np.array(_roots(regions).coef, complex) * (-1j) ** np.arange(
        2 * len(regions) + 1
    )
    return hermeval(omega, weights) * np.sqrt(2 * np.pi) * np.exp(-(omega**2) / 2)


def rectified(regions: Regions, omega: float, scale: float) -> complex:
    """Transform of the ReLU of a signal that is positive in the given regions."""
    total = 0j
    for centre, half in regions:
        t, weights = legendre(centre - half, centre + half, 80)
        passed = np.maximum(_roots(regions)(t) * np.exp(-(t**2) / 2), 0)
        total += weights @ (passed * np.exp(-1j * omega * t))
    return complex(scale * total)


def leaked_as_printed(regions: Regions, omega: float, scale: float) -> complex:
    """The spectrum convolved with the kernel, as Proposition E.1 prints it.

    Source: Orvieto et al. (2023), Eq. 8 and 16.
    """
    nu = line()
    bracket = sum(
        2
        * half
        * np.exp(-1j * (omega - nu) * centre)
        * np.sinc((omega - nu) * half / np.pi)
        for centre, half in regions
    )
    return scale * SPACING * complex(np.sum(_spectrum(nu, regions) * bracket))


def leaked(regions: Regions, omega: float, scale: float) -> complex:
    """The spectrum convolved with the kernel, over ``2 pi``: right for any prefactor."""
    return leaked_as_printed(regions, omega, scale) / (2 * np.pi)


def _transform(
    width: float, scale: float, omega: Float[np.ndarray, " k"]
) -> Complex[np.ndarray, " k"]:
    t = np.arange(-SPAN, SPAN, COARSE) * max(width, 1.0)
    signal = np.exp(-(t**2) / (2 * width**2))
    return scale * (t[1] - t[0]) * np.exp(-1j * np.multiply.outer(omega, t)) @ signal


@functools.cache
def _pair(
    width_1: float, width_2: float, scale: float
) -> tuple[
    Float[np.ndarray, " k"], Complex[np.ndarray, " k"], Complex[np.ndarray, " k"]
]:
    nu = np.arange(-12.0, 12.0, COARSE)
    return nu, _transform(width_1, scale, nu), _transform(width_2, scale, nu)


def product_from_transforms(
    width_1: float, width_2: float, time: float, scale: float
) -> complex:
    """Product of two inverse transforms, each with the prefactor that it needs.

    Source: Orvieto et al. (2023), Eq. 10.
    """
    nu, first, second = _pair(width_1, width_2, scale)
    wave = COARSE * np.exp(1j * nu * time)
    return complex((first @ wave) * (second @ wave)) / (2 * np.pi * scale) ** 2


@functools.cache
def joint_integral(
    width_1: float, width_2: float, time: float, scale: float
) -> complex:
    """One sum over the plane of frequencies.  Source: Orvieto et al. (2023), Eq. 11-13."""
    nu, first, second = _pair(width_1, width_2, scale)
    wave = np.exp(1j * np.add.outer(nu, nu) * time)
    return complex(np.sum(np.multiply.outer(first, second) * wave)) * COARSE**2


def product_from_convolution(
    width_1: float, width_2: float, time: float, scale: float
) -> complex:
    """The inverse of the convolved spectra, over the factor that it needs.

    Source: Orvieto et al. (2023), Eq. 14.
    """
    _, first, second = _pair(width_1, width_2, scale)
    convolved = COARSE * np.convolve(first, second)
    omega = -24.0 + COARSE * np.arange(convolved.size)
    inverse = (
        COARSE * np.sum(convolved * np.exp(1j * omega * time)) / (2 * np.pi * scale)
    )
    return complex(inverse) / (2 * np.pi * scale)


LEAKAGE = Evidence(
    points(
        "regions omega scale",
        (((0.3, 0.8),), 1.1, 1.0),
        (((-0.6, 0.5),), -2.3, UNITARY),
        (((0.3, 0.8), (-1.5, 0.4)), 0.7, 1.0),
        (((0.3, 0.8), (-1.5, 0.4)), 3.1, UNITARY**0.5),
    ),
    {"reference": rectified},
    form=leaked,
    printed=leaked_as_printed,
    proof=spectral.leakage_is_convolution,
    tolerance=1e-11,
)
PULSES = points(
    "centre half omega", (0.4, 0.7, 1.3), (-1.2, 0.5, 2.1), (2.3, 1.9, -0.6)
)
PAIRS = crossed(
    points("width_1 width_2 time", (1.2, 0.8, 0.5), (0.7, 1.5, -0.9), (1.0, 1.3, 1.7)),
    points("scale", 1.0, UNITARY),
)
SEPARATE = Evidence(PAIRS, {"reference": product_from_transforms})
JOINT = Evidence(PAIRS, {"reference": joint_integral})


EVIDENCE: dict[str, Basis] = {
    "lru:8": LEAKAGE,
    "lru:propE.1": LEAKAGE,
    "lru:9": SEPARATE,
    "lru:10": SEPARATE,
    "lru:11": JOINT,
    "lru:12": JOINT,
    "lru:13": JOINT,
    "lru:14": Evidence(PAIRS, {"reference": product_from_convolution}),
    "lru:15": Evidence(
        (*also(PULSES, scale=1.0), *also(PULSES, scale=UNITARY)), {"reference": pulse}
    ),
    "lru:16": LEAKAGE,
}
