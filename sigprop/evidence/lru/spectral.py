"""Evidence for stacks in the spectral domain, Eq. 8-16 of Orvieto et al. (2023)."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Complex, Float
from numpy.polynomial import Polynomial
from numpy.polynomial.hermite_e import hermeval
from sympy import pi

from sigprop.evidence.kit import also, crossed, legendre, points
from sigprop.evidence.lru.transforms import (
    PULSE_EXAMPLE,
    SPACING,
    SPAN,
    UNITARY,
    line,
    pulse,
)
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import spectral

Regions = Sequence[tuple[float, float]]
COARSE = 0.1  # spacing; sufficient for times and frequencies below 14


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


def leaked_as_printed(
    regions: Regions,
    omega: float,
    scale: float,
    turn: int = -1,
    stretch: float = 1.0,
    factor: Callable[[float], float] = lambda half: 2 * half,
) -> complex:
    """The spectrum convolved with the kernel, as Proposition E.1 prints it.

    The last three are the sign of the phase, what the sinc's argument is times, and the
    factor before it.  Source: Orvieto et al. (2023), Eq. 8 and 16.
    """
    nu = line()
    bracket = sum(
        factor(half)
        * np.exp(1j * turn * (omega - nu) * centre)
        * np.sinc((omega - nu) * half * stretch / np.pi)
        for centre, half in regions
    )
    return scale * SPACING * complex(np.sum(_spectrum(nu, regions) * bracket))


def leaked(regions: Regions, omega: float, scale: float, **mutant: Any) -> complex:
    """The spectrum convolved with the kernel, over ``2 pi``: right for any prefactor."""
    return leaked_as_printed(regions, omega, scale, **mutant) / (2 * np.pi)


def _sinc_energy(half: float) -> float:
    """``int (2 half sinc(nu half))^2 dnu``, by Parseval ``2 pi`` times the length."""
    return 2 * np.pi * float(legendre(-half, half, 2)[1].sum())


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
    mutants={
        "the delay's sign": partial(leaked, turn=1),
        "no delay": partial(leaked, turn=0),
        "the whole length in the sinc": partial(leaked, stretch=2),
        "pi in the sinc": partial(leaked, stretch=np.pi),
        "no length before the sinc": partial(leaked, factor=lambda _: 2.0),
        "length squared": partial(leaked, factor=lambda half: 2 * half**2),
        "the transform's prefactor twice": lambda regions, omega, scale: (
            scale * leaked(regions, omega, scale)
        ),
    },
    example=Example(
        "the transform at omega = 0 of a ReLU of 1 on [-1, 1], 0 elsewhere",
        {"L": 1.0},
        lambda L: _sinc_energy(L),
        lambda L: 2 * L,
    ),
)
PULSES = points(
    "centre half omega", (0.4, 0.7, 1.3), (-1.2, 0.5, 2.1), (2.3, 1.9, -0.6)
)
PAIRS = crossed(
    points("width_1 width_2 time", (1.2, 0.8, 0.5), (0.7, 1.5, -0.9), (1.0, 1.3, 1.7)),
    points("scale", 1.0, UNITARY),
)
SEPARATE = Evidence(PAIRS, {"reference": product_from_transforms})


def _line_is_right(number: int) -> bool:
    """Return True if a printed line holds where the inverse transform has no factor."""
    line, product = spectral.product_lines()[number - 10], spectral.product_of_signals()
    return spectral.agree_under(1 / (2 * pi), line, product.result)


def _inverse_at_zero(power: int) -> Example:
    """A line that is ``(2 pi)^power`` too large, for two signals ``exp(-t^2/2)``."""
    return Example(
        "u_1 u_2 for u = exp(-t^2/2), the transform without a factor,",
        {"t": 0.0},
        lambda t: (2 * np.pi) ** power * product_from_transforms(1, 1, t, 1).real,
        lambda t: np.exp(-(t**2)),
    )


JOINT = Evidence(PAIRS, {"reference": joint_integral})


EVIDENCE: dict[str, Basis] = {
    "lru:8": LEAKAGE,
    "lru:propE.1": LEAKAGE,
    "lru:9": SEPARATE,
    "lru:10": replace(
        SEPARATE, proof=partial(_line_is_right, 10), example=_inverse_at_zero(2)
    ),
    "lru:11": JOINT,
    "lru:12": JOINT,
    "lru:13": JOINT,
    "lru:14": Evidence(
        PAIRS,
        {"reference": product_from_convolution},
        proof=partial(_line_is_right, 14),
        example=_inverse_at_zero(1),
    ),
    "lru:15": Evidence(
        (*also(PULSES, scale=1.0), *also(PULSES, scale=UNITARY)),
        {"reference": pulse},
        proof=spectral.pulse_is_right,
        example=PULSE_EXAMPLE,
    ),
    "lru:16": LEAKAGE,
}
